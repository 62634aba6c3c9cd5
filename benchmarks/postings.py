"""Check that pruned search leaves out nothing of the answer, and count postings it reads."""

from __future__ import annotations

import numpy as np

from argsearch.engine.backends.embedded.hits import EmbeddedRanking
from argsearch.engine.results.results import Results
from argsearch.ranking.retrieval.scoring import score_all
from argsearch.ranking.retrieval.selection import select
from benchmarks.exactness import AnswersDiffer


def exhaustive(results: Results) -> None:
    """Raise AnswersDiffer unless reading every posting gives the same documents and scores.

    The scores must have the same bits, and the documents the same order.
    """
    ranking = results.hits.candidates.source
    assert isinstance(ranking, EmbeddedRanking)
    search, sought = ranking.search, ranking.search.sought
    assert sought is not None
    R, hit = score_all(sought.postings, sought.terms, search.documents)
    scores, docs = select(R, hit, search.factors, min(search.query.k, search.documents))
    best = np.lexsort((search.arrays.ids_ranks[docs], -scores))
    same = np.array_equal(docs[best], ranking.numbers)
    if not (same and np.array_equal(scores[best], ranking.scores)):
        raise AnswersDiffer(f"{results.query!r}: skipping blocks changed the answer")


def postings_read(results: Results) -> tuple[int, int]:
    """Return the number of the terms' postings, and of those in blocks that may hold top hits."""
    ranking = results.hits.candidates.source
    assert isinstance(ranking, EmbeddedRanking)
    sought = ranking.search.sought
    assert sought is not None
    total = int((sought.terms.ends - sought.terms.begins).sum())
    if len(ranking.scores) < ranking.search.query.k:
        return total, total
    blocks = ranking.search.blocks(sought)
    promising = blocks.ceilings.sum(axis=0) * blocks.boosts >= ranking.scores[-1]
    return total, int(np.diff(blocks.starts, axis=1)[:, promising].sum())
