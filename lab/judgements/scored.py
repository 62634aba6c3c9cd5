"""Corpora of scored arguments, and labels that are computed from pairs (F22, G19)."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter, either
from argsearch.lab.judgements.pairs import (
    WEBIS_DIMENSIONS,
    TextPairs,
    read_dagstuhl,
    read_eviconv,
    read_ibm_pairs,
    read_ukp,
    read_webis,
)
from argsearch.lab.judgements.tables import (
    JudgementsError,
    decoded,
    evidence,
    files_of,
    number,
    only,
    plain,
    table,
    words,
)
from argsearch.ranking.numbers import minmax
from argsearch.ranking.preference import bradley_terry, comparisons, elo, win_rate

SPLITS = ("train", "valid", "test")

Row = tuple[str, str, float, str]
"""Topic, text, score, and the published part (or an empty string)."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Arguments with scores and topics; a text occurs once per topic, or once per row."""

    name: str
    sha256: str
    """SHA-256 of the texts, topics, and scores as read."""
    texts: tuple[str, ...]
    topic_names: tuple[str, ...]
    topics: NDArray[np.int64]
    """int64[n] into `topic_names`."""
    scores: NDArray[np.float64]
    """float64[n], higher is better."""
    parts: tuple[str, ...]
    """Published split of each topic: train, valid, test, or an empty string."""
    pairs: tuple[TextPairs, ...]
    """Pairwise judgements of the texts; empty if the corpus has none."""

    def only(self, keep: NDArray[np.bool_], scores: NDArray[np.float64]) -> Scored:
        """Keep the arguments for which `keep`, bool[n], is true, with new `scores`, float64[n]."""
        texts = tuple(text for text, kept in zip(self.texts, keep, strict=True) if kept)
        rest = self.topic_names, self.topics[keep], scores[keep], self.parts, self.pairs
        return Scored(self.name, self.sha256, texts, *rest)


def gather(
    source: Path,
    name: str,
    rows: Sequence[Row],
    pairs: Sequence[TextPairs] = (),
    distinct: bool = True,
) -> Scored:
    """Collect arguments from rows: with `distinct`, the first row of each topic and text."""
    found: dict[tuple[str, str, int], tuple[float, str]] = {}
    for i, (topic, text, score, part) in enumerate(rows):
        if text.strip():
            found.setdefault((topic, text, 0 if distinct else i), (score, part))
    topics: dict[str, int] = {}
    numbers = np.array([topics.setdefault(topic, len(topics)) for topic, *_ in found], np.int64)
    if len(topics) < 3:
        raise JudgementsError(source, f"need at least 3 topics, but have only {len(topics)}")
    parts = dict.fromkeys(topics, "")
    for (topic, *_), (_, part) in found.items():
        parts[topic] = part
    scores = np.array([score for score, _ in found.values()], np.float64)
    if not np.isfinite(scores).all():
        raise JudgementsError(source, "have a score that is not a finite number")
    named = ((*key[:2], repr(score)) for key, (score, _) in found.items())
    lines = "".join("\t".join(one) + "\n" for one in named)
    sha256 = hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
    rest = numbers, scores, tuple(parts.values()), tuple(pairs)
    return Scored(name, sha256, tuple(text for _, text, _ in found), tuple(topics), *rest)


def ukp(source: Path) -> Scored:
    """Read UKPConvArg1, with 32 topic-stances; score = 1 − min–max(rank), as low ranks are best."""
    rows: list[Row] = []
    for name, text in files_of(source, "Ranking", ".csv"):
        found = list(table(source, text, ("rank", "argument"), "\t", quoted=False))
        scores = 1.0 - minmax([number(source, rank) for rank, _ in found])
        topic = words(name.replace("_", " "))
        rows += [
            (topic, plain(argument), score, "")
            for (_, argument), score in zip(found, scores.tolist(), strict=True)
        ]
    return gather(source, "ukpconvarg1", rows, [read_ukp(source)])


def argq(source: Path) -> Scored:
    """Read 6.3kArgs of IBM-ArgQ, with the pairs of 9.1kPairs matched by text (the ids differ)."""
    rows = [
        (words(name), plain(argument), number(source, rank), "")
        for name, text in files_of(source, "6.3kArgs", ".tsv")
        for rank, argument in table(source, text, ("rank", "argument"), "\t", quoted=False)
    ]
    return gather(source, "ibm-argq", rows, [read_ibm_pairs(source)])


def eviconv(source: Path, distinct: bool = True) -> Scored:
    """Read IBM-EviConv with its test set; scores are for evidence detection, not for quality.

    distinct: true if a text counts once, false if it counts once for each of its pairs (F22).
    """
    rows: list[Row] = []
    ends = ("evidence_1", "evidence_1_detection_score", "evidence_2", "evidence_2_detection_score")
    for part in ("train", "test"):
        path = only(source, f"{part}.csv*")
        for topic, *both in table(path, decoded(path), ("topic", *ends)):
            for text, score in (both[:2], both[2:]):
                rows.append((topic, evidence(text), number(path, score), part))
    return gather(source, "ibm-eviconv", rows, [read_eviconv(source)], distinct)


