"""Texts that say hardly more than the question does: they repeat its words and give no reason."""

from __future__ import annotations

import re

from indexer.stance import lexicon
from indexer.stance.claims import Claim
from indexer.stance.terms import HEAD, canonical, read_words
from ranking.quality.surface.words import WORD_CLASSES

FEWEST = 8
"""Distinct further words from which a text surely says something."""
EACH = 3
"""Distinct further words that each sentence but one brings where a reason is given."""
SHARE = 0.2
"""Share of a text's words that are the question's, up to which it does not repeat them."""

_CLASSES = (
    "prepositions articles conjunctions subordinators first_person we_words second_person "
    "third_person they_words demonstratives modals auxiliaries negations connectives questions "
    "hedges boosters unapostrophed opinion"
)
_SAYING_NOTHING = (
    frozenset(" ".join(WORD_CLASSES[name] for name in _CLASSES.split()).split())
    | frozenset(lexicon.EMPTY)
    | frozenset(lexicon.NEGATORS)
    | frozenset(lexicon.AGAINST)
    | frozenset(("good", "bad", "right", "wrong"))
)
"""Words of grammar, and of being for or against: a reason takes others."""
_END = re.compile(r"[.!?]+(?:\s|$)")


def repeats(asked: Claim, text: str) -> bool:
    """Whether a text repeats the question's words and adds next to none of its own.

    More than SHARE of its words are of the question's subject, and of others it has fewer than
    FEWEST, and no more than EACH for every sentence but one. Words of grammar and of being
    for or against do not count, so that it is the same for the question turned round.
    """
    read = read_words(text)
    if len(read) >= HEAD:
        return False
    words = [canonical(w) for w in read if len(w) > 1 and w not in _SAYING_NOTHING]
    further = set(words).difference(asked.subject)
    own = sum(word in asked.subject for word in words)
    sentences = sum(len(part.split()) > 1 for part in _END.split(text))
    few = len(further) < FEWEST and len(further) <= EACH * (sentences - 1)
    return few and own > SHARE * len(words)
