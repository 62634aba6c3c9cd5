"""Exact top-k retrieval: kernels for Σ max(0, A[tf] + B[length]) times the factors of Eq. 1.

`score_all` reads every posting and is the plain expression; `score_listed` gives the same scores of
a few documents, and `search_blocks` the same scores and the same order from the few blocks of
documents whose upper bound reaches the k-th best score. docs/retrieval.md draws it.
"""
