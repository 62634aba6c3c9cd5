"""Candidate sentences of a side's arguments, and their numeric features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stance.claims import read_claim
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import ENCODER, canonical
from argsearch.engine.text import cues
from argsearch.engine.text.gist import remembered
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.ranking.lexicons import lexicon, stop_words
from argsearch.ranking.points import SentenceNumbers

SENTENCES_PER_ARGUMENT = 32
"""Maximum number of sentences read per argument; those most central to its point are preferred."""
FEWEST_NEW_ROOTS = 2
"""Minimum number of word roots that a sentence must add to the question."""
MOST_SENTENCES = 2048
"""Maximum number of sentences read per side; the best arguments are read first."""
MOST_SIDE_WORDS = 1 << 13
"""Maximum number of distinct words in a side's sentences; once it is reached, no more are read."""
FEWEST_SENTENCE_WORDS = 5
MOST_SENTENCE_WORDS = 45
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SAYING_NOTHING = stop_words() | {*lexicon("points")["empty"]}
_BARE = frozenset(map(canonical, lexicon("points")["bare"]))
_BARRED = [cues.CUE_COLUMNS.index(name) for name in ("question", "talk", "reference", "quoted")]
_AT = {name: number for number, name in enumerate(cues.CUE_COLUMNS)}
_LEANING = re.compile(rf"(?:{'|'.join(lexicon('points')['leaning'])})\b", re.IGNORECASE)
_PERSON = re.compile(rf"\b(?:{'|'.join(lexicon('points')['person'])})\b", re.IGNORECASE)
_DEFINING = re.compile(rf"\b(?:{'|'.join(lexicon('points')['defining'])})\b", re.IGNORECASE)
_SIGNS = re.compile(
    r"[\[\]{}<>*=_/\\\"“”]|\d\.|\(\d|\s[-–—]|[a-z][-–—](?:the|an?) |[.!?][A-Z]|!!"
    # A title that was glued to the sentence after it: "Homework Guidelines Homework is …".
    r"|^(\w{4,})(?: \w+){0,2} \1\b"
)
_POINTING = re.compile(
    r"\b(?:this|that|these|those) (?:problem|issue|gap|process|argument|point)s?\b"
)
_LISTED = re.compile(r"[A-Z]\w+, [A-Z]\w+(?: and |, |\.)|.*\d:\d")
"""Beginning of a bibliographic reference, such as "Neumark, David and …"."""
GLANCE_WORDS = 12
"""Number of words that a reader takes in at a glance."""


class ClaimSentence(NamedTuple):
    """A sentence of an argument. Its position refers to the premises, joined by line breaks."""

    place: int
    """Position of the sentence's argument among the side's arguments."""
    begin: int
    end: int
    text: str
    counts: NDArray[np.int32]
    """The sentence's row of `cues.count`."""
    words: tuple[str, ...]
    """The words that `words_of` finds in the sentence."""
    roots: frozenset[str]
    """Roots of `words`."""


def words_of(sentence: str) -> tuple[str, ...]:
    """Return the distinct words of a sentence that help to distinguish points."""
    found = _WORD.findall(sentence.lower().replace("’", "'"))
    return tuple(w for w in dict.fromkeys(found) if w not in _SAYING_NOTHING and len(w) > 1)


def sentences_of(arguments: Sequence[Argument], asked: frozenset[str]) -> list[ClaimSentence]:
    """Return sentences in which authors make claims, as candidates for points.

    Each sentence contains word roots that are not in the question. One argument has at most
    SENTENCES_PER_ARGUMENT of them. asked: roots of the question's words.
    """
    out = []
    for place, argument in enumerate(arguments):
        read = remembered([premise.text for premise in argument.premises])
        counts = cues.count(cues.codes(read.text), read.spans, *cues.table())
        sound = np.isfinite(read.manner) & (counts[:, _BARRED] == 0).all(axis=1)
        sound &= (counts[:, 0] >= FEWEST_SENTENCE_WORDS) & (counts[:, 0] <= MOST_SENTENCE_WORDS)
        rows = np.flatnonzero(sound)
        order = np.argsort(-(read.manner[rows] + (counts[rows, _AT["cue"]] > 0)), kind="stable")
        for row in np.sort(rows[order[:SENTENCES_PER_ARGUMENT]]).tolist():
            begin, end = read.spans[row].tolist()
            text = read.text[begin:end]
            words = words_of(text)
            roots = frozenset(map(canonical, words))
            if len(roots - asked - _BARE) >= FEWEST_NEW_ROOTS and not _LISTED.match(text):
                out.append(ClaimSentence(place, begin, end, text, counts[row], words, roots))
    return out[: within(out)]


