"""Statistics of a query's words: unknown words, specific words and spelling suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.query.language import foreign
from argsearch.engine.query.query import Matches
from argsearch.engine.query.variants import unify, unify_word
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.standard import spans

TELLING_SHARE = 0.1
"""A word is specific only if at most this share of arguments contain it."""
HIGHEST_IDF_SHARE = 0.6
"""If no word is unknown, a word with this share of the question's highest idf is specific too."""
WEAK = 0.5
"""A hit is a weak match if its share of the specific words' idf is below this."""
NEAR = 0.35
"""Smallest cosine with the question for a hit to count as close in meaning (docs/meaning.md)."""
WORDS_LOOKED_UP = 8
"""Maximum number of words to correct in a question."""
IN_ANOTHER = "the question seems to be in {}, but the arguments are not; ask in their language"
WORDS_IN_NOTE = 5
"""Maximum number of unknown words to name in a note."""


def distinct(question: str) -> list[str]:
    """Return the distinct words of a question in order."""
    return list(dict.fromkeys(StandardAnalyzer().tokens(question)))


def discriminative(words: Sequence[str], df: NDArray[np.int64], documents: int) -> dict[str, float]:
    """Return the specific words, including unknown ones, with their idf, ln((N + 1) / (df + 1)).

    A word is specific if at most TELLING_SHARE of the arguments (or one) contain it. If all words
    are known, words with HIGHEST_IDF_SHARE of the question's highest idf or more are specific too.
    Frequent words of the question's language don't count if the arguments are in another one.
    """
    idf = np.log((documents + 1.0) / (df + 1.0))
    tells = df <= max(1.0, TELLING_SHARE * documents)
    # An unknown word is the question's subject, and the frequent words beside it tell nothing.
    if df.all():
        tells |= idf >= HIGHEST_IDF_SHARE * idf.max(initial=0.0)
    other = foreign(words, df.tolist(), TELLING_SHARE * documents)
    frequent = () if other is None else [w for w, n in zip(words, df, strict=True)
                                         if n and w in other.words]  # fmt: skip
    rows = zip(words, idf.tolist(), tells.tolist(), strict=True)
    return {word: weight for word, weight, one in rows if one and word not in frequent}


