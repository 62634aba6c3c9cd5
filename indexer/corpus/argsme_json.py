"""Reader of args.me JSON, `{"arguments": [...]}` or the bare list, one document at a time."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import accumulate
from math import isinf
from typing import Any

import ijson

from argsearch.indexer.corpus import jsonlines
from argsearch.indexer.corpus.documents import CONTEXT_DEPTH
from argsearch.indexer.corpus.jsonlines import Record
from argsearch.indexer.corpus.mending import MendedBlocks
from argsearch.indexer.corpus.report import DocumentFault, ReadReport, StreamFault

DEEPEST_NESTING = 1024
"""Deepest allowed nesting, because ijson's memory grows with the square of the depth."""
LEVELS = 2 * CONTEXT_DEPTH
"""Maximum nesting depth to read in a document."""
_DIGITS = min(4000, sys.get_int_max_str_digits() or 4000)
"""Integers with at least this many digits are replaced before ijson reads them. With more digits
than `int` takes (4,300, or the environment's limit), ijson's C code crashes."""
_NUMERIC = b"+-.0123456789Ee"
_LONG = re.compile(rb"[0-9]{17}")
"""Seventeen digits; outside a string, they may belong to a number that must be replaced."""
_NUMBER = re.compile(
    rb'"(?:[^"\\]+|\\.)*"?'
    rb"|(?<![-+.0-9Ee])-?(?:[0-9]{%d,}(?![.0-9Ee])|[0-9.]+[Ee]([-+]?)0*[1-9][0-9]{16,})" % _DIGITS,
    re.DOTALL,
)
"""A string, an integer of `_DIGITS` digits or more, or a number whose exponent Decimal rejects."""
_LEAST = -(1 << 63)
_MOST = (1 << 64) - 1
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


class _Taken:
    """File object for ijson: `read` returns blocks, and `taken` counts their bytes.

    No block splits an escape (MendedBlocks), so quotes show which bytes are outside strings.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self.taken = 0
        self.complete = 0
        """Number of bytes read by the end of the last complete document."""
        self._depth = 0
        self._inside = 0
        self._number = b""
        """End of the last block, if it may be the beginning of a number."""

    def read(self, size: int) -> bytes:
        """Return the next block, whatever the requested size; empty at the end."""
        # ijson first reads 0 bytes, to learn whether it gets bytes or text.
        if size == 0:
            return b""
        # complete blocks are not copied
        pieces, self._number = [self._number] if self._number else [], b""
        for block in self._blocks:
            self.taken += len(block)
            if self.taken - self.complete > jsonlines.LONGEST_RECORD + len(block):
                most = jsonlines.LONGEST_RECORD >> 20
                raise StreamFault(
                    f"the document that begins after byte {self.complete:,} must have at most "
                    f"{most} MiB, but has more"
                )
            end = len(block.rstrip(_NUMERIC))
            pieces.append(block[: end or None])
            if end:
                self._number = block[end:]
                break
        block = b"".join(pieces)
        inside = self._inside
        outside = self._outside(block)
        self._nest(outside.translate(None, _NO_BRACKET))
        return _without_long(block, inside) if _LONG.search(outside) else block

    def _outside(self, block: bytes) -> bytes:
        """Return the part of the next block that is outside strings."""
        if b"\\" in block:
            block = block.replace(rb"\\", b"").replace(rb"\"", b"")
        parts = block.split(b'"')
        outside = b"".join(parts[self._inside :: 2])
        self._inside ^= (len(parts) - 1) & 1
        return outside

    def _nest(self, brackets: bytes) -> None:
        opened = brackets.count(b"[") + brackets.count(b"{")
        if self._depth + opened > DEEPEST_NESTING:
            steps = (1 if bracket in b"[{" else -1 for bracket in brackets)
            if max(accumulate(steps, initial=self._depth)) > DEEPEST_NESTING:
                raise StreamFault(
                    f"the JSON has more than {DEEPEST_NESTING} nested levels somewhere before byte "
                    f"{self.taken:,}; fix the file"
                )
        self._depth += 2 * opened - len(brackets)


def _without_long(block: bytes, inside: int) -> bytes:
    """Return the block after replacing numbers that ijson cannot read; no block splits a number.

    A number that is too large becomes 1e999, a number that is 0 as a 64-bit float becomes 0.0.

    inside: 1 if the block begins inside a string.
    """

    def short(found: re.Match[bytes]) -> bytes:
        """Return the replacement of a match; strings stay as they are."""
        if found[0].startswith(b'"'):
            return found[0]
        return b"0.0" if found[1] == b"-" else b"1e999"

    return _NUMBER.sub(short, b'"' * inside + block)[inside:]


def records(blocks: Iterable[bytes], report: ReadReport, *, bare: bool) -> Iterator[Record]:
    """Yield each document in the list, with the number of bytes read by its end.

    Raises StreamFault if the text is cut off or is not JSON.
    """
    mended = MendedBlocks(blocks)
    taken = _Taken(mended)
    documents = ijson.items(taken, "item" if bare else "arguments.item")
    replaced = 0
    try:
        for document in documents:
            report.replaced_characters += mended.replaced - replaced
            replaced, taken.complete = mended.replaced, taken.taken
            try:
                yield taken.taken, _plain(document)
            except DocumentFault as fault:
                yield taken.taken, fault
    # A StreamFault is a ValueError too, but its message says more than the message below.
    except StreamFault:
        raise
    except (ijson.JSONError, ValueError, ArithmeticError) as error:
        raise StreamFault(_told(error, taken.taken)) from error


def _plain(value: Any, levels: int = LEVELS) -> Any:
    """Return the value with decimals, and integers over 64 bits, as floats (like orjson).

    If ijson itself made floats, the whole text would fail at an integer over 63 bits. Content
    deeper than LEVELS is dropped, as its document is rejected later. Raises DocumentFault.
    """
    # Most values are texts.
    if type(value) is str:
        return value
    if isinstance(value, dict):
        return {key: _plain(item, levels - 1) for key, item in value.items()} if levels else {}
    if isinstance(value, list):
        return [_plain(item, levels - 1) for item in value] if levels else []
    if isinstance(value, Decimal) or (type(value) is int and not _LEAST <= value <= _MOST):
        if isinf(number := float(Decimal(value))):
            raise DocumentFault("json", "a number is too large for 64 bits")
        return number
    return value


def _told(error: Exception, taken: int) -> str:
    said = error.args[0] if error.args else ""
    said = said.decode(errors="replace") if isinstance(said, bytes) else str(error)
    what = said.splitlines()[0] if said else type(error).__name__
    if "premature EOF" in what:
        return (
            f"the JSON is cut off: it ends after {taken:,} bytes, inside its list; "
            "copy or download the file again"
        )
    return f"has a JSON error before byte {taken:,} ({what}); fix the file"
