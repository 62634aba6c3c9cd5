"""Exact top-k retrieval: kernels for Σ max(0, A[tf] + B[length]) times the factors of Eq. 1.

`score_all` reads every posting and is the plain expression; `score_listed` gives the same scores of
a few documents, and `search_blocks` the same scores and the same order from the few blocks of
documents whose upper bound reaches the k-th best score. docs/retrieval.md draws it.
"""

from argsearch.ranking.retrieval.bits import add_documents, members, no_documents, packed, size
from argsearch.ranking.retrieval.blocks import search_blocks
from argsearch.ranking.retrieval.bounds import BLOCK, BlockBounds, factor_bounds, light_rows
from argsearch.ranking.retrieval.factors import Factors
from argsearch.ranking.retrieval.postings import TABLE, Postings, Terms
from argsearch.ranking.retrieval.scoring import score_all, score_listed
from argsearch.ranking.retrieval.selection import select, select_listed

__all__ = [
    "BLOCK",
    "TABLE",
    "BlockBounds",
    "Factors",
    "Postings",
    "Terms",
    "add_documents",
    "factor_bounds",
    "light_rows",
    "members",
    "no_documents",
    "packed",
    "score_all",
    "score_listed",
    "search_blocks",
    "select",
    "select_listed",
    "size",
]
