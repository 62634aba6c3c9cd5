"""What a loss is, and what those over pairs share."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Loss(Protocol):
    """A frozen dataclass: how badly scores s [n] order one list's labels y [n], y ≥ 0.

    Both are float64 of one length; higher is better. Register it in `LOSSES`.
    """

    name: ClassVar[str]
    """As a training configuration calls it."""

    def value(self, s: Floats, y: Floats) -> float:
        """The loss, at least 0."""

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """∂value/∂s, float64[n]."""


def better(y: Floats) -> NDArray[np.bool_]:
    """I[y_i > y_j], bool[n, n]: i should stand above j."""
    return np.asarray(y[:, None] > y[None, :])


def differences(s: Floats) -> Floats:
    """s_i − s_j, float64[n, n]."""
    return s[:, None] - s[None, :]
