"""What grouping near-duplicates costs a build, what it finds, and how much of all that there is.

    ARGSEARCH_DATA=… python -m studies.near_duplicates [corpus files …]

For each corpus (by default the forum posts and the args.me subset): seconds and memory more than a
build without groups, then the groups. For 5,000 documents of each, once neighbours and once at
random, every pair is compared by its runs of words themselves (no hashes, no candidates).
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.build.collect import SIZE
from argsearch.indexer.corpus import read_batches
from argsearch.ranking.near_duplicates.grouping import Rule, group
from argsearch.ranking.near_duplicates.shingles import WORDS, Sketch, sketch
from benchmarks.corpora import all_posts, data
from benchmarks.measuring import say

ARGSME = Path("argsme-subset/args-me-subset.json.xz")
SAMPLE = 5000
SEED = 2021
WORKERS = 2

Texts = list[tuple[str, str | None]]
"""Premise and conclusion of each document."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a corpus' groups took, beside reading and tokenising it."""

    workers: float
    """CPU seconds of all workers: sketches."""
    writing: float
    finish: float
    """CPU seconds at the end: groups."""
    finish_wall: float
    memory: int
    """Bytes that the end added to the peak, the mapped file's pages included."""
    file: int


def _warm() -> None:
    """Compile the kernels, once a machine."""
    group(sketch([b"a"], np.zeros(9, np.int32), [0, 9]))


def _sketch(texts: Texts) -> tuple[Sketch, float]:
    """What a worker does, and the CPU seconds more than tokenising, which a build does anyway."""
    batch = tokenize([f"{premise} {last}" if last else premise for premise, last in texts])
    begun = time.process_time()
    distinct = list({last or "" for _, last in texts})
    lengths = dict(zip(distinct, np.diff(tokenize(distinct).offsets).tolist(), strict=True))
    tails = np.array([lengths[last or ""] for _, last in texts])
    made = sketch(batch.terms, batch.ids, batch.offsets, tails)
    return made, time.process_time() - begun


def _sketches(runs: Iterator[Texts]) -> Iterator[tuple[Sketch, float]]:
    with ProcessPoolExecutor(WORKERS, get_context("spawn"), _warm) as pool:
        pending: list[Future[tuple[Sketch, float]]] = []
        for run in runs:
            pending.append(pool.submit(_sketch, run))
            if len(pending) > 2 * WORKERS:
                yield pending.pop(0).result()
        yield from (future.result() for future in pending)


def _corpus(source: Path) -> Iterator[Texts]:
    for run in read_batches([str(source)], SIZE, on_error="skip"):
        yield [(argument.premise, argument.conclusion) for argument in run]


def grouped(source: Path, folder: Path) -> tuple[Sketch, NDArray[np.int32], Cost]:
    """A corpus' sketch (mapped), each document's representative, and what they cost."""
    _warm()
    path = folder / "shingles"
    sizes, workers, writing = [], 0.0, 0.0
    with path.open("wb") as stream:
        for made, seconds in _sketches(_corpus(source)):
            workers += seconds
            begun = time.process_time()
            stream.write(made.shingles.data)
            sizes.append(made.sizes)
            writing += time.process_time() - begun
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = time.process_time(), time.perf_counter()
    whole = Sketch(np.memmap(path, np.uint64, "r"), np.concatenate(sizes))
    of = group(whole)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return whole, of, Cost(workers, writing, cpu, wall, more << 10, path.stat().st_size)


@cache
def _words(text: str) -> tuple[str, ...]:
    batch = tokenize([text])
    terms = [term.decode("utf-8", "replace") for term in batch.terms]
    return tuple(terms[i] for i in batch.ids)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {words[i : i + WORDS] for i in range(max(1, len(words) - WORDS + 1))}


def similar_pairs(sets: Sequence[set[tuple[str, ...]]], rule: Rule) -> list[tuple[int, int, int]]:
    """(i, j, |i ∩ j|) of every pair where i, the one with fewer runs, is a near-duplicate of j.

    i goes after j in `group`'s order: fewer runs, or as many and a later row.
    """
    number: dict[tuple[str, ...], int] = {}
    columns = [number.setdefault(run, len(number)) for one in sets for run in one]
    sizes = np.array([len(one) for one in sets])
    holds = csr_array((np.ones(len(columns), np.int32), columns, np.append(0, np.cumsum(sizes))))
    common = (holds @ holds.T).tocoo()
    i, j, both = common.row, common.col, common.data
    after = (sizes[i] < sizes[j]) | ((sizes[i] == sizes[j]) & (i > j))
    of = np.where(sizes[i] >= rule.quotable, sizes[i], sizes[i] + sizes[j] - both)
    near = after & (both / of >= rule.threshold)
    return list(zip(i[near].tolist(), j[near].tolist(), both[near].tolist(), strict=True))


