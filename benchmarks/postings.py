"""What the pruned search left out: nothing of the answer, and most of the postings."""

from __future__ import annotations

import numpy as np

from benchmarks.exactness import AnswersDiffer
from engine import Engine
from engine.backends.embedded import EmbeddedBackend, EmbeddedRanking
from engine.results import Results
from ranking.retrieval import score_all, select


def exhaustive(engine: Engine, results: Results) -> None:
    """Raise AnswersDiffer unless reading every posting gives the same documents and scores.

    Not nearly the same: the same bits, in the same order.
    """
    backend, ranking = engine.backend, results.ranking
    assert isinstance(backend, EmbeddedBackend)
    assert isinstance(ranking, EmbeddedRanking)
    factors = backend.factors(ranking.query)
    R, hit = score_all(backend.postings(ranking.query), ranking.matched.terms, backend.documents)
    scores, docs = select(R, hit, factors, min(ranking.query.k, backend.documents))
    best = np.lexsort((backend.arrays.ids_ranks[docs], -scores))
    same = np.array_equal(docs[best], ranking.docs) and np.array_equal(scores[best], ranking.scores)
    if not same:
        raise AnswersDiffer(f"{results.query!r}: skipping blocks changed the answer")


def postings_read(engine: Engine, results: Results) -> tuple[int, int]:
    """Postings of the query's terms, and those of blocks that could hold one of the best."""
    backend, ranking = engine.backend, results.ranking
    assert isinstance(backend, EmbeddedBackend)
    assert isinstance(ranking, EmbeddedRanking)
    terms = ranking.matched.terms
    total = int((terms.ends - terms.begins).sum())
    if len(ranking.scores) < ranking.query.k:
        return total, total
    blocks = backend.blocks(ranking.matched, backend.factors(ranking.query))
    promising = blocks.bounds >= ranking.scores[-1]
    return total, int(np.diff(blocks.starts, axis=1)[:, promising].sum())
