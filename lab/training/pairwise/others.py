"""Pairs of other corpora, for training: which of two texts people found the better argument."""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from argsearch.lab.training.pairwise.dagstuhl import plain, words
from argsearch.lab.training.pairwise.pairs import Collector, Pairs, PairsError, files_of

WEBIS_DIMENSIONS = ("logical", "rhetorical", "dialectical")
"""Webis-ArgQuality-20 compares on these; `logical` is the kin of D20's cogency, `rhetorical` of
effectiveness, `dialectical` of reasonableness."""


def table(source: Path, text: str, columns: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """The named columns of each row; raises PairsError where one is missing or a row is short."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines) if delimiter == "," else _tabbed(lines)
    header = next(reader, [])
    missing = [name for name in columns if name not in header]
    if missing:
        raise PairsError(source, f"lack the column {missing[0]!r}; needed: {', '.join(columns)}")
    places = [header.index(name) for name in columns]
    for number, row in enumerate(reader, 2):
        if len(row) <= max(places):
            raise PairsError(source, f"line {number} has {len(row)} columns of {len(header)}")
        yield [row[place] for place in places]


def _tabbed(lines: Iterable[str]) -> Iterator[list[str]]:
    """Rows apart by tabs; quotes mean nothing."""
    return (line.rstrip("\r\n").split("\t") for line in lines)


def read_webis(source: Path, dimension: str) -> Pairs:
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


def read_ukp(source: Path) -> Pairs:
    """UKPConvArg1 Strict: the archive or its folder; a topic is an issue, both its stances."""
    gathered = Collector("ukpconvarg1 strict")
    for name, text in files_of(source, "Strict", ".csv"):
        issue = words(name.partition("_")[0])
        _labelled(gathered, source, text, issue, ("label", "a1", "a2"))
    return gathered.pairs()


def read_ibm_pairs(source: Path) -> Pairs:
    """IBM-ArgQ-9.1kPairs (Toledo et al. 2019): the archive or its folder."""
    gathered = Collector("ibm-argq 9.1k pairs")
    for name, text in files_of(source, "9.1kPairs", ".tsv"):
        topic = words(name.rpartition("-(")[0])
        _labelled(gathered, source, text, topic, ("label", "a1", "a2"))
    return gathered.pairs()


def _labelled(
    gathered: Collector, source: Path, text: str, topic: str, columns: Sequence[str]
) -> None:
    for label, first, second in table(source, text, columns, "\t"):
        if label not in ("a1", "a2"):
            raise PairsError(source, f"label {label!r}; allowed: a1, a2")
        better, worse = (first, second) if label == "a1" else (second, first)
        gathered.add(plain(better), plain(worse), topic)


def read_eviconv(source: Path) -> Pairs:
    """IBM-EviConv (Gleize et al. 2019): the folder of train.csv and test.csv, plain or .xz."""
    gathered = Collector("ibm-eviconv")
    columns = ("topic", "evidence_1", "evidence_2", "label")
    for part in ("train.csv*", "test.csv*"):
        path = only(source, part)
        for topic, first, second, label in table(path, decoded(path), columns, ","):
            if label not in ("1", "2"):
                raise PairsError(path, f"label {label!r}; allowed: 1, 2")
            better, worse = (first, second) if label == "1" else (second, first)
            gathered.add(evidence(better), evidence(worse), topic)
    return gathered.pairs()


def evidence(text: str) -> str:
    """Evidence from Wikipedia, without the marks of its references."""
    return plain(text.replace("[REF]", " "))


def only(source: Path, pattern: str) -> Path:
    """The one file of a folder with such a name; raises PairsError for none or several."""
    found = sorted(source.rglob(pattern)) if source.is_dir() else []
    if len(found) != 1:
        raise PairsError(source, f"hold {len(found)} files {pattern}; needed: one, in a folder")
    return found[0]


def decoded(path: Path) -> str:
    """The UTF-8 text of a file, plain or .xz; raises PairsError."""
    try:
        content = path.read_bytes()
        if path.suffix == ".xz":
            content = lzma.decompress(content)
        return content.decode("utf-8-sig")
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise PairsError(path, f"cannot be read ({error})") from error


READERS: tuple[tuple[str, Callable[[Path], list[Pairs]]], ...] = (
    ("argquality20", lambda at: [read_webis(at, name) for name in WEBIS_DIMENSIONS]),
    ("ukpconvarg1", lambda at: [read_ukp(at)]),
    ("toledo2019", lambda at: [read_ibm_pairs(at)]),
    ("eviconv", lambda at: [read_eviconv(at)]),
)
"""The corpora `read_others` knows: a part of a path's name, and what reads it."""


def read_others(sources: Sequence[Path]) -> list[Pairs]:
    """The pairs of each source, told apart by its name; raises PairsError for an unknown name."""
    return list(chain.from_iterable(_read(Path(source)) for source in sources))


def _read(source: Path) -> list[Pairs]:
    for name, reader in READERS:
        if name in source.name.lower():
            return reader(source)
    known = ", ".join(name for name, _ in READERS)
    raise PairsError(source, f"are of no known corpus; the name must hold one of: {known}")