def within(sentences: Sequence[ClaimSentence]) -> int:
    """Return how many of the first sentences fit into MOST_SENTENCES and MOST_SIDE_WORDS."""
    known = set[str]()
    for number, sentence in enumerate(sentences[:MOST_SENTENCES]):
        known.update(sentence.words)
        if len(known) > MOST_SIDE_WORDS:
            return number
    return min(len(sentences), MOST_SENTENCES)


def standing_alone(sentence: ClaimSentence, asked: frozenset[str]) -> float:
    """Return how well a sentence can represent others, in [0, 1]; a definition scores 0.

    Complete, short sentences with a reason score best. asked: roots of the question's words.
    """
    counts, text = sentence.counts, sentence.text
    if _DEFINING.search(text):
        return 0.0
    worth = 1.0 / (1.0 + np.log(counts[0] / GLANCE_WORDS) ** 2)
    for sign, factor in (("anaphora", 0.3), ("person", 0.4), ("example", 0.6), ("digits", 0.6)):
        worth *= factor if counts[_AT[sign]] > 0 else 1.0
    worth *= 1.0 if counts[_AT["cue"]] > 0 else 0.75
    worth *= 1.0 if sentence.roots & asked else 0.5
    worth *= 1.0 if text[:1].isupper() else 0.6
    worth *= 0.7 if counts[_AT["unended"]] else 1.0
    worth *= 0.35 if _LEANING.match(text) or _POINTING.search(text) else 1.0
    worth *= 0.4 if _PERSON.search(text) else 1.0
    return float(worth * (0.4 if _SIGNS.search(text) else 1.0))


def directions(sentences: Sequence[str]) -> NDArray[np.int64]:
    """Return the direction of each sentence, +1 or −1. Each negation reverses it."""
    return np.array([read_claim(one).polarity for one in sentences], np.int64)


def said(
    sentences: Sequence[str], texts: Sequence[Sequence[str]], places: Sequence[int], question: str
) -> tuple[SentenceNumbers, NDArray[np.float32]]:
    """Return the numeric form of sentences, and the vector of the question.

    texts: `words_of` for each sentence. places: the position of each sentence's argument.
    """
    encoder, model = load_encoder(ENCODER), StanceModel.load()
    distinct = list(dict.fromkeys(word for text in texts for word in text))
    number = {word: at for at, word in enumerate(distinct)}
    roots = [canonical(word) for word in distinct]
    known = {root: at for at, root in enumerate(dict.fromkeys(roots))}
    asked = asked_roots(question)
    rows = encoder.encode([question, *sentences, *distinct])
    of = np.array(places, np.int64)
    # A long argument has no more influence than a short one on the usual words.
    shares = 1.0 / np.bincount(of)[of]
    return SentenceNumbers(
        vectors=rows[1 : len(texts) + 1],
        begins=np.cumsum([0, *map(len, texts)]),
        words=np.array([number[word] for text in texts for word in text], np.int64),
        roots=np.array([known[root] for root in roots], np.int64),
        rarity=np.array([model.idf(word) for word in distinct]),
        asked=np.array([root in asked for root in roots], np.bool_),
        meanings=rows[len(texts) + 1 :],
        shares=shares / shares.sum(),
    ), rows[0]


def asked_roots(question: str) -> frozenset[str]:
    """Return the roots of the question's words."""
    return frozenset(map(canonical, words_of(question)))
