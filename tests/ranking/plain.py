"""The plain algorithms that the kernels are held to: every pair compared, everything sorted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.near_duplicates.grouping import Rule
from argsearch.ranking.neighbours import Neighbours, no_neighbours
from argsearch.ranking.reranking.mmr import LAMBDA, marginal_relevance
from argsearch.ranking.reranking.word_movers import Bag
from argsearch.ranking.vectors import (
    TOKEN_FACTOR,
    Quantised,
    SentenceRows,
    long_enough,
    sentence_cosines,
)


def nearest_plain(
    queries: SentenceRows, candidates: SentenceRows, k: int, factor: float = TOKEN_FACTOR
) -> list[list[tuple[int, float]]]:
    """As W22 has it: (candidate, cosine) of each query, those long enough, the k best; O(n·m·d).

    Ties go to the earlier candidate.
    """
    found = []
    for q in range(len(queries)):
        cos = sentence_cosines(queries[np.array([q])], candidates)
        fit = np.flatnonzero(long_enough(queries.tokens[q], candidates.tokens, factor))
        best = sorted(fit.tolist(), key=lambda s: (-cos[s], s))[:k]
        found.append([(s, float(cos[s])) for s in best])
    return found


def neighbours_plain(vectors: Quantised, k: int) -> Neighbours:
    """The definition, with all n² cosines at once: what `neighbours` is held to."""
    x, scales = vectors
    found = no_neighbours(len(x), k)
    cosines = (x.astype(np.float32) @ x.astype(np.float32).T * scales) * scales[:, None]
    for row in range(len(x)):
        others = np.delete(np.arange(len(x)), row)
        nearest = others[np.argsort(-cosines[row, others], kind="stable")][:k]
        found.ids[row, : len(nearest)] = nearest
        found.cosines[row, : len(nearest)] = cosines[row, nearest]
    return found


def mmr_plain(
    relevance: ArrayLike, similarity: ArrayLike, k: int, lam: float = LAMBDA
) -> list[int]:
    """MMR as the paper writes it: the order of the first k picks, O(k²·n).

    relevance: sim(s, q), float[n]; similarity: sim(s, s'), float[n, n]. Ties go to the earlier
    candidate.
    """
    s_q, sim = np.asarray(relevance, np.float64), np.asarray(similarity, np.float64)
    chosen: list[int] = []
    while len(chosen) < min(k, len(s_q)):
        rest = [s for s in range(len(s_q)) if s not in chosen]
        values = [
            marginal_relevance(s_q[s], max((sim[s, c] for c in chosen), default=0.0), lam)
            for s in rest
        ]
        chosen.append(rest[int(np.argmax(np.array(values)))])
    return chosen


def jaccard(A: set[int], B: set[int]) -> float:
    """|A ∩ B| / |A ∪ B| of two sets, one of which is not empty   (Broder 1997: resemblance)."""
    return len(A & B) / len(A | B)


def containment(A: set[int], B: set[int]) -> float:
    """|A ∩ B| / |A|: how much of A is in B   (Broder 1997)."""
    return len(A & B) / len(A)


def is_near_duplicate(A: set[int], B: set[int], rule: Rule) -> bool:
    """Whether A, the smaller or equal set, is a near-duplicate of B.

    Jaccard or containment is at least the threshold. |A ∪ B| ≥ |A|, so containment alone decides
    where it may: it is never below Jaccard.
    """
    if len(A) >= rule.quotable:
        return containment(A, B) >= rule.threshold
    return jaccard(A, B) >= rule.threshold


def group_plain(sets: Sequence[set[int]], rule: Rule) -> list[int]:
    """`group` as its docstring says it: every document against every representative."""
    first = [sets.index(each) for each in sets]
    distinct = sorted({*first}, key=lambda d: (-len(sets[d]), d))
    of: dict[int, int] = {}
    representatives: list[int] = []
    for d in distinct:
        near = [r for r in representatives if is_near_duplicate(sets[d], sets[r], rule)]
        # `max` gives the first of the best: the one with most shingles, then the earliest.
        of[d] = max(near, key=lambda r: len(sets[d] & sets[r]), default=d)
        if not near:
            representatives.append(d)
    return [of[d] for d in first]


def window(q: int, s: int) -> int:
    """⌊max(|q|, |s|) / 2⌋ − 1, never below 0: how far apart two matched tags may stand (W22)."""
    return max(max(q, s) // 2 - 1, 0)


def matches(q: Sequence[int], s: Sequence[int]) -> tuple[int, int]:
    """(m, t) of two sequences: each tag of q takes the first free equal one of s in the window."""
    reach = window(len(q), len(s))
    taken = [False] * len(s)
    of_q = []
    for i, tag in enumerate(q):
        for j in range(max(0, i - reach), min(len(s), i + reach + 1)):
            if not taken[j] and s[j] == tag:
                taken[j] = True
                of_q.append(tag)
                break
    of_s = [tag for tag, matched in zip(s, taken, strict=True) if matched]
    return len(of_q), sum(a != b for a, b in zip(of_q, of_s, strict=True)) // 2


def jaro(q: Sequence[int], s: Sequence[int]) -> float:
    """sim(q, s) = ⅓ (m/|q| + m/|s| + (m − t)/m), 0 where m = 0   (Jaro 1989; W22).

    In [0, 1]; 1 for equal sequences, 0 where one is empty. Deviation: none; where W22 is silent,
    t is rounded down and the window is never below 0.
    """
    m, t = matches(q, s)
    return (m / len(q) + m / len(s) + (m - t) / m) / 3 if m else 0.0


def structural_distance(q: Sequence[int], s: Sequence[int]) -> float:
    """SD(q, s) = 1 − sim(q, s), in [0, 1]   (W22)."""
    return 1 - jaro(q, s)


def relaxed(q: Bag, s: Bag, cost: NDArray[np.float64]) -> float:
    """RWMD: each word goes to the nearest one, in the dearer direction; ≤ WMD   (Kusner, 4.2).

    max(Σᵢ aᵢ·minⱼ c(i, j), Σⱼ bⱼ·minᵢ c(i, j)); infinite where either bag is empty.
    """
    if not (len(q.words) and len(s.words)):
        return math.inf
    return max(float(q.weights @ cost.min(axis=1)), float(s.weights @ cost.min(axis=0)))
