"""Pairs of sentences: a conclusion and the premise that carries it (W22)."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.units.base import Asked, UnitHit, UnitResults
from argsearch.indexer.errors import InvalidParameter

ARGUMENTS = 1000
"""Arguments whose score counts for their pairs; those below them have none."""

if TYPE_CHECKING:
    from argsearch.engine.config import Config
    from argsearch.engine.units.pairs.opened import PairIndex
    from argsearch.engine.units.pairs.searching import Pair
    from argsearch.engine.units.pairs.searching import Pairs as Found


class Pairs:
    """The unit `pairs`."""

    name: ClassVar[str] = "pairs"
    doc: ClassVar[str] = "a conclusion and the premise that carries it, two sentences (W22)"

    def search(self, engine: Asked, question: str, k: int, config: Config) -> UnitResults:
        """The k best pairs; raises PartMissing where the index lacks the part `pairs`."""
        from argsearch.engine.units.pairs.opened import open_pairs
        from argsearch.engine.units.pairs.searching import search

        begun = time.perf_counter()
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InvalidParameter("k", k, "a whole number from 1")
        index = open_pairs(engine.backend)
        standing = partial(_standing, index, engine, question, config)
        found = search(index, engine.encoder, question, k, config.pairs, standing)
        hits = [_hit(found, pair) for pair in found.found]
        milliseconds = (time.perf_counter() - begun) * 1000.0
        notes = () if hits else ("no conclusion has enough tokens for this question",)
        fingerprint = engine.info.fingerprint
        return UnitResults(question, hits, found.total, fingerprint, milliseconds, notes)


def _standing(
    index: PairIndex, engine: Asked, question: str, config: Config, docs: NDArray[np.int32]
) -> NDArray[np.float64]:
    """A of arguments by number: the score over the best's; 0 below the first `ARGUMENTS`."""
    results = engine.search(question, k=ARGUMENTS, config=config)
    some, places = np.unique(docs, return_inverse=True)
    if not len(results.hits) or results.ranking.scores[0] <= 0:
        return np.zeros(len(docs))
    shares = np.maximum(0.0, results.ranking.scores / results.ranking.scores[0]).tolist()
    of = dict(zip(results.hits.ids, shares, strict=True))
    ids = index.backend.ids
    return np.array([of.get(ids[doc], 0.0) for doc in some.tolist()])[places]


def _hit(found: Found, pair: Pair) -> UnitHit:
    conclusion, premise = found.places(pair)
    ids = dict.fromkeys(found.index.backend.ids[one.doc] for one in (premise, conclusion))
    return UnitHit(
        found.index.id(conclusion, premise),
        pair.score,
        tuple(ids),
        partial(found.texts, pair),
        partial(found.explain, pair),
        found.stance(pair),
    )
