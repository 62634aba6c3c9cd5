"""The index directory: one memory-mapped file per array; all are opened and checked together."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import DTypeLike, NDArray

from argsearch.indexer.corpus.argument import Stance
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.checked import Checked
from argsearch.indexer.format.columns import Column, Values
from argsearch.indexer.format.manifest import IndexDamaged

STANCE_CODES: dict[Stance | None, int] = {None: 0, Stance.PRO: 1, Stance.CON: 2}
"""Codes of stances in `Arrays.stances`; 0: no stance, or premises with different stances."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Every array of an index of n documents, V terms, P postings, H heavy terms, B blocks.

    Documents are numbered by (cluster, conclusion, id), so a block of consecutive documents is
    about one subject, and documents with the same conclusion are adjacent. A field's file name is
    its name with dots instead of underscores, plus `.npy`. Values are checked against the manifest:
    large arrays, of which queries read little, as `Checked` on use, and the others on opening.
    """

    ids_offsets: NDArray[np.int64]
    """int64[n + 1] into `ids_bytes`."""
    ids_bytes: NDArray[np.uint8]
    ids_order: NDArray[np.int32]
    """int32[n] documents in the order of their ids (by code point)."""
    ids_ranks: NDArray[np.int32]
    """int32[n] rank of each document in ID order."""
    terms_offsets: NDArray[np.int64]
    """int64[V + 1] into `terms_bytes`; terms are UTF-8, sorted."""
    terms_bytes: NDArray[np.uint8]
    text_starts: NDArray[np.int64]
    """int64[V + 1] start of each term's postings."""
    text_docs: Checked
    """int32[P] documents, ascending within a term."""
    text_tfs: Checked
    """uint8, uint16 or uint32[P] term frequencies."""
    text_totals: NDArray[np.int64]
    """int64[V] occurrences of each term (ttf)."""
    text_lengths: NDArray[np.int32]
    """int32[n] number of tokens in each document."""
    text_codes: NDArray[np.uint8]
    """uint8[n] number of tokens in each document, in Lucene's one-byte encoding."""
    conclusion_docs: NDArray[np.int32]
    """int32[c + 1] the first document of each of the c distinct conclusions.
    Documents without a conclusion share a conclusion without tokens."""
    conclusion_lengths: NDArray[np.int32]
    """int32[c] number of tokens in each distinct conclusion."""
    conclusion_starts: NDArray[np.int64]
    """int64[V + 1] start of each term's postings in conclusions."""
    conclusion_rows: NDArray[np.int32]
    """int32[postings] numbers of distinct conclusions (0 to c - 1), ascending within each term."""
    conclusion_tfs: NDArray[np.unsignedinteger]
    """uint8, uint16 or uint32[postings] term frequencies in conclusions.
    Subtract these from the text's frequencies to get the frequencies in a document's premises."""
    blocks_terms: NDArray[np.int32]
    """int32[H] the terms that have a row in the block directory, ascending."""
    blocks_starts: Checked
    """int32[H, B + 1] start of a block's postings, relative to the term's first."""
    blocks_bounds: Checked
    """float32[H, B] largest Dirichlet score (μ = 2000) in the block, rounded up."""
    spans_starts: NDArray[np.int32]
    """int32[B + 1] into `spans_clusters` and `spans_quality`: start of each block's clusters."""
    spans_clusters: NDArray[np.uint16]
    spans_quality: NDArray[np.float32]
    """Highest quality among the block's documents in that cluster."""
    clusters: NDArray[np.uint16]
    """uint16[n] cluster of each document's conclusion; for none, the number of clusters."""
    centroids: NDArray[np.float32]
    """float32[clusters, dimensions]."""
    quality: NDArray[np.float32]
    """float32[n] in [0, 1]."""
    stances: NDArray[np.uint8]
    """uint8[n]: 0 none or mixed, 1 PRO, 2 CON."""
    store_rows: NDArray[np.int32]
    """int32[n] each document's row in the store."""
    store_frames: NDArray[np.int64]
    """int64[frames + 1] into `store_bytes`."""
    store_bytes: Checked
    """uint8: Zstandard frames of documents, one JSON line each."""


def file_name(field: str) -> str:
    """Return the file name of an array."""
    return f"{field.replace('_', '.')}.npy"


FILES = tuple(file_name(field.name) for field in fields(Arrays))


