"""How long a text is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import PerCorpus, WholeCorpus


class Words(PerCorpus):
    """Tokens of premises and conclusion, which the index counts anyway."""

    column = Column(
        name="words",
        doc="Words of premises and conclusion together.",
        kind="number",
        dtype="int32",
        high=2**31 - 1,
        array="text_lengths",
    )

    def finish(
        self, raw: NDArray[Any] | None, whole: WholeCorpus
    ) -> tuple[Column, NDArray[np.int32]]:
        """Tokens, int32[n]."""
        return self.column, whole.lengths
