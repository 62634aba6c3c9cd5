"""Fit answers into a size limit: as many items as fit, then a cursor to the next item."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar

import orjson
from pydantic import BaseModel

from argsearch.indexer.errors import ArgsearchError, InvalidParameter

# Size limits of an answer in bytes: smallest, default, largest.
MIN_BYTES = 2_000
BUDGET = 8_000
MAX_BYTES = 100_000
ENVELOPE = 300
"""Bytes that the protocol may add around an answer."""
CURSOR_BYTES = 80
"""Length of the longest cursor, in bytes."""
_CURSOR = re.compile(r"(\w{1,16}):([0-9a-f]{8}):([0-9]{1,9})", re.ASCII)
ELLIPSIS = "…"
A = TypeVar("A", bound=BaseModel)


class CursorStale(ArgsearchError):
    """Raised if the index was replaced after the cursor was issued."""


class BudgetTooSmall(ArgsearchError):
    """Raised if not even one item fits into the allowed bytes."""


def size(answer: BaseModel) -> int:
    """Return the bytes needed to send an answer, once as data and once as quoted text."""
    written = answer.model_dump_json()
    return len(written.encode()) + len(orjson.dumps(written)) + ENVELOPE


def cursor(fingerprint: str, asked: Sequence[str | None], position: int) -> str:
    """Return a cursor for a position in an index's answer to a request."""
    return f"{fingerprint[:16]}:{_digest(asked)}:{position}"


def position(given: str | None, fingerprint: str, asked: Sequence[str | None]) -> int:
    """Return the position that a cursor points to, or 0 without a cursor.

    Raises InvalidParameter if the cursor is invalid or belongs to another request, and CursorStale
    if it belongs to another index.
    """
    if given is None:
        return 0
    parts = _CURSOR.fullmatch(given)
    if parts is None:
        raise InvalidParameter("cursor", given[:80], "copied from an answer, or omitted")
    if parts[1] != fingerprint[:16]:
        raise CursorStale("this cursor is for an earlier index; repeat the request without it")
    if parts[2] != _digest(asked):
        allowed = (
            "copied from an answer to the same request (the same text, id and side), or omitted"
        )
        raise InvalidParameter("cursor", given[:80], allowed)
    return int(parts[3])


def _digest(asked: Sequence[str | None]) -> str:
    return hashlib.blake2b(ascii(asked).encode(), digest_size=4).hexdigest()


def shortened(text: str, most: int) -> str:
    """Return the text, cut between words if it has more than `most` code points."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut).rstrip() + ELLIPSIS


def fitted(answer: A, field: str, items: Sequence[object], most: int) -> tuple[A, int]:
    """Return the answer with the items that fit into `most` bytes, and the number of these items.

    Raises BudgetTooSmall if not even the first item fits. Items may be characters.
    """

    def having(number: int) -> A:
        """Return the answer with this number of items."""
        return answer.model_copy(update={field: items[:number]})

    # Sizes grow with the number of items, so a binary search finds how many fit.
    numbers = range(1, len(items) + 1)
    number = bisect_right(numbers, most - CURSOR_BYTES, key=lambda some: size(having(some)))
    if items and not number:
        raise BudgetTooSmall(f"the answer does not fit into {most} bytes; increase max_bytes")
    return having(number), number
