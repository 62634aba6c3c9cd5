"""Dagstuhl-15512: 320 arguments, rated by three annotators on fifteen dimensions (Wachsmuth 2017).

The file is latin-1, apart by tabs, its lines end in a carriage return.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.judgements.pairs import TextPairs
from argsearch.lab.judgements.tables import JudgementsError, file_or_only, plain, words

DIMENSIONS = ("cogency", "reasonableness", "effectiveness")
"""The dimensions D20 compares premises on."""

ANNOTATORS = ("1", "2", "3")
ARGUMENTATIVE = "argumentative"
_KEYS = ("annotator", ARGUMENTATIVE, "argument", "#id", "issue", "stance")
_NEEDED = (*_KEYS, *DIMENSIONS, "overall quality")


@dataclass(frozen=True, slots=True)
class Ratings:
    """The arguments that every annotator called argumentative, with all ratings."""

    file: str
    sha256: str
    texts: tuple[str, ...]
    queries: tuple[str, ...]
    """Issue and stance in words, one text an (issue, stance) pair; 32 of them."""
    issues: tuple[str, ...]
    """The issue of each query."""
    query: NDArray[np.int64]
    """int64[n] into `queries`."""
    ratings: dict[str, NDArray[np.float64]]
    """Dimension -> float64[n, 3], 1 (low) to 3 (high), an annotator a column."""

    def means(self, dimension: str) -> NDArray[np.float64]:
        """The mean rating of each argument, float64[n]."""
        return np.asarray(self.ratings[dimension].mean(axis=1), np.float64)

    def pairs(self, dimension: str) -> TextPairs:
        """Every pair of one query whose mean ratings differ, once, the better one first."""
        means = np.round(3 * self.means(dimension))  # sums: whole numbers compare exactly
        first, second = np.triu_indices(len(means), 1)
        keep = (self.query[first] == self.query[second]) & (means[first] != means[second])
        first, second = first[keep], second[keep]
        wins = means[first] > means[second]
        better, worse = np.where(wins, first, second), np.where(wins, second, first)
        topics = tuple(self.queries[q] for q in self.query[better])
        return TextPairs(f"dagstuhl-15512 {dimension}", self.texts, better, worse, topics)

    def apart(self, pairs: TextPairs, dimension: str) -> NDArray[np.float64]:
        """Difference of the mean ratings of each pair, float64[m] > 0."""
        means = self.means(dimension)
        return means[pairs.better] - means[pairs.worse]


def read_dagstuhl(source: Path) -> Ratings:
    """The ratings in a file, or in a folder that holds one named *annotated.csv.

    Raises JudgementsError for a missing file, missing columns or a rating outside 1 to 3.
    """
    path = file_or_only(Path(source), "*annotated.csv")
    content = path.read_bytes()
    lines = content.decode("latin-1").replace("\n", "\r").split("\r")
    rows = list(csv.reader((line for line in lines if line.strip()), delimiter="\t"))
    header = rows[0] if rows else []
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise JudgementsError(path, f"lack the column {missing[0]!r}; needed: {', '.join(_NEEDED)}")
    by_argument: dict[str, list[dict[str, str]]] = {}
    for row in rows[1:]:
        named = dict(zip(header, row, strict=False))
        by_argument.setdefault(named.get("#id", ""), []).append(named)
    kept = [votes for votes in by_argument.values() if _complete(votes)]
    return _ratings(path, hashlib.sha256(content).hexdigest(), kept)


def _complete(votes: Sequence[dict[str, str]]) -> bool:
    """Whether all three annotators called the argument argumentative."""
    yes = sorted(vote["annotator"] for vote in votes if vote[ARGUMENTATIVE] == "y")
    return tuple(yes) == ANNOTATORS


def _ratings(path: Path, sha256: str, kept: list[list[dict[str, str]]]) -> Ratings:
    if not kept:
        raise JudgementsError(
            path, "hold no argument that all three annotators called argumentative"
        )
    names: dict[tuple[str, str], int] = {}
    query = [
        names.setdefault((votes[0]["issue"], votes[0]["stance"]), len(names)) for votes in kept
    ]
    queries = tuple(f"{words(issue)} {words(stance)}" for issue, stance in names)
    ratings = {
        dimension: np.array([[_level(path, vote, dimension) for vote in votes] for votes in kept])
        for dimension in (*DIMENSIONS, "overall quality")
    }
    texts = tuple(plain(votes[0]["argument"]) for votes in kept)
    issues = tuple(issue for issue, _ in names)
    return Ratings(path.name, sha256, texts, queries, issues, np.array(query, np.int64), ratings)


def _level(path: Path, vote: dict[str, str], dimension: str) -> float:
    level = vote[dimension][:1]
    if level not in ("1", "2", "3"):
        raise JudgementsError(path, f"rate {vote['#id']!r} {vote[dimension]!r}; allowed: 1, 2 or 3")
    return float(level)
