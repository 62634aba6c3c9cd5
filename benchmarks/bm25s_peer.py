"""bm25s as a peer: BM25 on this project's own tokens, so only its speed can be compared."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from indexer.analysis import StandardAnalyzer
from indexer.analysis.batch import tokenize


def _tokens(corpus: Path) -> tuple[list[list[int]], dict[str, int]]:
    """Token numbers of each text, and the numbers of the words."""
    with corpus.open("rb") as stream:
        batch = tokenize([orjson.loads(line)["text"] for line in stream])
    ids = batch.ids.tolist()
    bounds = batch.offsets.tolist()
    documents = [ids[a:b] for a, b in pairwise(bounds)]
    return documents, {term.decode(): i for i, term in enumerate(batch.terms)}


def measure(corpus: Path, queries: Sequence[str], ks: Sequence[int], rounds: int) -> dict[str, Any]:
    """Build seconds (tokens given, and with tokenising), and milliseconds of each query per k."""
    import bm25s

    begun = time.perf_counter()
    documents, vocabulary = _tokens(corpus)
    tokenised = time.perf_counter()
    retriever = bm25s.BM25(method="lucene", backend="numba")
    retriever.index((documents, vocabulary), show_progress=False)
    built = time.perf_counter()
    analyzer = StandardAnalyzer()
    times: dict[str, list[list[float]]] = {}
    for k in ks:
        each: list[list[float]] = [[] for _ in queries]
        for round_ in range(rounds + 1):
            for i, text in enumerate(queries):
                start = time.perf_counter()
                tokens = [[token for token in analyzer.tokens(text) if token in vocabulary]]
                retriever.retrieve(
                    tokens, k=min(k, len(documents)), show_progress=False, n_threads=1
                )
                if round_:
                    each[i].append((time.perf_counter() - start) * 1e3)
        times[f"bm25s,{k}"] = each
    scores = retriever.scores
    return {
        "seconds": built - tokenised,
        "seconds_with_tokens": built - begun,
        "bytes": int(
            sum(np.asarray(scores[part]).nbytes for part in ("data", "indices", "indptr"))
        ),
        "times": times,
    }
