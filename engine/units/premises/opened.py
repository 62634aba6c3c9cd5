"""The claims of one index: found for a question by divergence from randomness (D20)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import Part
from argsearch.indexer.parts.premises.arrays import ClaimArrays
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.selection import largest
from argsearch.ranking.similarities.registry import make
from argsearch.ranking.similarities.statistics import Similarity, Statistics

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend
    from argsearch.engine.config import Retrieval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TEXTS = 1 << 14
"""Texts of claims that are not read anew."""


@dataclass(frozen=True, slots=True)
class FoundClaims:
    """The claims that a question finds, best first."""

    claims: Ints
    """int64[n], their numbers in the part."""
    scores: Floats
    """float64[n], above 0."""
    total: int
    """How many claims have any of its words."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question among the distinct conclusions."""

    row: int
    weight: float
    """How often the question has it."""
    rows: NDArray[np.int32]
    """The conclusions that have it, ascending."""
    tfs: NDArray[np.integer]
    statistics: Statistics


class Claims:
    """An index's claims and premises, opened; safe to share between threads.

    The collection behind P(c|q) is that of the distinct conclusions: each counts once, however
    many arguments share it.
    """

    def __init__(self, backend: EmbeddedBackend, part: Part) -> None:
        """Raises IndexDamaged for numbers that cannot be."""
        self.backend, self.dimensions = backend, tuple(part.settings["dimensions"])
        self.arrays = ClaimArrays.from_arrays({f.name: part[f.name] for f in fields(ClaimArrays)})
        _check(part, self.arrays, backend.documents)
        self.scoring = self.arrays.scoring()
        firsts = backend.arrays.conclusion_docs
        self.lengths = backend.arrays.conclusion_lengths
        self.conclusion = np.searchsorted(firsts, self.arrays.claim_document, "right") - 1
        """The distinct conclusion of each claim, int64[claims]."""
        self.claim = np.full(len(self.lengths), -1, np.int64)
        """The claim of each distinct conclusion; -1 for one without premises."""
        self.claim[self.conclusion] = np.arange(self.arrays.claims)
        self.document = backend.store.__getitem__
        self.text = lru_cache(TEXTS)(self._text)
        self.conclusions = int(np.count_nonzero(self.lengths))
        self.tokens = int(self.lengths.sum(dtype=np.int64))

    def find(self, question: str, retrieval: Retrieval, depth: int) -> FoundClaims:
        """The claims of the highest scores, at most `depth`; ties go to the earlier one."""
        model: Similarity = make("dfr", retrieval)
        sums = np.zeros(len(self.lengths))
        for term in self._terms(question):
            dl = self._lengths(term.rows, retrieval.lengths)
            sums[term.rows] += term.weight * model.score(term.tfs, dl, term.statistics)
        scores = sums[self.conclusion]
        order = largest(np.where(scores > 0, scores, -np.inf), depth)
        return FoundClaims(order, scores[order], int(np.count_nonzero(scores > 0)))

    def explain(self, question: str, retrieval: Retrieval, claim: int) -> tuple[Explanation, ...]:
        """The parts of a claim's score, a word each."""
        model: Similarity = make("dfr", retrieval)
        row = int(self.conclusion[claim])
        dl = float(self._lengths(np.array([row]), retrieval.lengths)[0])
        words, parts = self.backend.searcher.vocabulary, []
        for term in self._terms(question):
            at = int(np.searchsorted(term.rows, term.rows.dtype.type(row)))  # as `Field.frequency`
            if at < len(term.rows) and term.rows[at] == row:
                one = model.explain(float(term.tfs[at]), dl, term.statistics)
                said = f"{words[term.row].decode()!r} in the claim: times × its score"
                times = Explanation(term.weight, "times in the question")
                parts.append(Explanation(term.weight * one.value, said, (times, one)))
        return tuple(parts)

    def _text(self, claim: int) -> str:
        """A claim's text."""
        return self.document(int(self.arrays.claim_document[claim])).conclusion or ""

    def _lengths(self, rows: NDArray[np.integer], reading: str) -> Floats:
        from argsearch.engine.backends.embedded.fields import read_lengths

        return np.maximum(read_lengths(self.lengths[rows], reading), 1).astype(np.float64)

    def _terms(self, question: str) -> Iterator[Term]:
        """The question's distinct words that conclusions have, in their order."""
        searcher = self.backend.searcher
        for word, times in Counter(searcher.analyzer.tokens(question)).items():
            row = searcher.row(word)
            if row < 0:
                continue
            rows, tfs = searcher.scoring.conclusion.shared(row)
            if not len(rows):
                continue
            counts = len(rows), int(tfs.sum(dtype=np.int64))
            statistics = Statistics(*counts, self.conclusions, self.tokens)
            yield Term(row, float(times), rows, tfs, statistics)


def _check(part: Part, arrays: ClaimArrays, documents: int) -> None:
    """Raise IndexDamaged for numbers that lead out of the arrays."""
    premises, clusters = len(arrays.premise_document), len(arrays.representative)
    below = dict.fromkeys(("claim_document", "premise_document", "occurrences"), documents)
    below |= dict.fromkeys(("premise", "representative", "members"), premises)
    below |= {"premise_cluster": clusters, "starts": len(arrays.premise) + 1}
    for name, limit in {**below, "member_starts": premises + 1}.items():
        values = part[name]
        if len(values) and not (values.min() >= 0 and values.max() < limit):
            raise IndexDamaged(f"part premises: {name} reaches beyond {limit:,}; build it again")
    for name in ("starts", "member_starts", "occurrence_starts"):
        if (np.diff(part[name]) < 0).any():
            raise IndexDamaged(f"part premises: {name} falls; build it again")
