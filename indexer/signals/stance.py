"""The premises' common stance towards the argument's own conclusion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import STANCE_CODES
from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Batch, Signal


class StanceSignal(Signal):
    """PRO or CON, or no stance if no premise has one or the premises disagree."""

    column = Column(
        name="stance",
        doc="The premises' common stance towards the argument's own conclusion.",
        kind="category",
        dtype="uint8",
        labels=("PRO", "CON"),
        array="stances",
    )

    def of(self, batch: Batch) -> NDArray[np.uint8]:
        """Return the code of each stance, uint8[n]."""
        return np.array([STANCE_CODES[one.stance] for one in batch.arguments], np.uint8)
