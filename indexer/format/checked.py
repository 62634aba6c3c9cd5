"""Files of an index that are held against their manifest where they are first read.

A manifest has the CRC-32 of every CHECKSUM_BLOCK bytes of a file. CRC-32 finds every flipped bit
and every burst of up to 32 bits in a block, and passes other damage once in 2³² times. A file
without them (of an index built before there were any) is checked whole, by its SHA-256.
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
"""Bytes of a file that are checked where it is opened: all of a small one."""
_BITS = CHECKSUM_BLOCK.bit_length() - 1
_WHOLE_FILE_SHIFT = 63
"""A shift that makes one block of any file."""


def release(array: NDArray[Any]) -> None:
    """Take the pages of an array on disk off the process' memory; nothing of one in memory.

    array: in no map, or in a shared map of a file: what was written there is the system's to keep,
    and what is needed again it reads again.
    """
    held: Any = array
    while isinstance(held, np.ndarray):
        held = held.base
    if hasattr(held, "madvise"):  # Windows' maps have none
        held.madvise(mmap.MADV_DONTNEED)


class Checked:
    """An array on disk, memory-mapped; no value leaves it before its block was checked.

    A block is checked once, at its first use. Safe to share between threads and forked processes.
    """

    def __init__(self, folder: Path, name: str, expected: Mapping[str, Any]) -> None:
        """expected: what the manifest says of the file. Raises IndexDamaged."""
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
        if self._sums:  # else it would be read whole where it is opened
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
        """One row, a run of them (without a step) or some, checked."""
        if self._left:
            self._check_rows(rows)
        return np.asarray(self._array[rows])

    @property
    def whole(self) -> NDArray[Any]:
        """All of it, checked."""
        if self._left:
            self.check(0, len(self._data))
        return self._array

    def within(self, begins: Iterable[int], ends: Iterable[int]) -> NDArray[Any]:
        """The array, of which only the rows from each begin to its end are checked and for use."""
        if self._left:
            for run in zip(begins, ends, strict=True):
                self._check_rows(slice(*run))
        return self._array

    def check(self, begin: int, end: int) -> None:
        """Raise IndexDamaged unless the blocks of the file's bytes from `begin` to `end` are whole.

        Bytes that are no array's are checked so too.
        """
        first, last = begin >> self._bits, end - 1 >> self._bits
        if self._unseen.find(1, first, last + 1) >= 0:
            self._check_blocks(range(first, last + 1))

    def released(self) -> NDArray[Any]:
        """All of it, checked, off the process' memory."""
        release(self.whole)
        return self._array

    def release(self) -> None:
        """Take it off the process' memory."""
        release(self._array)

    def _check_rows(self, rows: int | slice | NDArray[np.integer]) -> None:
        if isinstance(rows, slice):
            begin, end, _ = rows.indices(len(self._array))
            if begin < end:
                self.check(self._begin + begin * self._row, self._begin + end * self._row)
        elif isinstance(rows, np.ndarray):
            begins = self._begin + np.asarray(rows, np.int64) % max(1, len(self)) * self._row
            # Both edges will do, for a row is no longer than a block.
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
                raise self._damaged(f"is damaged in the {CHECKSUM_BLOCK:,} bytes from {at} on")
        elif hashlib.sha256(self._data).hexdigest() != self._sha256:
            raise self._damaged("is damaged: it has another SHA-256 than its manifest says")
        self._unseen[block] = 0

    def _damaged(self, how: str) -> IndexDamaged:
        return IndexDamaged.at(self._folder, f"{self._name} {how}")


def _array(data: mmap.mmap) -> tuple[NDArray[Any], int]:
    """The array of a .npy file, and the byte where its values begin."""
    stream = io.BytesIO(data[:CHECKSUM_BLOCK])
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("not version 1.0 of .npy")
    shape, fortran, dtype = npy.read_array_header_1_0(stream)
    if fortran or dtype.hasobject:
        raise ValueError("it holds objects, or columns first")
    array: NDArray[Any] = np.ndarray(shape, dtype, data, stream.tell())
    return array, stream.tell()
