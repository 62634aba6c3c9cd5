"""What a build gathers while it reads: a forward index on disk, and small arrays in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.build.chunks import Chunk
from argsearch.indexer.build.inversion import tally
from argsearch.indexer.clusters import numbered
from argsearch.indexer.signals import Labels

HEADER = 128
"""Bytes kept free for the header of an array whose length is known only at the end."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A whole corpus, documents in the order read."""

    ids: list[str]
    conclusions: list[str]
    """The distinct conclusions, in order of first occurrence."""
    conclusion_of: NDArray[np.int32]
    """int32[n] into `conclusions`; -1 for none."""
    signals: dict[str, NDArray[Any]]
    """What each signal says of every document, by its column's name; labels as codes."""
    labels: dict[str, list[str]]
    """The labels behind those codes: code 1 is the first."""
    lengths: NDArray[np.int32]
    terms: dict[bytes, int]
    df: NDArray[np.int64]
    ttf: NDArray[np.int64]
    starts: NDArray[np.int64]
    """int64[n + 1] into the forward files."""
    most: int
    """The largest term frequency."""
    frames: list[int]
    """Bytes of each frame of the store."""


@dataclass(slots=True)
class ForwardWriter:
    """Takes chunks in order; writes the store and the forward index into the building folder."""

    folder: Path
    _ids: list[str] = field(default_factory=list)
    _distinct: dict[str, int] = field(default_factory=dict)
    _terms: dict[bytes, int] = field(default_factory=dict)
    _parts: dict[str, list[NDArray[np.generic]]] = field(default_factory=dict)
    _signals: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    _labels: dict[str, dict[str, int]] = field(default_factory=dict)
    _df: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1 << 16, np.int64))
    _ttf: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1 << 16, np.int64))
    _frames: list[int] = field(default_factory=list)
    _most: int = 0
    _files: dict[str, BinaryIO] = field(default_factory=dict)

    def __enter__(self) -> ForwardWriter:
        for name in ("store.bytes.npy", "forward.terms", "forward.tfs"):
            self._files[name] = (self.folder / name).open("wb")
        self._files["store.bytes.npy"].write(bytes(HEADER))
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._files.values():
            stream.close()

    def add(self, chunk: Chunk) -> None:
        """Take the next run of documents."""
        self._ids += chunk.ids
        for frame in chunk.frames:
            self._files["store.bytes.npy"].write(frame)
            self._frames.append(len(frame))
        for name, part in (
            ("conclusion_of", numbered(chunk.conclusions, self._distinct)),
            ("lengths", chunk.lengths),
            ("pairs", np.diff(chunk.starts)),
        ):
            self._parts.setdefault(name, []).append(part)
        for name, values in chunk.signals.items():
            codes = self._codes(name, values) if isinstance(values, Labels) else values
            self._signals.setdefault(name, []).append(codes)
        self._add_terms(chunk)

    def _codes(self, name: str, labels: Labels) -> NDArray[np.int32]:
        known = self._labels.setdefault(name, {})
        rows = [known.setdefault(label, len(known)) + 1 for label in labels.table]
        return np.array([0, *rows], np.int32)[labels.codes]

    def _add_terms(self, chunk: Chunk) -> None:
        terms = self._terms
        rows = np.array([terms.setdefault(t, len(terms)) for t in chunk.terms], np.int32)
        while len(terms) > len(self._df):
            self._df = np.concatenate([self._df, np.zeros_like(self._df)])
            self._ttf = np.concatenate([self._ttf, np.zeros_like(self._ttf)])
        known = np.empty(len(chunk.term_ids), np.int32)
        most = tally(chunk.term_ids, chunk.tfs, rows, self._df, self._ttf, known)
        self._most = max(self._most, most)
        self._files["forward.terms"].write(known.data)
        self._files["forward.tfs"].write(chunk.tfs.data)

    def finish(self) -> Collected:
        """Close the files; the store's array gets its header."""
        header = {"descr": "|u1", "fortran_order": False, "shape": (sum(self._frames),)}
        store = self._files["store.bytes.npy"]
        store.seek(0)
        np.lib.format.write_array_header_1_0(store, header)
        if store.tell() != HEADER:
            raise AssertionError(f"array header has {store.tell()} bytes, {HEADER} were kept")
        self.__exit__()
        joined = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        pairs = joined.pop("pairs")
        size = len(self._terms)
        return Collected(
            ids=self._ids,
            conclusions=list(self._distinct),
            terms=self._terms,
            df=self._df[:size],
            ttf=self._ttf[:size],
            starts=np.concatenate([[0], np.cumsum(pairs)]).astype(np.int64),
            most=self._most,
            signals={name: np.concatenate(parts) for name, parts in self._signals.items()},
            labels={name: list(known) for name, known in self._labels.items()},
            frames=self._frames,
            **joined,
        )