def argq30k(source: Path) -> Scored:
    """Read IBM-ArgQ-Rank-30k, with its parts; scores are weighted averages (WA) of binary votes."""
    path = only(source, "arg_quality_rank_30k.csv*")
    named = {"train": "train", "dev": "valid", "test": "test"}
    columns = ("topic", "argument", "WA", "set")
    rows = [
        (topic, plain(text), number(path, score), named.get(part, ""))
        for topic, text, score, part in table(path, decoded(path), columns)
    ]
    return gather(source, "ibm-argq-rank-30k", rows)


def webis(source: Path) -> Scored:
    """Read Webis-ArgQuality-20: the combined quality of arguments on 20 topics, all comparisons."""
    path = only(source, "*arguments.csv")
    columns = ("Topic ID", "Premise", "Is Argument?", "Combined Quality")
    rows = [
        (f"topic {topic}", plain(text), number(path, quality), "")
        for topic, text, good, quality in table(path, decoded(path), columns)
        if good == "True"
    ]
    pairs = [read_webis(source, name) for name in WEBIS_DIMENSIONS]
    return gather(path, "webis-argquality-20", rows, pairs)


def dagstuhl(source: Path) -> Scored:
    """Read Dagstuhl-15512: mean ratings of overall quality, with 32 (issue, stance) topics."""
    found = read_dagstuhl(source)
    means = found.means("overall quality").tolist()
    topics = [found.queries[query] for query in found.query]
    rows = [(t, text, s, "") for t, text, s in zip(topics, found.texts, means, strict=True)]
    return gather(source, "dagstuhl-15512", rows)


def plain_table(source: Path) -> Scored:
    """Read your own CSV file, with the columns topic, text, score, and optionally part."""
    content = decoded(source)
    has_parts = "part" in next(csv.reader(io.StringIO(content, newline="")), [])
    columns = ("topic", "text", "score", *(["part"] if has_parts else []))
    rows: list[Row] = []
    for topic, text, score, *parts in table(source, content, columns):
        part = parts[0] if parts else ""
        if part not in ("", *SPLITS):
            raise JudgementsError(source, f"must have the parts {either(SPLITS)}, not {part!r}")
        rows.append((topic, plain(text), number(source, score), part))
    return gather(source, source.name, rows)


CORPORA: dict[str, Callable[[Path], Scored]] = {
    "ukpconvarg1": ukp,
    "eviconv": eviconv,
    "eviconv-occurrences": partial(eviconv, distinct=False),
    "argq": argq,
    "argq-rank-30k": argq30k,
    "webis-argquality20": webis,
    "dagstuhl-15512": dagstuhl,
    "csv": plain_table,
}
"""Functions that read the corpora that a training configuration can name."""

MORE = (
    ("ukpconvarg1", "ukpconvarg1", "winrate"),
    ("toledo2019", "argq", "scores"),
    ("eviconv", "eviconv", "winrate"),
    ("rank-30k", "argq-rank-30k", "scores"),
    ("dagstuhl", "dagstuhl-15512", "scores"),
)
"""Word in a file or folder name, its corpus, and the labels that best represent quality."""

LABELS = ("scores", "winrate", "bradley-terry", "elo")
"""Labels: the corpus's own scores, wins / appearances, Bradley–Terry with ties, Elo ratings."""


def labelled(scored: Scored, labels: str, prior: float = 0.0) -> Scored:
    """Replace the scores by labels, and drop arguments that no pair compares.

    prior: shrinks WinRate towards ½ (see `win_rate`). If there are several sets of pairs
    (dimensions), the label is their mean. Raises InvalidParameter for a corpus without pairs.
    """
    if labels == "scores":
        return scored
    if not scored.pairs:
        allowed = f"scores; {scored.name} has no pairwise judgements"
        raise InvalidParameter("data.labels", labels, allowed)
    texts = [bare(text) for text in scored.texts]
    found = [_of_pairs(pairs, labels, prior) for pairs in scored.pairs]
    rows = np.array([[values.get(text, np.nan) for text in texts] for values in found])
    # An argument that is missing in one dimension becomes NaN here, and is dropped.
    values = rows.mean(axis=0)
    return scored.only(np.isfinite(values), values)


def bare(text: str) -> str:
    """Return a text's letters and digits in lower case, to match IBM-ArgQ's pairs and texts."""
    return "".join(character for character in text.lower() if character.isalnum())


def _of_pairs(pairs: TextPairs, labels: str, prior: float) -> dict[str, float]:
    data = comparisons(pairs.better, pairs.worse, np.ones(len(pairs.better)), len(pairs.texts))
    if labels == "winrate":
        values = win_rate(data, prior)
    else:
        values = bradley_terry(data).scores if labels == "bradley-terry" else elo(data)
    met = np.unique([pairs.better, pairs.worse]).tolist()
    return {bare(pairs.texts[i]): float(values[i]) for i in met}
