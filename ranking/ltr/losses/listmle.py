"""ListMLE: the likelihood of the ideal order under Plackett and Luce (F22; Xia et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.ranking.ltr.losses.base import Floats


@dataclass(frozen=True, slots=True)
class ListMLE:
    """L = −log Π_i e^{s_π(i)} / Σ_{k ≥ i} e^{s_π(k)}, π by falling y   (F22).

    Equal labels have no order of their own: the earlier item counts as the better one.
    """

    name: ClassVar[str] = "listmle"

    def value(self, s: Floats, y: Floats) -> float:
        """Σ_i log Σ_{k ≥ i} e^{s_π(k)} − s_π(i)."""
        ordered = s[np.argsort(-y, kind="stable")]
        return float(np.sum(_tails(ordered) - ordered))

    def gradient(self, s: Floats, y: Floats) -> Floats:
        """Of the item at place k of π: Σ_{i ≤ k} e^{s_π(k)} / Σ_{l ≥ i} e^{s_π(l)} − 1."""
        order = np.argsort(-y, kind="stable")
        ordered = s[order]
        chance = np.exp(ordered[None, :] - _tails(ordered)[:, None])  # [i, k], k chosen i-th
        out = np.empty(len(s))
        out[order] = np.triu(np.minimum(chance, 1.0)).sum(axis=0) - 1.0
        return out


def _tails(s: Floats) -> Floats:
    """log Σ_{k ≥ i} e^{s_k} of every i, float64[n]."""
    return np.asarray(np.logaddexp.accumulate(s[::-1])[::-1])
