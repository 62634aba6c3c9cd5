"""Query term statistics: which words an index lacks, which discriminate, what may be meant."""

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
"""A word that at most this share of the arguments has tells what is asked for."""
HIGHEST_IDF_SHARE = 0.6
"""So does, where no word is unknown, one of this share of the highest idf: all may be frequent."""
WEAK = 0.5
"""A hit whose words have less than this share of the telling words' idf matches weakly."""
NEAR = 0.35
"""A hit of at least this cosine with the question is near it by meaning (docs/meaning.md)."""
WORDS_LOOKED_UP = 8
"""Words of one question that others are looked up for."""
IN_ANOTHER = "the question seems to be in {}, the arguments are not: ask in their language"
WORDS_IN_NOTE = 5
"""Unknown words that a note names."""


def distinct(question: str) -> list[str]:
    """A question's distinct words, in its order."""
    return list(dict.fromkeys(StandardAnalyzer().tokens(question)))


def discriminative(words: Sequence[str], df: NDArray[np.int64], documents: int) -> dict[str, float]:
    """Discriminative words and the idf of each, ln((N + 1) / (df + 1)), unknown ones included.

    A word is discriminative where at most TELLING_SHARE of the arguments have it (or one), or
    where none is unknown and its idf is at least HIGHEST_IDF_SHARE of the question's highest; not
    where it is rare only because most texts of another language have it, which is the question's.
    """
    idf = np.log((documents + 1.0) / (df + 1.0))
    tells = df <= max(1.0, TELLING_SHARE * documents)
    # an unknown word is what the question is about; frequent ones beside it tell nothing
    if df.all():
        tells |= idf >= HIGHEST_IDF_SHARE * idf.max(initial=0.0)
    other = foreign(words, df.tolist(), TELLING_SHARE * documents)
    frequent = () if other is None else [w for w, n in zip(words, df, strict=True)
                                         if n and w in other.words]  # fmt: skip
    rows = zip(words, idf.tolist(), tells.tolist(), strict=True)
    return {word: weight for word, weight, one in rows if one and word not in frequent}


@dataclass(frozen=True)
class QueryTerms:
    """What the index has of a question's words; everything is computed when it is asked for."""

    question: str
    matches: Matches | None
    """None where nothing was found by its words."""
    offset: int = 0
    rows: NDArray[np.int64] | None = None
    """The rows of the hits among the matches; None: all."""
    meaning: NDArray[np.float64] | None = None
    """M of these hits; None where nothing is found by meaning."""
    unifies_spellings: bool = False
    """True if all spellings of a word are one (`engine.query.variants`)."""

    @cached_property
    def _words(self) -> tuple[list[str], NDArray[np.int64]]:
        """The question's distinct words, and how many arguments have each."""
        if self.matches is None:
            return [], np.zeros(0, np.int64)
        words = distinct(unify(self.question) if self.unifies_spellings else self.question)
        return words, self.matches.documents_with(words)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """The words that no argument has, in the question's order."""
        words, df = self._words
        return tuple(word for word, n in zip(words, df.tolist(), strict=True) if not n)

    @cached_property
    def weights(self) -> dict[str, float]:
        """The words that tell what is asked for, and the idf of each (`discriminative`)."""
        return discriminative(*self._words, 0 if self.matches is None else self.matches.documents)

    @cached_property
    def language(self) -> str | None:
        """The question's language (or letters) where the arguments are in another; else None."""
        words, df = self._words
        documents = 0 if self.matches is None else self.matches.documents
        found = foreign(words, df.tolist(), TELLING_SHARE * documents)
        return None if found is None else found.name

    @cached_property
    def discriminative(self) -> int:
        """How many of the matching arguments have a telling word (exactly)."""
        return 0 if self.matches is None else self.matches.count(list(self.weights))

    @cached_property
    def first_weak_rank(self) -> int | None:
        """The rank from which on all hits match weakly; None where the last one does not.

        What is near by meaning matches, whatever its words.
        It is looked for among the hits that are there, and on a search server not at all.
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
        """Whether no argument has what is asked for: most words are unknown, no other one tells.

        What is found by meaning need have none of them.
        """
        if self.meaning is not None:
            return False
        words, _ = self._words
        return len(self.unknown) * 2 > len(words) and set(self.weights) <= set(self.unknown)

    @cached_property
    def corrections(self) -> dict[str, str]:
        """Words of the question, each with the one that it is most likely meant for.

        Unknown words are looked up first. Where more of them stay unknown nothing is meant: the
        question is in another language, whose words resemble others by chance.
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
        """The question with those words in their places, or None; never searched for silently."""
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
        """What a reader should know of the words, one line each."""
        if not self.unknown:
            return self._left_out
        named = ", ".join(f"“{word}”" for word in self.unknown[:WORDS_IN_NOTE])
        more = len(self.unknown) - WORDS_IN_NOTE
        rest = f" and {more} more" if more > 0 else ""
        one = len(self.unknown) == 1
        note = f"no argument has the word{'' if one else 's'} {named}{rest}"
        if self.lost and self.matches is not None and self.matches.total:
            note += "; what shares only the others, which are common, is not shown"
        said = () if self.language is None else (IN_ANOTHER.format(self.language),)
        return (*said, note, *self._left_out)

    @cached_property
    def common(self) -> int | None:
        """How many more share only common words with the question; None where all are there."""
        return None if self.matches is None else self.matches.common()

    @property
    def _left_out(self) -> tuple[str, ...]:
        """Of nothing that is left: how many have its common words."""
        left = 0 if self.matches is None or self.matches.total else self.common or 0
        one = "an argument shares" if left == 1 else f"{left:,} arguments share"
        return (f"{one} only common words with the question: not shown",) * bool(left)


def corrected(text: str, matches: Matches | None) -> str:
    """A question as it is suggested by an index's vocabulary, or as it is."""
    return QueryTerms(text, matches).suggestion or text


def _cased(word: str, other: str) -> str:
    """A word in the case of the one that it stands for."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
