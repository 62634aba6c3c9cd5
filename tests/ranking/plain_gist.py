"""The plain expressions of a gist, which the kernels of `argsearch.ranking.gist` stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.gist import (
    FRAGMENT,
    JOINT,
    MOST_CUES,
    OVERLONG,
    TITLE_WORDS,
    USUAL_SENTENCE_WORDS,
    Floats,
    GistWeights,
    Room,
)

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class SentenceSigns:
    """What is known of a text's n sentences without any question, in the text's order."""

    words: Floats
    """Words of each, ≥ 0."""
    cues: Floats
    """Words that tell reasons, demands and effects, ≥ 0."""
    digits: Floats
    """Share of digits among the characters, [0, 1]."""
    asked: Flags
    """It is a question."""
    talk: Flags
    """It talks about the debate."""
    reference: Flags
    """It holds a reference or an address."""
    quoted: Flags
    """It begins inside quotation marks."""
    person: Flags
    """It says I or you."""
    anaphora: Flags
    """It leans on the sentence before."""
    example: Flags
    """It gives an example or cites a number of people, money, a study."""
    open: Flags
    """It ends in a colon: what it announces is in the next."""
    announced: Flags
    """It tells what the text will do."""
    opposed: Flags
    """It tells a view of others, or one that the author concedes."""
    unended: Flags
    """No sign ends it."""
    answer: Flags
    """It answers the sentence before."""


def standard(x: ArrayLike) -> Floats:
    """z(x) = (x − mean) / standard deviation, float64[n]; zeros for equal x."""
    x = np.asarray(x, np.float64)
    deviation = x.std() if len(x) else 0.0
    return (x - x.mean()) / deviation if deviation > 1e-6 else np.zeros(len(x))


def barred(s: SentenceSigns) -> Flags:
    """Whether a sentence does not speak for its author, bool[n]: a short one without end, too."""
    others = s.opposed | np.append(s.answer, False)[1:]
    return s.open | s.announced | others | (s.unended & (s.words < TITLE_WORDS))


def sound(s: SentenceSigns) -> Flags:
    """Whether a sentence speaks for its author and carries more than talk, bool[n]."""
    return (s.words >= FRAGMENT) & ~(s.asked | s.quoted | s.reference | s.talk | barred(s))


def lead(s: SentenceSigns) -> Floats:
    """Share of sound sentences / (1 + those before it) for a sound one, else 0: [0, 1], float64[n].

    A sound sentence speaks for its author and is no fragment, question, quotation, reference or
    debate talk: a speech's greetings do not take the first place from its first statement; and the
    more of a text is a turn in a debate, the less its beginning tells what it is about.
    """
    here = sound(s)
    share = float(here.mean()) if len(here) else 0.0
    return np.asarray(share * here / np.maximum(np.cumsum(here), 1))


def manner(s: SentenceSigns, w: GistWeights) -> Floats:
    """The part of G that no question changes, float64[n]: cues and place less the penalties.

    w_cues·min(cues, 3)/3 + w_lead·lead − w_short·[words < 7] − w_long·[words > 45]
    − w_length·ln(words/18)² − w_asked·[question] − w_talk·[debate talk] − …
    − w_digits·(share of digits); −∞ for what does not speak for its author,
    and for all where none is sound.

    After Luhn (1958) and Edmundson (1969): cue words, place, and what is to be left out.
    """
    length = np.log(np.maximum(s.words, 1.0) / USUAL_SENTENCE_WORDS) ** 2
    value = np.asarray(
        w.cues * np.minimum(s.cues, MOST_CUES) / MOST_CUES
        + w.lead * lead(s)
        - w.short * (s.words < FRAGMENT)
        - w.long * (s.words > OVERLONG)
        - w.length * length
        - w.asked * s.asked
        - w.talk * s.talk
        - w.reference * s.reference
        - w.quoted * s.quoted
        - w.person * s.person
        - w.anaphora * s.anaphora
        - w.example * s.example
        - w.digits * s.digits
    )
    return np.where(barred(s) | ~sound(s).any(), -np.inf, value)


def matched(manner: ArrayLike, weight_of_words: ArrayLike, w: GistWeights) -> Floats:
    """G without the cosines: manner + w_words·z(weight of the question's words in s)."""
    return np.asarray(np.asarray(manner, np.float64) + w.words * standard(weight_of_words))


def worth(matched: ArrayLike, vectors: ArrayLike, question: ArrayLike, w: GistWeights) -> Floats:
    """G(s) = matched + w_question·z(cos(s, q)) + w_centrality·z(cos(s, c)), float64[n].

    vectors: unit rows of the sentences, float[n, d]; question: q, a unit vector, float[d]; c is
    the direction of the rows' mean, as in centroid-based summaries (Radev et al. 2004).
    """
    base, s, q = (np.asarray(x, np.float64) for x in (matched, vectors, question))
    centre = s.sum(axis=0)
    length = float(np.linalg.norm(centre))
    c = centre / length if length > 1e-12 else centre
    return np.asarray(base + w.question * standard(s @ q) + w.centrality * standard(s @ c))


def select(
    G: ArrayLike, lengths: ArrayLike, alike: ArrayLike | None = None, room: Room | None = None
) -> NDArray[np.int64]:
    """The sentences of a gist by their places, ascending: int64[m], 1 ≤ m ≤ room.sentences.

    The best comes first; then, while there is room, the one of the highest G, `near` more for one
    that goes on where a chosen one ends, if it fits, is within `margin` of the best and does not
    repeat a chosen one. Ties go to the earlier sentence.

    G: float[n]; lengths: characters of each, int[n]; alike: cosines between sentences,
    float[n, n], 0 where not known; None: none is.
    """
    room = room or Room()
    G, lengths = np.asarray(G, np.float64), np.asarray(lengths, np.int64)
    S = np.zeros((len(G), len(G))) if alike is None else np.asarray(alike, np.float64)
    chosen = [int(np.argmax(G))]
    least, left = G[chosen[0]] - room.margin, room.characters - int(lengths[chosen[0]])
    most = min(room.sentences, 1 + int(lengths.sum()) // room.stretch)
    while len(chosen) < most:
        value = G.copy()
        value[[place + 1 for place in chosen if place + 1 < len(G)]] += room.near
        repeats = S[chosen].max(axis=0) >= room.alike
        value[(lengths + JOINT > left) | (value < least) | repeats] = -np.inf
        value[chosen] = -np.inf
        following = int(np.argmax(value))
        if not np.isfinite(value[following]):
            break
        chosen.append(following)
        left -= int(lengths[following]) + JOINT
    return np.array(sorted(chosen), np.int64)
