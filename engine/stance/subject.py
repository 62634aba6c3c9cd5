"""What a question is about: by its words and ones like them, and by what its best hits conclude."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.stance.claims import Claim, read_claim
from argsearch.engine.stance.terms import WORDINGS_REMEMBERED, canonical, read_words
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.stance import Levels, agreement, spoken
from argsearch.ranking.vectors import quantise

BEST, FEW = 30, 8
"""How many of the best hits tell what a question is about; below FEW with a conclusion none do."""
MOST_VECTORS = 1 << 14
"""Words whose vectors are remembered, 256 bytes each; then all are encoded anew."""
ENCODER = "wordllama"
"""Whatever encoder an index has: the weights of a model are for this one."""

Floats = NDArray[np.float64]
Idf = Callable[[str], float]
"""How discriminative a word is, above 0."""


class RememberedVectors:
    """Vectors of single words in whole numbers; up to MOST_VECTORS are remembered."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._rows = np.zeros((0, 0), np.int8)
        self._lengths = np.zeros(MOST_VECTORS)
        self._changing = threading.Lock()

    def of(self, words: Sequence[str]) -> Levels:
        """The vector of each word, in order; at most MOST_VECTORS of them."""
        with self._changing:
            if len(self._places) + len(words) > MOST_VECTORS:
                self._places.clear()
            new = [word for word in dict.fromkeys(words) if word not in self._places]
            if new:
                self._add(new)
            at = [self._places[word] for word in words]
            return Levels(self._rows[at].astype(np.float32), self._lengths[at])

    def _add(self, words: list[str]) -> None:
        rows, _ = quantise(_encode(words))
        if not self._rows.size:
            self._rows = np.zeros((MOST_VECTORS, rows.shape[1]), np.int8)
        first, last = len(self._places), len(self._places) + len(words)
        self._rows[first:last], self._lengths[first:last] = rows, Levels.of(rows).lengths
        self._places.update(zip(words, range(first, last), strict=True))


_vectors = RememberedVectors()


@lru_cache(4 * WORDINGS_REMEMBERED)
def near(subject: tuple[str, ...], words: tuple[str, ...]) -> tuple[float, ...]:
    """How near the nearest of some words is to each of a subject's, in [0, 1].

    1 for a word of the same root, or one that it paraphrases.
    """
    distinct = list(dict.fromkeys(words))
    if not subject or not distinct:
        return (0.0,) * len(subject)
    there = frozenset(map(canonical, distinct))
    found = {word: 1.0 for word in subject if canonical(word) in there}
    others = [word for word in subject if word not in found]
    if others:  # mostly there are none, and no word needs a vector
        nearest = spoken(_vectors.of(others), _vectors.of(distinct)).tolist()
        found |= dict(zip(others, nearest, strict=True))
    return tuple(found[word] for word in subject)


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
    texts: tuple[tuple[str, ...], ...]
    """The words of the best hits' premises."""

    @classmethod
    def of(cls, claim: Claim, best: Sequence[Argument], idf: Idf) -> Subject:
        """The subject of the conclusions of the first BEST hits, if there are FEW at least."""
        best = best[:BEST]
        read = [(one.id, read_claim(one.conclusion or "").phrase) for one in best]
        known = sorted((id, phrase) for id, phrase in read if phrase)  # sums do not tell ties apart
        known = known if len(known) >= FEW else []
        question = embedded(claim.phrase)
        rows = np.array([embedded(phrase) for _, phrase in known]).reshape(-1, len(question))
        weights = np.maximum(0.0, (rows @ question).astype(np.float64)) ** 2
        texts = tuple(read_words(one.premise) for one in best) if known else ()
        ids = tuple(id for id, _ in known)
        words = tuple(dict.fromkeys(claim.phrase.split()))
        shares = np.array([idf(word) for word in words])
        shares /= max(float(shares.sum()), 1e-9)
        return cls(question, rows, weights, ids, words, shares, texts)

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
        if not self.texts or not self.words:
            return 0.0
        found = np.array([near(self.words, words) for words in self.texts])
        return float(self.shares @ np.percentile(found, 90, axis=0))

    def covered(self, *texts: tuple[str, ...]) -> float:
        """The share of the subject that the words of texts together speak of, in [0, 1]."""
        found = np.array([near(self.words, words) for words in texts])
        return float(self.shares @ found.max(axis=0))

    def read(self, concluding: Claim, id: str, words: tuple[str, ...]) -> dict[str, float]:
        """Cosine with the question and, where there are best hits, what they tell of an argument.

        concluding: its conclusion, words: those of its premise.
        """
        row = embedded(concluding.phrase)
        found = {"cosine": float(row @ self.question)}
        if self.ids:
            weights = self.weights
            if id in self.ids:
                weights = weights.copy()
                weights[self.ids.index(id)] = 0.0
            found["agreement"] = agreement(row, self.best, weights)
            found["agreement x likeness"] = found["agreement"] * self.likeness
            covered = self.covered(tuple(concluding.phrase.split()), words)
            found["covered"] = covered
            found["spoken of"] = max(self.spoken_of, covered)  # on a rare subject it is one
        return found


@lru_cache(1 << 14)
def embedded(phrase: str) -> NDArray[np.float32]:
    """A text in the encoder's space, unit row."""
    row: NDArray[np.float32] = _encode([phrase])[0]
    return row


def _encode(texts: list[str]) -> NDArray[np.float32]:
    from argsearch.indexer.encoders import load_encoder

    rows: NDArray[np.float32] = load_encoder(ENCODER).encode(texts)
    return rows
