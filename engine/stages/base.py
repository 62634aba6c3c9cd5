"""The interface of stages, which reorder candidates of any unit and explain the new order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.indexer.corpus.argument import Argument, Stance
    from argsearch.indexer.encoders import Encoder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ENCODER_NEEDS = frozenset(("vectors", "encoder"))
"""Stage requirements that an index without an encoder cannot meet."""


class Fused(Protocol):
    """Rows found by words together with rows near the question by meaning."""

    @property
    def head(self) -> int:
        """Number of rows at the beginning that are fused with rows by meaning."""

    @property
    def by_meaning(self) -> int:
        """Number of rows that were found only by meaning."""

    def near(self, rows: Ints) -> dict[str, Floats]:
        """Return each row's values from search by meaning.

        `found`: 1 if search by words found the row first. `near`: the row's rank by meaning,
        infinite if it has none. `M`. `claim` and `passage`: the cosines, NaN if missing. `place`:
        the position of the best passage in the row's passages, from 0, or −1.
        """

    def prototype(self, rows: Ints) -> Any:
        """Return the subject of the question, inferred from these rows."""


@dataclass(frozen=True)
class Findings:
    """The results of a unit for one question, as rows counted from 0; texts are read on demand.

    Every row of every unit states an argument: a conclusion, premises and their stance.
    """

    @property
    def total(self) -> int:
        """Number of results, including those beyond the rows."""
        raise NotImplementedError

    @property
    def matches(self) -> Any:
        """Facts about all matches (`query.Matches`), or None if the unit does not match words."""
        return None

    @property
    def fused(self) -> Fused | None:
        """The results of search by meaning, or None if it was not used."""
        return None

    @property
    def about(self) -> Any:
        """Unit-specific data about the whole answer, or None."""
        return None

    def ids(self, rows: Ints) -> list[str]:
        """Return the id of each row, as used in runs."""
        raise NotImplementedError

    def argument(self, row: int) -> Argument:
        """Return the whole argument behind a row, or the most relevant one if there are several."""
        raise NotImplementedError

    def explanation(self, row: int) -> Explanation:
        """Return the explanation of a row's score before any stage."""
        raise NotImplementedError

    def arguments(self, row: int) -> tuple[str, ...]:
        """Return the ids of the arguments that a row comes from, most relevant first."""
        return tuple(self.ids(np.array([row])))

    def stated(self, row: int) -> Argument:
        """Return the argument that the row itself states."""
        return self.argument(row)

    def stance(self, row: int) -> Stance | None:
        """Return the stance of a row towards its conclusion."""
        return self.stated(row).stance

    def details(self, row: int) -> Any:
        """Return data that only this unit has about a row, or None."""

    def vectors(self, rows: Ints) -> NDArray[np.float32] | None:
        """Return the stored unit vectors of premises, float32[m, d], or None if there are none."""

    def sides(self, rows: Ints) -> list[Any] | None:
        """Return the sides of rows if the unit determines them itself, or None."""

    def concerning(self, about: Any, rows: Ints) -> dict[str, Floats]:
        """Return how close rows are to a prototype, with NaN for rows without a conclusion.

        The keys are `whole` and the keys of `engine.stance.model.NEAR_WEIGHTS` (docs/stance.md).
        """
        raise NotImplementedError

    def qualities(self, rows: Ints) -> Floats:
        """Return Q of each row's premises, float64[m] in [0, 1]."""
        raise NotImplementedError

    def columns(self, rows: Ints) -> dict[str, list[float | str | None]]:
        """Return the value of each row's argument in every column of the index."""
        raise NotImplementedError

    def groups(self, rows: Ints) -> NDArray[np.int32] | None:
        """Return the group of near-duplicates of each row, or None if groups are unknown."""


