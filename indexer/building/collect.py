"""Data that a build collects while it reads: a forward index on disk, small arrays in memory.

Everything that depends on a document's text is computed in worker processes, one chunk of
consecutive documents at a time.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.building.inversion import count_terms, tally
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.arrays import Strings
from argsearch.indexer.format.store import from_line, pack
from argsearch.indexer.processes import in_order
from argsearch.indexer.signals import Batch, signals

if TYPE_CHECKING:
    from argsearch.indexer.quality import QualityModel

SIZE = 4096
"""Number of documents in a chunk; a multiple of the frame size of the store."""
HEADER = 128
"""Number of bytes reserved for the header of an array whose length is only known at the end."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The indexed data of n consecutive documents."""

    frames: list[bytes]
    terms: list[bytes]
    """Distinct terms, in order of first occurrence."""
    starts: NDArray[np.int64]
    """int64[n + 1], offsets of each document's distinct terms in `term_ids` and `tfs`."""
    term_ids: NDArray[np.int32]
    tfs: NDArray[np.int32]
    lengths: NDArray[np.int32]
    signals: dict[str, NDArray[Any] | list[str | None]]
    """Values of each signal for the documents, by column name."""
    ids: list[str]
    conclusions: list[str | None]


@cache
def _model(spec: str) -> QualityModel:
    """Return the quality model, which each process loads once."""
    from argsearch.indexer.quality import load_quality_model

    return load_quality_model(spec)


def signalled(
    arguments: Sequence[Argument], lengths: NDArray[np.int32], quality_model: str
) -> dict[str, NDArray[Any] | list[str | None]]:
    """Return some documents' values of each signal computed from texts, by column name."""
    read = Batch(arguments, lengths, _model(quality_model))
    said = {signal.column.name: signal.of(read) for signal in signals()}
    return {name: values for name, values in said.items() if values is not None}


def coded(values: Sequence[str | None], known: dict[str, int]) -> NDArray[np.int32]:
    """Return labels as codes from 1 (0: no label), int32[n], and add new labels to `known`."""
    return np.array([known.setdefault(v, len(known)) + 1 if v else 0 for v in values], np.int32)


def _digest(quality_model: str, joined: bytes) -> Chunk:
    """Tokenise, count terms, compute signals and compress one chunk of documents.

    The documents come as lines of the store; pickled arguments would take half as long again.
    """
    from argsearch.indexer.analysis.batch import tokenize

    lines = joined.split(b"\n")
    arguments = [from_line(line) for line in lines]
    batch = tokenize([argument.text for argument in arguments])
    starts, term_ids, tfs = count_terms(batch.ids, batch.offsets, len(batch.terms))
    lengths = np.diff(batch.offsets).astype(np.int32)
    return Chunk(
        frames=pack(lines),
        terms=batch.terms,
        starts=starts,
        term_ids=term_ids,
        tfs=tfs,
        lengths=lengths,
        signals=signalled(arguments, lengths, quality_model),
        ids=[argument.id for argument in arguments],
        conclusions=[argument.conclusion for argument in arguments],
    )


def digest_lines(runs: Iterable[bytes], quality_model: str, workers: int) -> Iterator[Chunk]:
    """Yield a chunk for each run of documents, given as joined lines of the store."""
    # A process may build twice, with a newly trained model of the same name in between.
    _model.cache_clear()
    return in_order(partial(_digest, quality_model), runs, workers)


def numbered(conclusions: Iterable[str | None], known: dict[str, int]) -> NDArray[np.int32]:
    """Return a number for each conclusion, int32[n_documents], and add new texts to `known`.

    None, empty and blank conclusions have the number -1.
    """
    of = [known.setdefault(c, len(known)) if c and c.strip() else -1 for c in conclusions]
    return np.array(of, np.int32)


