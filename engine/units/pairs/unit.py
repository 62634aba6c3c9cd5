"""Pairs of sentences: a conclusion and the premise that carries it (W22)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.query.query import LARGEST_PAGE
from argsearch.engine.stages import Candidates
from argsearch.engine.units.base import OpenIndex, SearchRequest, Unit, eligible, local, paged
from argsearch.engine.units.pairs.opened import PairIndex
from argsearch.engine.units.pairs.searching import Wanted, search

ARGUMENTS = 1000
"""Arguments whose score counts for their pairs; those below them have none."""


class Pairs(Unit):
    """The unit `pairs`."""

    name: ClassVar[str] = "pairs"
    singular: ClassVar[str] = "pair"
    doc: ClassVar[str] = "a conclusion and the premise that carries it, two sentences (W22)"
    part: ClassVar[str] = "pairs"
    config: ClassVar[str] = "pairs-default"
    stances: ClassVar[bool] = True

    def __init__(self, engine: OpenIndex) -> None:
        """Raises PartMissing where the index lacks the part."""
        super().__init__(engine)
        self.index = PairIndex(engine.backend.part(self.part), local(engine))

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best pairs; raises InvalidParameter for a blank question."""
        question = request.question

        def standing(docs: NDArray[np.int32]) -> NDArray[np.float64]:
            """A of arguments by number: the score over the best's; 0 below the first ones."""
            return self._standing(request, docs)

        most = LARGEST_PAGE if request.order is not None else request.offset + request.k
        passing = eligible(self.index.backend, request)
        wanted = Wanted(most, standing, request.own, passing)
        found = search(self.index, self.engine.encoder, question, request.config.pairs, wanted)
        scores = np.array([pair.score for pair in found.found], np.float64)
        if not len(found.lists[0]):
            notes = ("no conclusion has enough tokens for this question",)
            return self.candidates(question, found, scores, notes)
        return paged(self.candidates(question, found, scores), request)

    def _standing(self, request: SearchRequest, docs: NDArray[np.int32]) -> NDArray[np.float64]:
        hits = self.engine.search(request.question, k=ARGUMENTS, config=request.config).hits
        some, places = np.unique(docs, return_inverse=True)
        if not len(hits) or hits.scores[0] <= 0:
            return np.zeros(len(docs))
        shares = np.maximum(0.0, hits.scores / hits.scores[0]).tolist()
        of = dict(zip(hits.ids, shares, strict=True))
        ids = self.index.backend.ids
        return np.array([of.get(ids[doc], 0.0) for doc in some.tolist()])[places]
