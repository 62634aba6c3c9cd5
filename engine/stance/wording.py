"""The words of a text, their roots and classes, and n-grams of them, called terms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, root, sentences_of

# Number of words to read at the beginning and at the end of a text.
HEAD = 100
TAIL = 30
WORD_WIDTH = 24
"""Average number of characters per word, assumed in order to limit how much text is read."""
ENCODER = "wordllama"
"""Encoder of words and phrases for every index, because the model's weights were made with it."""
QUESTION_SHARE = 0.2
"""A text repeats the question only if more than this share of its words are the question's."""
MOST_FURTHER = 7
"""Most distinct words that a text which only repeats the question may add."""
SEVERAL = 3
"""Minimum number of sentences of a text that may add words."""
FURTHER_EACH = 3
"""Number of distinct words that such a text may add per sentence after the first."""
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


def read_words(text: str) -> list[str]:
    """Return the words at a text's beginning and end, in lower case with contractions expanded.

    However long the text is, at most (HEAD + TAIL) · WORD_WIDTH characters are read.
    """
    if len(text) > (HEAD + TAIL) * WORD_WIDTH:
        begin, end = words_of(text[: HEAD * WORD_WIDTH]), words_of(text[-TAIL * WORD_WIDTH :])
        return begin[:HEAD] + end[-TAIL:]
    words = words_of(text)
    return words if len(words) <= HEAD + TAIL else words[:HEAD] + words[-TAIL:]


def words_of(text: str) -> list[str]:
    """Return all words of a text, in lower case with contractions expanded."""
    text = text.lower().replace("’", "'")
    if "'" in text:
        for old, new in _CONTRACTED:
            text = text.replace(old, new)
    # For plain text this gives the same words in a third of the time.
    return text.translate(_SEPARATED).split() if text.isascii() else WORD.findall(text)


@lru_cache(CACHED_WORDS)
def canonical(word: str) -> str:
    """Return the root of a lower-case word, or of its synonym ("marijuana" for "cannabis")."""
    return root(lexicon.SYNONYMS.get(word, word).split(" ")[0])


def repeats(text: str, words: Sequence[str], subject: Collection[str]) -> bool:
    """Return True if a short text repeats the question's words and adds almost none of its own.

    More than QUESTION_SHARE of its words are the question's. A text of SEVERAL different sentences
    may add FURTHER_EACH distinct words per sentence after the first, at most MOST_FURTHER; other
    texts none. SAYING_NOTHING does not count. Texts of HEAD words never repeat a question.
    """
    if len(words) >= HEAD:
        return False
    roots = [
        root
        for word in words
        if (root := canonical(word)) in subject or word not in lexicon.SAYING_NOTHING
    ]
    sentences = len({one for line in text.lower().splitlines() for one in sentences_of(line)})
    most = min(MOST_FURTHER, FURTHER_EACH * (sentences - 1)) if sentences >= SEVERAL else 0
    own = sum(root in subject for root in roots)
    return len(set(roots).difference(subject)) <= most and own > QUESTION_SHARE * len(roots)


def masked(words: Sequence[str], subject: Collection[str]) -> list[str]:
    """Return the words, with SUBJECT in place of words whose root is in the question's subject."""
    return [SUBJECT if canonical(word) in subject else word for word in words]


def terms(words: list[str]) -> Iterator[str]:
    """Yield all n-grams of one to three masked words, and of their classes, with repetitions."""
    for one in (words, [CLASS_OF[word] for word in words if word in CLASS_OF]):
        yield from one
        yield from map(" ".join, pairwise(one))
        yield from map(" ".join, zip(one, one[1:], one[2:], strict=False))
