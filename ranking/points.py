"""Key points: when two sentences make the same point, and which sentences stand for most others.

A logistic regression decides whether sentence s says the same as sentence r. Its features follow
key point matching (Bar-Haim et al. 2020). The sentences that represent a side cover as many of its
arguments as possible (greedy facility location: Lin and Bilmes 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

Floats = NDArray[np.float64]
Rows = NDArray[np.float32]
Ints = NDArray[np.int64]

POINT_FEATURES = (
    "cosine",
    "cosine on the side",
    "cosine beside the question",
    "cosine beside question and side",
    "nearness to the quote",
    "nearness to the point",
    "words of the point",
    "words of the quote",
    "words in common",
    "like words of the point",
    "like words of the quote",
    "like words of both",
    "words of both",
    "length of the quote",
    "length of the point",
    "turned round",
)
"""Features of P(same), in the order of the model's weights (docs/points.md)."""
TURNED_ROUND = POINT_FEATURES.index("turned round")
QUESTION_WEIGHT = 0.3
"""Weight factor for the question's words, which all sentences share because of the topic."""
LEAST_WEIGHT = 0.05
"""Minimum weight of a word."""
COMPARED_POINTS = 40
"""Number of points whose words are compared with those of all sentences in one step."""
MARGIN = 0.02
"""Gain of a quote whose P(same) just reaches the threshold."""
WORTH = 0.5
"""Exponent of a candidate's worth, which is a factor of both its coverage and its nearness."""


class SentenceNumbers(NamedTuple):
    """n sentences as arrays: the vectors and the distinct words of each."""

    vectors: Rows
    """float32[n, d], unit or zero."""
    begins: Ints
    """int64[n + 1]: the words of sentence s are words[begins[s]:begins[s + 1]]."""
    words: Ints
    """int64[entries]: the distinct words of each sentence as numbers below m."""
    roots: Ints
    """int64[m]: the root of each word, as a number."""
    rarity: Floats
    """float64[m] > 0: how rare each word is in English, whatever the question."""
    asked: NDArray[np.bool_]
    """bool[m]: True for the words of the question."""
    meanings: Rows
    """float32[m, d]: unit vectors of the words."""
    shares: Floats
    """float64[n]: sentence weights, which sum to 1, with equal totals for all arguments."""


def features(said: SentenceNumbers, question: Rows, points: Ints) -> Floats:
    """Return POINT_FEATURES of every sentence with each point, float64[len(points), n, 16].

    question: float32[d], the question's unit vector. points: sentence numbers. "Turned round" stays
    0 until `turn` sets it.
    """
    cosines, nearness = _cosines(said, question.astype(np.float64), points)
    common, like = _words_in_common(said, points), _like_words(said, points)
    lengths = np.log1p(np.diff(said.begins))
    # Features are the first axis here because they are read one by one later.
    out = np.zeros((len(POINT_FEATURES), len(points), len(lengths)))
    for plane, values in zip(
        out,
        (
            *cosines,
            *nearness,
            *common,
            *like,
            np.minimum(*like),
            np.minimum(common[0], common[1]),
            lengths,
            lengths[points, None],
        ),
        strict=False,
    ):
        plane[:] = values
    return np.moveaxis(out, 0, -1)


def turn(x: Floats, directions: Ints, points: Ints) -> None:
    """Set the feature "turned round" to 1 where point and sentence differ in direction (±1)."""
    x[..., TURNED_ROUND] = directions != directions[points, None]


def _cosines(said: SentenceNumbers, q: Floats, points: Ints) -> tuple[list[Floats], list[Floats]]:
    """Return four cosines, and two z-scores of the second: relative to the quote and to the point.

    All of them come from one product of the vectors: (v − m)·(v' − m) = v·v' − v·m − m·v' + m·m.
    """
    V, w = said.vectors.astype(np.float64), said.shares
    G, squares = V[points] @ V.T, np.einsum("ij,ij->i", V, V)
    near, scale, mean = _beside_mean(G, squares, V, w, points)
    asked = V @ q
    apart = _inverse(squares - asked**2)
    beside = (G - np.outer(asked[points], asked)) * np.outer(apart[points], apart)
    freed = (V - np.outer(asked, q)) * apart[:, None]
    both, _, _ = _beside_mean(beside, (apart > 0).astype(np.float64), freed, w, points)
    U = ((V - mean) * scale[:, None]).astype(np.float32)
    usual = U @ (w @ U)
    square = ((U @ ((U.T * w.astype(np.float32)) @ U)) * U).sum(axis=1)
    spread = np.sqrt(np.maximum(square - usual**2, 1e-9)).astype(np.float64)
    of_point = (near - usual[points, None]) / spread[points, None]
    return [G, near, beside, both], [(near - usual) / spread, of_point]