@dataclass(frozen=True)
class QueryTerms:
    """Facts about a question's words in the index, computed on request."""

    question: str
    matches: Matches | None
    """None if no words were searched for."""
    offset: int = 0
    rows: NDArray[np.int64] | None = None
    """The hits' rows among the matches, or None for all rows."""
    meaning: NDArray[np.float64] | None = None
    """M of the hits in `rows`, or None without search by meaning."""
    unifies_spellings: bool = False
    """True if all spellings of a word count as one word (`engine.query.variants`)."""

    @cached_property
    def _words(self) -> tuple[list[str], NDArray[np.int64]]:
        """The question's distinct words, and the number of arguments with each."""
        if self.matches is None:
            return [], np.zeros(0, np.int64)
        words = distinct(unify(self.question) if self.unifies_spellings else self.question)
        return words, self.matches.documents_with(words)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Words that occur in no argument, in the order of the question."""
        words, df = self._words
        return tuple(word for word, n in zip(words, df.tolist(), strict=True) if not n)

    @cached_property
    def weights(self) -> dict[str, float]:
        """The question's specific words with their idf (`discriminative`)."""
        return discriminative(*self._words, 0 if self.matches is None else self.matches.documents)

    @cached_property
    def language(self) -> str | None:
        """Language or script of the question if the arguments use another one, or else None."""
        words, df = self._words
        documents = 0 if self.matches is None else self.matches.documents
        found = foreign(words, df.tolist(), TELLING_SHARE * documents)
        return None if found is None else found.name

    @cached_property
    def discriminative(self) -> int:
        """Exact number of matching arguments with a specific word."""
        return 0 if self.matches is None else self.matches.count(list(self.weights))

    @cached_property
    def first_weak_rank(self) -> int | None:
        """The first rank from which all hits match weakly, or None if the last hit does not.

        A hit close in meaning is never weak, whatever its words. Only the given hits are checked;
        on a search server, none are.
        """
        words, idf = list(self.weights), np.array([*self.weights.values()])
        having = None if self.matches is None else self.matches.having(words)
        if having is not None and self.rows is not None:
            having = having[self.rows]
        if having is None or not len(having):
            return None
        weak = having @ idf < WEAK * idf.sum()
        if self.meaning is not None:
            weak &= self.meaning < NEAR
        if not weak[-1]:
            return None
        strong = np.flatnonzero(~weak)
        return self.offset + (int(strong[-1]) + 1 if len(strong) else 0) + 1

    @property
    def lost(self) -> bool:
        """True if no argument is on the subject: most words are unknown and the rest not specific.

        Always false for search by meaning, which needs no words in common.
        """
        if self.meaning is not None:
            return False
        words, _ = self._words
        return len(self.unknown) * 2 > len(words) and set(self.weights) <= set(self.unknown)

    @cached_property
    def corrections(self) -> dict[str, str]:
        """The question's misspelt words, each with the word that it most likely stands for.

        Unknown words are corrected first. If most of them have no correction, the result is empty,
        because the question is in another language with words that look similar by chance.
        """
        spelling = None if self.matches is None else self.matches.spelling
        if spelling is None or self.language is not None:
            return {}
        words, df = self._words
        order = np.argsort(df, kind="stable")[:WORDS_LOOKED_UP].tolist()
        found = {
            words[i]: spelling.correction(words[i], bool(df[i]))
            for i in order
            # A word is right if the index has it with its accents in another form.
            if words[i].isascii() or not df[i] or spelling.terms.find(words[i].encode()) >= 0
        }
        meant = {word: other for word, other in found.items() if other is not None}
        left = [word for word in self.unknown if word not in meant]
        return {} if len(left) > len(meant) else meant

    @cached_property
    def suggestion(self) -> str | None:
        """The corrected question, or None. The engine never searches suggestions by itself."""
        if not self.corrections:
            return None
        text, at, pieces = self.question, 0, []
        tokens = StandardAnalyzer().tokens
        for begin, end in spans(text):
            word = text[begin:end]
            token = "".join(tokens(word))
            other = self.corrections.get(unify_word(token) if self.unifies_spellings else token)
            if other is not None:
                pieces += [text[at:begin], _cased(word, other)]
                at = end
        return "".join([*pieces, text[at:]])

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader on the question's words, one line each."""
        if not self.unknown:
            return self._left_out
        named = ", ".join(f"“{word}”" for word in self.unknown[:WORDS_IN_NOTE])
        more = len(self.unknown) - WORDS_IN_NOTE
        rest = f" and {more} more" if more > 0 else ""
        one = len(self.unknown) == 1
        note = f"no argument has the word{'' if one else 's'} {named}{rest}"
        if self.lost and self.matches is not None and self.matches.total:
            note += "; results that share only the other, common words are not shown"
        said = () if self.language is None else (IN_ANOTHER.format(self.language),)
        return (*said, note, *self._left_out)

    @cached_property
    def common(self) -> int | None:
        """Number of further arguments that share only common words, or None if all are included."""
        return None if self.matches is None else self.matches.common()

    @property
    def _left_out(self) -> tuple[str, ...]:
        """A note on arguments that share only common words, if there are no other matches."""
        left = 0 if self.matches is None or self.matches.total else self.common or 0
        one = ("an argument shares", "is") if left == 1 else (f"{left:,} arguments share", "are")
        note = f"{one[0]} only common words with the question and {one[1]} not shown"
        return (note,) * bool(left)


def corrected(text: str, matches: Matches | None) -> str:
    """Return a question with the suggested corrections, or unchanged if there are none."""
    return QueryTerms(text, matches).suggestion or text


def _cased(word: str, other: str) -> str:
    """Return a correction in the same case as the original word."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
