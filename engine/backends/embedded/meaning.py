"""Closeness of arguments to a question, from an index directory's part `meaning` or `vectors`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stages.base import Floats
from argsearch.indexer.encoders import load_encoder, question_row
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.parts import Part
from argsearch.indexer.parts.meaning import probe
from argsearch.indexer.platform import cores
from argsearch.ranking import meaning
from argsearch.ranking.retrieval.selection import largest
from argsearch.ranking.stance import prototype
from argsearch.ranking.vectors import Quantised, norms, quantise

Ints = NDArray[np.integer]
ONE_THREAD = 20_000
"""Largest number of documents that a single thread compares."""
COSINE_SAMPLE = 1_000
"""Number of evenly sampled conclusions used to estimate the mean cosine with a question."""
CACHED_QUESTION_VECTORS = 64
"""Number of questions whose vectors are cached, since a page sends several requests for each."""
DOCUMENTS_BY_CONCLUSION = 1_000
"""Number of documents with the nearest conclusions to compare if passages have no vectors."""
TELLING = 2
"""Number of passages to draw a gist from when they are nearer than the conclusion."""
NEARER = 0.05
"""Amount by which the best passage's cosine must exceed the conclusion's."""
LEAST_DEVIATION = 0.01
"""Least standard deviation of cosines, because smaller differences are rounding errors."""
SAME_ENCODER_COSINE = 0.99
"""Minimum cosine between one encoder's vectors of the same text on two machines."""


class AnotherEncoder(ArgsearchError):
    """The encoder that a part names is not the one that made its vectors."""


@dataclass(frozen=True)
class Prototype:
    """The subject of a question, judged by its best hits (docs/stance.md)."""

    question: str
    mean: float
    """Mean of the question's cosines with conclusions from the whole index."""
    deviation: float
    """Standard deviation of these cosines, above 0."""
    vector: NDArray[np.float64]
    """float64[d], unit: `ranking.stance.prototype` of the best hits' distinct conclusions."""
    nearest: float
    """Cosine of the best hits' best passage with the question."""


