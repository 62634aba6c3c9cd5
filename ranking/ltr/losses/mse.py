"""Mean squared error: pointwise, the label is what is to be scored (F22)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.ranking.ltr.losses.base import Floats


@dataclass(frozen=True, slots=True)
class MSE:
    """L = 1/n · Σ_i (s_i − y_i)²   (F22)."""

    name: ClassVar[str] = "mse"

    def value(self, s: Floats, y: Floats) -> float:
        """1/n · Σ_i (s_i − y_i)²."""
        return float(np.mean((s - y) ** 2))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """2/n · (s_i − y_i)."""
        return np.asarray(2.0 / len(s) * (s - y))
