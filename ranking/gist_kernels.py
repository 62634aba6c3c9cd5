"""The kernels of a gist: `argsearch.ranking.gist`'s plain expressions, one argument in two calls.

`judge` is `matched` with the sentences to embed, `choose` is `worth` and `select`; property tests
hold them to the plain ones.
"""

from __future__ import annotations

import numpy as np

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.gist import JOINT


@inlined
def _add_standard(out, numbers, x, weight):  # type: ignore[no-untyped-def]
    """Add weight · z(x) to the places `numbers` of `out`; nothing where all x are equal."""
    n, mean, square = len(x), 0.0, 0.0
    for value in x:
        mean += value / n
    for value in x:
        square += (value - mean) ** 2 / n
    deviation = np.sqrt(square)
    if deviation > 1e-12:
        for at in range(n):
            out[numbers[at]] += weight * ((x[at] - mean) / deviation)


@kernel
def judge(manner, words, weight, most, slots):  # type: ignore[no-untyped-def]
    """`ranking.gist.matched`, and the `most` best sentences, ascending; float64[n], int64[m].

    words: float64[n], the weight of the question's words in each sentence, itself weighed by
    `weight`. slots: int64[n], negative where a sentence is not embedded; the third value says how
    many of the m are not.
    """
    n = len(manner)
    worths = manner.copy()
    _add_standard(worths, np.arange(n), words, weight)
    taken = np.zeros(n, np.bool_)
    missing = 0
    for _ in range(min(most, n)):
        best = -1
        for s in range(n):
            if not taken[s] and (best < 0 or worths[s] > worths[best]):
                best = s
        taken[best] = True
        missing += slots[best] < 0
    return worths, np.flatnonzero(taken), missing


@kernel
def _likeness(rows, slots, numbers):  # type: ignore[no-untyped-def]
    """Dot products of the sentences `numbers` with each other, float64[m, m]."""
    m = len(numbers)
    alike = np.zeros((m, m))
    for a in range(m):
        for b in range(a + 1):
            dot = np.float32(0)
            one, other = rows[slots[numbers[a]]], rows[slots[numbers[b]]]
            for i in range(len(one)):
                dot += one[i] * other[i]
            alike[a, b] = alike[b, a] = dot
    return alike


@kernel
def _add_cosines(worths, numbers, rows, slots, asked, alike, weights):  # type: ignore[no-untyped-def]
    """Add the two cosines of `argsearch.ranking.gist.worth` to the sentences `numbers`."""
    m = len(numbers)
    question, central, length = np.zeros(m), np.zeros(m), np.sqrt(max(alike.sum(), 0.0))
    for a in range(m):
        row = rows[slots[numbers[a]]]
        dot = 0.0
        for i in range(len(row)):
            dot += np.float64(row[i]) * asked[i]
        question[a] = dot
        central[a] = alike[a].sum() / length if length > 1e-12 else 0.0
    _add_standard(worths, numbers, question, weights[0])
    _add_standard(worths, numbers, central, weights[1])


@kernel
def choose(worths, numbers, rows, slots, asked, weights, lengths, room):  # type: ignore[no-untyped-def]
    """The sentences of a gist, ascending, int64[≤ room's]: `worth`, then `select`.

    worths, numbers: as `judge` gives them; numbers may be empty. rows: float32[·, d] embeddings,
    slots: int64[n], each sentence's row; asked: float64[d], the question's; weights: of the
    question and of centrality; lengths: int64[n], characters; room: the fields of `Room`.
    """
    characters, sentences, stretch, margin, near, repeated = room
    G, alike = worths.copy(), _likeness(rows, slots, numbers)
    _add_cosines(G, numbers, rows, slots, asked, alike, weights)
    n = len(G)
    places = np.full(n, -1)
    for a in range(len(numbers)):
        places[numbers[a]] = a
    chosen = np.zeros(n, np.bool_)
    repeats = np.zeros(n, np.bool_)
    following = int(np.argmax(G))
    least, left = G[following] - margin, characters
    most = min(sentences, 1 + lengths.sum() // stretch)
    for count in range(1, most + 1):
        chosen[following] = True
        left -= lengths[following] + (JOINT if count > 1 else 0)
        newest, following, best = following, -1, -np.inf
        for s in range(n if count < most else 0):
            if places[s] >= 0 and places[newest] >= 0:
                repeats[s] |= alike[places[s], places[newest]] >= repeated
            value = G[s] + (near if s > 0 and chosen[s - 1] else 0.0)
            fits = lengths[s] + JOINT <= left and value >= least
            if fits and value > best and not (chosen[s] or repeats[s]):
                following, best = s, value
        if following < 0:
            break
    return np.flatnonzero(chosen)
