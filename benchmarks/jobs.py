"""Run a job of the benchmark in its own process: `python -m benchmarks.jobs NAME JSON`.

So each job starts cold, has its own peak memory, and does not disturb other jobs. A job prints its
answer as one line of JSON.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

MIB = 1 << 20


def _resident() -> float:
    """Return the resident memory of this process now, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmRSS")


def import_engine() -> dict[str, float]:
    """Measure the seconds that `from argsearch import Engine` takes."""
    begun = time.perf_counter()
    from argsearch import Engine  # noqa: F401

    return {"seconds": time.perf_counter() - begun}


def open_index(index: str) -> dict[str, float]:
    """Measure opening an index, and resident memory before, after, and after the first answer."""
    from argsearch.engine.engine import Engine

    before = _resident()
    begun = time.perf_counter()
    engine = Engine.open(index)
    seconds, opened = time.perf_counter() - begun, _resident()
    begun = time.perf_counter()
    engine.search("should teachers get tenure", k=10, config="heimdall-2021")
    first = time.perf_counter() - begun
    return {
        "seconds": seconds,
        "process_mib": before,
        "opened_mib": opened,
        "first_answer_seconds": first,
        "answered_mib": _resident(),
    }


def build_index(
    corpus: str, out: str, overrides: Sequence[str], workers: int, config: str = "dirichlet"
) -> dict[str, Any]:
    """Build an index. Measure seconds of each stage, and peak memory here and in the workers.

    Only `default` has optional parts. No peer has them.
    """
    from argsearch.engine.config import load_config
    from argsearch.indexer.building.build import BuildRequest, build

    stages: dict[str, float] = {}
    begun = time.perf_counter()
    settings = load_config(config, overrides).index

    def progress(stage: str, _done: int, _of: int | None = None) -> None:
        """Note when each stage began."""
        stages.setdefault(stage, time.perf_counter() - begun)

    report = build(BuildRequest([corpus], Path(out), settings, workers=workers), progress)
    seconds = time.perf_counter() - begun
    usage = [resource.getrusage(who) for who in _PROCESSES]
    sizes = {path.name: path.stat().st_size for path in Path(out).iterdir()}
    parts = sum(size for name, size in sizes.items() if name.startswith("part."))
    return {
        "seconds": seconds,
        "stages": stages,
        "cpu": processor_seconds(),
        "peak_mib": usage[0].ru_maxrss / 1024,
        "worker_mib": usage[1].ru_maxrss / 1024,
        "bytes": sum(sizes.values()) - parts,
        "parts_bytes": parts,
        "corpus_bytes": Path(corpus).stat().st_size,
        **report.counts,
    }


def add_part(index: str, part: str, workers: int) -> dict[str, Any]:
    """Add a part to an index, and measure the seconds."""
    from argsearch.indexer.parts.adding import add_parts

    begun = time.perf_counter()
    add_parts(Path(index), [part], workers=workers)
    return {"seconds": time.perf_counter() - begun}


CHANGED = 1000
"""Number of documents that are added and removed."""


def change_index(
    index: str, corpus: str, out: str, workers: int, parts: Sequence[str] = ()
) -> dict[str, dict[str, dict[str, float]]]:
    """Add CHANGED documents with new ids to a copy of an index, and remove them again.

    parts: parts to add to the copy first. Measures seconds and processor seconds of each part and
    change. Then it measures an update of the copy to the corpus. By then, only the documents'
    places in the index have changed.
    """
    import orjson

    from argsearch.indexer.building.changing import add, remove, update
    from argsearch.indexer.corpus import read
    from argsearch.indexer.parts.adding import add_parts

    folder = Path(out)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(index, folder)
    new = [one.to_json() | {"id": f"new-{one.id}"} for one in islice(read(corpus), CHANGED)]
    more = folder.with_name("more.jsonl")
    more.write_bytes(b"\n".join(map(orjson.dumps, new)))
    asked = {"settings": {"meaning_encoder": "wordllama"}, "workers": workers}
    work: dict[str, Callable[[], Any]] = {
        f"part {name}": partial(add_parts, folder, [name], **asked) for name in parts
    }
    work["added"] = lambda: add(folder, [more], workers=workers)
    work["removed"] = lambda: remove(folder, [one["id"] for one in new], workers=workers)
    work["compared"] = lambda: update(folder, [corpus], workers=workers)
    found = {}
    for what, do in work.items():
        begun, before = time.perf_counter(), processor_seconds()
        do()
        seconds = time.perf_counter() - begun
        found[what] = {"seconds": seconds, "cpu": processor_seconds() - before}
    shutil.rmtree(folder)
    return {"changes": found}


_PROCESSES = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def processor_seconds() -> float:
    """Return the processor seconds of this process and of the processes it has waited for."""
    return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, _PROCESSES))


