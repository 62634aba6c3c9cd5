"""What stages work on: candidates of any unit in, another order and the reasons for it out."""

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
"""What an index without an encoder has not."""


class ByMeaning(Protocol):
    """What vectors of conclusions and beginnings tell of rows."""

    def beginnings(self, question: str, rows: Ints) -> Floats:
        """Return the cosines of a question with beginnings; raises PartMissing."""

    def concerning(self, about: Any, rows: Ints) -> dict[str, Floats]:
        """Return how far rows are about a prototype, NaN for a row without a conclusion.

        `near`, `beginning near`, `nearest`, `alike` and `whole` (docs/stance.md).
        """


class Fused(Protocol):
    """Rows that words found, and rows that are near the question by meaning."""

    @property
    def head(self) -> int:
        """How many of the first rows are fused with those by meaning."""

    @property
    def by_meaning(self) -> int:
        """How many are found by meaning alone."""

    def near(self, rows: Ints) -> dict[str, Floats]:
        """Return what is known of rows by meaning.

        Of each row: `found`, whether words found it first; `near`, its rank by meaning (infinite
        for none); M; `claim` and `beginning`, the cosines, NaN for what is not there.
        """

    def prototype(self, rows: Ints) -> Any:
        """Return what the question is about, by what rows conclude."""


@dataclass(frozen=True)
class Findings:
    """What a unit found for one question, by rows from 0; texts are read when they are asked for.

    Every row of every unit states an argument: a conclusion, premises and their stance.
    """

    @property
    def total(self) -> int:
        """How many there are, beyond the rows too."""
        raise NotImplementedError

    @property
    def matches(self) -> Any:
        """What is collected over all matches (`query.Matches`); None where words find nothing."""
        return None

    @property
    def meaning(self) -> ByMeaning | None:
        """What vectors tell of rows; None where the index cannot have the part `meaning`."""
        return None

    @property
    def fused(self) -> Fused | None:
        """What search by meaning told; None where nothing was searched by it."""
        return None

    @property
    def about(self) -> Any:
        """What only this unit knows of the whole answer; None for nothing."""
        return None

    def ids(self, rows: Ints) -> list[str]:
        """Return the id of each row, as runs name it."""
        raise NotImplementedError

    def argument(self, row: int) -> Argument:
        """Return the whole argument behind a row, the most telling one of several."""
        raise NotImplementedError

    def explanation(self, row: int) -> Explanation:
        """Return the tree behind a row's score, before any stage."""
        raise NotImplementedError

    def arguments(self, row: int) -> tuple[str, ...]:
        """Return the ids of the arguments behind a row, the most telling first."""
        return tuple(self.ids(np.array([row])))

    def stated(self, row: int) -> Argument:
        """Return the argument that the row itself states."""
        return self.argument(row)

    def stance(self, row: int) -> Stance | None:
        """Return the stance of a row towards its conclusion."""
        return self.stated(row).stance

    def details(self, row: int) -> Any:
        """Return what only this unit knows of a row; None for nothing."""

    def vectors(self, rows: Ints) -> NDArray[np.float32] | None:
        """Return the stored unit vectors of premises, float32[m, d]; None where none are stored."""

    def sides(self, rows: Ints) -> list[Any] | None:
        """Return how rows stand to what was asked, where the unit itself reads that."""

    def qualities(self, rows: Ints) -> Floats:
        """Return Q of rows' premises, float64[m] in [0, 1]."""
        raise NotImplementedError

    def columns(self, rows: Ints) -> dict[str, list[float | str | None]]:
        """Return the value of each row's argument in every column of the index."""
        raise NotImplementedError

    def groups(self, rows: Ints) -> NDArray[np.int32] | None:
        """Return the group of near-duplicates of each row; None where none are known."""


