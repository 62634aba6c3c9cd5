"""A similarity; its module imports `argsearch.ranking` alone, as it is loaded before the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter


@dataclass(frozen=True, slots=True)
class Overlap:
    """Every term that a document has counts the same: coordination level matching."""

    worth: float = parameter(2.5, "what a term counts", low=0.0, high=10.0)

    def score(self, tf: Any, dl: Any, term: Any) -> Any:
        """Return the constant for each of the documents."""
        return np.full(np.broadcast(tf, dl).shape, self.worth)

    def explain(self, tf: float, dl: float, term: Any) -> Explanation:
        """Return the constant."""
        return Explanation(self.worth, "worth of a term")
