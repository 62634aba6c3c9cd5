"""A linear quality model over surface features, terms, and term priors from other judgements."""

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
"""The ridge penalties λ to choose from."""

# Weights of terms and of other judgements' scores in the penalty, relative to surface features.
TERMS = 2.0
PRIORS = 0.015

PRIOR_PENALTY = 3.0
"""Ridge penalty for learning the scores of another corpus from terms."""


def prior(X: Any, y: Floats, topics: NDArray[np.int64]) -> Floats:
    """Learn each term's weight, float64[v], from another corpus's texts X [n, v] and scores y [n].

    A ridge regression is fitted to the scores, centred within each topic and standardised.
    """
    from sklearn.linear_model import Ridge

    apart = y.astype(np.float64).copy()
    for topic in np.unique(topics):
        apart[topics == topic] -= apart[topics == topic].mean()
    if not apart.std() > 0:
        raise ValueError("the scores in each topic are all equal; give topics with unequal scores")
    fitted = Ridge(PRIOR_PENALTY, solver="sparse_cg", tol=1e-6).fit(X, apart / apart.std())
    return np.asarray(fitted.coef_, np.float64)


@dataclass(frozen=True)
class FeatureBlocks:
    """Training items: surface features [n, k], terms [n, v] (sparse), and priors [m, v]."""

    surface: Floats
    terms: Any
    priors: Floats

    def rows(self, items: Any) -> FeatureBlocks:
        """Select items by position or mask."""
        return FeatureBlocks(self.surface[items], self.terms[items], self.priors)


@dataclass(frozen=True)
class _Scaled:
    """The features [standard(surface) / √k, √TERMS · terms, √PRIORS · z(terms · priors)]."""

    standard: Standard
    mean: Floats
    deviation: Floats
    priors: Floats

    @classmethod
    def of(cls, blocks: FeatureBlocks) -> _Scaled:
        """Build the scaling from the means and standard deviations of the given features."""
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
        """Return unscaled weights as (surface with bias, terms), with the priors merged in."""
        k, m = len(self.standard.mean), len(self.priors)
        surface, said, terms = np.split(weights, (k, k + m))
        said = np.sqrt(PRIORS) * said / self.deviation
        v = np.sqrt(TERMS) * terms + said @ self.priors
        return Linear(surface / np.sqrt(k), bias - float(said @ self.mean)), v


def fit_blend(
    blocks: FeatureBlocks, is_argument: Flags, y: Floats, topics: NDArray[np.int64]
) -> GatedModel:
    """Fit a ridge regression to the arguments, and a balanced logistic gate to all items.

    Cross-validation over the items' topics chooses the λ with the least squared error. The gate has
    C = 1/λ.
    """
    from sklearn.linear_model import LogisticRegression

    scaled = _Scaled.of(blocks)
    X = scaled(blocks)
    good = X[is_argument]
    gram = (good @ good.T).toarray()
    values = y[is_argument]

    def losses(out: Flags) -> list[float]:
        """Return each penalty's squared error on the held-out arguments."""
        mean, across = values[~out].mean(), gram[np.ix_(out, ~out)]
        duals = _dual(gram[np.ix_(~out, ~out)], values[~out] - mean, PENALTIES)
        return [float(np.sum((across @ alpha + mean - values[out]) ** 2)) for alpha in duals]

    penalty = choose_penalty(PENALTIES, topics[is_argument], losses)
    mean = float(values.mean())
    alpha = _dual(gram, values - mean, (penalty,))[0]
    # The bias is the mean, because all blocks but the terms are centred.
    regressor, v = scaled.unscaled(np.asarray(good.T @ alpha).ravel(), mean)
    logit = LogisticRegression(C=1.0 / penalty, class_weight="balanced", max_iter=5000)
    logit.fit(X, is_argument)
    gate, u = scaled.unscaled(logit.coef_[0].astype(np.float64), float(logit.intercept_[0]))
    shift = prior_shift(is_argument)
    return GatedModel(scaled.standard, gate, regressor, shift, penalty, np.stack([u, v]))


def _dual(gram: Floats, y: Floats, penalties: tuple[float, ...]) -> list[Floats]:
    """Return (K + λ)⁻¹ y for several λ, from one eigendecomposition of the Gram matrix K."""
    values, vectors = np.linalg.eigh(gram)
    turned = vectors.T @ y
    return [np.asarray(vectors @ (turned / (values + penalty))) for penalty in penalties]
