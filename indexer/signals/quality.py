"""Q, the predicted quality of the premises (H21)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Batch, Signal, WholeCorpus


class Quality(Signal):
    """The predicted quality of each document, scaled to Q over the corpus by `quality_scale`."""

    column = Column(
        name="quality",
        doc="Predicted quality Q of the premises, from 0 to 1; 0 for a text without words (H21).",
        kind="number",
        dtype="float32",
        array="quality",
    )

    def of(self, batch: Batch) -> NDArray[np.float32]:
        """Return raw predictions, float32[n]; NaN: not an argument."""
        return batch.quality.raw([argument.premise for argument in batch.arguments])

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """Return Q in [0, 1], float32[n]."""
        from argsearch.indexer.quality import scale_quality

        assert raw is not None
        return self.column, scale_quality(raw, whole.settings.quality_scale)
