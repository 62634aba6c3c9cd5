"""What a question is about: by its words and ones like them, and by what its best hits conclude."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.stance.claims import Claim, read_claim
from argsearch.engine.stance.wording import KnownWords, RememberedRows, Wording
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.stance import agreement

BEST = 30
"""How many of the best hits tell what a question is about."""
FEW_HITS = 8
"""Hits with a conclusion below which none of them tell what a question is about."""

Floats = NDArray[np.float64]
Idf = Callable[[str], float]
"""How discriminative a word is, above 0."""

_rows = RememberedRows()


@dataclass(frozen=True)
class Subject:
    """What a question and the conclusions of its best hits are about, without direction."""

    question: NDArray[np.float32]
    """The vector of the question's subject, unit."""
    best: NDArray[np.float32]
    """float32[m, d], of the subjects of the best hits' conclusions."""
    weights: Floats
    """float64[m] ≥ 0: the square of each one's cosine with the question's, if that is above 0."""
    ids: tuple[str, ...]
    """Of those hits: an argument's own conclusion says nothing of what the others are about."""
    words: tuple[str, ...]
    """Of the question's subject, to be found as they stand or in words like them."""
    shares: Floats
    """float64[k] > 0, of sum 1: how discriminative each word is."""
    texts: Wording
    """The words of the best hits' premises; none where fewer than FEW_HITS conclude something."""
    known: KnownWords
    """Reads words."""

    @classmethod
    def of(cls, claim: Claim, best: Sequence[Argument], idf: Idf, known: KnownWords) -> Subject:
        """The subject of the conclusions of the first BEST hits, if there are FEW_HITS at least."""
        best = best[:BEST]
        read = [(one.id, read_claim(one.conclusion or "").phrase) for one in best]
        concluding = sorted((id, phrase) for id, phrase in read if phrase)  # ties add up alike
        concluding = concluding if len(concluding) >= FEW_HITS else []
        question, *others = _rows.of([claim.phrase, *(phrase for _, phrase in concluding)])
        rows = np.array(others).reshape(-1, len(question))
        weights = np.maximum(0.0, (rows @ question).astype(np.float64)) ** 2
        texts = known.read([one.premise for one in best] if concluding else [])
        ids = tuple(id for id, _ in concluding)
        words = tuple(dict.fromkeys(claim.phrase.split()))
        shares = np.array([idf(word) for word in words])
        shares /= max(float(shares.sum()), 1e-9)
        return cls(question, rows, weights, ids, words, shares, texts, known)

    @cached_property
    def likeness(self) -> float:
        """How like the question's the subjects of the best hits are, at all: √ of the mean weight.

        Where the corpus lacks the subject it is low, whatever the hits agree on.
        """
        return float(np.sqrt(self.weights.mean()))

    @cached_property
    def spoken_of(self) -> float:
        """The share of the question's subject that a tenth of the best hits speak of at least.

        It tells a question from another of the same form ("… be taught in schools?"); 0 for no hit.
        """
        if not len(self.texts.lengths) or not self.words:
            return 0.0
        near = self.texts.near(self.words)
        return float(self.shares @ np.percentile(near, 90, axis=0))

    def covered(self, *texts: Wording) -> list[float]:
        """The share of the subject that the words of texts speak of, in [0, 1].

        texts: of each argument, one of its texts each; an argument's count together.
        """
        found = np.maximum.reduce([one.near(self.words) for one in texts])
        return [float(self.shares @ row) for row in found]

    def read(
        self, concluding: Sequence[Claim], ids: Sequence[str], texts: Wording
    ) -> list[dict[str, float]]:
        """Cosine with the question and, where there are best hits, what they tell of arguments.

        concluding: their conclusions; texts: the words of their premises.
        """
        rows = _rows.of(claim.phrase for claim in concluding)
        found = [{"cosine": float(row @ self.question)} for row in rows]
        if not self.ids:
            return found
        phrases = self.known.of([claim.phrase.split() for claim in concluding])
        covered = self.covered(phrases, texts)
        for one, row, id, share in zip(found, rows, ids, covered, strict=True):
            weights = self.weights
            if id in self.ids:
                weights = weights.copy()
                weights[self.ids.index(id)] = 0.0
            one["agreement"] = agreement(row, self.best, weights)
            one["agreement x likeness"] = one["agreement"] * self.likeness
            one["covered"] = share
            one["spoken of"] = max(self.spoken_of, share)  # on a rare subject it is one
        return found
