"""The document store: JSON lines in Zstandard frames, any document read on its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import orjson
import zstandard
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.format.arrays import Arrays
from argsearch.indexer.format.checked import Checked
from argsearch.indexer.format.manifest import IndexDamaged

FRAME = 8
"""Documents in one frame: more are smaller on disk, fewer are sooner unpacked for one of them."""

REMEMBERED_DOCUMENTS = 1024
"""Documents that are kept as they were read: the same ones come back page after page."""
UNPACKED = 64
"""Frames that are kept unpacked."""
IN_TURN = 4
"""Frames that are kept unpacked while documents are read in turn."""
LARGE, HUGE = 1 << 16, 1 << 20
"""Bytes of a frame, unpacked, from which on its documents, or it itself, are not kept: at most 64
MiB of each are."""
_HEADER = 18
"""Bytes of the longest header of a frame, which says how large its content is."""


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


def _content(decompressor: Any, packed: bytes, frame: int) -> bytes:
    try:
        unpacked: bytes = decompressor.decompress(packed)
        return unpacked
    except (zstandard.ZstdError, MemoryError) as error:
        raise IndexDamaged(
            f"document store: frame {frame} is damaged ({error}); check the index with: "
            "argsearch verify INDEX"
        ) from error


class _Own(threading.local):
    """A thread's own decompressor, which may not be shared."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


class _Large(Exception):
    """A document that is read and not kept."""

    def __init__(self, document: Argument) -> None:
        super().__init__()
        self.document = document


class DocumentStore:
    """Random access to the documents of an index."""

    def __init__(self, arrays: Arrays) -> None:
        self._rows: NDArray[np.int32] = arrays.store_rows
        self._frames = arrays.store_frames
        self._bytes: Checked = arrays.store_bytes
        self._unpacked = lru_cache(UNPACKED)(self._read)
        self._remembered = lru_cache(REMEMBERED_DOCUMENTS)(self._argument)
        self._own = _Own()

    def _read(self, frame: int) -> bytes:
        packed = self._bytes[self._frames[frame] : self._frames[frame + 1]].tobytes()
        return _content(self._own.decompressor, packed, frame)

    def __getitem__(self, doc: int) -> Argument:
        """The document of that number, shared by all that ask for it; raises IndexDamaged."""
        try:
            return self._remembered(doc)
        except _Large as large:
            return large.document
        except (IndexError, ValueError, KeyError, TypeError, zstandard.ZstdError) as error:
            raise IndexDamaged(
                f"document store: document {doc} is not where the index says ({error}); check the "
                "index with: argsearch verify INDEX"
            ) from error

    def _argument(self, doc: int) -> Argument:
        """The document; raises it as _Large where it is not to be kept."""
        frame, line = divmod(int(self._rows[doc]), FRAME)
        begin = self._frames[frame]
        header = self._bytes[begin : begin + _HEADER].tobytes()
        huge = not 0 <= zstandard.frame_content_size(header) < HUGE
        content = (self._read if huge else self._unpacked)(frame)
        document = from_line(content.split(b"\n", line + 1)[line])
        if len(content) >= LARGE:
            raise _Large(document)
        return document


class Frames:
    """The lines of a store's documents, by their places in it."""

    def __init__(self, ends: NDArray[np.int64], data: Checked) -> None:
        """ends: int64[frames + 1] into the bytes of the store."""
        self._ends, self._data = ends, data
        self._decompressor = zstandard.ZstdDecompressor()
        self._unpacked = lru_cache(IN_TURN)(self._lines)

    def line(self, place: int) -> bytes:
        """The line of one document; raises IndexDamaged."""
        frame, line = divmod(place, FRAME)
        return self._unpacked(frame)[line]

    def _lines(self, frame: int) -> list[bytes]:
        packed = self._data[int(self._ends[frame]) : int(self._ends[frame + 1])].tobytes()
        return _content(self._decompressor, packed, frame).split(b"\n")
