"""Find the claims of an index for a question, by divergence from randomness (D20)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.explaining import one_term
from argsearch.indexer.format.parts import Part
from argsearch.indexer.parts.premises.arrays import ClaimArrays
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.lexicons import stop_words
from argsearch.ranking.retrieval.selection import largest
from argsearch.ranking.similarities.registry import make
from argsearch.ranking.similarities.statistics import Similarity, Statistics
from argsearch.ranking.vectors import cosines, norms

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.directory import IndexDirectory
    from argsearch.engine.config import PremiseRanking, Retrieval
    from argsearch.indexer.encoders import Encoder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CACHED_CLAIM_TEXTS = 1 << 14


@dataclass(frozen=True, slots=True)
class FoundClaims:
    """The claims found for a question, best first."""

    claims: Ints
    """Numbers of the claims in the part, int64[n]."""
    scores: Floats
    """Scores above 0: the word score times the factor, float64[n]."""
    factors: Floats
    """max(0, cos(question, claim))^a, float64[n]; all 1 if a is 0."""
    total: int
    """Number of claims that contain any of the question's words."""


@dataclass(frozen=True, slots=True)
class ClaimQuery:
    """A question in the form used to find claims."""

    words: Mapping[str, int]
    """Number of times the question contains each word used to find claims."""
    vector: NDArray[np.float32] | None
    """Embedding of the question, float32[d], or None if it is not used."""
    exponent: float
    """The exponent a of `FoundClaims.factors`."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question, with the distinct conclusions that contain it."""

    word: str
    """The word, or all of its spellings if spellings are unified."""
    weight: float
    """Number of times the word occurs in the question."""
    rows: NDArray[np.int32]
    """The conclusions that contain the word, ascending."""
    tfs: NDArray[np.integer]
    statistics: Statistics


