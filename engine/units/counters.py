"""Counter-arguments to an argument of the index, or to a text (docs/counter.md)."""

from __future__ import annotations

import os
import time
from collections import Counter as Multiset
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Backend
from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.engine.backends.embedded.soundness import check_terms
from argsearch.engine.query.facets import FacetValue
from argsearch.engine.results.results import Hits
from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import Part
from argsearch.ranking import counters as counter
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.vectors import cosines
from argsearch.ranking.word_vectors import frequencies_in, idf, word_weight

VERSIONS = {"vectors": 1, "counter": 1, "copies": 1}
"""The parts that are read, and their versions; `copies` where it is there."""
FEW = 100_000
"""Up to so many documents one thread looks at all of them."""
NEAR, ALIKE = 1e-5, 0.9
"""Equal texts: relative distance of their word norms, at most; cosine of vectors, at least."""
SHOWN = 200
"""Characters of a text that cannot be countered that are repeated."""
_WEIGHTS = counter.CounterWeights()


class PartsElsewhere(ArgsearchError):
    """An index on a search server was asked for what only a part of an index directory has."""

    def __init__(self) -> None:
        super().__init__(
            "counter-arguments need the part 'counter', which an index directory can have and one "
            "on a search server cannot; build a directory with: argsearch index --with counter"
        )


@dataclass(frozen=True)
class CounterResults:
    """The counter-arguments of one argument or text."""

    query: Argument
    """What is countered; a text is an argument with one premise, without id and conclusion."""
    hits: Hits
    """Best first; each hit's explanation adds up to its score."""
    looked_at: int
    """Candidates that were scored in full."""
    fingerprint: str
    """The index's fingerprint."""
    milliseconds: float
    notes: tuple[str, ...] = ()
    """What a reader should know, such as that there is nothing to be countered."""


