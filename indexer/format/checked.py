"""Files of an index that are verified against their manifest on first use.

A manifest has a CRC-32 for every CHECKSUM_BLOCK bytes of a file. CRC-32 detects every flipped bit
and every burst of up to 32 bits in a block, and misses other damage with a probability of 1 in 2³².
A file without CRC-32s (in an older index) is verified as a whole by its SHA-256.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import operator
from collections.abc import Iterable, Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zlib import crc32

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.manifest import CHECKSUM_BLOCK, IndexDamaged

SMALL_FILE = 1 << 20
"""Number of bytes at the start of a file that are verified when it is opened."""
_BITS = CHECKSUM_BLOCK.bit_length() - 1
_WHOLE_FILE_SHIFT = 63
"""Number of bits to shift so that any file is a single block."""


def release(array: NDArray[Any]) -> None:
    """Release the pages of an array on disk from memory; do nothing for an array in memory.

    array: in memory, or a shared map of a file. The system keeps written data, and rereads pages
    when they are needed again.
    """
    held: Any = array
    while isinstance(held, np.ndarray):
        held = held.base
    if hasattr(held, "madvise"):  # maps on Windows have no madvise
        held.madvise(mmap.MADV_DONTNEED)


class Checked:
    """A memory-mapped array on disk; each block is verified before its values are returned.

    A block is verified once, on first use. Threads and forked processes may share the array.
    """

    def __init__(self, folder: Path, name: str, expected: Mapping[str, Any]) -> None:
        """Open a file; `expected` is its entry in the manifest. Raises IndexDamaged."""
        self._folder, self._name, self._sha256 = folder, name, expected["sha256"]
        manifests.check_size(folder, name, expected)
        sums = bytes.fromhex(expected.get("crc32", ""))
        self._sums = np.frombuffer(sums, ">u4").tolist()
        self._bits = _BITS if sums else _WHOLE_FILE_SHIFT
        self._unseen = bytearray(b"\1" * max(1, len(self._sums)))
        self._marks = np.frombuffer(self._unseen, np.uint8)
        self._left = True
        with (folder / name).open("rb") as stream:
            self._data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        if self._sums:  # else opening would read the whole file
            self.check(0, min(SMALL_FILE, len(self._data)))
        try:
            self._array, self._begin = _array(self._data)
        except (ValueError, TypeError, EOFError, SyntaxError, TokenError) as error:
            raise self._damaged(f"cannot be read ({error})") from error
        self._row = self._array.strides[0] if self._array.ndim else self._array.itemsize
        self.shape, self.dtype = self._array.shape, self._array.dtype

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, rows: int | slice | NDArray[np.integer]) -> NDArray[Any]:
        """Verify and return a row, a slice of rows (without a step) or selected rows."""
        if self._left:
            self._check_rows(rows)
        return np.asarray(self._array[rows])

    @property
    def whole(self) -> NDArray[Any]:
        """The whole array, after verifying it."""
        if self._left:
            self.check(0, len(self._data))
        return self._array

    def within(self, begins: Iterable[int], ends: Iterable[int]) -> NDArray[Any]:
        """Return the array after verifying only the rows of the given runs; use only these rows."""
        if self._left:
            for run in zip(begins, ends, strict=True):
                self._check_rows(slice(*run))
        return self._array

    def check(self, begin: int, end: int) -> None:
        """Raise IndexDamaged unless the file's blocks from byte `begin` to `end` are intact.

        The bytes to check may lie outside the array, for example in the file's header.
        """
        first, last = begin >> self._bits, end - 1 >> self._bits
        if self._unseen.find(1, first, last + 1) >= 0:
            self._check_blocks(range(first, last + 1))

    def released(self) -> NDArray[Any]:
        """Verify and return the whole array, with its pages released from memory."""
        release(self.whole)
        return self._array

    def release(self) -> None:
        """Release the array's pages from memory."""
        release(self._array)

    def _check_rows(self, rows: int | slice | NDArray[np.integer]) -> None:
        if isinstance(rows, slice):
            begin, end, _ = rows.indices(len(self._array))
            if begin < end:
                self.check(self._begin + begin * self._row, self._begin + end * self._row)
        elif isinstance(rows, np.ndarray):
            begins = self._begin + np.asarray(rows, np.int64) % max(1, len(self)) * self._row
            # Checking both edges is enough, because a row is no longer than a block.
            for edge in (begins, begins + self._row - 1):
                blocks = edge >> self._bits
                if self._marks[blocks].any():
                    self._check_blocks(np.unique(blocks).tolist())
        else:
            row = operator.index(rows) % max(1, len(self))
            self.check(self._begin + row * self._row, self._begin + (row + 1) * self._row)

    def _check_blocks(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            self._check_block(block)
        self._left = 1 in self._unseen

    def _check_block(self, block: int) -> None:
        if not self._unseen[block]:
            return
        if self._sums:
            with memoryview(self._data) as data:
                found = crc32(data[block << self._bits : (block + 1) << self._bits])
            if found != self._sums[block]:
                at = f"byte {block << self._bits:,}"
                raise self._damaged(f"is damaged in the {CHECKSUM_BLOCK:,} bytes starting at {at}")
        elif hashlib.sha256(self._data).hexdigest() != self._sha256:
            raise self._damaged("is damaged (its SHA-256 differs from the one in the manifest)")
        self._unseen[block] = 0

    def _damaged(self, how: str) -> IndexDamaged:
        return IndexDamaged.at(self._folder, f"{self._name} {how}")


def _array(data: mmap.mmap) -> tuple[NDArray[Any], int]:
    """Return the array in a .npy file, and the byte at which its values begin."""
    stream = io.BytesIO(data[:CHECKSUM_BLOCK])
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("it is not an .npy file of version 1.0")
    shape, fortran, dtype = npy.read_array_header_1_0(stream)
    if fortran or dtype.hasobject:
        raise ValueError("it contains Python objects or is in column-major order")
    array: NDArray[Any] = np.ndarray(shape, dtype, data, stream.tell())
    return array, stream.tell()
