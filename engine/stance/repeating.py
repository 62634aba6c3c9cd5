"""Texts that say hardly more than the question does: they repeat its words and give no reason."""

from __future__ import annotations

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.asking import sentences_of
from argsearch.engine.stance.claims import Claim
from argsearch.engine.stance.terms import HEAD, TAIL, WORD_WIDTH, canonical, read_words
from argsearch.ranking import lexicons

FEWEST = 8
"""Distinct further words from which a text surely says something."""
EACH = 3
"""Distinct further words that each sentence but one brings where a reason is given."""
SEVERAL = 3
"""Sentences below which any further word may be the reason."""
SHARE = 0.2
"""Share of a text's words that are the question's, up to which it does not repeat them."""

_CLASSES = (
    "prepositions articles conjunctions subordinators first_person we_words second_person "
    "third_person they_words demonstratives modals auxiliaries negations connectives questions "
    "hedges boosters unapostrophed opinion"
)
_WORDS = lexicons.lexicon("word_classes")
_SAYING_NOTHING = (
    frozenset(word for name in _CLASSES.split() for word in _WORDS[name])
    | lexicon.EMPTY
    | lexicon.NEGATORS
    | lexicon.FOR_OR_AGAINST
)
"""Words of grammar, and of being for or against: a reason takes others."""


def repeats(asked: Claim, text: str) -> bool:
    """Whether a short text repeats the question's words and adds next to none of its own.

    More than SHARE of its words are of the question's subject, and of others it has none; from
    SEVERAL different sentences on fewer than FEWEST, and no more than EACH for every sentence but
    one. Words of grammar and of being for or against do not count. False from HEAD words on.
    """
    read = read_words(text)
    if len(read) >= HEAD or len(text) > (HEAD + TAIL) * WORD_WIDTH:
        return False
    subject = frozenset(asked.subject)
    roots = [
        root
        for word in read
        if (root := canonical(word)) in subject or (len(word) > 1 and word not in _SAYING_NOTHING)
    ]
    further = set(roots).difference(subject)
    said = {one for line in text.lower().splitlines() for one in sentences_of(line)}
    sentences = sum(len(one.split()) > 1 for one in said)
    most = min(FEWEST - 1, EACH * (sentences - 1)) if sentences >= SEVERAL else 0
    own = sum(root in subject for root in roots)
    return len(further) <= most and own > SHARE * len(roots)
