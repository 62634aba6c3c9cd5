"""PyTerrier as a peer: Terrier's DirichletLM on this project's own tokens, called as its users do.

Terrier lets a frequent term count against a long document, where Lucene and this project stop at
zero, and keeps 20 characters of a term: only its speed can be compared. Terrier itself is fetched
from Maven Central when it is first used.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from argsearch.indexer.analysis import StandardAnalyzer
from benchmarks.measuring import folder_bytes, time_each
from benchmarks.others import tokens

KEPT = 20
"""Characters of a term that Terrier keeps."""
HEAP = 4096
"""MiB of Java's memory."""


class Peer:
    """An index of the corpus in a folder; `built` has the seconds and bytes."""

    def __init__(self, corpus: Path, folder: Path) -> None:
        import pyterrier

        pyterrier.java.set_memory_limit(HEAP)
        pyterrier.java.init()
        documents, words = tokens(corpus)
        names = [word[:KEPT] for word in words]

        def rows() -> Iterator[dict[str, Any]]:
            """What PyTerrier takes: each document's terms and how often it has them."""
            for number, ids in enumerate(documents):
                yield {"docno": str(number), "toks": dict(Counter(names[i] for i in ids))}

        begun = time.perf_counter()
        indexer = pyterrier.IterDictIndexer(
            str(folder), pretokenised=True, meta={"docno": KEPT}, threads=1
        )
        self.index = indexer.index(rows())
        self.built: dict[str, Any] = {
            "seconds": time.perf_counter() - begun,
            "bytes": folder_bytes(folder),
        }

    def times(self, queries: Sequence[str], k: int, rounds: int) -> list[list[float]]:
        """Milliseconds of each query in each round, after one round of warm-up."""
        import pandas
        import pyterrier

        analyzer = StandardAnalyzer()
        retriever = pyterrier.terrier.Retriever(self.index, wmodel="DirichletLM", num_results=k)

        def ask(text: str) -> None:
            """From the query's text to a frame of its best documents."""
            terms = Counter(token[:KEPT] for token in analyzer.tokens(text))
            found = retriever(pandas.DataFrame([{"qid": "1", "query_toks": dict(terms)}]))
            if found.empty:
                raise RuntimeError(f"Terrier finds nothing for {text!r}")

        return time_each(ask, queries, rounds)
