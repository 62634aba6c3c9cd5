"""The words of a text: the terms by which its attitude is known, and whether it repeats a question.

Terms are n-grams of words and of their classes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, Claim, plain, root, sentences_of
from argsearch.ranking.lexicons import lexicon as word_list

# Words that are read at a text's beginning and end; between them nothing is read.
HEAD = 100
TAIL = 30
WORD_WIDTH = 24
"""Characters of a word, on average, that the reading allows for."""
CLASS = "<"
"""What a class, and a term of classes, begins with; no word does."""
SUBJECT = "SUBJECT"
"""Stands for every word that the question is about."""

_CONTRACTED = (("can't", "can not"), ("won't", "will not"), ("n't", " not"))
_CLASSES = (
    ("<it>", (SUBJECT,)),
    ("<not>", lexicon.NEGATORS),
    ("<against>", lexicon.AGAINST),
    ("<bad>", lexicon.BAD),
    ("<good>", lexicon.GOOD),
    ("<should>", lexicon.MODALS),
    ("<is>", lexicon.COPULAS),
)
_CLASS_OF = {word: name for name, words in reversed(_CLASSES) for word in words}

FEWEST_FURTHER = 8
"""Distinct further words from which a text surely says something."""
FURTHER_EACH = 3
"""Distinct further words that each sentence but one brings where a reason is given."""
SEVERAL = 3
"""Sentences below which any further word may be the reason."""
QUESTION_SHARE = 0.2
"""Share of a text's words that are the question's, up to which it does not repeat them."""

_GRAMMAR_CLASSES = (
    "prepositions articles conjunctions subordinators first_person we_words second_person "
    "third_person they_words demonstratives modals auxiliaries negations connectives questions "
    "hedges boosters unapostrophed opinion"
)
_WORD_CLASSES = word_list("word_classes")
SAYING_NOTHING = (
    frozenset(word for name in _GRAMMAR_CLASSES.split() for word in _WORD_CLASSES[name])
    | lexicon.EMPTY_WORDS
    | lexicon.NEGATORS
    | lexicon.FOR_OR_AGAINST
)
"""Words of grammar, and of being for or against: a reason takes others."""


def read_words(text: str) -> list[str]:
    """The words of a text's beginning and end, lower-cased, contractions written out.

    However long the text is, (HEAD + TAIL) · WORD_WIDTH characters of it are looked at.
    """
    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        words = _words(text)
        return words if len(words) <= HEAD + TAIL else words[:HEAD] + words[-TAIL:]
    return _words(text[: HEAD * WORD_WIDTH])[:HEAD] + _words(text[-TAIL * WORD_WIDTH :])[-TAIL:]


def _words(text: str) -> list[str]:
    text = text.lower().replace("’", "'")
    if "'" in text:
        for old, new in _CONTRACTED:
            text = text.replace(old, new)
    return WORD.findall(text)


@lru_cache(1 << 14)
def canonical(word: str) -> str:
    """The root of a word in lower case, or of what it paraphrases ("cannabis": of "marijuana")."""
    # \b and ^ begin every paraphrase; inside a word neither is
    return root(plain(word).split(" ")[0] if lexicon.PARAPHRASES.begin(word) else word)


def word_class(word: str) -> str:
    """The class of a word in the lexicon, or nothing."""
    return _CLASS_OF.get(word, "")


def masked(words: Sequence[str], subject: Collection[str]) -> list[str]:
    """The words with those of the question's subject (roots) made one."""
    return [SUBJECT if canonical(word) in subject else word for word in words]


def terms(words: list[str]) -> Iterator[str]:
    """Every n-gram of one to three masked words, and of their classes, as often as it occurs."""
    for one in (words, [known for known in map(word_class, words) if known]):
        yield from one
        yield from map(" ".join, pairwise(one))
        yield from map(" ".join, zip(one, one[1:], one[2:], strict=False))


def repeats(asked: Claim, text: str) -> bool:
    """Whether a short text repeats the question's words and adds next to none of its own.

    More than QUESTION_SHARE of its words are of the question's subject, and of others it has none;
    from SEVERAL different sentences on fewer than FEWEST_FURTHER, and no more than FURTHER_EACH for
    every sentence but one. Words of grammar and of being for or against do not count. False from
    HEAD words on.
    """
    read = read_words(text)
    if len(read) >= HEAD or len(text) > (HEAD + TAIL) * WORD_WIDTH:
        return False
    subject = frozenset(asked.subject)
    roots = [
        root
        for word in read
        if (root := canonical(word)) in subject or (len(word) > 1 and word not in SAYING_NOTHING)
    ]
    further = set(roots).difference(subject)
    said = {one for line in text.lower().splitlines() for one in sentences_of(line)}
    sentences = sum(len(one.split()) > 1 for one in said)
    most = min(FEWEST_FURTHER - 1, FURTHER_EACH * (sentences - 1)) if sentences >= SEVERAL else 0
    own = sum(root in subject for root in roots)
    return len(further) <= most and own > QUESTION_SHARE * len(roots)
