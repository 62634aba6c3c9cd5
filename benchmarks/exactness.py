"""Check that two engines give the same answer, apart from the order of equal scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-5
"""Relative tolerance of scores. Lucene's scores have single precision."""


class AnswersDiffer(AssertionError):
    """Raised if two engines return different documents or scores."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Ids and scores of an answer, best first."""

    ids: Sequence[str]
    scores: Sequence[float]


def check(who: str, query: str, ours: Answer, theirs: Answer, rel: float = TOLERANCE) -> None:
    """Raise AnswersDiffer unless both answers have the same documents with the same scores.

    Documents whose scores differ by less than `rel` may change places. At the cutoff, such a
    document may be in only one of the answers.
    """
    if len(ours.ids) != len(theirs.ids):
        raise AnswersDiffer(f"{who}, {query!r}: {len(theirs.ids)} hits, ours {len(ours.ids)}")
    a, b = np.asarray(ours.scores, float), np.asarray(theirs.scores, float)
    far = np.flatnonzero(~np.isclose(a, b, rtol=rel, atol=1e-9))
    if len(far):
        i = int(far[0])
        raise AnswersDiffer(f"{who}, {query!r}: rank {i + 1} has score {b[i]}, ours {a[i]}")
    mine = dict(zip(ours.ids, a.tolist(), strict=True))
    other = dict(zip(theirs.ids, b.tolist(), strict=True))
    last = float(a[-1]) if len(a) else 0.0
    for id in mine.keys() | other.keys():
        known = mine.get(id, last), other.get(id, last)
        if not np.isclose(*known, rtol=rel, atol=1e-9):
            raise AnswersDiffer(f"{who}, {query!r}: {id} has score {known[1]}, ours {known[0]}")


def check_all(who: str, ours: Mapping[str, Answer], theirs: Mapping[str, Answer]) -> int:
    """Run `check` for every query in `ours`, and return the number of queries."""
    for query, answer in ours.items():
        check(who, query, answer, theirs[query])
    return len(ours)
