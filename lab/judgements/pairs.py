"""Judged pairs of texts, whatever corpus they come from: which of two people found better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.judgements.tables import (
    JudgementsError,
    decoded,
    evidence,
    files_of,
    only,
    plain,
    table,
    words,
)

WEBIS_DIMENSIONS = ("logical", "rhetorical", "dialectical")
"""Webis-ArgQuality-20 compares on these; `logical` is the kin of D20's cogency, `rhetorical` of
effectiveness, `dialectical` of reasonableness."""


@dataclass(frozen=True, slots=True)
class TextPairs:
    """TextPairs of texts of which the first was judged better; ties are left out."""

    source: str
    """The corpus and, where it has several, the dimension."""
    texts: tuple[str, ...]
    better: NDArray[np.int64]
    """int64[m] into `texts`."""
    worse: NDArray[np.int64]
    """int64[m] into `texts`."""
    topics: tuple[str, ...]
    """The topic of each pair, for leaving topics out: m names."""

    def only(self, keep: NDArray[np.bool_]) -> TextPairs:
        """The pairs where `keep`, bool[m], over the same texts."""
        topics = tuple(topic for topic, kept in zip(self.topics, keep, strict=True) if kept)
        return TextPairs(self.source, self.texts, self.better[keep], self.worse[keep], topics)


class Collector:
    """Gathers pairs by text; a text that occurs twice is one text."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._texts: dict[str, int] = {}
        self._pairs: list[tuple[int, int]] = []
        self._topics: list[str] = []

    def add(self, better: str, worse: str, topic: str) -> None:
        """One judgement; two equal texts say nothing and are left out."""
        if better == worse:
            return
        first, second = (self._texts.setdefault(t, len(self._texts)) for t in (better, worse))
        self._pairs.append((first, second))
        self._topics.append(topic)

    def pairs(self) -> TextPairs:
        """What was gathered, in the order it came."""
        rows = np.array(self._pairs, np.int64).reshape(-1, 2)
        texts = tuple(self._texts)
        return TextPairs(
            self._source, texts, rows[:, 0].copy(), rows[:, 1].copy(), tuple(self._topics)
        )


def read_webis(source: Path, dimension: str) -> TextPairs:
    """The raw comparisons of Webis-ArgQuality-20 on one of `WEBIS_DIMENSIONS`; the folder of both
    its parts is needed, since the comparisons name the arguments by number."""
    full, raw = (
        only(source, name) for name in ("*quality20-arguments.csv", f"*raw-{dimension}.csv")
    )
    columns = ("Topic ID", "Discussion ID", "Argument ID", "Premise")
    texts: dict[tuple[str, str], tuple[str, str]] = {}
    for topic, discussion, argument, premise in table(full, decoded(full), columns, ","):
        texts[discussion, argument] = topic, plain(premise)
    gathered = Collector(f"webis-argquality-20 {dimension}")
    sides = ("Discussion ID A", "Argument ID A", "Discussion ID B", "Argument ID B", "Comparison")
    for one, a, other, b, winner in table(raw, decoded(raw), sides, ","):
        first, second = texts.get((one, a)), texts.get((other, b))
        if first is None or second is None or winner not in ("A", "B"):
            continue  # a tie, or an item that the release left out
        better, worse = (first, second) if winner == "A" else (second, first)
        gathered.add(better[1], worse[1], f"webis {better[0]}")
    return gathered.pairs()


def read_ukp(source: Path) -> TextPairs:
    """UKPConvArg1 Strict: the archive or its folder; a topic is an issue, both its stances."""
    files = files_of(source, "Strict", ".csv")
    return _labelled(
        "ukpconvarg1 strict", source, ((name.partition("_")[0], text) for name, text in files)
    )


def read_ibm_pairs(source: Path) -> TextPairs:
    """IBM-ArgQ-9.1kPairs (Toledo et al. 2019): the archive or its folder."""
    files = files_of(source, "9.1kPairs", ".tsv")
    return _labelled(
        "ibm-argq 9.1k pairs", source, ((name.rpartition("-(")[0], text) for name, text in files)
    )


def _labelled(corpus: str, source: Path, files: Iterable[tuple[str, str]]) -> TextPairs:
    """The pairs of some files, each with its topic's name."""
    gathered = Collector(corpus)
    for topic, text in files:
        for label, first, second in table(source, text, ("label", "a1", "a2"), "\t"):
            if label not in ("a1", "a2"):
                raise JudgementsError(source, f"label {label!r}; allowed: a1, a2")
            better, worse = (first, second) if label == "a1" else (second, first)
            gathered.add(plain(better), plain(worse), words(topic))
    return gathered.pairs()


def read_eviconv(source: Path) -> TextPairs:
    """IBM-EviConv (Gleize et al. 2019): the folder of train.csv and test.csv, plain or .xz."""
    gathered = Collector("ibm-eviconv")
    columns = ("topic", "evidence_1", "evidence_2", "label")
    for part in ("train.csv*", "test.csv*"):
        path = only(source, part)
        for topic, first, second, label in table(path, decoded(path), columns, ","):
            if label not in ("1", "2"):
                raise JudgementsError(path, f"label {label!r}; allowed: 1, 2")
            better, worse = (first, second) if label == "1" else (second, first)
            gathered.add(evidence(better), evidence(worse), topic)
    return gathered.pairs()


READERS: tuple[tuple[str, Callable[[Path], list[TextPairs]]], ...] = (
    ("argquality20", lambda at: [read_webis(at, name) for name in WEBIS_DIMENSIONS]),
    ("ukpconvarg1", lambda at: [read_ukp(at)]),
    ("toledo2019", lambda at: [read_ibm_pairs(at)]),
    ("eviconv", lambda at: [read_eviconv(at)]),
)
"""The corpora `read_others` knows: a part of a path's name, and what reads it."""


def read_others(sources: Sequence[Path]) -> list[TextPairs]:
    """The pairs of each source, told apart by its name; raises JudgementsError for another."""
    return list(chain.from_iterable(_read(Path(source)) for source in sources))


def _read(source: Path) -> list[TextPairs]:
    for name, reader in READERS:
        if name in source.name.lower():
            return reader(source)
    known = ", ".join(name for name, _ in READERS)
    raise JudgementsError(source, f"are of no known corpus; the name must hold one of: {known}")
