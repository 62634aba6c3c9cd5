"""The document store: JSON lines in Zstandard frames, any document read on its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson
import zstandard

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.manifest import IndexDamaged

FRAME = 8
"""Documents in one frame: more are smaller on disk, fewer are sooner unpacked for one of them."""

REMEMBERED_DOCUMENTS = 1024
"""Documents that are kept as they were read: the same ones come back page after page."""
UNPACKED = 64
"""Frames that are kept unpacked."""
LARGE, HUGE = 1 << 16, 1 << 20
"""Bytes of a document, or of a frame unpacked, from which on it is not kept: at most 64 MiB of each
are."""


def to_line(argument: Argument) -> bytes:
    """The line of JSON that the store holds of an argument."""
    return orjson.dumps(argument.to_json())


def from_line(line: bytes) -> Argument:
    """The argument of a line of JSON; raises ValueError, KeyError or TypeError for another."""
    return from_json(orjson.loads(line))


def pack(lines: Sequence[bytes]) -> list[bytes]:
    """The frames of a run of documents' lines, FRAME documents each."""
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    return [
        compressor.compress(b"\n".join(lines[i : i + FRAME])) for i in range(0, len(lines), FRAME)
    ]


def unpack(frame: bytes) -> list[bytes]:
    """The lines of one frame of `pack`; raises zstandard.ZstdError for another."""
    return zstandard.ZstdDecompressor().decompress(frame).split(b"\n")


def from_json(document: dict[str, Any]) -> Argument:
    """The argument that `Argument.to_json` wrote."""
    premises = tuple(
        Premise(p["text"], Stance(p["stance"]) if p["stance"] else None)
        for p in document["premises"]
    )
    return Argument(document["id"], document["conclusion"], premises, document["context"])


class _Own(threading.local):
    """A thread's own decompressor, which may not be shared and takes longer to make than to use."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


class _Large(Exception):
    """What is read and not kept: a cache does not remember what was raised."""

    def __init__(self, content: Any) -> None:
        super().__init__()
        self.content = content


class Frames:
    """The lines of a store's documents, by their places in it."""

    def __init__(self, arrays: Arrays, kept: int = UNPACKED, huge: int = HUGE) -> None:
        """kept: frames that stay unpacked, each of less than `huge` bytes."""
        self._ends, self._data, self._huge = arrays.store_frames, arrays.store_bytes, huge
        self._own = _Own()
        self._unpacked = lru_cache(kept)(self._lines)

    def line(self, place: int) -> bytes:
        """The line of one document; raises IndexDamaged."""
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
        """The document of that number, shared by all that ask for it; raises IndexDamaged."""
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
        if len(line) >= LARGE:
            raise _Large(document)
        return document
