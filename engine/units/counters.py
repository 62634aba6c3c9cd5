"""Counter-arguments to an argument in the index, or to a text (docs/counter.md)."""

from __future__ import annotations

from collections import Counter as Multiset
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.findings import LocalFindings
from argsearch.engine.backends.embedded.soundness import check_terms
from argsearch.engine.cached import cached_property
from argsearch.engine.config import Config
from argsearch.engine.parameters import QUERY, Parameter
from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import Ints
from argsearch.engine.stance.model import Side
from argsearch.engine.stance.opposition import LIKELY, Opposition
from argsearch.engine.stance.sides import claiming
from argsearch.engine.units.base import OpenIndex, SearchRequest, Unit, eligible, local, paged
from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.parts import Part
from argsearch.indexer.platform import cores
from argsearch.ranking import counters as counter
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.vectors import cosines
from argsearch.ranking.word_vectors import frequencies_in, idf, word_weight

ONE_THREAD_DOCUMENTS = 100_000
"""Largest number of documents to compare on a single thread."""
# Two texts are equal up to this relative distance of word norms and from this cosine on.
EQUAL_NORM_DISTANCE = 1e-5
EQUAL_TEXT_COSINE = 0.9
MESSAGE_CHARACTERS = 200
"""Number of characters of an invalid text to quote in an error message."""
QUESTION_CHARACTERS = 2_000
"""Number of characters that serve as the question for a text without a conclusion."""
SIDE_CANDIDATES = 30
"""Number of candidates that are given a side and shown, if stances determine sides."""
DOCUMENT_ARRAYS = ("hubness", "profile", "norms", "word_hubness", "word_profile", "counterness")
"""Arrays of the part that have a value for every document."""
_WEIGHTS = counter.CounterWeights()
Looked = tuple[NDArray[np.int64], counter.Features]
"""Documents with their features."""


@dataclass(frozen=True)
class FoundCounters(LocalFindings):
    """The counter-arguments to one argument or text, with the data behind their scores."""

    countered: Argument
    """The attacked argument. A text becomes an argument that has only one premise."""
    numbers: NDArray[np.int64]
    """The document of each row."""
    places: NDArray[np.int64]
    """The index of each row in `features`."""
    features: counter.Features
    weights: counter.CounterWeights
    opposition: Opposition
    read: tuple[Side, ...] | None
    """The side of each row, or None if stances and the author's text do not determine it."""

    @property
    def total(self) -> int:
        """Number of candidates that were compared in full."""
        return len(self.features.cosine)

    @property
    def about(self) -> Argument:
        """The attacked argument."""
        return self.countered

    def docs(self, rows: Ints) -> NDArray[np.int64]:
        """Return the document of each row."""
        return self.numbers[rows]

    def vectors(self, rows: Ints) -> NDArray[np.float32]:
        """Return the stored unit vectors of premises, float32[m, d]."""
        part, docs = self.backend.part("vectors"), self.numbers[rows]
        return np.asarray(part["rows"][docs] * part["scales"][docs, None], np.float32)

    def explanation(self, row: int) -> Explanation:
        """Return the features, whose sum is the score."""
        return counter.explain(self.features, int(self.places[row]), self.weights)

    def sides(self, rows: Ints) -> list[Side]:
        """Return each row's side relative to the author: against, supports or unclear."""
        if self.read is None:
            why = "most of these arguments have no conclusion with a stance towards it"
            why = why if self.opposition.claim else "the text is not a single claim"
            tree = Explanation(0.0, f"no side was determined: {why}")
            return [Side("unclear", 0.0, lambda: tree)] * len(rows)
        return [self.read[row] for row in rows.tolist()]


