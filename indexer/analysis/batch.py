"""Tokens of many texts at once, as numbers: what building an index needs.

The tokens are `StandardAnalyzer`'s. Plain ASCII words are found by a table of bytes; wherever
another character or a mark inside a word (' . _ : , ;) could matter, the automaton of the word
rules decides. Nothing holds the GIL, so threads may tokenise different batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis import kernels
from argsearch.indexer.analysis.kernels import (
    AFTER,
    ASK,
    BEGINS,
    FOLD,
    MAY_GO_ON,
    ROOM,
    Cursor,
    Rules,
    TermTable,
)
from argsearch.indexer.analysis.standard import token_automaton
from argsearch.indexer.analysis.word_classes import CODE_POINTS, class_table, lower_case
from argsearch.ranking.hashing import salts


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """The tokens of n texts as numbers of distinct terms."""

    terms: list[bytes]
    """Distinct terms (UTF-8), in order of first occurrence."""
    ids: NDArray[np.int32]
    """int32[tokens]: the term of every token, text after text."""
    offsets: NDArray[np.int64]
    """int64[n + 1]: text i has the tokens ids[offsets[i]:offsets[i + 1]]."""


def tokenize(texts: Sequence[str], salt: NDArray[np.uint64] | None = None) -> TokenBatch:
    """The tokens of each text, equal to `StandardAnalyzer().tokens(text)`.

    salt: what the table of terms is laid out by; None: this process' own. Memory: 5 bytes of
    working space per byte of text beside the result. The first call of a process loads the compiled
    kernels, or compiles them (seconds) where no cache has them.
    """
    vocabulary, cursor, (ids, offsets) = numbered(texts, salts() if salt is None else salt)
    return TokenBatch(_terms(vocabulary, cursor.terms), ids[: cursor.tokens].copy(), offsets)


def numbered(
    texts: Sequence[str], salt: NDArray[np.uint64]
) -> tuple[TermTable, Cursor, tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """The table of terms, where the scan ended, and the tokens' numbers and each text's first."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    bounds = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=bounds[1:])
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    ids = np.empty(len(data), dtype=np.int32)  # no token is shorter than a byte
    out = (ids, np.zeros(len(bounds), dtype=np.int64))
    vocabulary, cursor = _empty_vocabulary(1 << 15, salt), Cursor(0, 0, 0, 0)
    while True:
        cursor = Cursor(*kernels.scan((data, bounds), _rules(), vocabulary, out, cursor))
        if cursor.text == len(encoded):
            return vocabulary, cursor, out
        vocabulary = _grown(vocabulary, cursor.terms)


def _empty_vocabulary(slots: int, salt: NDArray[np.uint64]) -> TermTable:
    return TermTable(
        slots=np.zeros((slots, 2), dtype=np.uint64),
        starts=np.zeros(slots // 2 + 1, dtype=np.int64),
        blob=np.empty(slots * 4 + ROOM, dtype=np.uint8),
        scratch=np.empty(ROOM, dtype=np.uint8),
        salt=salt,
    )


def _grown(old: TermTable, terms: int) -> TermTable:
    new = _empty_vocabulary(2 * len(old.slots), old.salt)
    used = old.starts[terms]
    blob = new.blob if len(new.blob) >= used + ROOM else np.empty(2 * used + ROOM, np.uint8)
    new = new._replace(blob=blob)
    new.starts[: terms + 1] = old.starts[: terms + 1]
    new.blob[:used] = old.blob[:used]
    kernels.rehash(old.slots, new.slots, old.salt)
    return new


def _terms(vocabulary: TermTable, count: int) -> list[bytes]:
    starts = vocabulary.starts[: count + 1].tolist()
    blob = vocabulary.blob[: starts[-1]].tobytes()
    return [blob[start:end] for start, end in pairwise(starts)]


@cache
def _rules() -> Rules:
    automaton = token_automaton()
    lower = np.arange(CODE_POINTS, dtype=np.int32)
    changed = lower_case()
    lower[list(changed)] = list(changed.values())
    return Rules(_byte_table(), class_table(), lower, automaton.step, automaton.accepting)


def _byte_table() -> NDArray[np.uint8]:
    table = np.zeros((3, 256), dtype=np.uint8)
    words = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
    table[FOLD, words] = words
    table[FOLD, ord("A") : ord("Z") + 1] = table[FOLD, ord("a") : ord("z") + 1]
    table[AFTER, list(b".,;:'")] = MAY_GO_ON
    table[AFTER, list(b"_")] = table[AFTER, 0x80:] = ASK
    table[BEGINS, list(b"_#*")] = table[BEGINS, 0x80:] = 1
    return table
