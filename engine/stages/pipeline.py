"""A configuration as an ordered list of stages: run over candidates, or drawn as text."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Backend, Ranking
from argsearch.engine.config import Config
from argsearch.engine.query.query import Query
from argsearch.engine.results.views import Over
from argsearch.engine.stages import Candidates, Stage, Step
from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.indexer.encoders import Encoder


def answer(backend: Backend, query: Query, config: Config, encoder: Encoder) -> Ranking:
    """The hits of `query` by all stages of a configuration.

    A stage sees the best hits down to its depth; those below follow as they came, their scores
    carried on (`carried_on`). Raises what a stage raises.
    """
    stages, end = config.stages, query.offset + query.k
    deepest = max([end, *(depth for _, depth in stages)])
    base = backend.search(replace(query, k=deepest, offset=0))
    candidates = Candidates(
        unit="argument",
        question=query.text,
        rows=np.arange(len(base.scores)),
        scores=base.scores,
        read=lambda row: base.argument(row).premise,
        embed=lambda rows: _vectors(base, rows, encoder),
        encoder=encoder,
        judge=base.qualities,
        argument=base.argument,
    )
    done = []
    if len(candidates):
        for stage, depth in stages:
            done.append(Done.of(stage, depth, candidates))
            candidates = replace(candidates, rows=done[-1].rows, scores=done[-1].scores)
    return Staged(base, tuple(done), candidates.rows, candidates.scores, slice(query.offset, end))


def _vectors(base: Ranking, rows: NDArray[np.int64], encoder: Encoder) -> NDArray[np.float32]:
    """The stored vectors of premises, or (an index without the part) those made now.

    In one byte a dimension either way, so that every index and server gives the same.
    """
    stored = base.vectors(rows)
    if stored is not None:
        return stored
    from argsearch.ranking.vectors import quantise

    made = encoder.encode([base.argument(row).premise for row in rows.tolist()])
    levels, scales = quantise(made)
    unit: NDArray[np.float32] = levels * scales[:, None]
    return unit


def carried_on(head: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of hits below a stage's depth, float64[m], none above the stage's last score.

    As they came where the first is not above it; else that last score less 1 − S / S of the first.
    """
    if not len(rest) or rest[0] <= head[-1]:
        return rest
    fall = 1.0 - rest / rest[0] if rest[0] > 0 else rest[0] - rest
    return np.asarray(head[-1] - fall)


@dataclass(frozen=True)
class Done:
    """A stage that was run: every row in its order, and what it said of the first ones."""

    stage: Stage
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    step: Step

    @classmethod
    def of(cls, stage: Stage, depth: int, candidates: Candidates) -> Done:
        """Run a stage over the best candidates, down to its depth."""
        rows, scores = candidates.rows, candidates.scores
        step = stage.step(replace(candidates, rows=rows[:depth], scores=scores[:depth]))
        head = np.asarray(stage.combine(**step.columns), np.float64)
        scores = np.concatenate([head, carried_on(head, scores[depth:])])
        return cls(stage, np.concatenate([rows[:depth][step.order], rows[depth:]]), scores, step)

    def explain(self, row: int, before: Explanation) -> Explanation:
        """The score of a row, under it the score that it came with."""
        place, depth = int(np.flatnonzero(self.rows == row)[0]), len(self.step.order)
        score = float(self.scores[place])
        if place >= depth:
            if score == before.value:
                return before
            said = f"score below the first {depth}, which alone were re-ranked, carried on"
            return Explanation(score, said, (before,), "S")
        values = {name: float(column[place]) for name, column in self.step.columns.items()}
        remarks = {name: texts[place] for name, texts in self.step.remarks.items()}
        details = self.stage.explain(values, remarks, before)
        return Explanation(score, self.stage.formula, details, "S")


@dataclass(frozen=True)
class Staged(Over):
    """A page of hits after all stages."""

    base: Ranking
    done: tuple[Done, ...]
    rows: NDArray[np.int64]
    """int64[n], every hit's place in the retrieved ranking, best first."""
    values: NDArray[np.float64]
    """float64[n], never rising."""
    page: slice

    @property
    def places(self) -> NDArray[np.int64]:
        """int64[n], the page's hits' places in the retrieved ranking."""
        return self.rows[self.page]

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each hit, float64[n], never rising."""
        return self.values[self.page]

    @property
    def total(self) -> int:
        """How many arguments match, beyond the re-ranked ones too."""
        return self.base.total

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score: each stage, and under it what it came with."""
        row = int(self.places[i])
        tree = self.base.explanation(row)
        for done in self.done:
            tree = done.explain(row, tree)
        return tree


def describe(config: Config) -> str:
    """The stages of a configuration as a picture in text."""
    boost, retrieval = config.boost, config.retrieval
    keys = ", ".join(f"{key} {value}" for key, value in retrieval.parameters().items())
    lines = [
        f"{config.name}",
        "",
        "question",
        "   │",
        "   ▼",
        f"retrieve   R by {retrieval.model}" + (f" ({keys})" if keys else ""),
        "           S = R · (1 + w_cluster · C) · (1 + w_quality · Q)",
        f"           w_cluster {boost.cluster:g} ({boost.cosine} cosine), "
        f"w_quality {boost.quality:g}",
        "           exact, over every argument that matches",
    ]
    for stage, depth in config.stages:
        lines += ["   │", f"   ▼  the first {depth}; those below follow"]
        lines += _described(stage)
    return "\n".join([*lines, "   │", "   ▼", "hits"])


def _described(stage: Stage) -> list[str]:
    settings: Any = stage
    keys = ", ".join(f"{f.name} {getattr(settings, f.name)}" for f in fields(settings))
    return [
        f"{stage.name:10} {stage.doc}",
        f"           {stage.formula}",
        f"           {keys or 'no settings'}; looks at {', '.join(stage.needs) or 'nothing else'}",
    ]
