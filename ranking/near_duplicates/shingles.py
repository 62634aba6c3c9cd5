"""Shingles: a document as the set of its five-word sequences, each of them a 64-bit number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import FNV_OFFSET, FNV_PRIME

SHINGLE_WORDS = 5

_SEED = 2021
_draw = np.random.default_rng(_SEED)
_ODD = _draw.integers(0, 1 << 63, SHINGLE_WORDS, np.uint64) * np.uint64(2) + np.uint64(1)
_SALTS = _draw.integers(0, 1 << 63, SHINGLE_WORDS + 1, np.uint64)
"""Salts by sequence length, so that sequences of different lengths get different numbers."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """The shingles of n documents. Sketches of consecutive batches can be concatenated."""

    shingles: NDArray[np.uint64]
    """uint64[sum of sizes]: the distinct shingles of each document in turn, ascending."""
    sizes: NDArray[np.int32]
    """int32[n]: number of distinct shingles of each document, at least 1."""


@inlined
def _mixed(h):  # type: ignore[no-untyped-def]
    """Apply MurmurHash3's finaliser, a bijection of 64-bit numbers."""
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@kernel
def _hash_terms(blob, bounds, out):  # type: ignore[no-untyped-def]
    """Write the mixed FNV-1a hash of each term's bytes to `out`."""
    for t in range(out.size):
        h = np.uint64(FNV_OFFSET)
        for at in range(bounds[t], bounds[t + 1]):
            h = (h ^ np.uint64(blob[at])) * np.uint64(FNV_PRIME)
        out[t] = _mixed(h)


@kernel
def _shingles(hashes, ids, spans, constants, out):  # type: ignore[no-untyped-def]
    """Write each document's shingles to `out`. Return their numbers, int32[n], and their sum.

    `hashes` holds one uint64 per term, and `spans` holds (starts, ends) of each document in `ids`.
    The `constants` are (`_ODD`, `_SALTS`).
    """
    starts, ends = spans
    odd, salts = constants
    sizes = np.empty(starts.size, np.int32)
    end = 0
    for d in range(starts.size):
        length = min(ends[d] - starts[d], odd.size)
        begin = end
        for first in range(starts[d], ends[d] - length + 1):
            h = salts[length]
            for j in range(length):
                h += odd[j] * hashes[ids[first + j]]
            out[end] = _mixed(h)
            end += 1
            if length == 0:
                break
        found = out[begin:end]
        found.sort()
        end = begin + 1
        for value in found[1:]:
            if value != out[end - 1]:
                out[end] = value
                end += 1
        sizes[d] = end - begin
    return sizes, end


def term_hashes(terms: Sequence[bytes]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each term's bytes, uint64[n], identical in every process."""
    bounds = np.zeros(len(terms) + 1, np.int64)
    np.cumsum([len(term) for term in terms], out=bounds[1:])
    out = np.empty(len(terms), np.uint64)
    _hash_terms(np.frombuffer(b"".join(terms), np.uint8), bounds, out)
    return out


def sketch(terms: Sequence[bytes], ids: ArrayLike, offsets: ArrayLike) -> Sketch:
    """Build the word 5-gram shingles of a batch of documents.

    `terms` are the distinct terms (UTF-8), and `ids`, int32[tokens], their numbers. `offsets`,
    int64[n + 1], says where each document's tokens begin.

    A document of fewer than 5 words has one shingle, its whole text. Only a document with the same
    words has an equal shingle. Two different shingles have the same number with probability 2^-64.
    Among 70 million shingles, at least two share a number with probability 10^-4.

    Raises ValueError if the offsets do not match the tokens.
    """
    tokens, bounds = np.asarray(ids, np.int32), np.asarray(offsets, np.int64)
    starts, ends = bounds[:-1], bounds[1:]
    if len(bounds) < 1 or bounds[0] != 0 or bounds[-1] != len(tokens):
        raise ValueError(f"offsets must go from 0 to {len(tokens)}, not {offsets!r}")
    if (starts > ends).any():
        raise ValueError("offsets must not decrease, but some do")
    room = np.empty(len(tokens) + len(starts), np.uint64)
    sizes, used = _shingles(term_hashes(terms), tokens, (starts, ends), (_ODD, _SALTS), room)
    return Sketch(room[:used].copy(), sizes)
