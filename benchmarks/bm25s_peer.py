"""bm25s as a peer: BM25 on this project's own tokens, so only its speed can be compared."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from argsearch.indexer.analysis import StandardAnalyzer
from benchmarks.measuring import time_each
from benchmarks.others import tokens


class Peer:
    """An index of the corpus; `built` has the seconds (tokens given, and with them) and bytes."""

    def __init__(self, corpus: Path, backend: str) -> None:
        import bm25s

        begun = time.perf_counter()
        documents, words = tokens(corpus)
        self.vocabulary = {word: i for i, word in enumerate(words)}
        tokenised = time.perf_counter()
        self.retriever = bm25s.BM25(method="lucene", backend=backend)
        self.retriever.index((documents, self.vocabulary), show_progress=False)
        now = time.perf_counter()
        scores = self.retriever.scores
        self.documents = len(documents)
        self.built: dict[str, Any] = {
            "seconds": now - tokenised,
            "seconds_with_tokens": now - begun,
            "bytes": int(sum(np.asarray(scores[p]).nbytes for p in ("data", "indices", "indptr"))),
        }

    def times(self, queries: Sequence[str], k: int, rounds: int) -> list[list[float]]:
        """Milliseconds of each query in each round, after one round of warm-up."""
        analyzer, most = StandardAnalyzer(), min(k, self.documents)

        def ask(text: str) -> None:
            """From the query's text to its best documents."""
            known = [[token for token in analyzer.tokens(text) if token in self.vocabulary]]
            self.retriever.retrieve(known, k=most, show_progress=False, n_threads=1)

        return time_each(ask, queries, rounds)
