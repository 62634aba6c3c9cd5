"""Engines whose scores cannot be compared with ours. Only their speed is measured.

Both engines get this project's tokens. bm25s has another formula. In Terrier, which PyTerrier
calls, a frequent term can count against a long document. Lucene and this project stop at zero.
Terrier is downloaded from Maven Central at its first use.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.batch import tokenize
from benchmarks import corpora
from benchmarks.measuring import Times, job, say
from benchmarks.plan import CUTOFFS, Plan

KEPT = 20
"""Number of characters of a term that Terrier keeps."""
HEAP = 4096
"""Java's memory in MiB."""
Ask = Callable[[int], Callable[[str], object]]
"""Function of a number of hits. It returns a function that finds as many hits for a text."""


def measure(plan: Plan) -> dict[str, Any]:
    """Measure each installed engine: `times` by task, and how its index was `built`."""
    times: dict[str, Any] = {}
    built: dict[str, Any] = {}
    for name, options in plan.others.items():
        if find_spec(name) is None:
            say(f"left out: {name} is not installed (the extra `bench`)")
            continue
        say(f"{name} (other scores, so only its speed)")
        answer = job(
            "other",
            engine=name,
            corpus=str(corpora.texts(plan.corpus)),
            queries=[question.text for question in corpora.touche()],
            ks=CUTOFFS,
            rounds=plan.server_rounds,
            **options,
        )
        found = answer.pop("times")
        times |= {f"{name},{k}": [asdict(Times.of(rounds))] for k, rounds in found.items()}
        built[name] = answer
    return {"times": times, "built": built}


def tokens(corpus: Path) -> tuple[list[list[int]], list[str]]:
    """Return this project's token numbers of each text, and the words by their numbers."""
    with corpus.open("rb") as stream:
        batch = tokenize([orjson.loads(line)["text"] for line in stream])
    ids, bounds = batch.ids.tolist(), batch.offsets.tolist()
    return [ids[a:b] for a, b in pairwise(bounds)], [term.decode() for term in batch.terms]


def bm25s(corpus: Path, _folder: Path, backend: str) -> tuple[dict[str, Any], Ask]:
    """Index a corpus. Return seconds (also with tokenising), bytes, and a search function."""
    import bm25s

    begun = time.perf_counter()
    documents, words = tokens(corpus)
    vocabulary = {word: i for i, word in enumerate(words)}
    tokenised = time.perf_counter()
    retriever = bm25s.BM25(method="lucene", backend=backend)
    retriever.index((documents, vocabulary), show_progress=False)
    now, arrays = time.perf_counter(), (retriever.scores[p] for p in ("data", "indices", "indptr"))
    built = {
        "seconds": now - tokenised,
        "seconds_with_tokens": now - begun,
        "bytes": int(sum(np.asarray(array).nbytes for array in arrays)),
    }
    analyzer = StandardAnalyzer()

    def asking(k: int) -> Callable[[str], object]:
        def ask(text: str) -> None:
            known = [[token for token in analyzer.tokens(text) if token in vocabulary]]
            most = min(k, len(documents))
            retriever.retrieve(known, k=most, show_progress=False, n_threads=1)

        return ask

    return built, asking


def pyterrier(corpus: Path, folder: Path) -> tuple[dict[str, Any], Ask]:
    """Index a corpus for Terrier's DirichletLM. Return seconds and bytes, and a search function."""
    import pandas
    import pyterrier

    pyterrier.java.set_memory_limit(HEAP)
    pyterrier.java.init()
    documents, words = tokens(corpus)
    names = [word[:KEPT] for word in words]

    def rows() -> Iterator[dict[str, Any]]:
        """Yield PyTerrier's input: the terms of each document with their counts."""
        for number, ids in enumerate(documents):
            yield {"docno": str(number), "toks": dict(Counter(names[i] for i in ids))}

    begun, meta = time.perf_counter(), {"docno": KEPT}
    index = pyterrier.IterDictIndexer(str(folder), pretokenised=True, meta=meta, threads=1).index(
        rows()
    )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    built, analyzer = {"seconds": time.perf_counter() - begun, "bytes": size}, StandardAnalyzer()

    def asking(k: int) -> Callable[[str], object]:
        retriever = pyterrier.terrier.Retriever(index, wmodel="DirichletLM", num_results=k)

        def ask(text: str) -> None:
            """Search for a query's text, which gives a frame of its best documents."""
            terms = Counter(token[:KEPT] for token in analyzer.tokens(text))
            found = retriever(pandas.DataFrame([{"qid": "1", "query_toks": dict(terms)}]))
            if found.empty:
                raise RuntimeError(f"Terrier finds nothing for {text!r}")

        return ask

    return built, asking
