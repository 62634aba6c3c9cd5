"""PageRank: a node ranks high if many high-ranking nodes link to it (Page et al. 1998; W22).

Symbols: n = nodes, u → v = an edge, L(u) = number of edges that leave u, d = damping.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.explanation import Explanation

DAMPING = 0.85
"""Usual value of d; W22 does not state it."""
# W22's thresholds of an edge: a sentence is another above either of them.
COSINE = 0.99
SIMILARITY = 0.2
TOLERANCE = 1e-12
"""Total change per step at which the iteration stops."""


class Ranks(NamedTuple):
    """Ranks of n nodes, and the terms that add up to them."""

    values: NDArray[np.float64]
    """float64[n], PR, above 0 with sum 1."""
    brought: NDArray[np.float64]
    """float64[n], Σ_{u → v} PR(u) / L(u), the rank received through edges."""
    loose: float
    """Σ_{L(u) = 0} PR(u) / n, every node's share of the rank of nodes without outgoing edges."""


def rank(n: int, brought: ArrayLike, loose: ArrayLike, d: float) -> NDArray[np.float64]:
    """Return PR(v) = (1 − d)/n + d·(Σ_{u → v} PR(u)/L(u) + Σ_{L(u) = 0} PR(u)/n)."""
    return np.asarray((1 - d) / n + d * (np.asarray(brought, np.float64) + np.asarray(loose)))


def pagerank(edges: ArrayLike, d: float = DAMPING) -> Ranks:
    """Return `rank` of every node, by iteration from 1/n.

    edges: bool[n, n], from each row to columns. A node without outgoing edges distributes its rank
    evenly to all nodes, including itself. Nodes without incoming edges have bit-identical ranks;
    without any edge, all have 1/n.

    Raises ValueError if d is outside [0, 1) or edges are not square.
    """
    A = np.asarray(edges, np.bool_)
    if not 0 <= d < 1:
        raise ValueError(f"damping is {d!r}; allowed: a number from 0, below 1")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"edges have shape {A.shape}; allowed: (n, n)")
    n = len(A)
    u, v = np.nonzero(A)
    L = A.sum(axis=1)
    PR = np.full(n, 1 / n) if n else np.zeros(0)
    while True:
        brought = np.zeros(n)
        np.add.at(brought, v, PR[u] / L[u])
        loose = float(PR[L == 0].sum() / n) if n else 0.0
        following = rank(n, brought, loose, d) if n else PR
        change, PR = float(np.abs(following - PR).sum()), following
        if change <= TOLERANCE:
            return Ranks(PR, brought, loose)


def explain(n: int, brought: Explanation, loose: float, d: float) -> Explanation:
    """Explain a node's rank; brought: explanation of the rank received through edges."""
    return Explanation(
        float(rank(n, brought.value, loose, d)),
        "PR, PageRank: (1 - d) / n + d × (brought + loose)",
        (
            Explanation(d, "d, damping", symbol="d"),
            Explanation(n, "n, arguments in the graph", symbol="n"),
            brought,
            Explanation(loose, "loose, what each has of those that point nowhere"),
        ),
        "PR",
    )
