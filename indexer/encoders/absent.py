"""The encoder of an index without clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class NoEncoder:
    """Embeds nothing: rows of length 0, so that there are no clusters (C = 0 everywhere, H21)."""

    name = "none"
    dimensions = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Zeros of shape float32[len(texts), 0]."""
        return np.zeros((len(texts), 0), np.float32)