@dataclass(frozen=True)
class CounterRanking:
    """Candidates of one query, best first, with what their scores follow from."""

    backend: EmbeddedBackend
    docs: NDArray[np.int64]
    scores: NDArray[np.float64]
    places: NDArray[np.int64]
    """The row of each hit in `features`."""
    features: counter.Features

    @property
    def total(self) -> int:
        """How many candidates were scored, beyond the cutoff too."""
        return len(self.features.cosine)

    def ids(self, rows: NDArray[np.int64] | None = None) -> list[str]:
        """The id of each hit, or of some of them."""
        docs = self.docs if rows is None else self.docs[rows]
        return [self.backend.ids[doc] for doc in docs.tolist()]

    def groups(self) -> NDArray[np.int32] | None:
        """None: near-copies are left out already."""

    def columns(self) -> dict[str, list[float | str | None]]:
        """The value of each hit in every column of the index."""
        return {name: values.of(self.docs) for name, values in self.backend.columns.items()}

    def facets(self) -> dict[str, tuple[FacetValue, ...]]:
        """Nothing is counted."""
        return {}

    def distinct(self) -> None:
        """None: near-copies are left out already."""

    @property
    def documents(self) -> int:
        """N, documents of the index."""
        return self.backend.documents

    def documents_with(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Zeros: candidates are found by their vectors, not by words."""
        return np.zeros(len(words), np.int64)

    def count(self, words: Sequence[str]) -> int:  # noqa: ARG002
        """0, as no word is looked for."""
        return 0

    def having(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """None, as no word is looked for."""

    def argument(self, i: int) -> Argument:
        """The i-th hit's document (0-based)."""
        return self.backend.store[int(self.docs[i])]

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Stored unit vectors of hits' premises, float32[m, d]."""
        part, docs = self.backend.part("vectors", VERSIONS["vectors"]), self.docs[rows]
        return np.asarray(part["rows"][docs] * part["scales"][docs, None], np.float32)

    def qualities(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Q of hits' premises, float64[m]."""
        return np.asarray(self.backend.arrays.quality[self.docs[rows]], np.float64)

    def explanation(self, i: int) -> Explanation:
        """The tree behind the i-th hit's score."""
        return counter.explain(self.features, int(self.places[i]), _WEIGHTS)


@dataclass(frozen=True, slots=True)
class _Terms:
    """The t distinct terms of a query: their numbers in the index (-1 for none), and how often."""

    rows: NDArray[np.int64]
    tf: NDArray[np.int64]
    claim_tf: NDArray[np.int64]


class CounterFinder:
    """Finds counter-arguments in one index; safe to share between threads."""

    def __init__(self, backend: EmbeddedBackend, encoder: Callable[[], Encoder]) -> None:
        """Raises PartMissing, which says how to add it, or IndexDamaged."""
        self.backend, self.arrays, self.encoder = backend, backend.arrays, encoder
        self.part = backend.part("counter", VERSIONS["counter"])
        self.vectors = backend.part("vectors", VERSIONS["vectors"])
        _check_shapes(self.part, self.vectors, self.arrays)
        copies = backend.part("copies", VERSIONS["copies"]) if backend.has("copies") else None
        self.groups: NDArray[np.int32] | None = None if copies is None else copies["groups"]
        self.analyzer = StandardAnalyzer()
        self.workers = 1 if backend.documents <= FEW else min(2, len(os.sched_getaffinity(0)))

    @cached_property
    def blank(self) -> NDArray[np.int64]:
        """Documents whose premises have no word: they counter nothing."""
        return np.flatnonzero(self.part["norms"] == 0)

    def results(self, asked: str | Argument, k: int) -> CounterResults:
        """The k best counters of an argument, of that of an id, or of a text.

        Raises InvalidParameter for a k below 1, and for what is no id and has no word of the index.
        """
        if type(k) is not int or k < 1:
            raise InvalidParameter("k", k, "a whole number from 1")
        begun = time.perf_counter()
        query = self._read(asked) if isinstance(asked, str) else asked
        blank = not self.analyzer.tokens(query.premise)
        ranking = self.nothing() if blank else self.find(query, k)
        named = f"argument {query.id!r}" if query.id else "the argument"
        return CounterResults(
            query=query,
            hits=Hits(ranking, 0),
            looked_at=ranking.total,
            fingerprint=self.backend.info.fingerprint,
            milliseconds=(time.perf_counter() - begun) * 1000.0,
            notes=(f"{named} has no word in its premises to be countered",) if blank else (),
        )

    def _read(self, asked: str) -> Argument:
        """The argument of an id, or a text as one; what has no space may be a mistyped id."""
        found = self.backend.argument(asked)
        if found is not None:
            return found
        known = [self.backend.searcher.row(term) >= 0 for term in self.analyzer.tokens(asked)]
        if not any(known) or (len(asked.split()) == 1 and not all(known)):
            allowed = "the id of an argument of this index, or a text with words of it"
            raise InvalidParameter("ID-OR-TEXT", asked[:SHOWN], allowed)
        return Argument("", None, (Premise(asked),))

    def find(self, asked: Argument, k: int) -> CounterRanking:
        """The k best counters of an argument, whether it is in the index or not."""
        vector, claim = self._embedded(asked)
        terms = self._terms(asked)
        rarity = idf(self._df(terms.rows), self.backend.documents)
        query = counter.CounterQuery(vector, claim, terms.tf, terms.claim_tf, rarity)
        aim = counter.direction(vector, claim)
        rows, scales, hubness = self.vectors["rows"], self.vectors["scales"], self.part["hubness"]
        scores = counter.coarse_scores(aim, rows, scales, hubness, self.workers)
        without = np.concatenate([self.blank, self._copies(query, asked.premise)])
        chosen = self._distinct(counter.first_choice(scores, counter.DEPTH, without))
        values, found = counter.counter_scores(query, self._candidates(chosen, terms), _WEIGHTS)
        order = np.lexsort((self.arrays.ids_ranks[chosen], -values))
        best = order[found.cosine[order] >= counter.SUBJECT][:k]
        return CounterRanking(self.backend, chosen[best], values[best], best, found)

    def nothing(self) -> CounterRanking:
        """No counter at all."""
        none = np.zeros(0)
        return CounterRanking(
            self.backend,
            np.zeros(0, np.int64),
            none,
            np.zeros(0, np.int64),
            counter.Features(*[none] * len(counter.NAMES)),
        )

    def _embedded(self, asked: Argument) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        doc = self.backend.ids.find(asked.id) if asked.id else -1
        claim = self.encoder().encode([asked.conclusion])[0] if asked.conclusion else None
        if doc < 0:
            return self.encoder().encode([asked.premise])[0], claim
        return self.vectors["rows"][doc] * self.vectors["scales"][doc], claim

    def _terms(self, asked: Argument) -> _Terms:
        inside = Multiset(self.analyzer.tokens(asked.premise))
        claimed = Multiset(self.analyzer.tokens(asked.conclusion or ""))
        terms = list(dict.fromkeys([*inside, *claimed]))
        rows = [self.backend.searcher.row(term) for term in terms]
        return _Terms(
            np.array(rows, np.int64),
            np.array([inside[term] for term in terms], np.int64),
            np.array([claimed[term] for term in terms], np.int64),
        )

    def _df(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        df = np.zeros(len(rows), np.int64)
        df[rows >= 0] = self.part["df"][rows[rows >= 0]]
        return df

    def _copies(self, query: counter.CounterQuery, premise: str) -> NDArray[np.int64]:
        """The documents whose premises are the query's own, word for word, and near-copies."""
        weights = word_weight(query.tf, query.idf)
        own = float(np.sqrt(weights @ weights))
        near = np.flatnonzero(np.abs(self.part["norms"] - own) <= NEAR * own)
        rows, scales = self.vectors["rows"][near], self.vectors["scales"][near]
        likely = near[cosines(query.vector, rows, scales) > ALIKE]
        words = premise.split()
        same = [doc for doc in likely.tolist() if self.backend.store[doc].premise.split() == words]
        if self.groups is None or not same:
            return np.array(same, np.int64)
        return np.flatnonzero(np.isin(self.groups, np.unique(self.groups[same])))

    def _distinct(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Without candidates that are copies of an earlier one: of its group, where groups are
        known, else with its vector and words."""
        seen: dict[bytes | int, int] = {}
        norms = self.part["norms"]
        for doc in chosen.tolist():
            alike = self.vectors["rows"][doc].tobytes() + norms[doc].tobytes()
            seen.setdefault(alike if self.groups is None else int(self.groups[doc]), doc)
        return np.array(list(seen.values()), np.int64)

    def _candidates(self, docs: NDArray[np.int64], terms: _Terms) -> counter.CounterCandidates:
        part = self.part
        return counter.CounterCandidates(
            self.vectors["rows"][docs],
            self.vectors["scales"][docs],
            part["hubness"][docs],
            part["profile"][docs],
            self._frequencies(docs, terms.rows),
            part["norms"][docs],
            part["word_hubness"][docs],
            part["word_profile"][docs],
            part["counterness"][docs],
        )

    def _frequencies(self, docs: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Occurrences of terms in premises: the text's less the conclusion's."""
        arrays, known = self.arrays, np.flatnonzero(rows >= 0)
        check_terms(arrays, rows[known].tolist(), self.backend.tokens)
        found = np.zeros((len(docs), len(rows)), np.int32)
        shared = np.searchsorted(arrays.conclusion_docs, docs, side="right") - 1
        text = _runs(arrays.text_starts, rows[known], len(arrays.text_docs))
        claim = _runs(arrays.conclusion_starts, rows[known], len(arrays.conclusion_rows))
        ends = [end.tolist() for end in text]
        postings = arrays.text_docs.within(*ends), arrays.text_tfs.within(*ends)
        found[:, known] = frequencies_in(*postings, text, docs)
        found[:, known] -= frequencies_in(
            arrays.conclusion_rows, arrays.conclusion_tfs, claim, shared
        )
        return found


def _runs(
    starts: NDArray[np.int64], rows: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each term's postings begin and end, inside the arrays whatever the index holds."""
    return starts[rows].clip(0, size), starts[rows + 1].clip(0, size)


def _check_shapes(part: Part, vectors: Part, arrays: Arrays) -> None:
    """Raise IndexDamaged unless the parts' arrays have a row for every document and term."""
    n, terms = len(arrays.quality), len(arrays.text_starts) - 1
    wanted = {"df": (terms,), "profile": (n, len(counter.RANKS))}
    wanted["word_profile"] = wanted["profile"]
    for name in ("hubness", "norms", "word_hubness", "counterness"):
        wanted[name] = (n,)
    for name, shape in wanted.items():
        if part[name].shape != shape:
            said = f"part counter: {name} has shape {part[name].shape}, the index {shape}"
            raise IndexDamaged(f"{said}; make it anew with: argsearch index --with counter")
    if vectors["rows"].shape[:1] != (n,) or vectors["scales"].shape != (n,):
        raise IndexDamaged("part vectors: not one row a document; make it anew with --with vectors")


def finder(backend: Backend, encoder: Callable[[], Encoder]) -> CounterFinder:
    """What finds counter-arguments in an open index.

    Raises PartsElsewhere for one on a search server, PartMissing where the part is not there.
    """
    if not isinstance(backend, EmbeddedBackend):
        raise PartsElsewhere
    return CounterFinder(backend, encoder)
