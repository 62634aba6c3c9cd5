"""Statistics of query terms: unknown words, specific words, and spelling suggestions."""

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
"""Largest share of arguments that contain a word for it to be specific."""
HIGHEST_IDF_SHARE = 0.6
"""Smallest share of the highest idf for other specific words, if no word is unknown."""
WEAK = 0.5
"""A hit with less than this share of the specific words' idf matches weakly."""
NEAR = 0.35
"""Smallest cosine with the question for a hit that is near it by meaning (docs/meaning.md)."""
WORDS_LOOKED_UP = 8
"""Maximum number of words of a question to correct."""
IN_ANOTHER = "the question seems to be in {}, the arguments are not: ask in their language"
WORDS_IN_NOTE = 5
"""Maximum number of unknown words named in a note."""


def distinct(question: str) -> list[str]:
    """Return a question's distinct words, in order."""
    return list(dict.fromkeys(StandardAnalyzer().tokens(question)))


def discriminative(words: Sequence[str], df: NDArray[np.int64], documents: int) -> dict[str, float]:
    """Return the specific words with their idf, ln((N + 1) / (df + 1)), including unknown ones.

    A word is specific if at most TELLING_SHARE of the arguments (or one) contain it. If no word is
    unknown, an idf of at least HIGHEST_IDF_SHARE of the question's highest is enough. A frequent
    word of the question's language does not count, if the arguments use another language.
    """
    idf = np.log((documents + 1.0) / (df + 1.0))
    tells = df <= max(1.0, TELLING_SHARE * documents)
    # An unknown word is the question's subject; frequent words beside it say nothing.
    if df.all():
        tells |= idf >= HIGHEST_IDF_SHARE * idf.max(initial=0.0)
    other = foreign(words, df.tolist(), TELLING_SHARE * documents)
    frequent = () if other is None else [w for w, n in zip(words, df, strict=True)
                                         if n and w in other.words]  # fmt: skip
    rows = zip(words, idf.tolist(), tells.tolist(), strict=True)
    return {word: weight for word, weight, one in rows if one and word not in frequent}


@dataclass(frozen=True)
class QueryTerms:
    """Facts about a question's words in the index, computed on demand."""

    question: str
    matches: Matches | None
    """None if the words found nothing."""
    offset: int = 0
    rows: NDArray[np.int64] | None = None
    """Rows of the hits among the matches; None for all."""
    meaning: NDArray[np.float64] | None = None
    """M of these hits; None without search by meaning."""
    unifies_spellings: bool = False
    """True if all spellings of a word are one (`engine.query.variants`)."""

    @cached_property
    def _words(self) -> tuple[list[str], NDArray[np.int64]]:
        """The question's distinct words, and the number of arguments with each."""
        if self.matches is None:
            return [], np.zeros(0, np.int64)
        words = distinct(unify(self.question) if self.unifies_spellings else self.question)
        return words, self.matches.documents_with(words)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Words that no argument contains, in the question's order."""
        words, df = self._words
        return tuple(word for word, n in zip(words, df.tolist(), strict=True) if not n)

    @cached_property
    def weights(self) -> dict[str, float]:
        """The specific words of the question with their idf (`discriminative`)."""
        return discriminative(*self._words, 0 if self.matches is None else self.matches.documents)

    @cached_property
    def language(self) -> str | None:
        """Language (or script) of the question if the arguments use another one, else None."""
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
        """First rank from which on all hits match weakly; None if the last one does not.

        Hits near by meaning match, whatever their words. Only the given hits are checked, and none
        on a search server.
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
        """True if no argument is on the subject: most words are unknown and no other is specific.

        Always false with search by meaning, which needs no words.
        """
        if self.meaning is not None:
            return False
        words, _ = self._words
        return len(self.unknown) * 2 > len(words) and set(self.weights) <= set(self.unknown)

    @cached_property
    def corrections(self) -> dict[str, str]:
        """Words of the question with the word that each most likely stands for.

        Unknown words are corrected first. If most of them have no correction, the result is empty:
        the question is in another language, whose words look similar by chance.
        """
        spelling = None if self.matches is None else self.matches.spelling
        if spelling is None or self.language is not None:
            return {}
        words, df = self._words
        order = np.argsort(df, kind="stable")[:WORDS_LOOKED_UP].tolist()
        found = {
            words[i]: spelling.correction(words[i], bool(df[i]))
            for i in order
            # what the index has with accents in another form is right
            if words[i].isascii() or not df[i] or spelling.terms.find(words[i].encode()) >= 0
        }
        meant = {word: other for word, other in found.items() if other is not None}
        left = [word for word in self.unknown if word not in meant]
        return {} if len(left) > len(meant) else meant

    @cached_property
    def suggestion(self) -> str | None:
        """The question with corrected words, or None; it is never searched automatically."""
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
        """Notes on the words for the reader, one line each."""
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
        """Number of further arguments that share only common words; None if all are included."""
        return None if self.matches is None else self.matches.common()

    @property
    def _left_out(self) -> tuple[str, ...]:
        """A note on arguments with common words only, if nothing else matches."""
        left = 0 if self.matches is None or self.matches.total else self.common or 0
        one = "an argument shares" if left == 1 else f"{left:,} arguments share"
        return (f"{one} only common words with the question: not shown",) * bool(left)


def corrected(text: str, matches: Matches | None) -> str:
    """Return a question with the suggested corrections, or unchanged."""
    return QueryTerms(text, matches).suggestion or text


def _cased(word: str, other: str) -> str:
    """Return a correction in the case of the original word."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