def _beside_mean(
    G: Floats, squares: Floats, V: Floats, w: Floats, points: Ints
) -> tuple[Floats, Floats, Floats]:
    """Return the cosines of the mean-centred vectors, 1 / the centred lengths, and the mean.

    G: dot products of points and sentences. squares: dot products of sentences with themselves.
    """
    mean = w @ V
    a, square = V @ mean, mean @ mean
    scale = _inverse(squares - 2.0 * a + square)
    return (G - a[points, None] - a + square) * np.outer(scale[points], scale), scale, mean


def _inverse(squares: Floats) -> Floats:
    """Return 1 / √x, or 0 if x is only a rounding error."""
    return np.where(squares > 1e-9, 1.0 / np.sqrt(np.maximum(squares, 1e-9)), 0.0)


def _telling(said: SentenceNumbers) -> Floats:
    """Return the weight of each word, float64[m]: ln((N + 1) / (df + ½)), with df of its root."""
    n, roots = len(said.begins) - 1, said.roots[said.words]
    size = int(said.roots.max(initial=-1)) + 1
    df = np.bincount(roots, np.repeat(said.shares, np.diff(said.begins)) * n, minlength=size)
    weights = np.log((n + 1) / (df + 0.5))[said.roots] * np.where(said.asked, QUESTION_WEIGHT, 1.0)
    return np.asarray(np.maximum(weights, LEAST_WEIGHT), np.float64)


def _words_in_common(said: SentenceNumbers, points: Ints) -> list[Floats]:
    """Return the common words' share of the point's and quote's weights, and ln(1 + weight)."""
    roots = said.roots[said.words]
    weights = np.zeros(int(said.roots.max(initial=-1)) + 1)
    weights[said.roots] = _telling(said)
    common, totals = _common(said.begins, roots, weights, points)
    totals = np.maximum(totals, 1e-6)
    return [common / totals[points, None], common / totals, np.log1p(common)]


def _like_words(said: SentenceNumbers, points: Ints) -> list[Floats]:
    """Return the mean best similarity of the point's words to the quote's, and vice versa."""
    weights = np.maximum(said.rarity * np.where(said.asked, QUESTION_WEIGHT, 1.0), LEAST_WEIGHT)
    out = np.zeros((2, len(points), len(said.begins) - 1))
    for first in range(0, len(points), COMPARED_POINTS):
        some = points[first : first + COMPARED_POINTS]
        at = [slice(*said.begins[p : p + 2]) for p in some.tolist()]
        needed = np.unique(np.concatenate([said.words[one] for one in at]))
        slots = np.full(len(said.roots), -1)
        slots[needed] = np.arange(len(needed))
        likeness = said.meanings[needed] @ said.meanings.T
        found = _alike(said.begins, said.words, weights, some, slots, likeness)
        out[:, first : first + COMPARED_POINTS] = found
    return list(out)


@kernel
def _common(begins, roots, weights, points):  # type: ignore[no-untyped-def]
    """Return the weight of the roots that sentences share with points, and sentence totals."""
    n = len(begins) - 1
    common, totals = np.zeros((len(points), n)), np.zeros(n)
    point, sentence = np.full(len(weights), -1), np.full(len(weights), -1)
    for i in range(-1, len(points)):
        if i >= 0:
            for at in range(begins[points[i]], begins[points[i] + 1]):
                point[roots[at]] = i
        for s in range(n):
            total = 0.0
            for at in range(begins[s], begins[s + 1]):
                root = roots[at]
                if point[root] == i and sentence[root] != s:  # two words may have the same root
                    sentence[root] = s
                    total += weights[root]
            if i < 0:
                totals[s] = total
            else:
                common[i, s] = total
        sentence[:] = -1
    return common, totals


@kernel
def _alike(begins, words, weights, points, slots, likeness):  # type: ignore[no-untyped-def]
    n = len(begins) - 1
    of_point, of_quote = np.zeros((len(points), n)), np.zeros((len(points), n))
    best = np.empty(max(np.max(np.diff(begins)), 1), np.float32)
    for i in range(len(points)):
        first, last = begins[points[i]], begins[points[i] + 1]
        whole = max(weights[words[first:last]].sum(), 1e-6)
        for s in range(n):
            begin, end = begins[s], begins[s + 1]
            if begin == end or first == last:
                continue
            best[:] = -1.0
            for a in range(first, last):
                row, top = likeness[slots[words[a]]], np.float32(-1.0)
                for b in range(begin, end):
                    value = row[words[b]]
                    top = max(top, value)
                    best[b - begin] = max(best[b - begin], value)
                of_point[i, s] += weights[words[a]] * top
            total = 0.0
            for b in range(begin, end):
                of_quote[i, s] += weights[words[b]] * best[b - begin]
                total += weights[words[b]]
            of_point[i, s] /= whole
            of_quote[i, s] /= max(total, 1e-6)
    return of_point, of_quote


