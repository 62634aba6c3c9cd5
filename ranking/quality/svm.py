"""H21's quality model: TF-IDF, a support vector gate and support vector regression.

TF-IDF follows H21: text is lower-cased and English stop words are removed. We keep at most 2^18
terms. Both machines have a Gaussian kernel.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel

Floats = NDArray[np.float64]

MAX_FEATURES = 2**18
"""Maximum size of a vocabulary (our choice: H21's paper has none)."""

_TOKEN = re.compile(r"\b\w\w+\b")


class TermCounts(NamedTuple):
    """Term frequencies of texts. Row i has ids[starts[i]:starts[i+1]], ascending, and their tfs."""

    starts: NDArray[np.int64]
    ids: NDArray[np.int64]
    tfs: NDArray[np.int64]


@dataclass(frozen=True)
class TfIdfVocabulary:
    """Terms in alphabetical order with their idf, float64[n]: ln((1 + N) / (1 + df)) + 1."""

    terms: tuple[str, ...]
    idf: Floats


def tokens(text: str) -> list[str]:
    """Return lower-cased sequences of two or more word characters, as scikit-learn does."""
    return _TOKEN.findall(text.lower())


def fit_vocabulary(
    texts: Iterable[str], stop_words: Collection[str], max_features: int = MAX_FEATURES
) -> TfIdfVocabulary:
    """Build a vocabulary of the `max_features` most frequent terms (ties: alphabetical) with idf.

    Terms are stored by name, not hashed, so two terms never share a feature. Raises ValueError if
    the texts contain no term.
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
        raise ValueError("the texts have no terms; give texts with words other than stop words")
    kept = sorted(sorted(totals, key=lambda term: (-totals[term], term))[:max_features])
    frequencies = np.array([df[term] for term in kept], dtype=np.float64)
    return TfIdfVocabulary(tuple(kept), np.log((1 + n) / (1 + frequencies)) + 1)


def count_terms(texts: Sequence[str], index: dict[str, int]) -> TermCounts:
    """Count the terms in texts that are in `index`, which maps a term to its id."""
    known = [[i for i in map(index.get, tokens(text)) if i is not None] for text in texts]
    lengths = np.array([len(ids) for ids in known], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(known), dtype=np.int64, count=int(lengths.sum()))
    width = max(len(index), 1)
    keys, tfs = np.unique(
        np.repeat(np.arange(len(texts)), lengths) * width + flat, return_counts=True
    )
    starts = np.searchsorted(keys, np.arange(len(texts) + 1) * width)
    return TermCounts(starts.astype(np.int64), keys % width, tfs.astype(np.int64))


def weights(counts: TermCounts, idf: Floats) -> Floats:
    """Return tf·idf of every entry, float64[len(counts.ids)]. Each row has Euclidean length 1."""
    values = counts.tfs * idf[counts.ids]
    rows = np.repeat(np.arange(len(counts.starts) - 1), np.diff(counts.starts))
    norms = np.sqrt(np.bincount(rows, values**2, minlength=len(counts.starts) - 1))
    return values / norms[rows]


@dataclass(frozen=True)
class Machines:
    """A gate and a regressor over the same support vectors s_i, the rows of a sparse matrix.

    The rows are `starts`, `ids` and `values`. `alpha` has the dual coefficients of gate and
    regressor, float64[2, rows], 0 where a row does not support that one. `gamma` and `bias` are
    float64[2].
    """

    starts: NDArray[np.int64]
    ids: NDArray[np.int64]
    values: Floats
    alpha: Floats
    gamma: Floats
    bias: Floats


def fit_machines(X: Any, is_argument: NDArray[np.bool_], y: Floats) -> Machines:
    """Fit both machines with scikit-learn's defaults. X: sparse[n, k] TF-IDF; y[n] in [0, 1].

    The gate is trained on all rows, and the regressor only on arguments (H21).
    """
    from scipy.sparse import csr_matrix
    from sklearn.svm import SVC, SVR

    arguments = X[is_argument]
    gamma = [_gamma(X), _gamma(arguments)]
    gate = SVC(gamma=gamma[0]).fit(X, is_argument)
    regressor = SVR(gamma=gamma[1]).fit(arguments, y[is_argument])
    alpha = np.zeros((2, X.shape[0]))
    alpha[0, gate.support_] = gate.dual_coef_.toarray()[0]
    alpha[1, np.flatnonzero(is_argument)[regressor.support_]] = regressor.dual_coef_.toarray()[0]
    used = np.flatnonzero(alpha.any(axis=0))
    rows = csr_matrix(X)[used]
    rows.sort_indices()
    return Machines(
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int64),
        rows.data.astype(np.float64),
        alpha[:, used],
        np.array(gamma),
        np.array([gate.intercept_[0], regressor.intercept_[0]]),
    )


def _gamma(X: Any) -> float:
    """Return scikit-learn's default gamma, "scale", which a fitted machine does not expose."""
    variance = X.multiply(X).mean() - X.mean() ** 2
    return float(1.0 / (X.shape[1] * variance)) if variance else 1.0


def by_term(machines: Machines, terms: int) -> tuple[Any, Any, Any]:
    """Transpose the support vectors into (starts[terms + 1], rows, values), term by term."""
    order = np.argsort(machines.ids, kind="stable")
    rows = np.repeat(np.arange(len(machines.starts) - 1), np.diff(machines.starts))[order]
    starts = np.searchsorted(machines.ids[order], np.arange(terms + 1))
    return starts.astype(np.int64), rows, machines.values[order]


@kernel
def _dots(ids: Any, tfs: Any, idf: Any, support: Any, dots: Any) -> float:
    """Write x·s_i for one text to `dots`, and return ‖x‖² of its TF-IDF vector before scaling."""
    starts, rows, values = support
    norm = 0.0
    dots[:] = 0.0
    for k in range(ids.size):
        term = ids[k]
        weight = tfs[k] * idf[term]
        norm += weight * weight
        for p in range(starts[term], starts[term + 1]):
            dots[rows[p]] += weight * values[p]
    return norm


@kernel
def _decide(counts: Any, idf: Any, support: Any, lengths: Any, machine: Any, out: Any) -> None:
    starts, ids, tfs = counts
    alpha, gamma, bias = machine
    dots = np.empty(lengths.size)
    for i in range(out.shape[0]):
        part = slice(starts[i], starts[i + 1])
        norm = _dots(ids[part], tfs[part], idf, support, dots)
        unit = 1.0 if norm > 0 else 0.0
        scale = 1.0 / np.sqrt(norm) if norm > 0 else 0.0
        first, second = bias[0], bias[1]
        for s in range(lengths.size):
            distance = max(unit + lengths[s] - 2.0 * dots[s] * scale, 0.0)
            first += alpha[0, s] * np.exp(-gamma[0] * distance)
            second += alpha[1, s] * np.exp(-gamma[1] * distance)
        out[i, 0], out[i, 1] = first, second


class Decisions:
    """Decisions of the gate and the regressor on texts, computed from their term counts."""

    def __init__(self, machines: Machines, idf: Floats) -> None:
        self._idf = idf
        self._support = by_term(machines, len(idf))
        rows = np.repeat(np.arange(len(machines.starts) - 1), np.diff(machines.starts))
        n = len(machines.starts) - 1
        self._lengths = np.bincount(rows, machines.values**2, minlength=n).astype(np.float64)
        self._machine = (machines.alpha, machines.gamma, machines.bias)

    def __call__(self, counts: TermCounts) -> Floats:
        """Return (gate, regression) for each text, float64[n, 2]. gate > 0 means an argument.

        Both are f(x) = Σ_i α_i · exp(−γ‖x − s_i‖²) + b for a text x and support vectors s_i, where
        ‖x − s‖² = ‖x‖² + ‖s‖² − 2x·s. Sums have a fixed order, and no text affects another.
        """
        out = np.empty((len(counts.starts) - 1, 2))
        _decide(tuple(counts), self._idf, self._support, self._lengths, self._machine, out)
        return out
