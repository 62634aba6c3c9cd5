"""An index that stands, as a build takes it over: lines, chunks and clusters of its documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.build.collect import SIZE, Chunk
from argsearch.indexer.build.inversion import count_documents, turn_back
from argsearch.indexer.format.arrays import Strings, file_name, new_array, open_arrays, open_columns
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import Frames, from_line
from argsearch.indexer.quality import described
from argsearch.indexer.signals import Signal, signals
from argsearch.indexer.signals.cluster import Recorded
from argsearch.version import __version__


def settings_of(manifest: Mapping[str, Any]) -> IndexSettings:
    """Section [index] that an index was built with."""
    known = {field.name for field in fields(IndexSettings)}
    said = {key: value for key, value in manifest["settings"].items() if key in known}
    return IndexSettings(**said | {"parts": tuple(said.get("parts", ()))})


class Standing:
    """An index directory, by the rows of its documents: their places in the order of its corpus."""

    def __init__(self, folder: Path) -> None:
        """Raises what `open_arrays` and `open_columns` raise."""
        self.folder = folder
        self.arrays, self.manifest = open_arrays(folder)
        self.columns = open_columns(folder, self.arrays, self.manifest)
        self.settings = settings_of(self.manifest)
        self.docs = np.argsort(self.arrays.store_rows, kind="stable")
        """int64[n], the document of each row."""
        ids = Strings(self.arrays.ids_offsets, self.arrays.ids_bytes).whole()
        self.ids = [ids[doc].decode() for doc in self.docs.tolist()]
        self.frames = Frames((self.arrays.store_frames, self.arrays.store_bytes))

    @cached_property
    def conclusions(self) -> list[str | None]:
        """The distinct conclusions; the documents without one share one of no words."""
        firsts = self.arrays.store_rows[self.arrays.conclusion_docs[:-1]]
        return [from_line(self.frames.line(row)).conclusion for row in firsts.tolist()]

    def recorded(self) -> Recorded:
        """Return its topical clusters, and which conclusions are in them."""
        labels = self.arrays.clusters[self.arrays.conclusion_docs[:-1]].tolist()
        clustered = zip(self.conclusions, labels, strict=True)
        k = len(self.arrays.centroids)
        known = {text: label for text, label in clustered if text and label < k}
        return Recorded(np.array(self.arrays.centroids), known, self.manifest["encoder"])

    def is_current(self) -> bool:
        """Whether what it holds of a document is what a build would make of it now."""
        model = described(self.settings.quality_model)
        return (
            self.manifest["software"] == __version__
            and self.manifest["quality_model"] == model
            and all(self._raw(signal) is not None for signal in _made())
        )

    def _raw(self, signal: Signal) -> NDArray[Any] | None:
        values = self.columns.get(signal.column.name)
        return None if values is None else signal.raw(values, self.settings)

    def lines(self, rows: NDArray[np.int64]) -> Iterator[bytes]:
        """The lines of these documents, SIZE of them joined at a time."""
        for begin in range(0, len(rows), SIZE):
            some = rows[begin : begin + SIZE].tolist()
            yield b"\n".join(self.frames.line(row) for row in some)

    def chunks(
        self,
        rows: NDArray[np.int64],
        folder: Path,
        number: Callable[[list[bytes]], NDArray[np.int32]],
    ) -> Iterator[Chunk]:
        """What a build needs of these documents, but for their frames, without reading a text.

        folder: where two files lie meanwhile; number: gives the rows of terms.
        """
        docs, arrays = self.docs[rows], self.arrays
        starts, terms, tfs = self._forward(docs, folder)
        known = number(Strings(arrays.terms_offsets, arrays.terms_bytes).whole())
        shared = np.repeat(np.arange(len(self.conclusions)), np.diff(arrays.conclusion_docs))
        for begin in range(0, len(rows), SIZE):
            some, ends = docs[begin : begin + SIZE], starts[begin : begin + SIZE + 1]
            run = slice(int(ends[0]), int(ends[-1]))
            yield Chunk(
                frames=[],
                terms=known,
                starts=ends - ends[0],
                term_ids=terms[run],
                tfs=tfs[run].astype(np.int32),
                lengths=arrays.text_lengths[some],
                signals={signal.column.name: self._signal(signal, some) for signal in _made()},
                ids=[self.ids[row] for row in rows[begin : begin + SIZE].tolist()],
                conclusions=[self.conclusions[one] for one in shared[some].tolist()],
            )

    def _signal(self, signal: Signal, docs: NDArray[np.int64]) -> NDArray[Any] | list[str | None]:
        values = self.columns[signal.column.name]
        raw = self._raw(signal)
        assert raw is not None
        if not values.column.own_labels:
            return raw[docs]
        labels = (None, *values.labels)
        return [labels[code] for code in raw[docs].tolist()]

    def _forward(self, docs: NDArray[np.int64], folder: Path) -> tuple[NDArray[Any], ...]:
        """The postings of these documents, by document: starts int64[n + 1], terms and tfs."""
        arrays, sizes = self.arrays, np.zeros(len(self.docs), np.int64)
        postings = arrays.text_starts, arrays.text_docs.whole, arrays.text_tfs.whole
        count_documents(postings[1], sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[docs])]).astype(np.int64)
        cursor = np.full(len(sizes), -1, np.int64)
        cursor[docs] = starts[:-1]
        places = [folder / file_name(f"forward_{name}") for name in ("terms", "tfs")]
        types = np.dtype(np.int32), postings[2].dtype
        out = [
            new_array(place, dtype, (int(starts[-1]),))
            for place, dtype in zip(places, types, strict=True)
        ]
        for place in places:
            place.unlink()  # the system keeps what is mapped
        turn_back(postings, cursor, (out[0], out[1]))
        return starts, out[0], out[1]


def _made() -> list[Signal]:
    """The signals whose values are made document by document."""
    return [signal for signal in signals() if type(signal).of is not Signal.of]
