"""Reads Webis-ArgQuality-20: judged arguments, three systems' rankings, comparisons, and votes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.judgements.comparisons import Votes, read_table, read_votes
from argsearch.lab.judgements.tables import JudgementsError, decoded, file_or_only, table
from argsearch.lab.runs import RunFormatError
from argsearch.ranking.preference import Comparisons, comparisons

SCORE_DIMENSIONS = ("rhetorical", "logical", "dialectical")
SCORES = (*SCORE_DIMENSIONS, "relevance", "combined")
SYSTEMS = {"DirichletLM": "DirichletLM", "DPH": "DPH", "BM25F": "BM25"}
"""Name of each system in the thesis, and its name in the released file."""

Item = tuple[str, str, str]
_COLUMNS = {
    **{name: f"{name.title()} Quality" for name in (*SCORE_DIMENSIONS, "combined")},
    "relevance": "Relevance",
}


@dataclass(frozen=True, slots=True)
class WebisArgQuality:
    """The n items, each (topic, discussion, argument), and their scores, −4 for a non-argument.

    `topic` holds each item's topic number, from 0, and `words` the length of each text.
    `rankings[system][t]` lists the item numbers for topic t, best first.
    """

    folder: Path
    items: list[Item]
    topic: NDArray[np.intp]
    is_argument: NDArray[np.bool_]
    words: NDArray[np.float64]
    scores: Mapping[str, NDArray[np.float64]]
    rankings: Mapping[str, list[list[int]]]


@contextmanager
def _released(path: Path) -> Iterator[None]:
    """Raise RunFormatError if a file lacks a column, an item, or a number."""
    try:
        yield
    except KeyError as error:
        problem = f"the file lacks {error.args[0]!r}; download it again"
    except ValueError as error:
        problem = f"the file differs from the released one ({error}); download it again"
    else:
        return
    raise RunFormatError(path, None, problem)


def load(folder: str | Path) -> WebisArgQuality:
    """Read the released folder (`full/` and `raw/`); raise RunFormatError for a bad file."""
    root = Path(folder)
    path = root / "full" / "webis-argquality20-arguments.csv"
    with _released(path):
        rows = [row for _, row in read_table(path)]
        items = [_item(row) for row in rows]
        # Sort by length first, so that topic 10 comes after topic 9.
        topics = sorted({item[0] for item in items}, key=lambda name: (len(name), name))
        number = {name: t for t, name in enumerate(topics)}
        topic = np.array([number[item[0]] for item in items], dtype=np.intp)
        is_argument = np.array([row["Is Argument?"] == "True" for row in rows])
        words = np.array([float(row["Text Length"]) for row in rows])
        scores = {name: np.array([float(row[c]) for row in rows]) for name, c in _COLUMNS.items()}
    path = root / "full" / "webis-argquality20-ranking.csv"
    with _released(path):
        position = {item: i for i, item in enumerate(items)}
        ranked: dict[str, list[list[tuple[int, int]]]] = {}
        for _, row in read_table(path):
            lists = ranked.setdefault(row["Model"], [[] for _ in number])
            lists[number[row["Topic ID"]]].append((int(row["Rank"]), position[_item(row)]))
        rankings = {
            name: [[i for _, i in sorted(found)] for found in ranked[released]]
            for name, released in SYSTEMS.items()
        }
    return WebisArgQuality(root, items, topic, is_argument, words, scores, rankings)


def _item(row: Mapping[str, str]) -> Item:
    return row["Topic ID"], row["Discussion ID"], row["Argument ID"]


def raw_comparisons(
    data: WebisArgQuality, dimension: str, by_topic: bool = True
) -> tuple[list[int], Comparisons]:
    """Return the items' positions in `data.items` and the raw comparisons of one dimension.

    The raw files name items without their topics, and four arguments belong to two topics. With
    by_topic, an argument is one item per topic, and a comparison refers to the topic that both
    arguments share. Otherwise an argument is a single item, placed where it first appears.
    """
    path = data.folder / "raw" / f"webis-argquality20-raw-{dimension}.csv"
    topics: dict[tuple[str, str], list[str]] = {}
    for topic, discussion, argument in data.items:
        topics.setdefault((discussion, argument), []).append(topic)
    position = {item: i for i, item in enumerate(data.items)}
    numbers: dict[int, int] = {}
    judged = []
    with _released(path):
        for line, row in read_table(path):
            a, b = ((row[f"Discussion ID {s}"], row[f"Argument ID {s}"]) for s in "AB")
            shared = [topic for topic in topics.get(a, ()) if topic in topics.get(b, ())]
            if not shared:
                raise RunFormatError(path, line, f"{a} and {b} share no topic")
            where = (position[shared[0] if by_topic else topics[item][0], *item] for item in (a, b))
            first, second = (numbers.setdefault(place, len(numbers)) for place in where)
            judged.append((first, second, {"A": 1, "B": -1, "Tie": 0}[row["Comparison"]]))
        left, right, results = zip(*judged, strict=True)
        return list(numbers), comparisons(left, right, results, len(numbers))


def raw_votes(data: WebisArgQuality, label: str) -> Votes:
    """Read the raw votes on `Relevance` or `Is Argument?`; units are (discussion, argument)."""
    path = data.folder / "raw" / "webis-argquality20-raw-relevance.csv"
    return read_votes(path, ["Discussion ID", "Argument ID"], label)


FIELDS = ("Topic ID", "Premise", "Is Argument?", "Combined Quality")
"""Names of the required columns."""

SMALLEST = 40
"""Smallest number of items that training needs."""


@dataclass(frozen=True)
class Judgements:
    """Judged texts; quality is in [0, 1] for arguments (rescaled as in H21) and 0 for others."""

    file: str
    sha256: str
    texts: tuple[str, ...]
    topics: NDArray[np.int64]
    is_argument: NDArray[np.bool_]
    quality: NDArray[np.float64]
    lowest: float
    highest: float

    @property
    def topic_count(self) -> int:
        """Number of distinct topics."""
        return len(np.unique(self.topics))

    @property
    def words(self) -> NDArray[np.float64]:
        """Number of whitespace-separated words in each text, float64[n]."""
        return np.array([len(text.split()) for text in self.texts], dtype=np.float64)


def read_judgements(source: Path) -> Judgements:
    """Read judgements from a CSV file, or from a folder with one file named *arguments.csv.

    Raises JudgementsError for a missing file, a missing column, an invalid row, or too few items.
    """
    path = file_or_only(Path(source), "*arguments.csv")
    rows = [_parse(path, i, *row) for i, row in enumerate(table(path, decoded(path), FIELDS), 1)]
    topics, texts, flags, scores = zip(*rows, strict=True) if rows else ((), (), (), ())
    is_argument, raw = np.array(flags, dtype=np.bool_), np.array(scores, dtype=np.float64)
    good = raw[is_argument]
    distinct, numbers = np.unique(np.array(topics, dtype=np.str_), return_inverse=True)
    # With one topic held out, items of both kinds must remain for training.
    spread = min(len(np.unique(numbers[is_argument == flag])) for flag in (True, False))
    if len(rows) < SMALLEST or spread < 2 or len(np.unique(good)) < 2:
        raise JudgementsError(
            path,
            f"need at least {SMALLEST} items: arguments of different quality, and "
            f"non-arguments, each from two topics or more; found {len(rows)} items, {len(good)} "
            f"arguments and {len(distinct)} topics",
        )
    low, high = float(good.min()), float(good.max())
    quality = np.where(is_argument, (raw - low) / (high - low), 0.0)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Judgements(
        path.name, sha256, texts, numbers.astype(np.int64), is_argument, quality, low, high
    )


def _parse(
    path: Path, item: int, topic: str, text: str, flag: str, combined: str
) -> tuple[str, str, bool, float]:
    if flag not in ("True", "False") or not topic:
        what = f"need True or False in 'Is Argument?' and a topic, but item {item} has {flag!r}"
        raise JudgementsError(path, f"{what} and {topic!r}")
    try:
        # -4 marks a non-argument and is not a score.
        quality = float(combined) if flag == "True" else 0.0
    except ValueError:
        quality = math.nan
    if not math.isfinite(quality):
        what = f"need a number in 'Combined Quality', but item {item} has {combined!r}"
        raise JudgementsError(path, what)
    return topic, text, flag == "True", quality
