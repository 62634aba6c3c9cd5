"""P(π|q,Δ) in one pass over the links of the retrieved claims: `weigh` and `rank`, compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from argsearch.ranking.compiled import kernel
from argsearch.ranking.premises.claim_premise import FAMILIES, Floats, Ints, Method, Ranked, Scoring
from argsearch.ranking.premises.links import STANCES

PFICF, PLAIN, PRODUCT, AVERAGE = range(len(FAMILIES))


@kernel
def _share(values: Any) -> None:
    """Divide values by their sum; uniform where it is 0."""
    total = values.sum()
    for i in range(values.size):
        values[i] = values[i] / total if total > 0 else 1.0 / values.size


@kernel
def _quality(dcf: Any, first: int, dimensions: Any, out: Any) -> None:
    """Π_d (1 + dcf) / Z_d of the links from `first` on."""
    out[:] = 1.0
    for d in dimensions:
        Z = 0.0
        for i in range(out.size):
            Z += 1.0 + dcf[d, first + i]
        for i in range(out.size):
            out[i] *= (1.0 + dcf[d, first + i]) / Z


@kernel
def _add(arrays: Any, claims: Any, shares: Any, how: Any, sums: Any) -> None:
    starts, premise, cluster, pf, served, dcf = arrays
    family, normalise, gamma, dimensions = how
    for n in range(claims.size):
        for stance in range(2):
            first, last = starts[2 * claims[n] + stance], starts[2 * claims[n] + stance + 1]
            quality, frequency = np.ones(last - first), np.zeros(last - first)
            if family != 0:
                _quality(dcf, first, dimensions, quality)
                if normalise:
                    _share(quality)
            if family != 1:
                for i in range(last - first):
                    pi = cluster[premise[first + i]]
                    frequency[i] = pf[first + i] * math.log(gamma / served[stance, pi])
                _share(frequency)
            if family == 0:
                quality = frequency
            elif family == 2:
                quality = quality * frequency
                if normalise:
                    _share(quality)
            elif family == 3:
                quality = (quality + frequency) / 2
            for i in range(last - first):
                sums[2 * cluster[premise[first + i]] + stance] += shares[n] * quality[i]


def answer(index: Scoring, claims: Ints, shares: Floats, method: Method) -> Ranked:
    """`rank(weigh(index, claims, shares, method))`, up to rounding and the order of equals.

    Clusters of probability 0 are left out. O(links of the claims + 2·|Π|).
    """
    count = (len(index.starts) - 1) // STANCES
    if ((claims < 0) | (claims >= count)).any():
        raise ValueError(
            f"claims reach from {claims.min()} to {claims.max()}; allowed: 0 … {count}"
        )
    sums = np.zeros(index.served.size)
    arrays = (index.starts, index.premise, index.premise_cluster, index.pf, index.served, index.dcf)
    how = (
        FAMILIES.index(method.family),
        method.normalise,
        float(index.gamma),
        np.array(method.dimensions, np.int64),
    )
    _add(arrays, claims, shares, how, sums)
    keys = np.flatnonzero(sums)
    order = np.argsort(-sums[keys], kind="stable")
    cluster, stance = np.divmod(keys[order], STANCES)
    return Ranked(cluster, stance, sums[keys[order]])
