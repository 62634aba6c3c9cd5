"""Texts as one buffer of bytes, the form the kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_FOLDED = {
    "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...",
    "\xa0": " ", "\u2009": " ", "\u2002": " ", "\xad": "", "\u200b": "", "\u2060": "",
}  # fmt: skip
"""Typographic characters as their typewriter forms."""


MAX_CHARACTERS = 4000
"""Characters of a text that are read; 300 words have some 1,800, so this bounds odd texts only."""


def fold(text: str) -> bytes:
    """UTF-8 of the first `MAX_CHARACTERS` with typographic quotes, dashes and spaces as ASCII.

    Any string is allowed, lone surrogates included.
    """
    text = text[:MAX_CHARACTERS]
    if not text.isascii():
        for character, plain in _FOLDED.items():
            text = text.replace(character, plain)
    return text.encode("utf-8", "surrogatepass")


def join(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The folded texts one after the other (uint8), and offsets int64[n + 1]."""
    parts = [fold(text) for text in texts]
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return np.frombuffer(b"".join(parts), dtype=np.uint8), offsets
