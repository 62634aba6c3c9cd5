"""Webis-ArgQuality-20: judged arguments, three systems' rankings, raw comparisons and votes."""

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
"""The thesis' names of the systems and the released file's."""

Item = tuple[str, str, str]
_COLUMNS = {
    **{name: f"{name.title()} Quality" for name in (*SCORE_DIMENSIONS, "combined")},
    "relevance": "Relevance",
}


@dataclass(frozen=True, slots=True)
class WebisArgQuality:
    """Items are (topic, discussion, argument) [n]; scores[name] [n], −4 for a non-argument.

    topic [n] numbers the topics from 0; words [n] is the text length; rankings[system][t] lists
    item numbers of topic t, best first.
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
    """Turn what lacks a column, an item or a number into a RunFormatError."""
    try:
        yield
    except KeyError as error:
        problem = f"lacks {error.args[0]!r}, which the released file has; download it again"
    except ValueError as error:
        problem = f"is not as released ({error}); download it again"
    else:
        return
    raise RunFormatError(path, None, problem)


def load(folder: str | Path) -> WebisArgQuality:
    """Read the released folder (`full/` and `raw/`); RunFormatError for a missing or bad file."""
    root = Path(folder)
    path = root / "full" / "webis-argquality20-arguments.csv"
    with _released(path):
        rows = [row for _, row in read_table(path)]
        items = [_item(row) for row in rows]
        # By length first, so that topic 10 comes after topic 9.
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
    """The raw comparisons of one dimension: (their items' positions in `data.items`, comparisons).

    The raw files name items without their topic; four arguments belong to two topics. by_topic
    takes an argument for one item in each topic (the topic it shares with what it is compared
    with); otherwise it is one item, at its first position.
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
    """The raw votes on `Relevance` or `Is Argument?`; the unit is (discussion, argument)."""
    path = data.folder / "raw" / "webis-argquality20-raw-relevance.csv"
    return read_votes(path, ["Discussion ID", "Argument ID"], label)


FIELDS = ("Topic ID", "Premise", "Is Argument?", "Combined Quality")
"""The columns that are read."""

SMALLEST = 40
"""Items below which nothing sensible can be trained."""


@dataclass(frozen=True)
class Judgements:
    """Judged texts; `quality` is rescaled to [0, 1] over the arguments only (H21), else 0."""

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
        """Distinct topics."""
        return len(np.unique(self.topics))

    @property
    def words(self) -> NDArray[np.float64]:
        """Words of each text, apart by white space: float64[n]."""
        return np.array([len(text.split()) for text in self.texts], dtype=np.float64)


def read_judgements(source: Path) -> Judgements:
    """Judgements from a CSV file, or from a folder that holds one file named *arguments.csv.

    Raises JudgementsError for a missing file, missing columns, a bad row, or too few items.
    """
    path = file_or_only(Path(source), "*arguments.csv")
    rows = [_parse(path, i, *row) for i, row in enumerate(table(path, decoded(path), FIELDS), 1)]
    topics, texts, flags, scores = zip(*rows, strict=True) if rows else ((), (), (), ())
    is_argument, raw = np.array(flags, dtype=np.bool_), np.array(scores, dtype=np.float64)
    good = raw[is_argument]
    distinct, numbers = np.unique(np.array(topics, dtype=np.str_), return_inverse=True)
    # With one topic left out, there must be items of both kinds to learn from.
    spread = min(len(np.unique(numbers[is_argument == flag])) for flag in (True, False))
    if len(rows) < SMALLEST or spread < 2 or len(np.unique(good)) < 2:
        raise JudgementsError(
            path,
            f"hold {len(rows)} items, {len(good)} arguments, {len(distinct)} topics; needed: "
            f"{SMALLEST} items, arguments of different quality, non-arguments, both in two topics "
            "or more",
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
        what = f"have an item {item}: 'Is Argument?' is {flag!r}; allowed: True, False"
        raise JudgementsError(path, f"{what}, with a topic")
    try:
        # The -4 of what is no argument is a mark, not a score.
        quality = float(combined) if flag == "True" else 0.0
    except ValueError:
        quality = math.nan
    if not math.isfinite(quality):
        what = f"have an item {item}: 'Combined Quality' is {combined!r}; allowed: a number"
        raise JudgementsError(path, what)
    return topic, text, flag == "True", quality
