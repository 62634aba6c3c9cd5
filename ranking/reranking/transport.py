"""Exact optimal transport, by POT's network simplex."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 1_000_000
"""Pivots of the network simplex, at most; lists of hundreds of words need thousands."""
_UNASKED = [f"POT_BACKEND_DISABLE_{name}" for name in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW")]


@cache
def _pot() -> Any:
    """POT, imported at first use without the tensor libraries that it would load if installed.

    They take seconds, and TensorFlow and PyTorch in one process can abort it.
    """
    before = {name: os.environ.get(name) for name in _UNASKED}
    os.environ.update(dict.fromkeys(_UNASKED, "1"))
    try:
        import ot
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return ot


def prepare() -> None:
    """Import what the first distance needs (about a second), ahead of the first query."""
    _pot()


def plan(
    a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The cheapest flows T ≥ 0, float64[n, m], whose row sums are a and whose column sums are b.

    a: float64[n], b: float64[m], both above 0 with sum 1; cost: float64[n, m].
    """
    return np.asarray(_pot().emd(a, b, cost, numItermax=STEPS))


def cheapest(
    a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64]
) -> float:
    """Σ T·cost over the cheapest flows T of `plan`."""
    return float(_pot().emd2(a, b, cost, numItermax=STEPS))
