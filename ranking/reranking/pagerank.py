"""PageRank: a node ranks high if many high-ranking nodes link to it (Page et al. 1998; W22).

Symbols: n = nodes, u → v = an edge, L(u) = number of edges that leave u, d = damping.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.explanation import Explanation

DAMPING = 0.85
"""The usual value of d, which W22 does not state."""
# W22's thresholds for an edge. A sentence counts as another one if it exceeds either of them.
COSINE = 0.99
SIMILARITY = 0.2
TOLERANCE = 1e-12
"""The iteration stops when the total change in a step is at most this."""


class Ranks(NamedTuple):
    """The ranks of n nodes, and the terms that add up to them."""

    values: NDArray[np.float64]
    """float64[n], PR, above 0 and with sum 1."""
    brought: NDArray[np.float64]
    """float64[n], Σ_{u → v} PR(u) / L(u), the rank that a node receives through edges."""
    loose: float
    """Σ_{L(u) = 0} PR(u) / n, the rank that nodes without outgoing edges give to every node."""


def rank(n: int, brought: ArrayLike, loose: ArrayLike, d: float) -> NDArray[np.float64]:
    """Return PR(v) = (1 − d)/n + d·(Σ_{u → v} PR(u)/L(u) + Σ_{L(u) = 0} PR(u)/n)."""
    return np.asarray((1 - d) / n + d * (np.asarray(brought, np.float64) + np.asarray(loose)))


def pagerank(edges: ArrayLike, d: float = DAMPING) -> Ranks:
    """Return the `rank` of every node, by iteration from 1/n.

    edges: bool[n, n], from rows to columns. A node without outgoing edges shares its rank evenly
    among all nodes, including itself. Nodes without incoming edges have bit-identical ranks.
    Without edges, all ranks are 1/n. Raises ValueError if d is outside [0, 1): it might never stop.
    """
    if not 0 <= d < 1:
        raise ValueError(f"damping must be at least 0 and below 1, not {d!r}")
    A = np.asarray(edges, np.bool_)
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
    """Explain a node's rank. brought: explanation of the rank that it receives through edges."""
    return Explanation(
        float(rank(n, brought.value, loose, d)),
        "PR, PageRank: (1 - d) / n + d × (brought + loose)",
        (
            Explanation(d, "d, damping", symbol="d"),
            Explanation(n, "n, arguments in the graph", symbol="n"),
            brought,
            Explanation(loose, "loose, equal share of the rank of nodes without outgoing edges"),
        ),
        "PR",
    )