class MeaningVectors:
    """Vectors of conclusions and passages, with the encoder for questions; thread-safe."""

    whole: bool
    """True if a passage covers all of an argument's premises."""

    def __init__(self, part: Part, arrays: Arrays) -> None:
        """Open the vectors; raise IndexDamaged for a wrong shape, or errors of `load_encoder`."""
        self.conclusions: Quantised = part["conclusions"], part["conclusions_scales"]
        self.encoder, self._ranks = load_encoder(part.settings["encoder"]), arrays.ids_ranks
        sizes = np.diff(arrays.conclusion_docs)
        self._check_shape(part, "conclusions", self.conclusions, len(sizes))
        self.conclusion_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        self.documents = len(arrays.quality)
        self.vector: Callable[[str], Quantised] = lru_cache(CACHED_QUESTION_VECTORS)(self._vector)

    @staticmethod
    def _check_shape(part: Part, name: str, vectors: Quantised, n: int) -> None:
        """Raise IndexDamaged unless there are n vectors of the part's dimensions."""
        rows, scales = vectors
        if rows.shape != (n, part.settings["dimensions"]) or scales.shape != (n,):
            raise part.damaged(f"{name} have the shape {rows.shape}, but the index needs {n:,}")

    def _vector(self, question: str) -> Quantised:
        levels, _ = quantise(question_row(self.encoder, question)[None])
        return levels, norms(levels)

    def passages(self, question: str, docs: Ints) -> meaning.Passages:
        """Return how close documents' passages are to a question."""
        return meaning.best_passages(self.vector(question), *self.passages_of(docs))

    def passages_of(self, docs: Ints) -> tuple[Quantised, NDArray[np.integer]]:
        """Return the vectors of documents' passages, and where each document's begin and end."""
        raise NotImplementedError

    def telling(self, question: str, docs: Ints) -> list[Floats]:
        """Return how much each passage of each document is worth for a gist; no values if unknown.

        If the question is narrow, the TELLING passages nearest to it are worth 0 and the others −∞.
        A question is narrow if the best passage's cosine with it exceeds the conclusion's by more
        than NEARER. Otherwise it is about the whole debate, and a passage is worth the z-score of
        its cosine with the conclusion; the cosines of static vectors do not count.
        """
        (rows, scales), starts = self.passages_of(docs)
        near = meaning.cosines(self.vector(question), (rows, scales))
        claims, of = self.conclusion(question, docs).tolist(), self.conclusion_of[docs].tolist()
        found = []
        for claim, i, span in zip(claims, of, pairwise(starts.tolist()), strict=True):
            at, worth = slice(*span), np.zeros(0)
            cosines = near[at]
            if not self.whole and cosines.max(initial=-1.0) - claim > NEARER:
                worth = np.full(len(cosines), -np.inf)
                worth[np.argsort(-cosines, kind="stable")[:TELLING]] = 0.0
            elif len(cosines) and not (self.whole or self.encoder.light):
                conclusion = self.conclusions[0][i : i + 1], self.conclusions[1][i : i + 1]
                own = meaning.cosines(conclusion, (rows[at], scales[at]))
                worth = (own - own.mean()) / max(float(own.std()), LEAST_DEVIATION)
            found.append(worth)
        return found

    def conclusion(self, question: str, docs: Ints) -> Floats:
        """Return the cosines of a question with documents' conclusions, or 0 for a missing one."""
        (rows, scales), of = self.conclusions, self.conclusion_of[docs]
        return meaning.cosines(self.vector(question), (rows[of], scales[of]))

    def of(self, question: str, docs: Ints) -> dict[str, Floats]:
        """Return M of documents and the cosines that M is computed from; NaN if missing.

        `place`: the position of the document's best passage, from 0. It is −1 if the document has
        no passage, or if the vectors are those of whole premises.
        """
        empty = self.conclusions[1][self.conclusion_of[docs]] == 0
        claim = np.where(empty, np.nan, self.conclusion(question, docs))
        near = self.passages(question, docs)
        M = meaning.mean_of(near.best, claim)
        place = np.where(self.whole, -1.0, near.place)
        return {"M": M, "claim": claim, "passage": near.best, "place": place}

    def prototype(self, question: str, docs: Ints) -> Prototype:
        """Return the subject of the question, inferred from its best hits."""
        rows, scales = self.conclusions
        spread = np.linspace(0, len(rows) - 1, min(COSINE_SAMPLE, len(rows))).astype(np.int64)
        # A row of zeros means no conclusion, and would pull the mean towards 0.
        there = spread[scales[spread] > 0]
        among = meaning.cosines(self.vector(question), (rows[there], scales[there]))
        mean, deviation = (float(among.mean()), float(among.std())) if len(there) else (0.0, 0.0)
        found = np.unique(self.conclusion_of[docs])
        found = found[scales[found] > 0]
        cosines = meaning.cosines(self.vector(question), (rows[found], scales[found]))
        vector = prototype(cosines, rows[found] * scales[found, None])
        nearest = float(
            np.nan_to_num(self.passages(question, docs).best, nan=-1.0).max(initial=-1.0)
        )
        # An index with a single conclusion has no deviation to divide by.
        return Prototype(question, mean, deviation or 1.0, vector, nearest)

    def concerning(self, about: Prototype, docs: Ints) -> dict[str, Floats]:
        """Return how close documents are to a question's subject; NaN if they have no conclusion.

        `claim`, `passage`, `passages` and `nearest` are cosines with the question: of the
        conclusion, the best passage, the best passages on average, and the best hits' best passage.
        They are given in standard deviations above the mean over conclusions. `alike` is the cosine
        of the conclusion with the prototype, and `whole` is 1 if passages are whole premises.
        """
        rows, scales = self.conclusions
        of = self.conclusion_of[docs]
        alike = (rows[of].astype(np.float64) @ about.vector) * scales[of]
        near = self.passages(about.question, docs)
        nearest = np.where(scales[of] > 0, about.nearest, np.nan)
        claim = self.conclusion(about.question, docs)
        cosines = {
            "claim": claim,
            # A text without words has nothing on the question.
            "passage": np.nan_to_num(near.best, nan=0.0),
            "passages": np.nan_to_num(near.several, nan=0.0),
            "nearest": nearest,
        }
        found = {name: (x - about.mean) / about.deviation for name, x in cosines.items()}
        return {**found, "alike": alike, "whole": np.full(len(docs), float(self.whole))}

    def nearest(self, question: str, k: int, listed: Ints | None = None) -> NDArray[np.int32]:
        """Return the k documents nearest to a question by M, ties by id; listed: candidates."""
        raise NotImplementedError

    def _best(self, M: Floats, docs: Ints, k: int) -> NDArray[np.int32]:
        """Return the k documents with the highest M, ties by id."""
        if len(docs) > k:
            most = np.partition(M, len(docs) - k)[len(docs) - k] <= M
            M, docs = M[most], docs[most]
        return docs[np.lexsort((self._ranks[docs], -M))[:k]].astype(np.int32)