@dataclass(frozen=True, slots=True)
class Collected:
    """Collected data of a whole corpus, with its documents in the order read."""

    ids: Strings
    """The ids are joined, because separate objects would take three times as much memory."""
    conclusions: list[str]
    """The distinct conclusions, in order of first occurrence."""
    conclusion_of: NDArray[np.int32]
    """int32[n] into `conclusions`; -1 for none."""
    signals: dict[str, NDArray[Any]]
    """Values of each signal for all documents, by column name; labels are given as codes."""
    labels: dict[str, list[str]]
    """Labels of each column in code order, starting with code 1."""
    lengths: NDArray[np.int32]
    terms: dict[bytes, int]
    df: NDArray[np.int64]
    ttf: NDArray[np.int64]
    starts: NDArray[np.int64]
    """int64[n + 1], offsets into the forward files."""
    most: int
    """The largest term frequency."""
    frames: Sequence[int]
    """Size in bytes of each frame of the store."""


def write_header(stream: BinaryIO, size: int) -> None:
    """Write a byte array's header into the HEADER reserved bytes, and close the file."""
    header = {"descr": "|u1", "fortran_order": False, "shape": (size,)}
    stream.seek(0)
    np.lib.format.write_array_header_1_0(stream, header)
    if stream.tell() != HEADER:
        raise AssertionError(f"the header must have {HEADER} bytes, not {stream.tell()}")
    stream.close()


class ForwardWriter:
    """Writes chunks, in order, to the store and the forward index in the building folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ids, self._id_ends = bytearray(), array("q", [0])
        self._distinct: dict[str, int] = {}
        self._terms: dict[bytes, int] = {}
        self._parts: dict[str, list[NDArray[Any]]] = defaultdict(list)
        self._signals: dict[str, list[NDArray[Any]]] = defaultdict(list)
        self._labels: dict[str, dict[str, int]] = defaultdict(dict)
        self._df, self._ttf = np.zeros((2, 1 << 16), np.int64)
        # The int objects of a list would fill the holes of freed ids and keep their pages in use.
        self._frames = array("q")
        self._most = 0
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> ForwardWriter:
        for name in ("store.bytes.npy", "forward.terms", "forward.tfs"):
            self._files[name] = (self.folder / name).open("wb")
        self._files["store.bytes.npy"].write(bytes(HEADER))
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._files.values():
            stream.close()

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk of documents."""
        for id in chunk.ids:
            self._ids += id.encode()
            self._id_ends.append(len(self._ids))
        for frame in chunk.frames:
            self._files["store.bytes.npy"].write(frame)
            self._frames.append(len(frame))
        for name, part in (
            ("conclusion_of", numbered(chunk.conclusions, self._distinct)),
            ("lengths", chunk.lengths),
            ("pairs", np.diff(chunk.starts)),
        ):
            self._parts[name].append(part)
        for name, values in chunk.signals.items():
            if isinstance(values, list):
                values = coded(values, self._labels[name])
            self._signals[name].append(values)
        self._add_terms(chunk)

    def _add_terms(self, chunk: Chunk) -> None:
        numbers = self._terms
        rows = np.array([numbers.setdefault(t, len(numbers)) for t in chunk.terms], np.int32)
        while len(self._terms) > len(self._df):
            self._df = np.concatenate([self._df, np.zeros_like(self._df)])
            self._ttf = np.concatenate([self._ttf, np.zeros_like(self._ttf)])
        known = np.empty(len(chunk.term_ids), np.int32)
        most = tally(chunk.term_ids, chunk.tfs, rows, self._df, self._ttf, known)
        self._most = max(self._most, most)
        self._files["forward.terms"].write(known.data)
        self._files["forward.tfs"].write(chunk.tfs.data)

    def finish(self) -> Collected:
        """Close the files, write the header of the store's array, and return the collected data."""
        write_header(self._files["store.bytes.npy"], sum(self._frames))
        self.__exit__()
        joined = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        pairs = joined.pop("pairs")
        size = len(self._terms)
        return Collected(
            ids=Strings(np.frombuffer(self._id_ends, np.int64), np.frombuffer(self._ids, np.uint8)),
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