class Counters(Unit):
    """The unit `counters`; safe to share between threads."""

    name: ClassVar[str] = "counters"
    singular: ClassVar[str] = "counter-argument"
    doc: ClassVar[str] = "arguments against a text or an argument in the index (docs/counter.md)"
    part: ClassVar[str] = "counter"
    takes: ClassVar[tuple[str, ...]] = ("where", "stance", "sort", "offset")
    # Its part has the norms of texts as written, and an id is no word to be respelt.
    unifies_spellings: ClassVar[bool] = False
    asked: ClassVar[Parameter] = QUERY.but(
        name="ID-OR-TEXT", form="the id of an argument of this index, or text that uses its words"
    )

    def __init__(self, engine: OpenIndex) -> None:
        """Open the unit, or raise IndexDamaged, or PartMissing with advice on adding the part."""
        super().__init__(engine)
        self.opened = engine.backend.part(self.part)
        self.backend = backend = local(engine)
        self.arrays = backend.arrays
        self.vectors = backend.part("vectors")
        _check_shapes(self.opened, self.vectors, self.arrays)
        self.groups: NDArray[np.int32] | None = None
        if backend.has("near_duplicates"):
            self.groups = backend.part("near_duplicates")["groups"]
        self.analyzer = StandardAnalyzer()
        self.workers = 1 if backend.documents <= ONE_THREAD_DOCUMENTS else min(2, cores())

    @cached_property
    def blank(self) -> NDArray[np.int64]:
        """Documents that counter nothing because their premises have no words."""
        return np.flatnonzero(self.opened["norms"] == 0)

    @cached_property
    def claiming(self) -> bool:
        """True if stances refer to claims, so that they indicate sides."""
        return claiming(self.backend)

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best counter-arguments to an argument, an argument's id, or a text.

        Raises InvalidParameter if a text is not an id and contains no word of the index.
        """
        asked = self._read(request.text) if isinstance(request.text, str) else request.text
        said = f"argument {asked.id!r}" if asked.id else "the argument"
        notes: tuple[str, ...] = ()
        found = np.zeros(0, np.int64), counter.Features(*[np.zeros(0)] * len(counter.NAMES))
        whole = found
        if self.analyzer.tokens(asked.premise):
            passing = eligible(self.backend, request)
            refused = np.arange(0) if passing is None else np.flatnonzero(~passing)
            found = whole = self._candidates(asked, refused)
            # A filter must not change whether the candidates' stances tell sides.
            if len(refused) and self.claiming and Opposition(asked).claim:
                whole = self._candidates(asked, np.arange(0))
        else:
            notes = (f"the premises of {said} have no words to counter",)
        source, scores = self._ranked(asked, request.config, found, whole)
        if not len(scores) and len(found[0]):
            notes = (f"none of the arguments near {said} is known to argue against it",)
        question = asked.conclusion or asked.premise[:QUESTION_CHARACTERS]
        return paged(self.candidates(question, source, scores, notes), request)

    def _read(self, asked: str) -> Argument:
        """Return the argument with this id, or a text as an argument. Raises InvalidParameter."""
        found = self.backend.argument(asked)
        if found is not None:
            return found
        known = [self.backend.searcher.row(term) >= 0 for term in self.analyzer.tokens(asked)]
        if not any(known) or (len(asked.split()) == 1 and not all(known)):
            raise InvalidParameter(self.asked.name, asked[:MESSAGE_CHARACTERS], self.asked.form)
        return Argument("", None, (Premise(asked),))

    def _candidates(self, asked: Argument, refused: NDArray[np.int64]) -> Looked:
        """Return the documents to compare in full, except rejected ones, with their features."""
        query, terms = self._query(asked)
        part, rows, scales = self.opened, self.vectors["rows"], self.vectors["scales"]
        aim = counter.direction(query.vector, query.claim)
        coarse = counter.coarse_scores(aim, rows, scales, part["hubness"], self.workers)
        # A copy of the text is nearer to it than anything else but counters nothing.
        without = np.concatenate([self.blank, self._near_duplicates(query, asked.premise), refused])
        chosen = self._distinct(counter.first_choice(coarse, counter.CANDIDATES_IN_FULL, without))
        candidates = counter.CounterCandidates(
            vectors=rows[chosen],
            scales=scales[chosen],
            tf=self._frequencies(chosen, terms),
            quality=self.arrays.quality[chosen],
            **{name: part[name][chosen] for name in DOCUMENT_ARRAYS},
        )
        return chosen, counter.features(query, candidates)

    def _ranked(
        self, asked: Argument, config: Config, found: Looked, whole: Looked
    ) -> tuple[FoundCounters, counter.Array]:
        """Return the counter-arguments among candidates, best first. whole: unfiltered candidates.

        Sides are decisive if the author makes a single claim and most candidates have a stance.
        Then only the first SIDE_CANDIDATES can be shown, and only if they argue against the author.
        If the claim is a one-sentence text, all are shown but its clear supporters.
        """
        (chosen, features), own = found, config.counters
        claimed = self.claiming and bool(Opposition(asked).claim)
        telling = claimed and bool(2 * self._concluded(whole[0]).sum() > len(whole[0]))
        weights = replace(_WEIGHTS, quality=own.quality, side=own.side) if telling else _WEIGHTS
        best, sides = self._near(found, weights), None
        opposition = Opposition(asked, self.claiming)
        if telling:
            best = best[:SIDE_CANDIDATES]
            arguments = [self.backend.store[doc] for doc in chosen[best].tolist()]
            least = own.least if asked.conclusion else min(own.least, -LIKELY)
            read = dict(zip(best.tolist(), opposition.read(arguments), strict=True))
            features.side[best] = [towards for _, towards in read.values()]
            best = best[features.side[best] >= least]
            best = self._ordered(best, chosen, counter.combine(features, weights))
            sides = tuple(read[place][0] for place in best.tolist())
        source = FoundCounters(
            self.backend, asked, chosen[best], best, features, weights, opposition, sides
        )
        return source, counter.combine(features, weights)[best]

    def _near(self, looked: Looked, weights: counter.CounterWeights) -> NDArray[np.int64]:
        """Return the positions of candidates on the subject, best first, without reading sides."""
        chosen, features = looked
        best = self._ordered(np.arange(len(chosen)), chosen, counter.combine(features, weights))
        return best[features.cosine[best] >= counter.SUBJECT_COSINE]

    def _ordered(
        self, places: NDArray[np.int64], chosen: NDArray[np.int64], scores: counter.Array
    ) -> NDArray[np.int64]:
        """Return the positions of candidates by descending score, with ties by id."""
        return places[np.lexsort((self.arrays.ids_ranks[chosen[places]], -scores[places]))]

    def _concluded(self, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which documents have a conclusion and a stance towards it."""
        rows = np.searchsorted(self.arrays.conclusion_docs, docs, side="right") - 1
        known: NDArray[np.bool_] = self.arrays.conclusion_lengths[rows] > 0
        return known & (self.arrays.stances[docs] > 0)

    def _query(self, asked: Argument) -> tuple[counter.CounteredArgument, NDArray[np.int64]]:
        """Return the attacked argument, and for each of its terms the row in the index, or -1."""
        encoder, doc = self.engine.encoder, self.backend.ids.find(asked.id) if asked.id else -1
        claim = encoder.encode([asked.conclusion])[0] if asked.conclusion else None
        if doc < 0:
            vector = encoder.encode([asked.premise])[0]
        else:
            vector = self.vectors["rows"][doc] * self.vectors["scales"][doc]
        counts = [
            Multiset(self.analyzer.tokens(x)) for x in (asked.premise, asked.conclusion or "")
        ]
        terms = list(dict.fromkeys([*counts[0], *counts[1]]))
        rows = np.array([self.backend.searcher.row(term) for term in terms], np.int64)
        tf, claim_tf = (np.array([of[term] for term in terms], np.int64) for of in counts)
        df = np.zeros(len(rows), np.int64)
        df[rows >= 0] = self.opened["df"][rows[rows >= 0]]
        rarity = idf(df, self.backend.documents)
        return counter.CounteredArgument(vector, claim, tf, claim_tf, rarity), rows

    def _near_duplicates(self, query: counter.CounteredArgument, premise: str) -> NDArray[np.int64]:
        """Return the documents with exactly the query's premises and their near-duplicates."""
        weights = word_weight(query.tf, query.idf)
        own = float(np.sqrt(weights @ weights))
        near = np.flatnonzero(np.abs(self.opened["norms"] - own) <= EQUAL_NORM_DISTANCE * own)
        rows, scales = self.vectors["rows"][near], self.vectors["scales"][near]
        likely = near[cosines(query.vector, rows, scales) > EQUAL_TEXT_COSINE]
        words = premise.split()
        same = [doc for doc in likely.tolist() if self.backend.store[doc].premise.split() == words]
        if self.groups is None or not same:
            return np.array(same, np.int64)
        return np.flatnonzero(np.isin(self.groups, np.unique(self.groups[same])))

    def _distinct(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return candidates without near-duplicates: equal groups, or equal vectors and words."""
        seen: dict[bytes | int, int] = {}
        norms = self.opened["norms"]
        for doc in chosen.tolist():
            alike = self.vectors["rows"][doc].tobytes() + norms[doc].tobytes()
            seen.setdefault(alike if self.groups is None else int(self.groups[doc]), doc)
        return np.array(list(seen.values()), np.int64)

    def _frequencies(self, docs: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return how often terms occur in premises: counts in the text minus in the conclusion."""
        arrays, known = self.arrays, np.flatnonzero(rows >= 0)
        check_terms(arrays, rows[known].tolist(), self.backend.tokens)
        found = np.zeros((len(docs), len(rows)), np.int32)
        shared = np.searchsorted(arrays.conclusion_docs, docs, side="right") - 1
        text = _runs(arrays.text_starts, rows[known], len(arrays.text_docs))
        claim = _runs(arrays.conclusion_starts, rows[known], len(arrays.conclusion_rows))
        ends = [end.tolist() for end in text]
        postings = arrays.text_docs.within(*ends), arrays.text_tfs.within(*ends)
        found[:, known] = frequencies_in(*postings, text, docs)
        # An index has the postings of texts and of conclusions. Premises are the difference.
        found[:, known] -= frequencies_in(
            arrays.conclusion_rows, arrays.conclusion_tfs, claim, shared
        )
        return found


def _runs(
    starts: NDArray[np.int64], rows: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the postings of each term begin and end, clipped to the arrays."""
    return starts[rows].clip(0, size), starts[rows + 1].clip(0, size)


def _check_shapes(part: Part, vectors: Part, arrays: Arrays) -> None:
    """Raise IndexDamaged unless the parts' arrays have a row for each document and each term."""
    n, terms = len(arrays.quality), len(arrays.text_starts) - 1
    profile = (n, len(counter.RANKS))
    wanted: dict[str, tuple[int, ...]] = {"df": (terms,), **dict.fromkeys(DOCUMENT_ARRAYS, (n,))}
    wanted |= {"profile": profile, "word_profile": profile}
    for name, shape in wanted.items():
        if part[name].shape != shape:
            raise part.damaged(f"{name} must have the shape {shape}, not {part[name].shape}")
    if vectors["rows"].shape[:1] != (n,) or vectors["scales"].shape != (n,):
        raise vectors.damaged("it does not have one row for each document")
