"""The gist of a text: its one to three sentences that best carry its point for a question.

Of an argument `manners` is asked once, and for each question `judge`, which names the sentences to
embed, and `choose`. The plain expressions are in `tests/ranking/plain_gist.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel

Floats = NDArray[np.float64]

# Words below which a sentence is a fragment, and above which it runs on.
FRAGMENT = 7
OVERLONG = 45
TITLE_WORDS = 9
"""Words below which a sentence that no sign ends is a title."""
USUAL_SENTENCE_WORDS = 18
"""Words of a sentence that is neither too short nor too long to stand for a text."""
MOST_CUES = 3
"""Cues of a sentence that count."""
JOINT = 3
"""Characters between two sentences of a gist, at most: a space, or an ellipsis in spaces."""


@dataclass(frozen=True, slots=True)
class GistWeights:
    """What each term of G weighs; the penalties are taken off."""

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
    quoted: float = 2.0
    person: float = 0.5
    anaphora: float = 1.0
    example: float = 0.5
    digits: float = 3.0


@dataclass(frozen=True, slots=True)
class Room:
    """How much a gist may hold, and what a further sentence must be worth."""

    characters: int = 320
    sentences: int = 3
    stretch: int = 1500
    """Characters of text for each further sentence: a short text's gist is one sentence."""
    margin: float = 3.0
    """A further sentence is worth at most this less than the best."""
    near: float = 1.5
    """What standing directly after a chosen sentence adds to a sentence's worth."""
    alike: float = 0.75
    """Cosine from which a sentence repeats a chosen one."""


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


@inlined
def _is_barred(row, columns):  # type: ignore[no-untyped-def]
    """Whether a sentence does not speak for its author."""
    said = row[columns[11]] + row[columns[12]] + row[columns[13]]
    return said > 0 or (row[columns[14]] > 0 and row[columns[0]] < TITLE_WORDS)


@kernel
def manners(counts, columns, weights):  # type: ignore[no-untyped-def]
    """The part of each sentence's worth that no question changes, float64[n].

    w_cues·min(cues, 3)/3 + w_lead·lead − w_short·[words < 7] − w_long·[words > 45]
    − w_length·ln(words/18)² − w_asked·[question] − w_talk·[debate talk] − …
    − w_digits·(share of digits), after Luhn (1958) and Edmundson (1969): cue words, place, and what
    is to be left out. −∞ for what does not speak for its author: what ends in a colon, an
    announcement, a view of others, a title ([ends in no sign, words < 9]); and for all where none
    is sound.

    lead: of a sound sentence the share of sound ones / (1 + those before it), else 0. A sound one
    speaks for its author and is no fragment, question, quotation, reference or debate talk: a
    speech's greetings do not take the first place from its first statement; and the more of a text
    is a turn in a debate, the less its beginning tells what it is about.

    counts: int32[n, ·], of a sentence's signs; columns: where the words, cues, digits and
    characters stand there, then the flags in the order of their weights, from `asked` to `example`,
    then the colon, announcements, views of others and whether no sign ends it (above 0: it holds);
    weights: the fields of `GistWeights`, float64[16].
    """
    words, cues, digits, characters = columns[0], columns[1], columns[2], columns[3]
    n = len(counts)
    sound = counts[:, words] >= FRAGMENT
    for s in range(n):
        for flag in range(4):
            sound[s] &= counts[s, columns[4 + flag]] == 0
        sound[s] &= not _is_barred(counts[s], columns)
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
        if _is_barred(row, columns):
            out[s] = -np.inf
    return out if found else np.full(n, -np.inf)


@kernel
def judge(manner, words, weight, most, slots):  # type: ignore[no-untyped-def]
    """Worths without cosines, manner + w_words·z(words), and the `most` best sentences, ascending.

    float64[n] and int64[m]; z(x) = (x − mean) / standard deviation, 0 where all are equal.

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
    """Add w_question·z(cos(s, q)) + w_centrality·z(cos(s, c)) to the sentences `numbers`.

    c is the direction of their mean, as in centroid-based summaries (Radev et al. 2004).
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
    """The sentences of a gist, ascending, int64[≤ room's].

    The best comes first; then, while there is room, the one of the highest worth, `near` more for
    one that goes on where a chosen one ends, if it fits, is within `margin` of the best and does
    not repeat a chosen one. Ties go to the earlier sentence.

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
