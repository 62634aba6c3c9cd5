"""What is trained: an encoder with a scoring head, whatever computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Items = NDArray[np.int64]
Slope = Callable[[Floats, Items], Floats]
"""(scores of a list's items, the items) -> ∂loss/∂score, float64[n]."""
Arrays = dict[str, NDArray[Any]]


class Learner(Protocol):
    """A model over the arguments of one corpus, by their places."""

    def learn(self, lists: Sequence[Items], slope: Slope, seed: int) -> None:
        """One step against the mean loss of these lists; `seed` is of this step's dropout."""

    def scores(self, items: Items) -> Floats:
        """Scores float64[n], without dropout."""

    def weights(self) -> Arrays:
        """A copy of what was learned."""

    def load(self, weights: Arrays) -> None:
        """Take learned weights."""

    def moments(self) -> Arrays:
        """A copy of the optimiser's state."""

    def resume(self, moments: Arrays) -> None:
        """Take the optimiser's state."""