def query_engine(
    index: str, queries: Sequence[str], tasks: Sequence[tuple[str, int]], rounds: int
) -> dict[str, Any]:
    """Measure milliseconds of each query in each round, per task (config, k), after a warm-up.

    The time is that of `Engine.search`, from text to ranking, with the query's sentence vector.
    """
    from argsearch.engine import Engine
    from benchmarks.measuring import time_each

    engine = Engine.open(index)
    times: dict[str, list[list[float]]] = {}
    for config, k in tasks:
        ask = partial(engine.search, k=k, config=config)
        times[f"{config},{k}"] = time_each(ask, queries, rounds)
    return {"times": times, "resident_mib": _resident()}


def answer_engine(index: str, queries: Sequence[str], config: str, k: int) -> dict[str, Any]:
    """Return each query's number of matching and of read postings, and its ids and scores.

    Raises AnswersDiffer if skipped blocks changed a score or the order.
    """
    from argsearch.engine import Engine
    from benchmarks.postings import exhaustive, postings_read

    engine = Engine.open(index)
    found, read = [], []
    for text in queries:
        results = engine.search(text, k=k, config=config)
        exhaustive(results)
        read.append(postings_read(results))
        found.append((results.hits.ids, np.asarray(results.hits.scores).tolist()))
    return {"answers": found, "postings": read}


def models(
    index: str, queries: Sequence[str], tasks: Sequence[tuple[str, int]], rounds: int
) -> dict[str, Any]:
    """Measure milliseconds of each query by each similarity, pruned and with every posting read.

    Raises AnswersDiffer unless both ways give the same bits.
    """
    from argsearch.engine import Engine
    from argsearch.engine.backends.embedded import searching
    from benchmarks.measuring import time_each
    from benchmarks.postings import exhaustive

    engine, times, pruned = Engine.open(index), {}, searching.PRUNED_HITS
    for config, k in tasks:
        ask = partial(engine.search, k=k, config=config)
        for text in queries:
            exhaustive(ask(text))
        for way, most in (("pruned", pruned), ("every posting", -1)):
            searching.PRUNED_HITS = most
            times[f"{config}, {way},{k}"] = time_each(ask, queries, rounds)
        searching.PRUNED_HITS = pruned
    return {"times": times}


def answer_in_process(
    index: str, queries: Sequence[str], config: str, k: int = 10, rounds: int = 10
) -> dict[str, Any]:
    """Measure median milliseconds of a search, and of a search with the whole answer as JSON."""
    import orjson

    from argsearch.api.serialise import Answer
    from argsearch.engine import Engine

    engine = Engine.open(index)
    search, whole = [], []
    for round_ in range(rounds + 2):
        for text in queries:
            begun = time.perf_counter()
            results = engine.search(text, k=k, config=config)
            searched = time.perf_counter()
            orjson.dumps(Answer(engine, results).to_dict())
            if round_ > 1:
                search.append((searched - begun) * 1e3)
                whole.append((time.perf_counter() - begun) * 1e3)
    return {"search": float(np.median(search)), "answer": float(np.median(whole))}


def factors(index: str, queries: Sequence[str], config: str) -> dict[str, Any]:
    """Return Eq. 1's numbers for other engines: 1 + ω_C·C of each cluster by query, and ω_Q."""
    from argsearch.engine import Engine

    engine = Engine.open(index)
    tables = []
    for text in queries:
        ranking = engine.search(text, k=1, config=config).hits.candidates.source
        tables.append(ranking.search.factors.table.tolist())  # type: ignore
    return {"tables": tables, "quality_weight": ranking.search.query.boost.quality}  # type: ignore


def lucene_documents(index: str, out: str) -> dict[str, int]:
    """Write an index's documents for Lucene, with cluster and quality, sorted by id.

    Lucene orders equal scores by the order of its documents, and this engine orders them by id.
    """
    import orjson

    from argsearch.engine.backends.embedded.backend import EmbeddedBackend

    backend = EmbeddedBackend(Path(index))
    arrays = backend.arrays
    texts: list[str] = [""] * backend.documents
    for doc in np.argsort(arrays.store_rows, kind="stable").tolist():
        texts[doc] = backend.store[doc].text
    with Path(out).open("wb", MIB) as stream:
        for doc in arrays.ids_order.tolist():
            row = {
                "id": backend.ids[doc],
                "text": texts[doc],
                "cluster": int(arrays.clusters[doc]),
                "quality": float(arrays.quality[doc]),
            }
            stream.write(orjson.dumps(row) + b"\n")
    return {"documents": backend.documents}


def other(
    engine: str, corpus: str, queries: Sequence[str], ks: Sequence[int], rounds: int, **options: Any
) -> dict[str, Any]:
    """Measure an engine of `benchmarks.others`: build seconds, bytes and query times."""
    from benchmarks import others
    from benchmarks.measuring import time_each

    with tempfile.TemporaryDirectory() as folder:
        built, asking = getattr(others, engine)(Path(corpus), Path(folder), **options)
        return {**built, "times": {k: time_each(asking(k), queries, rounds) for k in ks}}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    job.__name__: job
    for job in (
        import_engine,
        open_index,
        build_index,
        add_part,
        change_index,
        query_engine,
        models,
        answer_engine,
        answer_in_process,
        factors,
        lucene_documents,
        other,
    )
}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](**json.loads(sys.argv[2]))))