@dataclass(frozen=True)
class Candidates:
    """The results for a question, best first: rows, scores, and traces of the stages."""

    question: str
    source: Findings
    rows: Ints
    """Rows in the source, int64[n]."""
    scores: Floats
    """Scores, float64[n], in descending order."""
    load_encoder: Callable[[], Encoder] = field(repr=False)
    """Function that returns the encoder for the question and for texts without stored vectors."""
    traces: tuple[Trace, ...] = ()
    """Traces of the stages, in order."""
    kept: int | None = None
    """Number of results if only some are kept, such as one side's; None if all are."""
    notes: tuple[str, ...] = ()
    """Notes for the reader."""

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: slice | Ints, kept: int | None = None) -> Candidates:
        """Return the candidates at these positions."""
        return replace(self, rows=self.rows[places], scores=self.scores[places], kept=kept)

    @property
    def total(self) -> int:
        """Number of results, including results beyond these candidates."""
        return self.source.total if self.kept is None else self.kept

    @property
    def ids(self) -> list[str]:
        """Id of each candidate."""
        return self.source.ids(self.rows)

    @property
    def arguments(self) -> list[Argument]:
        """The argument that each candidate states."""
        return [self.source.stated(row) for row in self.rows.tolist()]

    @property
    def texts(self) -> list[str]:
        """The joined premises of each candidate."""
        return [argument.premise for argument in self.arguments]

    @property
    def encoder(self) -> Encoder:
        """The encoder for the question."""
        return self.load_encoder()

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors of the texts, float32[n, d], either stored or computed now.

        Both have one byte per dimension, so every index and server gives the same result.
        """
        stored = self.source.vectors(self.rows)
        if stored is not None:
            return stored
        from argsearch.ranking.vectors import quantise

        levels, scales = quantise(self.encoder.encode(self.texts))
        unit: NDArray[np.float32] = levels * scales[:, None]
        return unit

    @property
    def quality(self) -> Floats:
        """Q of each candidate, float64[n]."""
        return self.source.qualities(self.rows)

    def explanation(self, place: int) -> Explanation:
        """Return the explanation of a score, in which each stage contains the earlier score."""
        row = int(self.rows[place])
        tree = self.source.explanation(row)
        for trace in self.traces:
            tree = trace.explain(row, tree)
        return tree


@dataclass(frozen=True)
class Step:
    """The result of a stage: the order of its candidates and the columns behind their scores."""

    order: Ints
    """Positions among the input candidates, best first, int64[n]."""
    columns: Mapping[str, Floats]
    """Columns, float64[n], ordered like `order`. They are the arguments of `Stage.combine`."""
    remarks: Mapping[str, Sequence[str]]
    """Comments on the values of a column, one per candidate; may be empty."""


class Stage(Protocol):
    """A step after retrieval: a frozen dataclass whose fields are the keys of its section.

    Register it in `engine.stages.STAGES`. A score and its explanation both come from `combine`,
    which takes `Step.columns`. `explain` gets the values of one candidate.
    """

    name: ClassVar[str]
    """Name of the stage in `rerank.stages` and of its section [rerank.NAME]."""
    doc: ClassVar[str]
    """Description in one sentence."""
    formula: ClassVar[str]
    """The formula of `combine` in words."""
    needs: ClassVar[tuple[str, ...]]
    """Data that the stage reads: any of `vectors`, `texts`, `encoder` and `quality`."""

    def step(self, candidates: Candidates) -> Step:
        """Return the candidates in a new order."""

    def combine(self, **columns: Floats) -> Floats:
        """Return the scores, float64[n], descending in the new order."""

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return the details of a candidate's score. `before` is its earlier score.

        The result is empty if the stage left the candidate and its score unchanged.
        """


@dataclass(frozen=True)
class Trace:
    """Record of a stage: all rows in its order, and its step for the rows that it read."""

    stage: Stage
    rows: Ints
    scores: Floats
    step: Step

    def explain(self, row: int, before: Explanation) -> Explanation:
        """Return the explanation of a row's score. before: explanation of its earlier score."""
        place, depth = int(np.flatnonzero(self.rows == row)[0]), len(self.step.order)
        score = float(self.scores[place])
        if place >= depth:
            if score == before.value:
                return before
            said = f"score carried over, as only the first {depth} were re-ranked"
            return Explanation(score, said, (before,), "S")
        values = {name: float(column[place]) for name, column in self.step.columns.items()}
        remarks = {name: texts[place] for name, texts in self.step.remarks.items()}
        details = self.stage.explain(values, remarks, before)
        if not details and score == before.value:
            return before
        return Explanation(score, self.stage.formula, details or (before,), "S")


def staged(candidates: Candidates, stages: Iterable[tuple[Stage, int]]) -> Candidates:
    """Return the candidates after all stages. Each stage reads the hits down to its depth.

    Lower hits follow in their old order, with lower scores. Raises any error that a stage raises.
    """
    if not len(candidates):
        return candidates
    for stage, depth in stages:
        head = candidates.take(slice(depth))
        step = stage.step(head)
        scores = np.asarray(stage.combine(**step.columns), np.float64)
        # A stage has its own scale of scores, and runs are sorted by score.
        scores = np.concatenate([scores, carried_on(scores, candidates.scores[depth:])])
        rows = np.concatenate([head.rows[step.order], candidates.rows[depth:]])
        trace = Trace(stage, rows, scores, step)
        candidates = replace(
            candidates, rows=rows, scores=scores, traces=(*candidates.traces, trace)
        )
    return candidates


def carried_on(head: Floats, rest: Floats) -> Floats:
    """Return scores for the hits below a stage's depth, capped at the stage's last score.

    If the first score F of `rest` exceeds the last score L of `head`, F becomes the number just
    below L. Each other score S of `rest` is then lower than the new first score by 1 − S / F.
    """
    if not len(rest) or rest[0] <= head[-1]:
        return rest
    fall = 1.0 - rest / rest[0] if rest[0] > 0 else rest[0] - rest
    # Uses single precision, as runs are read so. Equal scores would be ordered by id there.
    last = np.nextafter(np.float32(head[-1]), np.float32(-np.inf))
    return np.asarray(float(last) - fall)
