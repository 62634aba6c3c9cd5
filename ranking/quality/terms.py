"""Weights of the words and word pairs with which a text opens. Surface features miss them.

The kernels make a single pass. `tests/ranking/quality/plain_terms.py` is a plain reference version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import FNV_OFFSET, FNV_PRIME, slot_of, table_of_numbers
from argsearch.ranking.quality.surface import (
    BYTE_KINDS,
    MAX_WORDS,
    UPPER,
    in_word,
    join,
    word_end,
)

Floats = NDArray[np.float64]

MOST_TEXT_TERMS = 2 * MAX_WORDS
"""Maximum number of terms in a text: words and pairs of neighbouring words."""


@kernel
def _terms(text: Any, start: int, end: int, out: Any) -> int:
    """Write the hashes of a text's first `MAX_WORDS` words and their neighbour pairs to `out`.

    A hash is FNV-1a of the lower-case word, never 0. After each word comes the hash of its pair
    with the previous word. Returns the number of hashes.
    """
    n, words, i = 0, 0, start
    before = np.uint64(0)
    while i < end and words < MAX_WORDS:
        if not in_word(BYTE_KINDS[text[i]]):
            i += 1
            continue
        stop = word_end(text, i, end)
        key = FNV_OFFSET
        for j in range(i, stop):
            byte = text[j]
            lower = byte + 32 if BYTE_KINDS[byte] == UPPER else byte
            key = (key ^ np.uint64(lower)) * FNV_PRIME
        if key == 0:
            key = np.uint64(1)
        out[n] = key
        n += 1
        if before != 0:
            pair = (before * FNV_PRIME) ^ key
            out[n] = pair if pair != 0 else np.uint64(1)
            n += 1
        before = key
        words += 1
        i = stop
    return n


@kernel
def _collect(text: Any, offsets: Any, out: Any, counts: Any) -> None:
    buffer = np.empty(MOST_TEXT_TERMS, np.uint64)
    at = 0
    for i in range(counts.size):
        n = _terms(text, offsets[i], offsets[i + 1], buffer)
        out[at : at + n] = buffer[:n]
        counts[i] = n
        at += n


def terms(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the term hashes of all texts, one after another, and offsets int64[n + 1]."""
    text, offsets = join(texts)
    out = np.empty(min(2 * len(text) + 1, MOST_TEXT_TERMS * len(texts) + 1), np.uint64)
    counts = np.zeros(len(texts), np.int64)
    _collect(text, offsets, out, counts)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return out[: starts[-1]].copy(), starts


@dataclass(frozen=True)
class HashedTerms:
    """A vocabulary of hashes in ascending order, uint64[v], and their idf, float64[v]."""

    keys: NDArray[np.uint64]
    idf: Floats

    @classmethod
    def of(cls, texts: Sequence[str], least: int) -> HashedTerms:
        """Build a vocabulary of terms in at least `least` texts; idf = ln((1 + N) / (1 + df)) + 1.

        Raises ValueError if there is no such term.
        """
        found, starts = terms(texts)
        rows = np.repeat(np.arange(len(texts)), np.diff(starts))
        keys, numbers = np.unique(found, return_inverse=True)
        once = np.unique(rows * len(keys) + numbers)  # distinct terms of each text
        df = np.bincount(once % max(len(keys), 1), minlength=len(keys))
        kept = df >= least
        if not kept.any():
            raise ValueError(f"no term occurs in {least} of the {len(texts)} texts")
        return cls(keys[kept], np.log((1 + len(texts)) / (1 + df[kept])) + 1)

    @cached_property
    def table(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The hashes and their numbers, as `table_of_numbers` returns them."""
        return table_of_numbers(self.keys)  # type: ignore[no-any-return]

    def matrix(self, texts: Sequence[str]) -> Any:
        """Return x of every training text: a sparse matrix [n, v] with rows of length 1 or 0."""
        from scipy.sparse import csr_matrix

        found, starts = terms(texts)
        rows = np.repeat(np.arange(len(texts)), np.diff(starts))
        at = np.minimum(np.searchsorted(self.keys, found), len(self.keys) - 1)
        known = self.keys[at] == found
        keys, tf = np.unique(rows[known] * len(self.keys) + at[known], return_counts=True)
        rows, columns = np.divmod(keys, len(self.keys))
        values = (1 + np.log(tf)) * self.idf[columns]
        lengths = np.sqrt(np.bincount(rows, values**2, len(texts)))
        return csr_matrix((values / lengths[rows], (rows, columns)), (len(texts), len(self.keys)))

    def weigh(self, texts: Sequence[str], weights: Floats) -> Floats:
        """Return Σ_t w_t · x_t per text, x_t = (1 + ln tf_t) · idf_t / ‖x‖; 0 without terms.

        weights: m sets, [m, v]. Returns float64[n, m]. No text affects the row of another.
        """
        text, offsets = join(texts)
        out = np.zeros((len(texts), len(weights)))
        _weigh(text, offsets, self.table, self.idf, np.ascontiguousarray(weights), out)
        return out


@kernel
def _weigh(text: Any, offsets: Any, table: Any, idf: Any, weights: Any, out: Any) -> None:
    slots, numbers = table
    buffer = np.empty(MOST_TEXT_TERMS, np.uint64)
    own = np.empty(MOST_TEXT_TERMS, np.int64)  # the text's distinct terms, in order
    tf = np.zeros(idf.size, np.int64)
    for i in range(out.shape[0]):
        distinct = 0
        for k in range(_terms(text, offsets[i], offsets[i + 1], buffer)):
            slot = slot_of(buffer[k], slots)
            if slots[slot] == 0:
                continue
            number = numbers[slot]
            if tf[number] == 0:
                own[distinct] = number
                distinct += 1
            tf[number] += 1
        square = 0.0
        for k in range(distinct):
            number = own[k]
            x = (1.0 + math.log(tf[number])) * idf[number]
            square += x * x
            for m in range(weights.shape[0]):
                out[i, m] += weights[m, number] * x
            tf[number] = 0
        if square > 0.0:
            for m in range(weights.shape[0]):
                out[i, m] /= math.sqrt(square)