def _stars(sets: Sequence[set[tuple[str, ...]]], pairs: list[tuple[int, int, int]]) -> list[int]:
    """The groups that `group` promises, from every similar pair."""
    near: dict[int, list[tuple[int, int]]] = {}
    for i, j, both in pairs:
        near.setdefault(i, []).append((both, j))
    first: dict[frozenset[tuple[str, ...]], int] = {}
    equal = [first.setdefault(frozenset(one), row) for row, one in enumerate(sets)]
    order = sorted(set(equal), key=lambda d: (-len(sets[d]), d))
    place = {d: at for at, d in enumerate(order)}
    of: dict[int, int] = {}
    for d in order:
        heads = [(both, -place[j]) for both, j in near.get(d, ()) if j in place and of[j] == j]
        of[d] = order[-max(heads)[1]] if heads else d
    return [of[d] for d in equal]


def sampled(premises: Sequence[str], rule: Rule) -> list[str]:
    """Cells of one sample: what every pair compared finds, and how much of it the groups show."""
    sets = [_runs(premise) for premise in premises]
    pairs = similar_pairs(sets, rule)
    batch = tokenize(list(premises))
    of = group(sketch(batch.terms, batch.ids, batch.offsets), rule)
    wrong = int((of != np.array(_stars(sets, pairs))).sum())
    i, j = np.array([pair[:2] for pair in pairs], int).reshape(-1, 2).T
    graph = csr_array((np.ones(len(i), np.int8), (i, j)), (len(sets), len(sets)))
    _, component = connected_components(graph, directed=False)
    alike, together = len(np.union1d(i, j)), int((of[i] == of[j]).sum())
    size = np.bincount(of, minlength=len(of))[of]
    found = int((size[np.union1d(i, j)] > 1).sum())
    return [
        f"{len(pairs):,}",
        f"{wrong}",
        f"{found:,} of {alike:,}",
        f"{together / max(len(pairs), 1):.1%}",
        f"{size.max()}",
        f"{np.bincount(component).max()}",
    ]


def _premises(source: Path) -> list[str]:
    return [premise for run in _corpus(source) for premise, _ in run]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("\n".join([_row(head), _row(["---"] * len(head)), *map(_row, rows)]), end="\n\n")


def _found(name: str, whole: Sketch, of: NDArray[np.int32]) -> list[str]:
    size = np.bincount(of)
    share = whole.sizes / whole.sizes[of]
    folded = of != np.arange(len(of))
    return [
        name,
        f"{len(of):,}",
        f"{len(whole.shingles):,}",
        f"{(size > 1).sum():,}",
        f"{folded.sum():,} ({folded.mean():.1%})",
        f"{(folded & (share < 0.5)).sum() / max(folded.sum(), 1):.0%}",
        f"{size.max()}",
    ]


def _cost(name: str, cost: Cost) -> list[str]:
    seconds = (cost.workers, cost.writing, cost.finish, cost.finish_wall)
    sizes = (cost.memory, cost.file)
    return [name, *(f"{s:.1f}" for s in seconds), *(f"{size / 1e6:,.0f}" for size in sizes)]


def _samples(premises: list[str]) -> Iterator[tuple[str, list[str]]]:
    begin = max(0, len(premises) // 2 - SAMPLE // 2)
    yield "neighbours", premises[begin : begin + SAMPLE]
    chosen = np.random.default_rng(SEED).permutation(len(premises))[:SAMPLE]
    yield "random", [premises[i] for i in np.sort(chosen)]


def main() -> None:
    """Measure each corpus, then print three tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sources", nargs="*", type=Path, help="corpora instead of the real two")
    sources = parser.parse_args().sources or [all_posts(), data() / ARGSME]
    costs, founds, samples = [], [], []
    for source in sources:
        say(f"{source.name}: grouping")
        with tempfile.TemporaryDirectory() as folder:
            whole, of, cost = grouped(source, Path(folder))
            costs.append(_cost(source.name, cost))
            founds.append(_found(source.name, whole, of))
        say(f"{source.name}: every pair of {SAMPLE:,}")
        for kind, premises in _samples(_premises(source)):
            samples.append([source.name, kind, *sampled(premises, Rule())])
    _table(
        ["corpus", "workers, CPU s", "writing, s", "end, CPU s", "end, s", "MB more", "file, MB"],
        costs,
    )
    _table(
        ["corpus", "documents", "shingles", "groups of 2+", "collapsed", "less than half of its "
         "representative", "largest"],
        founds,
    )  # fmt: skip
    _table(
        ["corpus", "sample", "near-duplicate pairs",
         "documents grouped otherwise than every pair says",
         "documents of a pair that are in a group", "pairs in one group", "largest", "largest if "
         "groups were chains"],
        samples,
    )  # fmt: skip


if __name__ == "__main__":
    main()
