"""TF-IDF as H21 uses it: lower-cased, English stop words removed, at most 2^18 terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_FEATURES = 2**18
"""Terms of a vocabulary (H21: ≤ 2^18 features)."""

_TOKEN = re.compile(r"\b\w\w+\b")


class TermCounts(NamedTuple):
    """Term frequencies of texts: row i has ids[starts[i]:starts[i+1]] (ascending) and their tfs."""

    starts: NDArray[np.int64]
    ids: NDArray[np.int64]
    tfs: NDArray[np.int64]


@dataclass(frozen=True)
class TfIdfVocabulary:
    """Terms in alphabetical order and their idf, float64[n]: ln((1 + N) / (1 + df)) + 1."""

    terms: tuple[str, ...]
    idf: NDArray[np.float64]


def tokens(text: str) -> list[str]:
    """Runs of two word characters or more, lower-cased (scikit-learn's default tokens)."""
    return _TOKEN.findall(text.lower())


def fit_vocabulary(
    texts: Iterable[str], stop_words: Collection[str], max_features: int = MAX_FEATURES
) -> TfIdfVocabulary:
    """The `max_features` most frequent terms of the texts (ties: alphabetical), with their idf.

    Terms are kept by name, not hashed, so two terms never share a feature.
    Raises ValueError when the texts hold no term.
    """
    totals: Counter[str] = Counter()
    df: Counter[str] = Counter()
    n = 0
    for text in texts:
        n += 1
        found = Counter(tokens(text))
        totals.update(found)
        df.update(found.keys())
    for word in stop_words:
        totals.pop(word, None)
    if not totals:
        raise ValueError("the texts hold no term; give texts with words other than stop words")
    kept = sorted(sorted(totals, key=lambda term: (-totals[term], term))[:max_features])
    frequencies = np.array([df[term] for term in kept], dtype=np.float64)
    return TfIdfVocabulary(tuple(kept), np.log((1 + n) / (1 + frequencies)) + 1)


def count_terms(texts: Sequence[str], index: dict[str, int]) -> TermCounts:
    """Term frequencies of the texts over `index` (term → id); other terms are left out."""
    known = [[i for i in map(index.get, tokens(text)) if i is not None] for text in texts]
    lengths = np.array([len(ids) for ids in known], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(known), dtype=np.int64, count=int(lengths.sum()))
    width = max(len(index), 1)
    keys, tfs = np.unique(
        np.repeat(np.arange(len(texts)), lengths) * width + flat, return_counts=True
    )
    starts = np.searchsorted(keys, np.arange(len(texts) + 1) * width)
    return TermCounts(starts.astype(np.int64), keys % width, tfs.astype(np.int64))


def weights(counts: TermCounts, idf: NDArray[np.float64]) -> NDArray[np.float64]:
    """tf·idf of every entry, each row scaled to Euclidean length 1: float64[len(counts.ids)]."""
    values = counts.tfs * idf[counts.ids]
    rows = np.repeat(np.arange(len(counts.starts) - 1), np.diff(counts.starts))
    norms = np.sqrt(np.bincount(rows, values**2, minlength=len(counts.starts) - 1))
    return values / norms[rows]