def nearness_elsewhere(said: SentenceNumbers, of: Ints) -> Floats:
    """Return each sentence's cosine to the nearest sentence of another argument, float64[n].

    The side's mean is subtracted first. Cosines have six decimals. of: int64[n], the arguments.
    """
    V = said.vectors - said.shares.astype(np.float32) @ said.vectors
    V *= _inverse(np.einsum("ij,ij->i", V, V).astype(np.float64))[:, None].astype(np.float32)
    G = V @ V.T
    for first, last in pairwise([0, *(np.flatnonzero(np.diff(of)) + 1).tolist(), len(of)]):
        G[first:last, first:last] = -1.0
    return np.asarray(np.round(G.max(axis=1), 6), np.float64)


class Chosen(NamedTuple):
    """The candidates that represent a side, and the sentences that make the same points."""

    points: Ints
    """int64[m], sentence numbers of the points, those made by the most arguments first."""
    quotes: list[Ints]
    """The sentences that make each point, most certain first, with at most one per argument."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds for two sentences to make the same point, and limits on the points shown."""

    same: float = 0.575
    """Minimum P(same) of a quote and its point."""
    again: float = 0.7
    """Minimum P(same) of a quote whose argument matches another point with more certainty."""
    apart: float = 0.25
    """Smallest P(same) at which two points count as one."""
    fewest: int = 2
    """Minimum number of arguments that make a point."""
    most: int = 7
    """Maximum number of points per side."""


def choose(P: Floats, candidates: Ints, of: Ints, worths: Floats, limits: Limits) -> Chosen:
    """Choose candidates that cover many arguments with certainty, by greedy facility location.

    Args: P: float64[c, n], probability that sentence s says what candidate r says. `candidates`:
    int64[c], their sentence numbers. `of`: int64[n], the argument of each sentence. `worths`:
    float64[c] in (0, 1], how well each candidate can be understood by itself.

    Each argument counts once, weighted by how far its quote exceeds the threshold. Candidates that
    are too similar to a chosen one are skipped.
    """
    P = P.copy()
    P[np.arange(len(candidates)), candidates] = 1.0
    best = np.maximum.reduceat(P, np.searchsorted(of, np.unique(of)), axis=1)
    told = best >= limits.same
    surplus = np.where(told, best - limits.same + MARGIN, 0.0)
    again, new = best >= limits.again, np.ones(best.shape[1], np.bool_)
    open_ = np.ones(len(candidates), np.bool_)
    chosen: list[int] = []
    while len(chosen) < 2 * limits.most:
        possible = open_ & ((told & (new | again)).sum(axis=1) >= limits.fewest)
        gains = np.where(new, surplus, 0.0).sum(axis=1) * worths**WORTH * possible
        top = int(np.argmax(gains))
        if gains[top] <= 0.0:
            break
        chosen.append(top)
        new &= ~told[top]
        open_ &= np.maximum(P[top, candidates], P[:, candidates[top]]) < limits.apart
    kept, _ = _quoted(P, of, chosen, limits)
    kept, found = _quoted(P, of, kept, limits)  # dropped points own no quotes
    return Chosen(candidates[kept], found)


def _quoted(P: Floats, of: Ints, chosen: list[int], limits: Limits) -> tuple[list[int], list[Ints]]:
    """Assign each sentence to its best-matching chosen point, if P(same) is high enough.

    Returns the points with enough quotes, most frequent first, and the quotes of each.
    """
    if not chosen:
        return [], []
    owner, sure = np.argmax(P[chosen], axis=0), P[chosen].max(axis=0)
    arguments, place = np.unique(of, return_inverse=True)
    surest = np.maximum.reduceat(sure, np.searchsorted(of, arguments))[place]
    told = (sure >= limits.same) & ((sure >= limits.again) | (sure == surest))
    found = []
    for number in range(len(chosen)):
        mine = np.flatnonzero((owner == number) & told)
        mine = mine[np.lexsort((mine, -sure[mine]))]
        found.append(mine[np.sort(np.unique(of[mine], return_index=True)[1])])
    order = sorted(range(len(chosen)), key=lambda number: -len(found[number]))
    kept = [number for number in order if len(found[number]) >= limits.fewest][: limits.most]
    return [chosen[number] for number in kept], [found[number] for number in kept]
