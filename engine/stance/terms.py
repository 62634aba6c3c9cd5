"""The words of a text: terms that show its attitude, and a test for only repeating a question.

Terms are n-grams of words and n-grams of word classes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, Claim, plain, root, sentences_of
from argsearch.ranking.lexicons import lexicon as word_list

# Number of words to read at the beginning and at the end of a text.
HEAD = 100
TAIL = 30
WORD_WIDTH = 24
"""Average number of characters per word, assumed in order to limit how much text is read."""
USUAL_WIDTH = 8
"""Characters to read per word at first; enough for most texts."""
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

FEWEST_FURTHER = 8
"""A text with at least this many distinct further words certainly gives a reason."""
FURTHER_EACH = 3
"""A text that only repeats the question may add this many distinct words per further sentence."""
SEVERAL = 3
"""Minimum number of sentences for FURTHER_EACH; in a shorter text, any added word is a reason."""
QUESTION_SHARE = 0.2
"""A text repeats the question only if more than this share of its words are the question's."""

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
"""Function words and words for being for or against something; reasons need other words."""


def read_words(text: str) -> list[str]:
    """Return the words at a text's beginning and end, in lower case with contractions expanded.

    However long the text is, at most (HEAD + TAIL) · WORD_WIDTH characters are read.
    """
    if len(text) >= (HEAD + TAIL) * USUAL_WIDTH:
        begin, end = _words(text[: HEAD * USUAL_WIDTH]), _words(text[-TAIL * USUAL_WIDTH :])
        # The word where a text is cut may be incomplete, so there must be one more.
        if len(begin) > HEAD and len(end) > TAIL:
            return begin[:HEAD] + end[-TAIL:]
    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        words = _words(text)
        return words if len(words) <= HEAD + TAIL else words[:HEAD] + words[-TAIL:]
    return _words(text[: HEAD * WORD_WIDTH])[:HEAD] + _words(text[-TAIL * WORD_WIDTH :])[-TAIL:]


def _words(text: str) -> list[str]:
    text = text.lower().replace("’", "'")
    if "'" in text:
        for old, new in _CONTRACTED:
            text = text.replace(old, new)
    # For plain text this gives the same words in a third of the time.
    return text.translate(_SEPARATED).split() if text.isascii() else WORD.findall(text)


@lru_cache(1 << 14)
def canonical(word: str) -> str:
    """Return the root of a lower-case word, or of its replacement ("marijuana" for "cannabis")."""
    # Every paraphrase begins with \b or ^, and neither can match inside a word.
    return root(plain(word).split(" ")[0] if lexicon.PARAPHRASES.begin(word) else word)


def masked(words: Sequence[str], subject: Collection[str]) -> list[str]:
    """Return the words, with SUBJECT in place of words whose root is in the question's subject."""
    return [SUBJECT if canonical(word) in subject else word for word in words]


def terms(words: list[str]) -> Iterator[str]:
    """Yield all n-grams of one to three masked words, and of their classes, with repetitions."""
    for one in (words, [CLASS_OF[word] for word in words if word in CLASS_OF]):
        yield from one
        yield from map(" ".join, pairwise(one))
        yield from map(" ".join, zip(one, one[1:], one[2:], strict=False))


def repeats(asked: Claim, text: str) -> bool:
    """Return True if a short text repeats the question's words and adds almost none of its own.

    More than QUESTION_SHARE of its words are the question's. A text of SEVERAL different sentences
    may add FURTHER_EACH distinct words per sentence after the first, but fewer than FEWEST_FURTHER;
    other texts none. SAYING_NOTHING does not count. Texts of HEAD words never repeat a question.
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
