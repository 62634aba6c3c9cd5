"""The document store: JSON lines in Zstandard frames, with random access to documents."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import orjson
import zstandard

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.manifest import IndexDamaged

FRAME = 8
"""Documents per frame. Larger frames take less space on disk, smaller frames unpack faster."""

REMEMBERED_DOCUMENTS = 1024
"""Number of parsed documents in the cache, because the same documents recur on page after page."""
CACHED_FRAMES = 64
"""Number of decompressed frames in the cache."""
# The caches keep at most 64 MiB of documents, and as much of frames.
LARGE_DOCUMENT = 1 << 16
"""Documents of at least this size, in bytes, are not cached."""
HUGE_FRAME = 1 << 20
"""Unpacked frames of at least this size, in bytes, are not cached."""


def to_line(argument: Argument) -> bytes:
    """Return an argument's JSON line for the store."""
    return orjson.dumps(argument.to_json())


def from_line(line: bytes) -> Argument:
    """Parse an argument from a line of JSON; raise ValueError, KeyError or TypeError."""
    return from_json(orjson.loads(line))


def pack(lines: Sequence[bytes]) -> list[bytes]:
    """Compress documents' lines into frames of FRAME documents each."""
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    return [
        compressor.compress(b"\n".join(lines[i : i + FRAME])) for i in range(0, len(lines), FRAME)
    ]


def unpack(frames: Iterable[bytes]) -> list[bytes]:
    """Return the lines in frames from `pack`; raise zstandard.ZstdError for any other bytes."""
    decompressor = zstandard.ZstdDecompressor()
    return [line for frame in frames for line in decompressor.decompress(frame).split(b"\n")]


def from_json(document: dict[str, Any]) -> Argument:
    """Return the argument from the result of `Argument.to_json`."""
    premises = tuple(
        Premise(p["text"], Stance(p["stance"]) if p["stance"] else None)
        for p in document["premises"]
    )
    return Argument(document["id"], document["conclusion"], premises, document["context"])


class _Own(threading.local):
    """A decompressor per thread: it cannot be shared, and takes longer to create than to use."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


class _Large(Exception):
    """Carries a result past a cache, because the cache does not store raised errors."""

    def __init__(self, content: Any) -> None:
        super().__init__()
        self.content = content


class Frames:
    """The lines of the documents in a store, by row."""

    def __init__(self, arrays: Arrays, kept: int = CACHED_FRAMES, huge: int = HUGE_FRAME) -> None:
        """Read a store, and cache up to `kept` decompressed frames, each below `huge` bytes."""
        self._ends, self._data, self._huge = arrays.store_frames, arrays.store_bytes, huge
        self._own = _Own()
        self._unpacked = lru_cache(kept)(self._lines)

    def line(self, place: int) -> bytes:
        """Return the line of one document; raise IndexDamaged."""
        frame, line = divmod(place, FRAME)
        try:
            return self._unpacked(frame)[line]
        except _Large as large:
            found: bytes = large.content[line]
            return found

    def _lines(self, frame: int) -> list[bytes]:
        packed = self._data[int(self._ends[frame]) : int(self._ends[frame + 1])].tobytes()
        try:
            content = self._own.decompressor.decompress(packed)
        except (zstandard.ZstdError, MemoryError) as error:
            raise IndexDamaged(
                f"document store: frame {frame} is damaged ({error}); check the index with: "
                "argsearch verify --index INDEX"
            ) from error
        lines = content.split(b"\n")
        if len(content) >= self._huge:
            raise _Large(lines)
        return lines


class DocumentStore:
    """Random access to the documents of an index."""

    def __init__(self, arrays: Arrays) -> None:
        self._rows, self._frames = arrays.store_rows, Frames(arrays)
        self._remembered = lru_cache(REMEMBERED_DOCUMENTS)(self._argument)

    def __getitem__(self, doc: int) -> Argument:
        """Return a document by its number, as a shared object; raise IndexDamaged."""
        try:
            return self._remembered(doc)
        except _Large as large:
            document: Argument = large.content
            return document
        except (IndexError, ValueError, KeyError, TypeError) as error:
            raise IndexDamaged(
                f"document store: document {doc} is not where the index says ({error}); check the "
                "index with: argsearch verify --index INDEX"
            ) from error

    def _argument(self, doc: int) -> Argument:
        line = self._frames.line(int(self._rows[doc]))
        document = from_line(line)
        if len(line) >= LARGE_DOCUMENT:
            raise _Large(document)
        return document
