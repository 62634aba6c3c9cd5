"""The gist of a text: the one to three sentences that best state its point on a question.

Call `manners` once per argument. For each question, call `judge`, which selects the sentences to
embed, and then `choose`. A plain reference version is in `tests/ranking/plain_gist.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

Floats = NDArray[np.float64]

# A sentence with fewer words is a fragment, and one with more words runs on.
FRAGMENT = 7
OVERLONG = 45
TITLE_WORDS = 9
"""A sentence with fewer words and without end punctuation is a title."""
USUAL_SENTENCE_WORDS = 18
"""Typical number of words in a sentence that represents a text."""
MOST_CUES = 3
"""Maximum number of cues that count in a sentence."""
JOINT = 3
"""Maximum length of the separator between two sentences of a gist: a space or a spaced ellipsis."""


@dataclass(frozen=True, slots=True)
class GistWeights:
    """The weight of each term in the score G. Penalties are subtracted."""

    question: float = 0.75
    centrality: float = 1.0
    words: float = 0.5
    cues: float = 1.0
    lead: float = 4.5
    short: float = 2.0
    long: float = 1.0
    length: float = 0.5
    asked: float = 1.5
    talk: float = 3.0
    reference: float = 2.0
    quoted: float = 4.0
    person: float = 0.5
    anaphora: float = 1.0
    example: float = 0.5
    digits: float = 3.0


@dataclass(frozen=True, slots=True)
class Room:
    """Size limits of a gist, and the score that an additional sentence needs."""

    characters: int = 320
    sentences: int = 3
    stretch: int = 1500
    """Characters of text per additional sentence; the gist of a short text is one sentence."""
    margin: float = 3.0
    """Maximum difference between the scores of a further sentence and the best sentence."""
    near: float = 1.5
    """Bonus for a sentence that directly follows a chosen one."""
    alike: float = 0.75
    """Minimum cosine at which a sentence counts as repeating a chosen one."""


@inlined
def _add_standard(out, numbers, x, weight):  # type: ignore[no-untyped-def]
    """Add weight · z(x) to `out` at the indices `numbers`, or nothing if all x are equal."""
    n, mean, square = len(x), 0.0, 0.0
    for value in x:
        mean += value / n
    for value in x:
        square += (value - mean) ** 2 / n
    deviation = np.sqrt(square)
    # Two sentences are equally near to their mean; rounding must not tell them apart.
    if deviation > 1e-6:
        for at in range(n):
            out[numbers[at]] += weight * ((x[at] - mean) / deviation)


@inlined
def _is_barred(counts, s, columns):  # type: ignore[no-untyped-def]
    """Return True for a colon ending, an announcement, someone else's view, or a title.

    A view that the next sentence answers ("But …") counts as someone else's.
    """
    row, answered = counts[s], s + 1 < len(counts) and counts[s + 1, columns[15]] > 0
    said = row[columns[11]] + row[columns[12]] + row[columns[13]]
    return said > 0 or answered or (row[columns[14]] > 0 and row[columns[0]] < TITLE_WORDS)


@kernel
def manners(counts, columns, weights):  # type: ignore[no-untyped-def]
    """Return the part of each sentence's score that does not depend on the question, float64[n].

    It is w_cues·min(cues, 3)/3 + w_lead·lead − w_short·[words < 7] − w_long·[words > 45] −
    w_length·ln(words/18)² − w_asked·[question] − w_talk·[debate talk] − … − w_digits·(share of
    digits). The terms follow Luhn (1958) and Edmundson (1969). The score is −∞ for a sentence that
    ends in a colon, an announcement, someone else's view, or a title (words < 9, no end
    punctuation). If no sentence is sound, all scores are −∞.

    A sentence is sound unless it scores −∞ by itself or is a fragment, question, quotation,
    reference, or debate talk. Its lead is the share of sound sentences divided by 1 + the number of
    sound sentences before it. Other sentences have a lead of 0. So greetings do not displace a
    speech's first statement, and the lead counts less in a text full of debate talk.

    Args: counts: int32[n, ·], the signs of each sentence. columns: indices into counts. They are
    words, cues, digits, characters; the flags from `asked` to `example`; then colon ending,
    announcement, someone else's view, no end punctuation, answer. Weights: `GistWeights`, float64.
    """
    words, cues, digits, characters = columns[0], columns[1], columns[2], columns[3]
    n = len(counts)
    sound = counts[:, words] >= FRAGMENT
    for s in range(n):
        for flag in range(4):
            sound[s] &= counts[s, columns[4 + flag]] == 0
        sound[s] &= not _is_barred(counts, s, columns)
    out, share, found = np.zeros(n), sound.sum() / max(n, 1), 0
    for s in range(n):
        row = counts[s]
        length = np.log(max(row[words], 1) / USUAL_SENTENCE_WORDS)
        out[s] = weights[3] * min(row[cues], MOST_CUES) / MOST_CUES
        out[s] -= weights[7] * length * length + weights[15] * row[digits] / max(row[characters], 1)
        out[s] -= weights[5] * (row[words] < FRAGMENT) + weights[6] * (row[words] > OVERLONG)
        if sound[s]:
            found += 1
            out[s] += weights[4] * share / found
        for flag in range(7):
            out[s] -= weights[8 + flag] * (row[columns[4 + flag]] > 0)
        if _is_barred(counts, s, columns):
            out[s] = -np.inf
    return out if found else np.full(n, -np.inf)


@kernel
def judge(manner, words, weight, most, slots):  # type: ignore[no-untyped-def]
    """Return scores without cosines, manner + w_words·z(words), and the `most` best sentences.

    Scores are float64[n]; sentence numbers are int64[m], ascending. z(x) = (x − mean) / standard
    deviation, or 0 if all are equal. `words`, float64[n], is the weight of the question's words in
    each sentence, and `weight` is w_words. `slots`, int64[n], is negative for a sentence without an
    embedding; the third result is the number of such sentences among the m.
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
    """Return the dot products of the sentences `numbers` with one another, float64[m, m]."""
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
    """Add w_question·z(cos(s, q)) + w_centrality·z(cos(s, c)) to the scores of `numbers`.

    c is the direction of the sentences' mean, as in centroid-based summaries (Radev et al. 2004).
    """
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
    """Return the sentence numbers of a gist, ascending, int64[≤ room.sentences].

    The best sentence is chosen first. While there is room, the sentence with the next highest score
    is added if it fits, is within `margin` of the best, and repeats no chosen sentence. A sentence
    that directly follows a chosen one gets a bonus of `near`. Ties go to the earlier sentence.

    `worths` and `numbers` come from `judge`; `numbers` may be empty. Sentence i has the embedding
    rows[slots[i]], float32[d], and the question has `asked`, float64[d]. The `weights` are for
    question and centrality. `lengths`, int64[n], count characters; `room` is a `Room` as a tuple.
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
