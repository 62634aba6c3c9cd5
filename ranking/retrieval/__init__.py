"""Exact top-k retrieval: kernels for Σ max(0, A[tf] + B[length]) times the factors of Eq. 1.

The plain version is `score_all`, which reads every posting. For a few documents, `score_listed`
returns the same scores. To find the same top k faster, `search_blocks` only reads blocks whose
upper bound reaches the k-th best score; see docs/retrieval.md.
"""
