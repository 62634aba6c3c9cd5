"""How near arguments of an index directory are to a question: part `meaning` or `vectors`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stages.base import Floats
from argsearch.indexer.encoders import load_encoder, parse_spec
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import Part
from argsearch.indexer.parts.meaning import probe
from argsearch.indexer.platform import cores
from argsearch.ranking import meaning
from argsearch.ranking.stance import prototype
from argsearch.ranking.vectors import Quantised, norms, quantise

Ints = NDArray[np.integer]
ONE_THREAD = 20_000
"""Up to so many documents one thread looks at all of them."""
COSINE_SAMPLE = 1_000
"""How many conclusions, spread over an index, tell how near to a question most are."""
CACHED_QUESTION_VECTORS = 64
"""Questions whose vectors are remembered: a page asks for several things of one question."""
DOCUMENTS_BY_CONCLUSION = 1_000
"""How many documents of the nearest conclusions are looked at where beginnings have no vectors."""
SAME_ENCODER_COSINE = 0.99
"""The least cosine of a text's vectors by one encoder on two machines."""


class AnotherEncoder(ArgsearchError):
    """The encoder that a part names is not the one that made its vectors."""


@dataclass(frozen=True)
class Prototype:
    """What a question is about, by what its best hits conclude (docs/stance.md)."""

    question: str
    mean: float
    """Of the question's cosines with conclusions of the index, spread over it."""
    deviation: float
    """The standard deviation of these cosines, above 0."""
    vector: NDArray[np.float64]
    """float64[d], unit: `ranking.stance.prototype` of the best hits' distinct conclusions."""
    nearest: float
    """The nearest one's cosine with the question, in deviations above the mean."""
    neural: bool
    """Whether a neural network made the vectors."""


class MeaningVectors:
    """Vectors of conclusions and beginnings, and the encoder of questions; shared by threads."""

    whole: bool
    """Whether a beginning is all of an argument's premises."""

    def __init__(self, part: Part, arrays: Arrays) -> None:
        """Raises IndexDamaged for another number of vectors, or what loading an encoder raises."""
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
            said = f"part {part.name}: {name} are {rows.shape}, the index has {n:,}"
            raise IndexDamaged(f"{said}; make it anew with: argsearch index --with {part.name}")

    def _vector(self, question: str) -> Quantised:
        levels, _ = quantise(self.encoder.encode([question]))
        return levels, norms(levels)

    def beginning(self, question: str, docs: Ints) -> Floats:
        """Return the cosines of a question with documents' beginnings; 0 for an empty one."""
        return meaning.cosines(self.vector(question), self.beginnings_of(docs))

    def beginnings_of(self, docs: Ints) -> Quantised:
        """Return the rows of documents' beginnings, and 1 / the length of each."""
        raise NotImplementedError

    def conclusion(self, question: str, docs: Ints) -> Floats:
        """Return the cosines of a question with documents' conclusions; 0 where there is none."""
        (rows, scales), of = self.conclusions, self.conclusion_of[docs]
        return meaning.cosines(self.vector(question), (rows[of], scales[of]))

    def of(self, question: str, docs: Ints) -> dict[str, Floats]:
        """Return M of documents, and the cosines behind it, NaN for what is not there."""
        begun = self.beginnings_of(docs)
        empty = begun[1] == 0, self.conclusions[1][self.conclusion_of[docs]] == 0
        cosines = meaning.cosines(self.vector(question), begun)
        beginning = np.where(empty[0], np.nan, cosines)
        claim = np.where(empty[1], np.nan, self.conclusion(question, docs))
        return {"M": meaning.mean_of(beginning, claim), "claim": claim, "beginning": beginning}

    def prototype(self, question: str, docs: Ints) -> Prototype:
        """Return what the question is about, by the conclusions of its best hits."""
        rows, scales = self.conclusions
        spread = np.linspace(0, len(rows) - 1, min(COSINE_SAMPLE, len(rows))).astype(np.int64)
        # a row of zeros stands for no conclusion, and would draw the mean to 0
        there = spread[scales[spread] > 0]
        among = meaning.cosines(self.vector(question), (rows[there], scales[there]))
        mean, deviation = (float(among.mean()), float(among.std())) if len(there) else (0.0, 0.0)
        found = np.unique(self.conclusion_of[docs])
        found = found[scales[found] > 0]
        cosines = meaning.cosines(self.vector(question), (rows[found], scales[found]))
        vector = prototype(cosines, rows[found] * scales[found, None])
        # an index with one conclusion has no spread to divide by
        deviation = deviation or 1.0
        nearest = (float(cosines.max(initial=-1.0)) - mean) / deviation
        neural = not parse_spec(self.encoder.name).light
        return Prototype(question, mean, deviation, vector, nearest, neural)

    def concerning(self, about: Prototype, docs: Ints) -> dict[str, Floats]:
        """Return how far documents are about what a question is about, NaN without a conclusion.

        `near` and `beginning near`: cosines of the question with conclusion and beginning, in
        deviations above the mean; `alike`: cosine of the conclusion with the prototype; `nearest`;
        `whole`: 1 where beginnings are whole premises.
        """
        rows, scales = self.conclusions
        of = self.conclusion_of[docs]
        alike = (rows[of].astype(np.float64) @ about.vector) * scales[of]
        claim, beginning = (
            self.conclusion(about.question, docs),
            self.beginning(about.question, docs),
        )
        near, begun = ((cosines - about.mean) / about.deviation for cosines in (claim, beginning))
        nearest = np.where(scales[of] > 0, about.nearest, np.nan)
        found = {"near": near, "beginning near": begun, "alike": alike, "nearest": nearest}
        return {**found, "whole": np.full(len(docs), float(self.whole))}

    def nearest(self, question: str, k: int, listed: Ints | None = None) -> NDArray[np.int32]:
        """Return the k documents nearest to a question by M, ties by id; listed: among these."""
        raise NotImplementedError

    def _best(self, M: Floats, docs: Ints, k: int) -> NDArray[np.int32]:
        """Return the k of some documents with the highest M, ties by id."""
        if len(docs) > k:
            most = np.partition(M, len(docs) - k)[len(docs) - k] <= M
            M, docs = M[most], docs[most]
        order = np.lexsort((self._ranks[docs], -M))[:k]
        return docs[order].astype(np.int32)


