"""Replaces invalid characters in texts: lone surrogates with U+FFFD, NUL with a space.

Such characters come from broken exports and cannot be stored as UTF-8 or displayed, but their
argument is kept. Every replacement is counted. In JSON bytes a replacement has the same length, so
that positions match the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from argsearch.indexer.corpus.report import ReadReport, StreamFault

LARGEST_MAP = 1 << 26
"""Maximum size in bytes of a decompressed text that is read as a whole."""

_ESCAPES = re.compile(
    rb"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|(?P<raw>\xed[\xa0-\xbf][\x80-\xbf])"
    rb"|(?P<nul>\x00)"
    rb"|\\.",
    re.DOTALL,
)
_INSTEAD = {"lone": rb"\ufffd", "raw": "\ufffd".encode(), "nul": b" "}
_SURROGATE = re.compile("[\ud800-\udfff]")
_RAW = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]|\x00")
_HIGH = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")
_LOW_ESCAPE = 6
"""Length of one \\uXXXX escape in bytes."""


def mend_json(text: bytes) -> tuple[bytes, int]:
    """Replace lone surrogates (escaped or raw) and raw NUL in JSON; return text and count."""
    replaced = 0

    def instead(match: re.Match[bytes]) -> bytes:
        """Return the replacement for a match; complete pairs are kept."""
        nonlocal replaced
        kind = match.lastgroup
        if kind is None or kind == "pair":
            return match[0]
        replaced += 1
        return _INSTEAD[kind]

    return _ESCAPES.sub(instead, text), replaced


def mend_raw(text: bytes) -> tuple[bytes, int]:
    """Replace the bytes of surrogates and NUL in plain UTF-8; return the text and the count."""
    return _RAW.subn(lambda match: b" " if match[0] == b"\0" else "\ufffd".encode(), text)


def whole_text(blocks: Iterable[bytes], report: ReadReport) -> str:
    """Return a whole source as repaired text in which all line ends are line feeds.

    Raises StreamFault if the text has more than LARGEST_MAP bytes or is not UTF-8.
    """
    held, size = [], 0
    for block in blocks:
        held.append(block)
        size += len(block)
        if size > LARGEST_MAP:
            most = f"{LARGEST_MAP >> 20} MiB"
            raise StreamFault(f"a debate must have at most {most}, but this one has more")
    raw, replaced = mend_raw(b"".join(held))
    report.replaced_characters += replaced
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line, byte = raw.count(b"\n", 0, error.start) + 1, raw[error.start]
        raise StreamFault(f"line {line:,}: byte {byte:#04x} is not UTF-8; save as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def mend_text(text: str) -> tuple[str, int]:
    """Replace lone surrogates and NUL in a string; return the string and the count."""
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    return text.replace("\0", " "), surrogates + text.count("\0")


def mend_value(value: Any) -> tuple[Any, int]:
    """Repair every string in a JSON-like value; return the value and the number of replacements."""
    if isinstance(value, str):
        return mend_text(value)
    if isinstance(value, dict):
        items = [(mend_value(k), mend_value(v)) for k, v in value.items()]
        return {k: v for (k, _), (v, _) in items}, sum(m + n for (_, m), (_, n) in items)
    if isinstance(value, list | tuple):
        mended = [mend_value(item) for item in value]
        return [item for item, _ in mended], sum(n for _, n in mended)
    return value, 0


class MendedBlocks:
    """The blocks of a JSON stream, repaired; `replaced` counts the replacements so far."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self.replaced = 0

    def __iter__(self) -> Iterator[bytes]:
        held = b""
        for block in self._blocks:
            block = held + block
            cut = safe_cut(block)
            held = block[cut:]
            yield self._mended(block[:cut])
        yield self._mended(held)

    def _mended(self, block: bytes) -> bytes:
        # Nearly every block is valid and is passed on without a copy.
        if not (b"\\ud" in block or b"\\uD" in block or b"\xed" in block or b"\0" in block):
            return block
        block, replaced = mend_json(block)
        self.replaced += replaced
        return block


def safe_cut(block: bytes) -> int:
    """Return the last position for a cut that splits no escape, no pair and no raw surrogate."""
    for back in (1, 2):
        if block[-back : len(block) - back + 1] == b"\xed":
            return len(block) - back
    last = block.rfind(b"\\", max(0, len(block) - _LOW_ESCAPE))
    if last < 0:
        return len(block)
    if not _starts_escape(block, last):
        return len(block)
    before = last - _LOW_ESCAPE
    if before >= 0 and _HIGH.fullmatch(block, before, last):
        return before if _starts_escape(block, before) else last
    return last


def _starts_escape(block: bytes, at: int) -> bool:
    """Return whether the backslash at `at` begins an escape: it ends an odd run of backslashes."""
    return (at + 1 - len(block[: at + 1].rstrip(b"\\"))) % 2 == 1
