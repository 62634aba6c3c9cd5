"""Two runs side by side: paired tests of their topic values, and which documents moved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from argsearch.lab.runs import Run

Change = Literal["rose", "fell", "entered", "left", "stayed"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`second` against `first` on one measure; difference = mean(second − first) over topics.

    `better`, `worse`, `equal` count topics; p-values are two-sided, `*_holm` are corrected for
    all comparisons of the same measure and judgements.
    """

    judgements: str
    measure: str
    first: str
    second: str
    difference: float
    better: int
    worse: int
    equal: int
    t: float
    p_t: float
    p_randomisation: float
    p_t_holm: float
    p_randomisation_holm: float


@dataclass(frozen=True, slots=True)
class Move:
    """One document of two rankings: its ranks (from 1; None = not in the first k) and its grade."""

    doc_id: str
    before: int | None
    after: int | None
    grade: int | None

    @property
    def change(self) -> Change:
        """What happened to the document between the first and the second run."""
        if self.before is None:
            return "entered"
        if self.after is None:
            return "left"
        if self.after == self.before:
            return "stayed"
        return "rose" if self.after < self.before else "fell"


@dataclass(frozen=True, slots=True)
class TopicDiff:
    """One topic's moves within the first k documents, in the second run's order, then the left."""

    query_id: str
    moves: tuple[Move, ...]

    def count(self, change: Change) -> int:
        """How many documents changed in this way."""
        return sum(move.change == change for move in self.moves)


def diff(
    first: Run, second: Run, grades: Mapping[str, Mapping[str, int]], k: int = 10
) -> list[TopicDiff]:
    """What rose, fell, entered and left the first k documents of each topic, with grades.

    Topics are those of either run, in the first run's order. A grade of None is unjudged.
    """
    topics = dict.fromkeys([*first.rankings, *second.rankings])
    return [_topic_diff(query, first, second, grades.get(query, {}), k) for query in topics]


def _topic_diff(
    query: str, first: Run, second: Run, grades: Mapping[str, int], k: int
) -> TopicDiff:
    before = _ranks(first, query, k)
    after = _ranks(second, query, k)
    docs = dict.fromkeys([*after, *before])
    return TopicDiff(
        query, tuple(Move(doc, before.get(doc), after.get(doc), grades.get(doc)) for doc in docs)
    )


def _ranks(run: Run, query: str, k: int) -> dict[str, int]:
    ranking = run.rankings.get(query)
    ids = ranking.ids[:k] if ranking is not None else []
    return {doc: rank for rank, doc in enumerate(ids, 1)}


def compare(
    names: tuple[str, str, str, str],
    first: Mapping[str, float],
    second: Mapping[str, float],
    samples: int,
    seed: int,
) -> Comparison:
    """Paired tests of two runs' topic values; `names` = (judgements, measure, first, second).

    Topics whose value is undefined (NaN) in either run are left out. Holm's columns are filled
    with the plain p-values until `correct` has seen all comparisons of a family.
    """
    from argsearch.ranking.evaluation.significance import paired_t, randomisation

    topics = [q for q in first if not math.isnan(first[q]) and not math.isnan(second[q])]
    a, b = [first[q] for q in topics], [second[q] for q in topics]
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    nan = float("nan")
    if not topics:
        return Comparison(*names, nan, 0, 0, 0, nan, nan, nan, nan, nan)
    t = paired_t(b, a)
    p = randomisation(b, a, samples, seed).p
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    equal = len(gaps) - better - worse
    return Comparison(*names, t.difference, better, worse, equal, t.statistic, t.p, p, t.p, p)


def correct(family: list[Comparison]) -> list[Comparison]:
    """Fill in Holm's corrected p-values over one family of comparisons."""
    from dataclasses import replace

    from argsearch.ranking.evaluation.significance import holm

    by_t = holm([item.p_t for item in family])
    by_randomisation = holm([item.p_randomisation for item in family])
    return [
        replace(item, p_t_holm=float(t), p_randomisation_holm=float(r))
        for item, t, r in zip(family, by_t, by_randomisation, strict=True)
    ]