class TaughtVectors(MeaningVectors):
    """The part `meaning`: conclusions and the beginnings of premises, by whatever encoder."""

    whole = False

    def __init__(self, part: Part, arrays: Arrays) -> None:
        """Raises IndexDamaged, AnotherEncoder, or what loading an encoder raises."""
        super().__init__(part, arrays)
        self.beginnings: Quantised = part["beginnings"], part["beginnings_scales"]
        self._check_shape(part, "beginnings", self.beginnings, self.documents)
        self._check(np.array(part.settings["probe"], np.int8))
        self.workers = 1 if self.documents <= ONE_THREAD else min(2, cores())

    def _check(self, held: NDArray[np.int8]) -> None:
        """Raise AnotherEncoder unless the encoder gives the vector that it gave."""
        now = np.array(probe(self.encoder), np.int8)
        rows = [(row[None], norms(row[None])) for row in (now, held)]
        if now.shape != held.shape or meaning.cosines(*rows)[0] < SAME_ENCODER_COSINE:
            raise AnotherEncoder(
                f"encoder {self.encoder.name} is not the one that made the vectors of the part "
                f"meaning ({len(now)} dimensions, the part has {len(held)}); put its model back, "
                "or make the part anew with: argsearch index --with meaning"
            )

    def beginnings_of(self, docs: Ints) -> Quantised:
        """Return the rows of documents' beginnings, and 1 / the length of each."""
        rows, scales = self.beginnings
        return rows[docs], scales[docs]

    def nearest(self, question: str, k: int, listed: Ints | None = None) -> NDArray[np.int32]:
        """Return the k documents nearest to a question by M, ties by id; listed: among these."""
        held = self.beginnings, self.conclusions, self.conclusion_of
        M = meaning.similarities(self.vector(question), *held, self.workers)
        docs = np.arange(len(M)) if listed is None else listed
        return self._best(M[docs], docs, k)


class OwnVectors(MeaningVectors):
    """The part `vectors`: conclusions and, for their beginnings, whole premises."""

    whole = True

    def __init__(self, part: Part, arrays: Arrays) -> None:
        """Raises IndexDamaged, or what loading an encoder raises."""
        super().__init__(part, arrays)
        self._part, self._ends = part, arrays.conclusion_docs

    def beginnings_of(self, docs: Ints) -> Quantised:
        """Return the rows of documents' premises, and about 1 / the length of each."""
        return self._part.rows("rows", docs), self._part.rows("scales", docs)

    def nearest(self, question: str, k: int, listed: Ints | None = None) -> NDArray[np.int32]:
        """Return the k documents nearest to a question by M, ties by id; listed: among these.

        Of the conclusions nearest to it, until they have DOCUMENTS_BY_CONCLUSION: no others are
        read.
        """
        cosines = meaning.cosines(self.vector(question), self.conclusions)
        cosines[self.conclusions[1] == 0] = -np.inf
        order, has = np.argsort(-cosines, kind="stable"), np.diff(self._ends)
        if listed is not None:
            has = np.bincount(self.conclusion_of[listed], minlength=len(has))
        order = order[np.isfinite(cosines[order]) & (has[order] > 0)]
        enough = int(np.searchsorted(np.cumsum(has[order]), DOCUMENTS_BY_CONCLUSION)) + 1
        runs = [np.arange(*self._ends[one : one + 2]) for one in np.sort(order[:enough]).tolist()]
        docs = np.concatenate(runs) if runs else np.zeros(0, np.int64)
        docs = docs if listed is None else docs[np.isin(docs, listed)]
        return self._best(self.of(question, docs)["M"], docs, k)
