"""Exact optimal transport, by POT's network simplex."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 1_000_000
"""Pivots of the network simplex, at most; lists of hundreds of words need thousands."""
OPTIMAL = 1
"""What the network simplex answers where it has found the cheapest flows."""
_UNASKED = [f"POT_BACKEND_DISABLE_{name}" for name in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW")]
_loading = Lock()


def prepare() -> None:
    """Import what the first distance needs (a quarter of a second), ahead of the first query."""
    with _loading:
        _solvers()


def plan(
    a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The cheapest flows T ≥ 0, float64[n, m], whose row sums are a and whose column sums are b.

    a: float64[n], b: float64[m], both above 0 with sum 1; cost: float64[n, m].
    """
    prepare()
    return np.asarray(_solvers().emd(a, b, cost, numItermax=STEPS, check_marginals=False))


def cheapest(a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
    """Σ T·cost over the cheapest flows T of `plan`; cost: float64[n, m], rows one after the other.

    As POT's `emd2`, bit for bit, past what that does for other tensor libraries and for gradients:
    five sixths of its time where texts have a few words.
    """
    prepare()
    solver = _solvers().emd_wrap
    shares = b * a.sum() / b.sum()  # so that both sums are the same to the last bit
    _, total, _, _, code = solver.emd_c(a, shares, cost, STEPS, 1)
    if code != OPTIMAL:
        solver.check_result(code)  # warns, in words
    return float(total)


@cache
def _solvers() -> Any:
    """POT's linear programmes, without the rest of POT.

    `import ot` loads scikit-learn and every tensor library that is installed: seconds, and
    TensorFlow beside PyTorch can abort the process. So the package is entered past its
    `__init__`, and left as if it had not been: whoever imports it later gets all of it.
    """
    if "ot" in sys.modules:
        return import_module("ot.lp")
    with _tensor_libraries_unasked():
        found = find_spec("ot")
        if found is None:
            raise ImportError("POT is not installed; install it with: pip install 'POT<0.9.7'")
        package = ModuleType("ot")
        package.__path__ = list(found.submodule_search_locations or [])
        sys.modules["ot"] = package
        try:
            return import_module("ot.lp")
        finally:
            for name in [name for name in sys.modules if name.partition(".")[0] == "ot"]:
                del sys.modules[name]


@contextmanager
def _tensor_libraries_unasked() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _UNASKED}
    os.environ.update(dict.fromkeys(_UNASKED, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
