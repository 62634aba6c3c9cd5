"""What a stage is: a list of candidates in, another order and the reasons for it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.indexer.corpus.argument import Argument
    from argsearch.indexer.encoders import Encoder

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Candidates:
    """The best hits so far, best first; texts and vectors only where they are asked for."""

    unit: str
    """What they are: argument, pair, premise."""
    question: str
    rows: NDArray[np.int64]
    """int64[n], their places in the first stage's answer."""
    scores: Floats
    """float64[n], never rising."""
    read: Callable[[int], str]
    """The text of a row: a hit's joined premises."""
    embed: Callable[[NDArray[np.int64]], NDArray[np.float32]]
    """Unit vectors of rows' texts, float32[m, d]: stored ones, or made now."""
    encoder: Encoder
    """Of the question."""
    judge: Callable[[NDArray[np.int64]], Floats]
    """Q of rows' texts, float64[m] in [0, 1]."""
    argument: Callable[[int], Argument]
    """The argument of a row."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> list[str]:
        """The candidates' texts, in their order."""
        return [self.read(row) for row in self.rows.tolist()]

    @property
    def arguments(self) -> list[Argument]:
        """The candidates' arguments, in their order."""
        return [self.argument(row) for row in self.rows.tolist()]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The candidates' unit vectors, float32[n, d]."""
        return self.embed(self.rows)

    @property
    def quality(self) -> Floats:
        """The candidates' quality Q, float64[n]."""
        return self.judge(self.rows)


@dataclass(frozen=True)
class Step:
    """What a stage did: an order of its candidates, and the columns that its scores come from."""

    order: NDArray[np.int64]
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
    """What it looks at: `vectors`, `texts`, `encoder`, `quality`."""

    def step(self, candidates: Candidates) -> Step:
        """Put the candidates into an order; raises InvalidParameter where it cannot."""

    def combine(self, **columns: Floats) -> Floats:
        """The scores, float64[n], never rising along the order."""

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """The details of one candidate's score, `before` (its score until here) among them."""
