"""The words of a text, their roots and classes, and n-grams of them, called terms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, root

# Number of words to read at the beginning and at the end of a text.
HEAD = 100
TAIL = 30
WORD_WIDTH = 24
"""Average number of characters per word, assumed in order to limit how much text is read."""
ENCODER = "wordllama"
"""Encoder of words and phrases for every index, because the model's weights were made with it."""
CACHED_WORDS = 1 << 16
"""Maximum number of words whose roots are cached."""
CLASS = "<"
"""First character of a class and of a term made of classes. No word begins with this character."""
SUBJECT = "SUBJECT"
"""Replacement for every word of the question's subject."""

_CONTRACTED = (("can't", "can not"), ("won't", "will not"), ("n't", " not"))
_SEPARATED = "".join(one if one.isalnum() else " " for one in map(chr, range(128)))
"""Translation of ASCII characters; all that are not part of a word become spaces."""
_CLASSES = (
    ("<it>", (SUBJECT,)),
    ("<not>", lexicon.NEGATORS),
    ("<against>", lexicon.AGAINST),
    ("<bad>", lexicon.BAD),
    ("<good>", lexicon.GOOD),
    ("<should>", lexicon.MODALS),
    ("<is>", lexicon.COPULAS),
)
CLASS_OF = {word: name for name, words in reversed(_CLASSES) for word in words}
"""The class of each word of the lexicon that has one."""


def ends(text: str) -> tuple[str, str]:
    """Return the parts of a text that are read: all of it and "", or its beginning and its end.

    However long the text is, they have at most (HEAD + TAIL) · WORD_WIDTH characters.
    """
    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        return text, ""
    return text[: HEAD * WORD_WIDTH], text[-TAIL * WORD_WIDTH :]


def read_words(text: str) -> list[str]:
    """Return the words at a text's beginning and end, in lower case with contractions expanded."""
    begin, end = map(words_of, ends(text))
    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        end = begin[HEAD:]
    return begin[:HEAD] + end[-TAIL:]


def words_of(text: str) -> list[str]:
    """Return all words of a text, in lower case with contractions expanded."""
    text = expanded(text)
    # For plain text this gives the same words in a third of the time.
    return text.translate(_SEPARATED).split() if text.isascii() else WORD.findall(text)


def expanded(text: str) -> str:
    """Return a text in lower case, with contractions expanded."""
    text = text.lower().replace("’", "'")
    if "'" in text:
        for old, new in _CONTRACTED:
            text = text.replace(old, new)
    return text


@lru_cache(CACHED_WORDS)
def canonical(word: str) -> str:
    """Return the root of a lower-case word, or of its synonym ("marijuana" for "cannabis")."""
    return root(lexicon.SYNONYMS.get(word, word).split(" ")[0])


def masked(words: Sequence[str], subject: Collection[str]) -> list[str]:
    """Return the words, with SUBJECT in place of words whose root is in the question's subject."""
    return [SUBJECT if canonical(word) in subject else word for word in words]


def terms(words: list[str]) -> Iterator[str]:
    """Yield all n-grams of one to three masked words, and of their classes, with repetitions."""
    for one in (words, [CLASS_OF[word] for word in words if word in CLASS_OF]):
        yield from one
        yield from map(" ".join, pairwise(one))
        yield from map(" ".join, zip(one, one[1:], one[2:], strict=False))
