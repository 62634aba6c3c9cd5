"""The length of a text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Signal, WholeCorpus


class Words(Signal):
    """Number of tokens in premises and conclusion, which the index counts anyway."""

    column = Column(
        name="words",
        doc="Number of words in the premises and the conclusion.",
        kind="number",
        dtype="int32",
        high=2**31 - 1,
        array="text_lengths",
    )

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """Return token counts, int32[n]."""
        # Even if all texts are empty, the ends of the ramp differ, and each text weighs 0.
        return replace(self.column, ramp=(0.0, float(whole.lengths.max(initial=1)))), whole.lengths
