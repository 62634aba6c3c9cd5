"""The query-independent half of Eq. 1, and which documents may be answers (H21)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined


class Factors(NamedTuple):
    """Eq. 1's factors and weights for this query, and the documents that its filters keep."""

    clusters: NDArray[np.integer]
    """Each document's cluster; the last row of `table` stands for none."""
    table: NDArray[np.float64]
    """1 + ω_C·C of each cluster, float64[n_clusters + 1]."""
    quality: NDArray[np.float32] | NDArray[np.float64]
    """Q of each document; float64: (1+ω_Q·Q)·Π(1+ω·x) itself, where columns carry weights."""
    omega_Q: float
    ranks: NDArray[np.int32]
    """Each document's position in the order of ids: the tie-breaker."""
    eligible: NDArray[np.uint64]
    """uint64[⌈n/64⌉], bit d % 64 of word d / 64 where document d may be an answer (`bits`)."""
    filtered: bool
    """Whether `eligible` is asked at all; without filters every document may be an answer."""


def _by_quality(R, C_factor, omega_Q, Q):  # type: ignore[no-untyped-def]
    """S = R·(1+ω_C·C)·(1+ω_Q·Q)   (H21 Eq. 1).

    Numbers, not a document and its `Factors`: an array that is handed on is counted, each time.
    """
    return R * C_factor * (1.0 + omega_Q * Q)


def _by_product(R, C_factor, omega_Q, Q):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return R * C_factor * Q


combined: Any = _by_quality
"""S of R and a document's factors; Q: its quality or, float64, the product of all but C's."""


@overload(_by_quality, inline="always")
def _chosen(R, C_factor, omega_Q, Q):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Which of the two a kernel is compiled with."""
    return _by_product if types.float64 == Q else _by_quality


@inlined
def has(word, d):  # type: ignore[no-untyped-def]
    """Whether document d is in a set, by the word d / 64 of its bits."""
    return (word >> np.uint64(d & 63)) & np.uint64(1) != np.uint64(0)
