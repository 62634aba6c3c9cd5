"""The terms of a text by which its attitude is known: n-grams of its words and of their classes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, plain, root

HEAD, TAIL = 100, 30
"""Words that are read at a text's beginning and end; between them nothing is read."""
WORD_WIDTH = 24
"""Characters of a word, on average, that the reading allows for."""
WORDINGS_REMEMBERED = 1024
"""Texts whose words are remembered: the same arguments come back question after question."""
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


@lru_cache(WORDINGS_REMEMBERED)
def read_words(text: str) -> tuple[str, ...]:
    """The words of a text's beginning and end, lower-cased, contractions written out.

    However long the text is, (HEAD + TAIL) · WORD_WIDTH characters of it are looked at.
    """
    if len(text) > (HEAD + TAIL) * WORD_WIDTH:
        return (
            *_words(text[: HEAD * WORD_WIDTH])[:HEAD],
            *_words(text[-TAIL * WORD_WIDTH :])[-TAIL:],
        )
    words = _words(text)
    return tuple(words if len(words) <= HEAD + TAIL else words[:HEAD] + words[-TAIL:])


def _words(text: str) -> list[str]:
    text = text.lower().replace("’", "'")
    if "'" in text:
        for old, new in _CONTRACTED:
            text = text.replace(old, new)
    return WORD.findall(text)


@lru_cache(1 << 16)
def canonical(word: str) -> str:
    """The root of a single word, or of what it paraphrases ("cannabis": that of "marijuana")."""
    return root(plain(word).split(" ")[0])


@lru_cache(1 << 16)
def word_class(word: str) -> str:
    """The class of a word in the lexicon, or nothing."""
    return next((name for name, words in _CLASSES if word in words), "")


def masked(words: Sequence[str], subject: Collection[str]) -> list[str]:
    """The words with those of the question's subject (roots) made one."""
    return [SUBJECT if canonical(word) in subject else word for word in words]


def terms(words: list[str]) -> Iterator[str]:
    """Every n-gram of masked words, and of their classes, as often as it occurs."""
    classes = [known for known in map(word_class, words) if known]
    return chain(_ngrams(words), _ngrams(classes))


def _ngrams(words: list[str]) -> Iterator[str]:
    """The n-grams of one to three words."""
    one, two = words[1:], words[2:]
    join = " ".join
    return chain(
        words,
        map(join, zip(words, one, strict=False)),
        map(join, zip(words, one, two, strict=False)),
    )
