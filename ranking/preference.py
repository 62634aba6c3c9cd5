"""Scores from pairwise judgements (Bradley–Terry, WinRate, Elo) and sparse designs (G19, F22).

A comparison is (first, second, outcome): two item numbers, and +1 if the first won, −1 if the
second won, or 0 for a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.numbers import sigmoid

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PREFERENCE_LAMBDA = 0.1
TAU = 0.05


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons of n items: first [m] and second [m] in 0…n−1, outcome [m] in {1, −1, 0}."""

    first: Indices
    second: Indices
    outcome: NDArray[np.int8]
    n: int

    def __len__(self) -> int:
        return int(self.first.size)


@dataclass(frozen=True, slots=True)
class Fit:
    """Bradley–Terry scores γ [n] with mean 0, and the state in which the optimisation ended."""

    scores: Floats
    log_likelihood: float
    iterations: int
    gradient: float
    converged: bool


def comparisons(first: ArrayLike, second: ArrayLike, outcome: ArrayLike, n: int) -> Comparisons:
    """Check and pack comparisons; raise ValueError for a bad number or outcome, or equal items."""
    i, j = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    o = np.asarray(outcome, dtype=np.int8)
    if i.ndim != 1 or i.shape != j.shape or i.shape != o.shape:
        raise ValueError(f"lists must have the same length, not {i.shape}, {j.shape}, {o.shape}")
    both = np.concatenate([i, j])
    if both.size and not 0 <= both.min() <= both.max() < n:
        raise ValueError(f"items must be from 0 to {n - 1}, not {both.min()} to {both.max()}")
    if i.size and (bad := np.flatnonzero(np.abs(o) > 1)).size:
        raise ValueError(f"outcome {bad[0]} must be 1, -1 or 0 (tie), not {o[bad[0]]}")
    if (same := np.flatnonzero(i == j)).size:
        raise ValueError(f"comparison {same[0]} compares item {i[same[0]]} with itself")
    return Comparisons(i, j, o, n)


