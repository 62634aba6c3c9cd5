"""D20's own pairwise classifiers, which decide whether one premise of a claim beats another.

They read the embeddings of the claim and of both premises. So one premise may beat another for one
claim but not for the next, or both may beat each other. The seven kinds of classifier use
scikit-learn's defaults. A model file contains a classifier's training data: the embeddings and
pairs of the judged arguments, but no text. Only pickle could store the fitted classifier, so it is
fitted on first use, in seconds (gradient boosting: minutes), always with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.model_files import PAIRWISE, ModelFile, numbers
from argsearch.ranking.premises.counts import STANCES

Floats = NDArray[np.float64]
Rows = NDArray[np.floating]
Ints = NDArray[np.int64]
PAIRS_AT_ONCE = 4096
"""Number of ordered pairs in a batch. Its rows take 50 MB at 256 dimensions."""


CLASSIFIERS: dict[str, tuple[str, dict[str, Any]]] = {
    "random forest": ("ensemble.RandomForestClassifier", {"random_state": 0}),
    "SGD": ("linear_model.SGDClassifier", {"random_state": 0}),
    "logistic regression": ("linear_model.LogisticRegression", {"max_iter": 1000}),
    "gradient boosting": ("ensemble.GradientBoostingClassifier", {"random_state": 0}),
    "SVM": ("svm.SVC", {"random_state": 0}),
    "k-NN": ("neighbors.KNeighborsClassifier", {}),
    "naive Bayes": ("naive_bayes.GaussianNB", {}),
}
"""The paper's seven kinds: scikit-learn's class, and settings that differ from its defaults.

Logistic regression is allowed 1,000 steps and needs at most 47."""


def make_classifier(name: str) -> Any:
    """Return one of `CLASSIFIERS`; raise InvalidParameter for any other name."""
    if name not in CLASSIFIERS:
        raise InvalidParameter("classifier", name, either(CLASSIFIERS))
    # Imported here, because other models do not need scikit-learn.
    place, settings = CLASSIFIERS[name]
    return resolve_name(f"sklearn.{place}")(**settings)


def with_query(premises: Floats, query: Floats) -> Floats:
    """Return (p + q, p − q, p ⊙ q) of each premise and its query, float64[n, 3·d]   (D20)."""
    return np.hstack([premises + query, premises - query, premises * query])


@dataclass(frozen=True)
class PairwiseClassifier:
    """One classifier of `CLASSIFIERS` for each dimension, over the vectors of one encoder."""

    name: str
    sha256: str
    kind: str
    encoder: str
    """Spec of the encoder whose vectors the classifier was trained on."""
    dimensions: tuple[str, ...]
    parts: Floats
    """float64[n, 3·d], `with_query` of each judged argument."""
    better: tuple[Ints, ...]
    """int64[m] into `parts` for each dimension; a pair is learned in both orders."""
    worse: tuple[Ints, ...]

    @classmethod
    def of(cls, spec: str, file: ModelFile) -> PairwiseClassifier:
        """Return the classifier in a model file; raise ModelError."""
        header, arrays = file.header, file.arrays
        with PAIRWISE.unpacking(spec):
            dimensions = tuple(header["dimensions"])
            parts = numbers(arrays, "parts", -1, -1)
            sides = [
                tuple(numbers(arrays, f"{side}_{d}", -1, kind="i") for d in range(len(dimensions)))
                for side in ("better", "worse")
            ]
            if any(
                len(one) and not 0 <= one.min() <= one.max() < len(parts) for one in sum(sides, ())
            ):
                raise ValueError("a pair names an argument that does not exist")
            names = header["classifier"], header["encoder"]
            make_classifier(names[0])
            return cls(spec, file.sha256, *names, dimensions, parts, *sides)

    def pack(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model file."""
        sides = {"better": self.better, "worse": self.worse}
        pairs = {f"{name}_{d}": rows for name, of in sides.items() for d, rows in enumerate(of)}
        return {"parts": self.parts, **pairs}

    @cached_property
    def fitted(self) -> tuple[Any, ...]:
        """Classifier of each dimension, fitted on every pair in both orders."""
        return tuple(map(self._fitted, self.better, self.worse))

    def _fitted(self, better: Ints, worse: Ints) -> Any:
        first, second = np.concatenate([better, worse]), np.concatenate([worse, better])
        rows = np.hstack([self.parts[first], self.parts[second]])
        return make_classifier(self.kind).fit(rows, np.arange(len(rows)) < len(better))

    def dcf(self, starts: Ints, premise: Ints, claims: Rows, premises: Rows) -> Ints:
        """Return dcf(p, c, d), int64[dimensions, links]: same-stance premises of c that p beats.

        The links of each claim and stance begin at `starts`, int64[2·claims + 1]. premise:
        int64[links], premise of each link. claims, premises: vectors, float[claims, d] and
        float[premises, d]. Each ordered pair of a group is classified once, about Σ n² pairs (D20).
        """
        sizes = np.diff(starts)
        claim = np.repeat(np.arange(len(sizes)) // STANCES, sizes)
        P, C = premises.astype(np.float64), claims.astype(np.float64)
        out = np.zeros((len(self.dimensions), len(premise)), np.int64)
        for first, second in _ordered_pairs(starts):
            both = [with_query(P[premise[at]], C[claim[at]]) for at in (first, second)]
            X = np.hstack(both)
            for counts, classifier in zip(out, self.fitted, strict=True):
                wins = np.asarray(classifier.predict(X), np.bool_)
                counts += np.bincount(first[wins], minlength=len(premise))
        return out


def _ordered_pairs(starts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield ordered pairs of different links in the same group, `PAIRS_AT_ONCE` at a time."""
    sizes = np.diff(starts)
    others, begin = np.repeat(sizes - 1, sizes), np.repeat(starts[:-1], sizes)
    ends = np.cumsum(others)
    for low in range(0, int(ends[-1]) if len(ends) else 0, PAIRS_AT_ONCE):
        number = np.arange(low, min(low + PAIRS_AT_ONCE, int(ends[-1])))
        first = np.searchsorted(ends, number, "right")
        second = begin[first] + number - (ends[first] - others[first])
        yield first, second + (second >= first)
