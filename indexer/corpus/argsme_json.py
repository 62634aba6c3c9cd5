"""args.me JSON: `{"arguments": [...]}` or the bare list, streamed, one document held at a time."""

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
"""Deepest nesting of the text: ijson's memory grows with the square of it."""
LEVELS = 2 * CONTEXT_DEPTH
"""Levels of a document that are looked at."""
_DIGITS = min(4000, sys.get_int_max_str_digits() or 4000)
"""Digits of an integer that ijson is not given: on more than `int` takes (4,300, or what the
environment sets) its C code falls over a missing result and ends the process."""
_NUMERIC = b"+-.0123456789Ee"
_LONG = re.compile(rb"[0-9]{17}")
"""What there is outside strings where there may be a number that ijson is not given."""
_NUMBER = re.compile(
    rb'"(?:[^"\\]+|\\.)*"?'
    rb"|(?<![-+.0-9Ee])-?(?:[0-9]{%d,}(?![.0-9Ee])|[0-9.]+[Ee]([-+]?)0*[1-9][0-9]{16,})" % _DIGITS,
    re.DOTALL,
)
"""A string, an integer of so many digits, or a number whose exponent is beyond Decimal's."""
_LEAST = -(1 << 63)
_MOST = (1 << 64) - 1
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


class _Taken:
    """The file that ijson reads from: blocks behind `read`, and how many bytes it has had.

    No block splits an escape (MendedBlocks), so quotes tell what is outside strings.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self.taken = 0
        self.complete = 0
        """What of them the last whole document ended before."""
        self._depth = 0
        self._inside = 0
        self._number = b""
        """What the last block ended with that may be a part of a number."""

    def read(self, size: int) -> bytes:
        """The next block, whatever size was asked for; empty at the end."""
        # ijson asks for nothing at first, to learn whether it is given bytes or text.
        if size == 0:
            return b""
        # what is whole already is not copied
        pieces, self._number = [self._number] if self._number else [], b""
        for block in self._blocks:
            self.taken += len(block)
            if self.taken - self.complete > jsonlines.LONGEST_RECORD + len(block):
                most = jsonlines.LONGEST_RECORD >> 20
                raise StreamFault(
                    f"has a document of over {most} MiB that begins after byte "
                    f"{self.complete:,}; allowed: at most {most} MiB a document"
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
        """What of the next block is outside strings."""
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
                    f"the JSON is nested over {DEEPEST_NESTING} deep somewhere before byte "
                    f"{self.taken:,}; mend the file"
                )
        self._depth += 2 * opened - len(brackets)


def _without_long(block: bytes, inside: int) -> bytes:
    """The block, numbers whole in it, without those that ijson is not given.

    In the place of one too large stands 1e999, of one that is 0 as 64 bits 0.0.

    inside: 1 where it begins in the middle of a string.
    """

    def short(found: re.Match[bytes]) -> bytes:
        """What stands in the place of a match: a string as it is."""
        if found[0].startswith(b'"'):
            return found[0]
        return b"0.0" if found[1] == b"-" else b"1e999"

    return _NUMBER.sub(short, b'"' * inside + block)[inside:]


def records(blocks: Iterable[bytes], report: ReadReport, *, bare: bool) -> Iterator[Record]:
    """Each document of the list; its place is the bytes taken when it was complete.

    Raises StreamFault where the text ends early or is no JSON.
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
    # It is a ValueError, too, and says more than what follows would.
    except StreamFault:
        raise
    except (ijson.JSONError, ValueError, ArithmeticError) as error:
        raise StreamFault(_told(error, taken.taken)) from error


def _plain(value: Any, levels: int = LEVELS) -> Any:
    """The value with ijson's decimals as floats, and integers over 64 bits too (as orjson has it).

    (ijson's own floats go with integers of 63 bits, over which it gives up the whole text.) What is
    nested deeper than LEVELS is left out: a document that has it is refused. Raises DocumentFault.
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
            raise DocumentFault("json", "has a number that is infinity as 64 bits; allowed: less")
        return number
    return value


def _told(error: Exception, taken: int) -> str:
    said = error.args[0] if error.args else ""
    said = said.decode(errors="replace") if isinstance(said, bytes) else str(error)
    what = said.splitlines()[0] if said else type(error).__name__
    if "premature EOF" in what:
        return (
            f"the JSON is cut off: it ends after {taken:,} bytes, before its list does; "
            "copy or download the file again"
        )
    return f"is not JSON somewhere before byte {taken:,} ({what}); mend the file"
