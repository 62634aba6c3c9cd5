"""Fitting surface features, terms and what other judgements say of terms as one linear model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.quality.linear import (
    Flags,
    Floats,
    GatedModel,
    Linear,
    Standard,
    choose_penalty,
    prior_shift,
)

PENALTIES = (2.0, 4.0, 8.0)
"""Ridge penalties λ to choose from."""

# What terms, and other judgements' scores, weigh in the penalty beside the surface features.
TERMS = 2.0
PRIORS = 0.015

PRIOR_PENALTY = 3.0
"""Ridge penalty where another corpus' scores are learned from terms."""


def prior(X: Any, y: Floats, topics: NDArray[np.int64]) -> Floats:
    """What each term says of quality by another corpus' scores y [n] of texts X [n, v]: float64[v].

    Ridge on the scores less their topic's mean, in standard deviations.
    """
    from sklearn.linear_model import Ridge

    apart = y.astype(np.float64).copy()
    for topic in np.unique(topics):
        apart[topics == topic] -= apart[topics == topic].mean()
    if not apart.std() > 0:
        raise ValueError("all scores of every topic are equal; allowed: scores that differ")
    fitted = Ridge(PRIOR_PENALTY, solver="sparse_cg", tol=1e-6).fit(X, apart / apart.std())
    return np.asarray(fitted.coef_, np.float64)


@dataclass(frozen=True)
class FeatureBlocks:
    """Items to fit on: surface features [n, k], terms [n, v] (sparse), priors [m, v]."""

    surface: Floats
    terms: Any
    priors: Floats

    def rows(self, items: Any) -> FeatureBlocks:
        """Some of the items."""
        return FeatureBlocks(self.surface[items], self.terms[items], self.priors)


@dataclass(frozen=True)
class _Scaled:
    """[standard(surface) / √k, √TERMS · terms, √PRIORS · z(terms · priors)]."""

    standard: Standard
    mean: Floats
    deviation: Floats
    priors: Floats

    @classmethod
    def of(cls, blocks: FeatureBlocks) -> _Scaled:
        """The means and deviations of some texts' features."""
        said = blocks.terms @ blocks.priors.T
        deviation = said.std(axis=0)
        standard = Standard.of(blocks.surface)
        return cls(
            standard, said.mean(axis=0), np.where(deviation > 0, deviation, 1.0), blocks.priors
        )

    def __call__(self, blocks: FeatureBlocks) -> Any:
        from scipy.sparse import csr_matrix, hstack

        Z = self.standard(blocks.surface) / np.sqrt(blocks.surface.shape[1])
        said = (blocks.terms @ self.priors.T - self.mean) / self.deviation
        dense = csr_matrix(np.hstack([Z, np.sqrt(PRIORS) * said]))
        return hstack([dense, np.sqrt(TERMS) * blocks.terms]).tocsr()

    def unscaled(self, weights: Floats, bias: float) -> tuple[Linear, Floats]:
        """Weights over the scaled blocks as (surface with bias, terms): priors are terms, too."""
        k, m = len(self.standard.mean), len(self.priors)
        surface, said, terms = np.split(weights, (k, k + m))
        said = np.sqrt(PRIORS) * said / self.deviation
        v = np.sqrt(TERMS) * terms + said @ self.priors
        return Linear(surface / np.sqrt(k), bias - float(said @ self.mean)), v


def fit_blend(
    blocks: FeatureBlocks, is_argument: Flags, y: Floats, topics: NDArray[np.int64]
) -> GatedModel:
    """Fit a ridge regression on the arguments, and a balanced logistic gate on all items.

    λ has the least squared error over groups of topics of these very items; the gate's C is 1/λ.
    """
    from sklearn.linear_model import LogisticRegression

    scaled = _Scaled.of(blocks)
    X = scaled(blocks)
    good = X[is_argument]
    gram = (good @ good.T).toarray()
    values = y[is_argument]

    def losses(out: Flags) -> list[float]:
        """Squared errors of each penalty on the arguments left out."""
        mean, across = values[~out].mean(), gram[np.ix_(out, ~out)]
        duals = _dual(gram[np.ix_(~out, ~out)], values[~out] - mean, PENALTIES)
        return [float(np.sum((across @ alpha + mean - values[out]) ** 2)) for alpha in duals]

    penalty = choose_penalty(PENALTIES, topics[is_argument], losses)
    mean = float(values.mean())
    alpha = _dual(gram, values - mean, (penalty,))[0]
    # The bias is the mean, as the blocks are centred but for the terms.
    regressor, v = scaled.unscaled(np.asarray(good.T @ alpha).ravel(), mean)
    logit = LogisticRegression(C=1.0 / penalty, class_weight="balanced", max_iter=5000)
    logit.fit(X, is_argument)
    gate, u = scaled.unscaled(logit.coef_[0].astype(np.float64), float(logit.intercept_[0]))
    shift = prior_shift(is_argument)
    return GatedModel(scaled.standard, gate, regressor, shift, penalty, np.stack([u, v]))


def _dual(gram: Floats, y: Floats, penalties: tuple[float, ...]) -> list[Floats]:
    """(K + λ)⁻¹ y for several λ, by one decomposition of the Gram matrix K."""
    values, vectors = np.linalg.eigh(gram)
    turned = vectors.T @ y
    return [np.asarray(vectors @ (turned / (values + penalty))) for penalty in penalties]