def components(data: Comparisons) -> Indices:
    """Return the connected component of each item [n] in the graph of compared items.

    Only the regulariser relates scores of different components, which have no common scale.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(data))
    graph = coo_matrix((ones, (data.first, data.second)), shape=(data.n, data.n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


def log_likelihood(
    gamma: Floats, data: Comparisons, lam: float = PREFERENCE_LAMBDA, tau: float = TAU
) -> tuple[float, Floats]:
    """Return Σ log P + λR and its gradient [n] (G19); p_i = e^{γ_i}, θ = e^τ.

    P(i≻j) = p_i / (p_i + θ p_j); P(i≈j) = p_i p_j (θ²−1) / ((p_i + θp_j)(θp_i + p_j)); R = Σ_i
    log(e/(p_i+e)) + log(p_i/(p_i+e)). R stands for a dummy item with γ = 1 that wins and loses once
    against every item.
    """
    x = gamma[data.first] - gamma[data.second]
    won, lost = data.outcome >= 0, data.outcome <= 0
    tie = data.outcome == 0
    value = -np.logaddexp(0.0, tau - x[won]).sum() - np.logaddexp(0.0, tau + x[lost]).sum()
    if tie.any():
        value += int(tie.sum()) * np.log(np.expm1(2 * tau))
    slope = np.where(won, sigmoid(tau - x), 0.0) - np.where(lost, sigmoid(tau + x), 0.0)
    gradient: Floats = np.bincount(data.first, slope, data.n).astype(np.float64)
    gradient -= np.bincount(data.second, slope, data.n)
    value += lam * float((-np.logaddexp(0.0, gamma - 1) - np.logaddexp(0.0, 1 - gamma)).sum())
    gradient += lam * (1 - 2 * sigmoid(gamma - 1))
    return float(value), gradient


def bradley_terry(
    data: Comparisons,
    lam: float = PREFERENCE_LAMBDA,
    tau: float = TAU,
    tolerance: float = 1e-8,
    steps: int = 100,
) -> Fit:
    """Maximise `log_likelihood` by Newton's method with a line search (the problem is concave).

    The fit has converged if the largest gradient is ≤ `tolerance`. Scores are then centred, as only
    their differences are meaningful. λ must be above 0: at 0, scores of unbeaten items diverge.
    With ties, τ must be above 0.
    """
    gamma = np.ones(data.n)
    value, gradient = log_likelihood(gamma, data, lam, tau)
    step = 0
    while step < steps and np.abs(gradient).max() > tolerance:
        step += 1
        direction = _newton_direction(gamma, gradient, data, lam, tau)
        size, slope = 1.0, float(gradient @ direction)
        while size > 1e-10:
            reached, ahead = log_likelihood(gamma + size * direction, data, lam, tau)
            if reached >= value + 1e-4 * size * slope - 1e-12 * abs(value):
                break
            size /= 2
        else:
            break
        gamma, value, gradient = gamma + size * direction, reached, ahead
    largest = float(np.abs(gradient).max())
    return Fit(gamma - gamma.mean(), value, step, largest, largest <= tolerance)


def _newton_direction(
    gamma: Floats, gradient: Floats, data: Comparisons, lam: float, tau: float
) -> Floats:
    """Solve −H d = gradient. −H = Σ w (e_i − e_j)(e_i − e_j)ᵀ + 2λ diag(σ(1 − σ)) is positive."""
    from scipy.sparse import coo_matrix, diags
    from scipy.sparse.linalg import cg

    x = gamma[data.first] - gamma[data.second]
    won, lost = sigmoid(tau - x), sigmoid(tau + x)
    w = (data.outcome >= 0) * won * (1 - won) + (data.outcome <= 0) * lost * (1 - lost)
    own = sigmoid(gamma - 1)
    diagonal = 2 * lam * own * (1 - own)
    diagonal += np.bincount(data.first, w, data.n) + np.bincount(data.second, w, data.n)
    rows = np.concatenate([data.first, data.second, np.arange(data.n)])
    columns = np.concatenate([data.second, data.first, np.arange(data.n)])
    matrix = coo_matrix((np.concatenate([-w, -w, diagonal]), (rows, columns))).tocsr()
    preconditioner = diags(1 / diagonal)
    direction, _ = cg(matrix, gradient, rtol=1e-10, maxiter=10 * data.n, M=preconditioner)
    return np.asarray(direction, dtype=np.float64)


def win_rate(data: Comparisons, prior: float = 0.0) -> Floats:
    """Return WinRate [n] = wins / appearances, a tie being half a win (F22); NaN if not compared.

    prior > 0 shrinks the rates towards ½, as if each item had also won and lost `prior`/2 times. So
    1 win of 1 ranks below 10 wins of 10, and an item without comparisons gets ½.
    """
    won = (1.0 + data.outcome) / 2
    wins = np.bincount(data.first, won, data.n) + np.bincount(data.second, 1 - won, data.n)
    met = np.bincount(data.first, minlength=data.n) + np.bincount(data.second, minlength=data.n)
    with np.errstate(invalid="ignore"):
        return np.asarray((wins + prior / 2) / (met + prior), dtype=np.float64)


def elo(data: Comparisons, K: float = 32.0, delta: float = 400.0, start: float = 1000.0) -> Floats:
    """Return Elo ratings [n] after comparisons in the given order (F22 does not state K and δ).

    The expected outcome is P = 1 / (1 + 10^((β₂ − β₁)/δ)). Then β₁' = β₁ + K(outcome − P), and β₂
    loses as much. A tie counts as ½. K and δ are above 0. The thesis has the misprint K(P − β).
    """
    beta = [float(start)] * data.n
    rows = zip(data.first.tolist(), data.second.tolist(), data.outcome.tolist(), strict=True)
    for i, j, outcome in rows:
        # 10 ** 309 overflows a float, and from 300 on the outcome is certain anyway.
        exponent = min(300.0, max(-300.0, (beta[j] - beta[i]) / delta))
        change = K * ((1 + outcome) / 2 - 1 / (1 + 10.0**exponent))
        beta[i] += change
        beta[j] -= change
    return np.array(beta)


def cyclic_design(n: int, groups: int) -> list[tuple[int, int]]:
    """Return the pairs of a cyclic grouped design (G19), sorted: (i, j) with i < j in 0…n−1.

    Items are split into `groups` of ⌈n/groups⌉. The last group may be smaller or empty. All pairs
    within a group are compared, and all pairs between a group and the next one (cyclically). For 1
    to 3 groups, all pairs are compared. Raises ValueError if n < 2 or groups is not in 1…n.
    """
    if n < 2:
        raise ValueError(f"there must be at least 2 items, not {n}")
    if not 1 <= groups <= n:
        raise ValueError(f"groups must be from 1 to {n}, the number of items, not {groups}")
    size = -(-n // groups)
    parts = [range(start, min(start + size, n)) for start in range(0, n, size)]
    pairs: set[tuple[int, int]] = set()
    for part, following in zip(parts, [*parts[1:], parts[0]], strict=True):
        pairs.update(combinations(part, 2))
        if following is not part:
            pairs.update((min(i, j), max(i, j)) for i in part for j in following)
    return sorted(pairs)
