"""Times of the counter part on the forum posts: what building costs, what a query costs."""

from __future__ import annotations

import lzma
import resource
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import orjson
from scipy.sparse import csr_array

from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.encoders.wordllama import WordLlamaEncoder
from argsearch.ranking import counters as counter
from argsearch.ranking.neighbours import PROBES, make_cells
from argsearch.ranking.vectors import Quantised, quantise
from argsearch.ranking.word_vectors import frequencies_in
from benchmarks.corpora import POSTS, data
from studies.counter_lab import Part

WORKERS, CHUNK, ASKED = 2, 8192, 200


def _texts(posts: int) -> list[str]:
    with lzma.open(data() / POSTS) as stream:
        lines = islice(stream, posts or None)
        return [orjson.loads(line)["premises"][0]["text"] for line in lines]


def _encoded(texts: list[str]) -> Quantised:
    encoder = WordLlamaEncoder()
    parts = range(0, len(texts), CHUNK)
    made = [quantise(encoder.encode(texts[at : at + CHUNK])) for at in parts]
    return np.concatenate([rows for rows, _ in made]), np.concatenate([s for _, s in made])


def _counted(texts: list[str]) -> csr_array:
    batch = tokenize(texts)
    ones = np.ones(len(batch.ids), np.int32)
    counts = csr_array((ones, batch.ids, batch.offsets), (len(texts), len(batch.terms)))
    counts.sum_duplicates()
    return counts


def _timed(lines: list[str], what: str, call: Callable[[], Any]) -> Any:
    wall, cpu = time.perf_counter(), time.process_time()
    found = call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    lines.append(f"| {what} | {wall:.1f} s | {cpu:.1f} s | {peak:.1f} GB |")
    return found


def speed(posts: int) -> str:
    """Build and query times of the first `posts` posts (0: all), wall and processor seconds."""
    lines: list[str] = []
    texts = _texts(posts)
    lines += [f"{len(texts):,} posts, {WORKERS} threads", ""]
    lines += ["| building | wall | processor | peak memory |", "|---|---|---|---|"]
    vectors = _timed(lines, "embeddings (another part has them)", lambda: _encoded(texts))
    counts = _timed(lines, "words (indexing has them)", lambda: _counted(texts))
    cells = _timed(lines, "cells", lambda: make_cells(vectors, 0))
    part = _timed(
        lines,
        "neighbours, hubness, profiles",
        lambda: Part.build(vectors, counts, WORKERS, cells),
    )
    lines += ["", _missed(vectors, cells), "", *_queries(part, counts)]
    return "\n".join(lines)


def _missed(vectors: Quantised, cells: Any) -> str:
    """How many of the nearest are found in the cells, on as many rows as a check can afford."""
    k = max(counter.RANKS)
    rows, scales = vectors
    asked = np.random.default_rng(0).permutation(len(rows))[:512]
    label = np.empty(len(rows), np.int64)
    for cell in range(len(cells.begins) - 1):
        label[cells.rows(cell)] = cell
    shares, errors = [], []
    for row in asked:
        dots = rows @ rows[row].astype(np.int32)
        cosines = dots * scales
        cosines[row] = -np.inf
        best = np.argpartition(-cosines, k)[:k]
        reached = np.isin(label[best], cells.near[label[row], :PROBES])
        shares.append(reached.mean())
        inside = np.isin(label, cells.near[label[row], :PROBES])
        ten = counter.NEAREST
        exact = np.sort(cosines)[-ten:].mean() * scales[row]
        errors.append(exact - np.sort(cosines[inside])[-ten:].mean() * scales[row])
    return (
        f"{PROBES} cells hold {np.mean(shares):.3f} of the {k} nearest of {len(asked)} rows; "
        f"hubness comes out {np.mean(errors):.4f} too low in the mean, {np.max(errors):.4f} at most"
    )


def _queries(part: Part, counts: csr_array) -> list[str]:
    """Median and 95th percentile of one query's steps, for posts of the corpus."""
    postings = counts.tocsc()
    docs, tfs, runs = postings.indices, postings.data, postings.indptr
    taken: dict[str, list[float]] = {"all documents": [], "their words": [], "features": []}
    whole, processor = [], []
    asked = np.random.default_rng(1).permutation(len(part.vectors))[: ASKED + 5]
    for row in asked:
        begin, cpu = time.perf_counter(), time.process_time()
        terms = counts.indices[counts.indptr[row] : counts.indptr[row + 1]]
        tf = counts.data[counts.indptr[row] : counts.indptr[row + 1]]
        vector = part.vectors[row].astype(np.float32)
        query = counter.CounteredArgument(vector, vector, tf, tf, part.idf[terms])
        aim = counter.direction(query.vector, query.claim)
        scores = counter.coarse_scores(aim, part.vectors, part.scales, part.hubness, WORKERS)
        chosen = counter.first_choice(scores, counter.LOOKED_AT, [row])
        selected = time.perf_counter()
        inside = frequencies_in(docs, tfs, (runs[terms], runs[terms + 1]), chosen)
        looked = time.perf_counter()
        found = counter.features(query, part.candidates(chosen, inside))
        counter.combine(found, counter.CounterWeights())
        end = time.perf_counter()
        for name, t in zip(taken, (selected - begin, looked - selected, end - looked), strict=True):
            taken[name].append(t * 1000)
        whole.append((end - begin) * 1000)
        processor.append((time.process_time() - cpu) * 1000)
    rows = [*taken.items(), ("together", whole), ("together, processor time", processor)]
    head = ["| a query, ms | p50 | p95 |", "|---|---|---|"]
    cells = ((name, np.percentile(times[5:], (50, 95))) for name, times in rows)
    return head + [f"| {name} | {p[0]:.1f} | {p[1]:.1f} |" for name, p in cells]