class Claims:
    """The claims and premises of an open index; safe to share between threads.

    P(c|q) is computed over the distinct conclusions. A conclusion counts once, no matter how many
    arguments share it.
    """

    def __init__(self, backend: IndexDirectory, part: Part) -> None:
        """Open the part, or raise IndexDamaged if its numbers are impossible."""
        self.backend, self.dimensions = backend, tuple(part.settings["dimensions"])
        self.arrays = ClaimArrays.from_arrays({f.name: part[f.name] for f in fields(ClaimArrays)})
        _check(part, self.arrays, backend.documents)
        self.scoring = self.arrays.scoring()
        firsts = backend.arrays.conclusion_docs
        self.lengths = backend.arrays.conclusion_lengths
        self.conclusion = np.searchsorted(firsts, self.arrays.claim_document, "right") - 1
        """The distinct conclusion of each claim, int64[claims]."""
        self.document = backend.store.__getitem__
        self.text = lru_cache(CACHED_CLAIM_TEXTS)(self._text)
        self.conclusions = int(np.count_nonzero(self.lengths))
        self.tokens = int(self.lengths.sum(dtype=np.int64))

    def ask(self, question: str, section: PremiseRanking, encoder: Encoder) -> ClaimQuery:
        """Return a question's words and vector for finding claims, as section [premises] says.

        If the question has only stop words, all of its words count.
        """
        words = Counter(self.backend.searcher.analyzer.tokens(question))
        kept = {word: times for word, times in words.items() if word not in stop_words()}
        found = kept if kept and section.words == "content" else words
        vector = encoder.encode([question])[0] if section.cosine else None
        return ClaimQuery(found, vector, section.cosine)

    def find(self, asked: ClaimQuery, retrieval: Retrieval, depth: int) -> FoundClaims:
        """Return the claims with the highest scores by words, with ties by position.

        At most `depth` claims are returned. Claims with a factor of 0 are left out.
        """
        model: Similarity = make("dfr", retrieval)
        sums = np.zeros(len(self.lengths))
        for term in self._terms(asked.words, retrieval):
            dl = self._lengths(term.rows, retrieval.lengths)
            sums[term.rows] += term.weight * model.score(term.tfs, dl, term.statistics)
        # Equal conclusions share one row of postings, no matter how many arguments repeat them.
        scores = sums[self.conclusion]
        claims = largest(np.where(scores > 0, scores, -np.inf), depth)
        factors = self._factors(asked, claims)
        order = np.argsort(-scores[claims] * factors, kind="stable")
        order = order[factors[order] > 0]
        found, factors = claims[order], factors[order]
        total = int(np.count_nonzero(scores > 0))
        return FoundClaims(found, scores[found] * factors, factors, total)

    def _factors(self, asked: ClaimQuery, claims: Ints) -> Floats:
        """Return max(0, cos(question, claim))^a, float64[n]."""
        if asked.vector is None:
            return np.ones(len(claims))
        levels = self.arrays.claim_levels[claims]
        near = cosines(asked.vector, levels, norms(levels))
        return np.asarray(np.maximum(0.0, near) ** asked.exponent)

    def explain(
        self, asked: ClaimQuery, retrieval: Retrieval, claim: int, factor: float
    ) -> tuple[Explanation, ...]:
        """Return the parts of a claim's score: one for each word, and the factor if it is used."""
        parts = self._by_words(asked, retrieval, claim)
        if asked.vector is None:
            return parts
        said = f"max(0, cosine of question and claim) to the power of {asked.exponent:g}"
        by_words = Explanation(sum(part.value for part in parts), "word score (a sum)", parts)
        return by_words, Explanation(factor, said)

    def _by_words(
        self, asked: ClaimQuery, retrieval: Retrieval, claim: int
    ) -> tuple[Explanation, ...]:
        model: Similarity = make("dfr", retrieval)
        row = int(self.conclusion[claim])
        dl = float(self._lengths(np.array([row]), retrieval.lengths)[0])
        parts = []
        for term in self._terms(asked.words, retrieval):
            at = int(np.searchsorted(term.rows, term.rows.dtype.type(row)))  # as in Field.frequency
            if at < len(term.rows) and term.rows[at] == row:
                one = model.explain(float(term.tfs[at]), dl, term.statistics)
                said = f"{term.word!r} in the claim: occurrences × its score"
                times = Explanation(term.weight, "occurrences in the question")
                parts.append(Explanation(term.weight * one.value, said, (times, one)))
        return tuple(parts)

    def _text(self, claim: int) -> str:
        """Return the text of a claim."""
        return self.document(int(self.arrays.claim_document[claim])).conclusion or ""

    def _lengths(self, rows: NDArray[np.integer], reading: str) -> Floats:
        from argsearch.engine.backends.embedded.fields import read_lengths

        return np.maximum(read_lengths(self.lengths[rows], reading), 1).astype(np.float64)

    def _terms(self, words: Mapping[str, int], retrieval: Retrieval) -> Iterator[Term]:
        """Yield the question's words that occur in conclusions, in order."""
        # Imported with the first question, like the kernels.
        from argsearch.engine.backends.embedded.fields import merge

        searcher = self.backend.searcher
        for word, times in words.items():
            terms = searcher.spelling_rows(retrieval, word)
            runs = [searcher.scoring.conclusion.shared(row) for row in terms]
            if not any(len(rows) for rows, _ in runs):
                continue
            rows, tfs = runs[0] if len(runs) == 1 else merge(runs)
            counts = len(rows), int(tfs.sum(dtype=np.int64))
            statistics = Statistics(*counts, self.conclusions, self.tokens)
            said = one_term(searcher.vocabulary[row].decode() for row in terms)
            yield Term(said, float(times), rows, tfs, statistics)


def _check(part: Part, arrays: ClaimArrays, documents: int) -> None:
    """Raise IndexDamaged if an index points outside the arrays."""
    premises, clusters = len(arrays.premise_document), len(arrays.representative)
    below = dict.fromkeys(("claim_document", "premise_document", "occurrences"), documents)
    below |= dict.fromkeys(("premise", "representative", "members"), premises)
    below |= {"premise_cluster": clusters, "starts": len(arrays.premise) + 1}
    for name, limit in {**below, "member_starts": premises + 1}.items():
        values = part[name]
        if len(values) and not (values.min() >= 0 and values.max() < limit):
            raise part.damaged(f"{name} has a number that is not from 0 to {limit - 1:,}")
    for name in ("starts", "member_starts", "occurrence_starts"):
        if (np.diff(part[name]) < 0).any():
            raise part.damaged(f"{name} is not in ascending order")
