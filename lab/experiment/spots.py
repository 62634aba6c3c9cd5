"""What a run retrieved, document by document: score, predicted quality and grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.lab.runs import read_run

DEPTH = 20
"""Documents a topic."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One retrieved document: score as a share of its topic's best, quality in [0, 1], grade."""

    score: float
    quality: float
    grade: int | None


def spots(
    backend: EmbeddedBackend, run: Path, grades: Mapping[str, Mapping[str, int]]
) -> list[Spot]:
    """The first `DEPTH` documents of every topic of a run; a grade of None is unjudged."""
    found = []
    for query, ranking in read_run(run).rankings.items():
        best = ranking.scores[0] or 1.0
        for doc, score in zip(ranking.ids[:DEPTH], ranking.scores[:DEPTH], strict=True):
            quality = float(backend.arrays.quality[backend.ids.find(doc)])
            found.append(Spot(score / best, quality, grades.get(query, {}).get(doc)))
    return found