class TaughtVectors(MeaningVectors):
    """The part `meaning`: vectors of conclusions and of premise passages, from any encoder."""

    whole = False

    def __init__(self, part: Part, arrays: Arrays) -> None:
        """Open the part; raise IndexDamaged, AnotherEncoder, or an error from `load_encoder`."""
        super().__init__(part, arrays)
        self._passages: Quantised = part["passages"], part["passages_scales"]
        self._passage_of, self._starts = part["passage_of"], part["passage_starts"]
        self._check_shape(part, "passages", self._passages, len(part["passages_scales"]))
        if len(self._starts) != self.documents + 1 or self._starts[-1] != len(self._passage_of):
            found = f"it has passages of {len(self._starts) - 1:,} documents"
            raise part.damaged(f"{found}, but the index has {self.documents:,}")
        self._check(np.array(part.settings["probe"], np.int8))
        self.workers = 1 if self.documents <= ONE_THREAD else min(2, cores())

    def _check(self, held: NDArray[np.int8]) -> None:
        """Raise AnotherEncoder unless the encoder still gives the vector stored in the part."""
        now = np.array(probe(self.encoder), np.int8)
        rows = [(row[None], norms(row[None])) for row in (now, held)]
        if now.shape != held.shape or meaning.cosines(*rows)[0] < SAME_ENCODER_COSINE:
            raise AnotherEncoder(
                f"the vectors of the part meaning were not made by the encoder {self.encoder.name} "
                f"(it has {len(now)} dimensions, the part has {len(held)}); restore the encoder's "
                "model, or rebuild the part with: argsearch index --with meaning"
            )

    def passages_of(self, docs: Ints) -> tuple[Quantised, NDArray[np.integer]]:
        """Return the vectors of documents' passages, and where each document's begin and end."""
        begins, ends = self._starts[docs], self._starts[np.asarray(docs) + 1]
        runs = [np.arange(*one) for one in zip(begins.tolist(), ends.tolist(), strict=True)]
        of = self._passage_of[np.concatenate([np.zeros(0, np.int64), *runs])]
        (rows, scales), starts = self._passages, np.concatenate([[0], np.cumsum(ends - begins)])
        return (rows[of], scales[of]), starts

    def nearest(self, question: str, k: int, listed: Ints | None = None) -> NDArray[np.int32]:
        """Return the k documents nearest to a question by M, ties by id; listed: candidates."""
        held = self._passages, self._passage_of, self._starts, self.conclusions, self.conclusion_of
        M = meaning.similarities(self.vector(question), *held, self.workers)
        docs = np.arange(len(M)) if listed is None else listed
        return self._best(M[docs], docs, k)


class OwnVectors(MeaningVectors):
    """The part `vectors`: vectors of conclusions and, instead of passages, whole premises."""

    whole = True

    def __init__(self, part: Part, arrays: Arrays) -> None:
        """Open the part; raise IndexDamaged, or an error from `load_encoder`."""
        super().__init__(part, arrays)
        self._part, self._ends = part, arrays.conclusion_docs

    def passages_of(self, docs: Ints) -> tuple[Quantised, NDArray[np.integer]]:
        """Return the vectors of documents' premises, and where each document's begin and end."""
        rows, scales = self._part.rows("rows", docs), self._part.rows("scales", docs)
        there = scales > 0
        return (rows[there], scales[there]), np.concatenate([[0], np.cumsum(there)])

    def nearest(self, question: str, k: int, listed: Ints | None = None) -> NDArray[np.int32]:
        """Return the k documents nearest to a question by M, ties by id; listed: candidates.

        Compares only about DOCUMENTS_BY_CONCLUSION documents with the nearest conclusions.
        """
        cosines = meaning.cosines(self.vector(question), self.conclusions)
        has = np.diff(self._ends)
        if listed is not None:
            has = np.bincount(self.conclusion_of[listed], minlength=len(has))
        cosines[(self.conclusions[1] == 0) | (has == 0)] = -np.inf
        # Each conclusion left has a document.
        order = largest(cosines, DOCUMENTS_BY_CONCLUSION)
        enough = int(np.searchsorted(np.cumsum(has[order]), DOCUMENTS_BY_CONCLUSION)) + 1
        runs = [np.arange(*self._ends[one : one + 2]) for one in np.sort(order[:enough]).tolist()]
        docs = np.concatenate(runs) if runs else np.zeros(0, np.int64)
        docs = docs if listed is None else docs[np.isin(docs, listed)]
        return self._best(self.of(question, docs)["M"], docs, k)
