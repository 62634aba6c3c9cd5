"""Writes the files of an index directory from the data that a build collected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.building.collect import Collected
from argsearch.indexer.building.inversion import block_row, count_terms, invert, reordered
from argsearch.indexer.format.arrays import Strings, file_name, new_array
from argsearch.indexer.format.checked import release
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.manifest import entry
from argsearch.ranking.retrieval.blocks import BLOCK
from argsearch.ranking.retrieval.scoring import TABLE
from argsearch.ranking.similarities.dirichlet import (
    MU,
    collection_probability,
    length_norm,
    term_weight,
)
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths

GROUP_POSTINGS = 1 << 24
"""Number of postings that are inverted together; they take 128 MiB."""


class DirectoryWriter:
    """Writes the arrays of one index into its building folder."""

    def __init__(
        self,
        folder: Path,
        collected: Collected,
        centroids: NDArray[np.float32],
        columns: Mapping[str, Values],
    ) -> None:
        """Sort the documents; `columns` has values by column name, in the order read."""
        self.folder, self.collected = folder, collected
        self.centroids, self.columns = centroids, columns
        self._saved: list[str] = []
        ranks = np.empty(len(collected.ids), np.int32)
        by_id = np.argsort(np.array(collected.ids.whole(), object), kind="stable")
        ranks[by_id] = np.arange(len(ranks), dtype=np.int32)
        keys = ranks, collected.conclusion_of, columns["cluster"].array
        # Then a block of neighbours is about one subject and can be skipped as a whole (decision
        # 0001).
        self.order = np.lexsort(keys).astype(np.int32)
        """The documents' old numbers, in the new order: by (cluster, conclusion, id)."""
        self.ranks = ranks[self.order]
        """Rank of each document's id among the sorted ids, int32[n]."""

    def write(self) -> dict[str, dict[str, Any]]:
        """Write every array; return the manifest's entry for each file (size and checksums)."""
        self._write_documents()
        codes = encode_lengths(self.collected.lengths[self.order])
        self._save("text_codes", codes)
        starts, docs, tfs = self._write_postings()
        self._write_blocks(starts, docs, tfs, codes)
        for name in ("forward.terms", "forward.tfs"):
            (self.folder / name).unlink()
        # Threads are enough, because hashing a block releases the GIL.
        with ThreadPoolExecutor() as threads:
            entries = threads.map(entry, map(self.folder.joinpath, self._saved))
            return dict(zip(self._saved, entries, strict=True))

    def _save(self, field: str, array: NDArray[Any]) -> None:
        np.save(self._place(field), np.ascontiguousarray(array), allow_pickle=False)

    def _place(self, field: str) -> Path:
        """Return the path of an array, and record the array for the manifest."""
        self._saved.append(file_name(field))
        return self.folder / file_name(field)

    def _save_strings(self, field: str, strings: Iterable[bytes]) -> None:
        joined = Strings.of(strings)
        self._save(f"{field}_offsets", joined.offsets)
        self._save(f"{field}_bytes", joined.data)

    def _write_documents(self) -> None:
        order, columns = self.order, self.columns
        self._save_strings("ids", map(self.collected.ids.__getitem__, order.tolist()))
        self._save("ids_order", np.argsort(self.ranks).astype(np.int32))
        self._save("ids_ranks", self.ranks)
        self._save("centroids", self.centroids)
        for values in columns.values():
            self._save(values.column.place, values.array[order])
            if values.column.own_labels:
                labels = [label.encode() for label in values.labels]
                self._save_strings(f"{values.column.place}_labels", labels)
        self._save("store_rows", order)
        frames = np.concatenate([[0], np.cumsum(self.collected.frames)]).astype(np.int64)
        self._save("store_frames", frames)
        # This file was written while the corpus was read, so only record it here.
        self._place("store_bytes")
        self._write_spans(columns["cluster"].array[order], columns["quality"].array[order])

    def _write_spans(self, clusters: NDArray[np.uint16], quality: NDArray[np.float32]) -> None:
        blocks = np.arange(len(clusters)) // BLOCK
        changes = (np.diff(blocks) != 0) | (np.diff(clusters.astype(np.int64)) != 0)
        firsts = np.concatenate([[0], np.flatnonzero(changes) + 1])
        starts = np.searchsorted(blocks[firsts], np.arange(blocks[-1] + 2)).astype(np.int32)
        self._save("spans_starts", starts)
        self._save("spans_clusters", clusters[firsts])
        self._save("spans_quality", np.maximum.reduceat(quality, firsts))

    def _write_postings(self) -> tuple[NDArray[Any], ...]:
        collected = self.collected
        by_text = sorted(collected.terms)
        self._save_strings("terms", by_text)
        rows = np.fromiter((collected.terms[t] for t in by_text), np.int64, len(by_text))
        remap = np.empty(len(collected.df), np.int32)
        remap[rows] = np.arange(len(rows), dtype=np.int32)
        starts = np.concatenate([[0], np.cumsum(collected.df[rows])]).astype(np.int64)
        self._save("text_starts", starts)
        self._save("text_totals", collected.ttf[rows])
        for name, array in _conclusion_field(collected, self.order, remap).items():
            self._save(f"conclusion_{name}", array)
        size = (int(starts[-1]),)
        docs = new_array(self._place("text_docs"), np.int32, size)
        tfs = new_array(self._place("text_tfs"), np.min_scalar_type(collected.most), size)
        forward = (collected.starts, self._forward("forward.terms"), self._forward("forward.tfs"))
        ends = np.cumsum(np.diff(collected.starts)[self.order])
        cuts = np.searchsorted(ends, np.arange(GROUP_POSTINGS, ends[-1], GROUP_POSTINGS))
        first, cursor = 0, starts[:-1].copy()
        # Invert in groups, because the reordered part of the forward index must be in memory.
        for some in np.split(self.order, cuts):
            invert(first, reordered(some, forward), remap, cursor, (docs, tfs))
            first += len(some)
            release(docs)
            release(tfs)
        return starts, docs, tfs

    def _forward(self, name: str) -> NDArray[np.int32]:
        path = self.folder / name
        if not path.stat().st_size:
            return np.zeros(0, np.int32)
        # "r" would compile the kernels again for read-only arrays.
        return np.asarray(np.memmap(path, np.int32, "r+"))

    def _write_blocks(
        self, starts: NDArray[Any], docs: NDArray[Any], tfs: NDArray[Any], codes: NDArray[np.uint8]
    ) -> None:
        blocks = -(-len(codes) // BLOCK)
        heavy = np.flatnonzero(np.diff(starts) >= blocks).astype(np.int32)
        tokens = int(self.collected.lengths.sum(dtype=np.int64))
        ttf = np.load(self.folder / file_name("text_totals"), allow_pickle=False)
        B = length_norm(LENGTH_TABLE, MU)
        self._save("blocks_terms", heavy)
        rows = new_array(self._place("blocks_starts"), np.int32, (len(heavy), blocks + 1))
        bounds = new_array(self._place("blocks_bounds"), np.float32, (len(heavy), blocks))
        for h, term in enumerate(heavy):
            P = float(collection_probability(ttf[term], tokens))
            tables = (term_weight(np.arange(TABLE), P, MU), MU * P, B)
            run = slice(starts[term], starts[term + 1])
            block_row(docs[run], tfs[run], codes, tables, rows[h], bounds[h])
            for array in (docs, tfs, rows, bounds):
                release(array)


def _conclusion_field(
    collected: Collected, order: NDArray[np.int32], remap: NDArray[np.int32]
) -> dict[str, NDArray[Any]]:
    """Return the postings of the distinct conclusions, as in `Arrays.conclusion_…`.

    A document's text is its premises, a space and its conclusion, and a space ends a token. The
    premises' frequencies and lengths are therefore the text's minus the conclusion's.

    `order`, int32[n], has the documents' old numbers in their new order, with equal conclusions
    adjacent. `remap`, int32, has each term's row in `collected.terms`, by the term's number.
    """
    from argsearch.indexer.analysis.batch import tokenize

    of = collected.conclusion_of[order]
    firsts = np.concatenate([[0], np.flatnonzero(np.diff(of)) + 1])
    none = len(collected.conclusions)
    numbers = np.where(of[firsts] < 0, none, of[firsts]).astype(np.int32)
    batch = tokenize([*collected.conclusions, ""])
    begins, ids, tfs = count_terms(batch.ids, batch.offsets, len(batch.terms))
    known = np.array([remap[collected.terms[term]] for term in batch.terms], np.int32)
    df = np.bincount(known[ids], minlength=len(collected.terms))
    starts = np.concatenate([[0], np.cumsum(df)]).astype(np.int64)
    out = (
        np.empty(len(ids), np.int32),
        np.empty(len(ids), np.min_scalar_type(int(tfs.max(initial=0)))),
    )
    invert(0, reordered(numbers, (begins, ids, tfs)), known, starts[:-1].copy(), out)
    return {
        "docs": np.append(firsts, len(of)).astype(np.int32),
        "lengths": np.diff(batch.offsets)[numbers].astype(np.int32),
        "starts": starts,
        "rows": out[0],
        "tfs": out[1],
    }
