"""The subject of a question, found from its words, similar words and the best hits' conclusions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.stance.claims import Claim, read_claim
from argsearch.engine.stance.wording import RememberedRows, StanceTerms, Wording
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.stance import agreement

BEST = 30
"""Number of best hits from whose conclusions the subject is inferred."""
FEW_HITS = 8
"""Minimum number of hits with a conclusion. If fewer hits have one, no conclusion is used."""

Floats = NDArray[np.float64]
_rows = RememberedRows()


@dataclass(frozen=True)
class Subject:
    """The subjects of a question and of its best hits' conclusions, without directions."""

    question: NDArray[np.float32]
    """Unit vector of the subject of the question, float32[d]."""
    best: NDArray[np.float32]
    """Unit vectors of the subjects of the best hits' conclusions, float32[m, d]."""
    weights: Floats
    """Squared cosine of each vector in `best` with the question's, 0 if negative, float64[m]."""
    ids: tuple[str, ...]
    """Ids of the hits in `best`, so that no argument is compared with its own conclusion."""
    words: tuple[str, ...]
    """Distinct words of the question's subject."""
    shares: Floats
    """Share of each word in the sum of the words' idf, float64[k] > 0."""
    texts: Wording
    """Words of the best hits' premises; empty if fewer than FEW_HITS have a conclusion."""

    @classmethod
    def of(
        cls, claim: Claim, best: Sequence[Argument], idf: Callable[[str], float], terms: StanceTerms
    ) -> Subject:
        """Read a question's subject, and the first BEST hits if FEW_HITS have a conclusion."""
        best = best[:BEST]
        read = [(one.id, read_claim(one.conclusion or "").phrase) for one in best]
        concluding = sorted((id, phrase) for id, phrase in read if phrase)  # a fixed order of sums
        concluding = concluding if len(concluding) >= FEW_HITS else []
        question, *others = _rows.of([claim.phrase, *(phrase for _, phrase in concluding)])
        rows = np.array(others).reshape(-1, len(question))
        weights = np.maximum(0.0, (rows @ question).astype(np.float64)) ** 2
        texts = Wording.of(terms, [one.premise for one in best] if concluding else [])
        ids = tuple(id for id, _ in concluding)
        words = tuple(dict.fromkeys(claim.phrase.split()))
        shares = np.array([idf(word) for word in words])
        shares /= max(float(shares.sum()), 1e-9)
        return cls(question, rows, weights, ids, words, shares, texts)

    @cached_property
    def likeness(self) -> float:
        """Similarity of the best hits' subjects to the question's: square root of the mean weight.

        The similarity is low if the corpus lacks the subject, even if the hits agree.
        """
        return float(np.sqrt(self.weights.mean()))

    @cached_property
    def spoken_of(self) -> float:
        """Share of the question's subject that at least a tenth of the best hits mention.

        Questions of one form ("… be taught in schools?") differ in this share; 0 without hits.
        """
        if not len(self.texts.lengths) or not self.words:
            return 0.0
        return float(self.shares @ np.percentile(self.texts.near(self.words), 90, axis=0))

    def covered(self, *texts: Wording) -> list[float]:
        """Return the share of the subject that each argument mentions, in [0, 1].

        texts: the words of the arguments' conclusions, of their premises, or both.
        """
        found = np.maximum.reduce([one.near(self.words) for one in texts])
        return [float(self.shares @ row) for row in found]

    def read(
        self, concluding: Sequence[Claim], ids: Sequence[str], texts: Wording
    ) -> list[dict[str, float]]:
        """Return each argument's `cosine` and, when there are best hits, the other AMONG values.

        `concluding`, `ids` and `texts` are the arguments' conclusions, ids and words of premises.
        """
        rows = _rows.of(claim.phrase for claim in concluding)
        found = [{"cosine": float(row @ self.question)} for row in rows]
        if not self.ids:
            return found
        phrases = Wording.of(self.texts.terms, [claim.phrase.split() for claim in concluding])
        covered = self.covered(phrases, texts)
        for one, row, id, share in zip(found, rows, ids, covered, strict=True):
            weights = self.weights
            if id in self.ids:
                weights = weights.copy()
                weights[self.ids.index(id)] = 0.0
            one["agreement"] = agreement(row, self.best, weights)
            one["agreement x likeness"] = one["agreement"] * self.likeness
            one["covered"] = share
            one["spoken of"] = max(self.spoken_of, share)  # few hits have a rare subject
        return found