@dataclass(frozen=True)
class Candidates:
    """What was found for a question, best first: rows, their scores, and what stages did."""

    question: str
    source: Findings
    rows: Ints
    """int64[n], their rows in the source."""
    scores: Floats
    """float64[n], never rising."""
    load_encoder: Callable[[], Encoder] = field(repr=False)
    """Gives the encoder of the question, and of texts without stored vectors."""
    traces: tuple[Trace, ...] = ()
    """What stages did, in their order."""
    kept: int | None = None
    """How many there are where only some were kept, such as those of a side; None: all."""
    notes: tuple[str, ...] = ()
    """What a reader should know."""

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: slice | Ints, kept: int | None = None) -> Candidates:
        """Return those at some places."""
        return replace(self, rows=self.rows[places], scores=self.scores[places], kept=kept)

    @property
    def total(self) -> int:
        """How many there are, beyond these too."""
        return self.source.total if self.kept is None else self.kept

    @property
    def ids(self) -> list[str]:
        """The id of each."""
        return self.source.ids(self.rows)

    @property
    def arguments(self) -> list[Argument]:
        """The argument that each states."""
        return [self.source.stated(row) for row in self.rows.tolist()]

    @property
    def texts(self) -> list[str]:
        """The premises that each states, joined."""
        return [argument.premise for argument in self.arguments]

    @property
    def encoder(self) -> Encoder:
        """The encoder of the question."""
        return self.load_encoder()

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors of the texts, float32[n, d]: stored ones, or those made now.

        In one byte a dimension either way, so that every index and server gives the same.
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
        """Q of each, float64[n]."""
        return self.source.qualities(self.rows)

    def explanation(self, place: int) -> Explanation:
        """Return the tree behind a score: each stage, and under it what it came with."""
        row = int(self.rows[place])
        tree = self.source.explanation(row)
        for trace in self.traces:
            tree = trace.explain(row, tree)
        return tree


@dataclass(frozen=True)
class Step:
    """What a stage did: an order of its candidates, and the columns that its scores come from."""

    order: Ints
    """int64[n], places in the candidates that came in, best first."""
    columns: Mapping[str, Floats]
    """float64[n] each, aligned with `order`: the arguments of the stage's `combine`."""
    remarks: Mapping[str, Sequence[str]]
    """What is to be said beside a column's value, a candidate; may be empty."""


class Stage(Protocol):
    """One step after retrieval: a frozen dataclass whose fields are its section's keys.

    Register it in `engine.stages.STAGES`. `combine` is the one expression behind the score and its
    explanation: `Step.columns` are its arguments, and `explain` gets one candidate's.
    """

    name: ClassVar[str]
    """As `rerank.stages` calls it; its settings are section [rerank.NAME]."""
    doc: ClassVar[str]
    """One sentence."""
    formula: ClassVar[str]
    """`combine` in words."""
    needs: ClassVar[tuple[str, ...]]
    """What it looks at: `vectors`, `texts`, `encoder`, `quality`. In section [rerank] a stage that
    looks at one of ENCODER_NEEDS is refused on an index without an encoder."""

    def step(self, candidates: Candidates) -> Step:
        """Put the candidates into an order."""

    def combine(self, **columns: Floats) -> Floats:
        """Return the scores, float64[n], never rising along the order."""

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return the details of one candidate's score, `before` (until here) among them.

        Empty: the stage left the candidate and its score alone.
        """


@dataclass(frozen=True)
class Trace:
    """What a stage did: every row in its order, and what it said of the first ones."""

    stage: Stage
    rows: Ints
    scores: Floats
    step: Step

    def explain(self, row: int, before: Explanation) -> Explanation:
        """Return the score of a row, under it the score that it came with."""
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
        if not details and score == before.value:
            return before
        return Explanation(score, self.stage.formula, details or (before,), "S")


def staged(candidates: Candidates, stages: Iterable[tuple[Stage, int]]) -> Candidates:
    """Return the candidates after all stages, each over the best down to its depth.

    Those below follow as they came, their scores carried on. Raises what a stage raises.
    """
    if not len(candidates):
        return candidates
    for stage, depth in stages:
        head = candidates.take(slice(depth))
        step = stage.step(head)
        scores = np.asarray(stage.combine(**step.columns), np.float64)
        # a stage's scores have a scale of their own, and runs are sorted by score
        scores = np.concatenate([scores, carried_on(scores, candidates.scores[depth:])])
        rows = np.concatenate([head.rows[step.order], candidates.rows[depth:]])
        trace = Trace(stage, rows, scores, step)
        candidates = replace(
            candidates, rows=rows, scores=scores, traces=(*candidates.traces, trace)
        )
    return candidates


def carried_on(head: Floats, rest: Floats) -> Floats:
    """Return the scores of hits below a stage's depth, none above the stage's last score.

    As they came where the first is not above it; else the next lower number, less 1 − S / S of the
    first.
    """
    if not len(rest) or rest[0] <= head[-1]:
        return rest
    fall = 1.0 - rest / rest[0] if rest[0] > 0 else rest[0] - rest
    # in single precision, as runs are read: equal scores there would be put in order by id
    last = np.nextafter(np.float32(head[-1]), np.float32(-np.inf))
    return np.asarray(float(last) - fall)