def new_array(path: Path, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Make an array on disk to fill; a full disk raises an error now instead of a crash later."""
    empty = not np.prod(shape)  # an empty array cannot be mapped
    # macOS and Windows have no posix_fallocate.
    if empty or not hasattr(os, "posix_fallocate"):
        np.save(path, np.zeros(shape, dtype), allow_pickle=False)
        return np.zeros(shape, dtype) if empty else np.asarray(open_memmap(path, "r+"))
    mapped = open_memmap(path, "w+", np.dtype(dtype), shape)
    with path.open("r+b") as stream:
        os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return np.asarray(mapped)


LARGE = ("text_docs", "text_tfs", "blocks_starts", "blocks_bounds", "store_bytes")
"""Arrays whose blocks are checked when they are read."""


def open_arrays(folder: Path) -> tuple[Arrays, dict[str, Any]]:
    """Map every array of an index; return the arrays and the manifest.

    The sizes of all files are checked. Checksums are checked too, except for LARGE arrays and those
    of parts, which are checked when they are read.
    """
    manifest = manifests.read(folder)
    for name in FILES:
        if name not in manifest["files"]:
            raise IndexDamaged.at(folder, f"its manifest does not list {name}")
    files = manifest["files"]
    for name, expected in files.items():
        manifests.check_size(folder, name, expected)
    opened: dict[str, Any] = {}
    for field in fields(Arrays):
        name = file_name(field.name)
        checked = Checked(folder, name, files[name])
        opened[field.name] = checked if field.name in LARGE else checked.released()
    arrays = Arrays(**opened)
    # Kernels trust these sizes and do no bounds checks themselves.
    _check_counts(folder, arrays, manifest["counts"])
    return arrays, manifest


def _check_counts(folder: Path, arrays: Arrays, counts: Mapping[str, int]) -> None:
    """Raise IndexDamaged unless the manifest's counts match the arrays."""
    try:
        found = {
            "documents": len(arrays.quality),
            "terms": len(arrays.text_starts) - 1,
            "postings": len(arrays.text_docs),
            "tokens": int(arrays.text_lengths.sum(dtype=np.int64)),
            "clusters": len(arrays.centroids),
        }
    except TypeError as error:  # len() of an array without dimensions
        raise IndexDamaged.at(folder, error) from error
    for name, number in found.items():
        if counts[name] != number:
            said = f"counts.{name} must be {number}, as in the arrays, not {counts[name]}"
            raise IndexDamaged.at(folder, said)


def open_columns(folder: Path, arrays: Arrays, manifest: dict[str, Any]) -> dict[str, Values]:
    """Return the columns of a manifest, by name; raise IndexDamaged for an invalid one."""
    columns = {}
    try:
        for described in manifest["columns"]:
            column = Column.from_json(described)
            columns[column.name] = _open_column(folder, arrays, column, manifest["files"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = f"its manifest describes invalid columns ({error!s:.200})"
        raise IndexDamaged.at(folder, said) from error
    return columns


def _open_column(folder: Path, arrays: Arrays, column: Column, files: Mapping[str, Any]) -> Values:
    array = getattr(arrays, column.array, None) if column.array else None
    if array is None:
        array = _mapped(folder, column.place, files)
    if array.shape != arrays.quality.shape or array.dtype != column.dtype:
        found = f"{array.dtype}{array.shape}"
        raise ValueError(
            f"column {column.name!r} must be {column.dtype} for each document, not {found}"
        )
    if not column.own_labels:
        return Values(column, array, column.labels or ())
    ends = (f"{column.place}_labels_offsets", f"{column.place}_labels_bytes")
    strings = Strings(*(_mapped(folder, end, files) for end in ends))
    return Values(column, array, tuple(map(bytes.decode, strings.whole())))


def _mapped(folder: Path, field: str, files: Mapping[str, Any]) -> NDArray[Any]:
    name = file_name(field)
    return Checked(folder, name, files[name]).released()


@dataclass(frozen=True, slots=True)
class Strings:
    """UTF-8 strings as offsets and bytes, without Python objects."""

    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]

    @classmethod
    def of(cls, strings: Iterable[bytes]) -> Strings:
        """Join strings in the given order."""
        data, sizes = bytearray(), array("q", [0])
        for string in strings:
            data += string
            sizes.append(len(string))
        return cls(np.cumsum(sizes), np.frombuffer(data, np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> bytes:
        return self.data[self.offsets[i] : self.offsets[i + 1]].tobytes()

    def whole(self) -> list[bytes]:
        """Return all strings as a list in memory."""
        data = self.data.tobytes()
        return [data[begin:end] for begin, end in pairwise(self.offsets.tolist())]


class SortedStrings(Strings):
    """Sorted strings, found by bisection."""

    __slots__ = ()

    def find(self, value: bytes) -> int:
        """Return the row of `value`, or -1."""
        row = bisect_left(self, value)
        return row if row < len(self) and self[row] == value else -1


@dataclass(frozen=True, slots=True)
class Ids:
    """The documents' ids: look up the id of a document, or find the document with an id."""

    arrays: Arrays

    def __getitem__(self, doc: int) -> str:
        start, end = self.arrays.ids_offsets[doc], self.arrays.ids_offsets[doc + 1]
        return self.arrays.ids_bytes[start:end].tobytes().decode()

    def find(self, id: str) -> int:
        """Return the document with that id, or -1."""
        order = self.arrays.ids_order
        row = bisect_left(order, id, key=lambda doc: self[doc])
        return int(order[row]) if row < len(order) and self[order[row]] == id else -1
