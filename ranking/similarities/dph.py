"""DPH (Amati et al., TREC 2007): hypergeometric divergence from randomness, without parameters.

The formula is Terrier's: with f = tf/dl (0.99999 if tf reaches dl), (1 - f)²/(tf + 1) ·
(tf·log2(tf·avgdl/dl · N/ttf) + 0.5·log2(2π·tf·(1 - f))).
Deviation: Terrier's score is negative for a term that is rarer in the document than in the
collection. Negative scores become 0 here, as in Lucene's models, since H21 Eq. 1 requires R ≥ 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.similarities.statistics import Array, Statistics, checked

FULL_FREQUENCY = 0.99999
"""Relative frequency of a term that makes up its whole document (from Terrier)."""


def relative_frequency(tf: ArrayLike, dl: ArrayLike) -> Array:
    """Return f = tf / dl in (0, 1), or `FULL_FREQUENCY` if tf reaches dl."""
    tf, dl = np.asarray(tf, np.float64), np.asarray(dl, np.float64)
    return np.asarray(np.where(tf < dl, tf / dl, FULL_FREQUENCY))


def information(tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
    """Return tf·log2(tf·avgdl/dl · N/ttf) + 0.5·log2(2π·tf·(1 - f)) in bits, of either sign."""
    tf, f = np.asarray(tf, np.float64), relative_frequency(tf, dl)
    share = tf * term.avgdl / np.asarray(dl) * (term.N / term.ttf)
    return np.asarray(tf * np.log2(share) + 0.5 * np.log2(2.0 * math.pi * tf * (1.0 - f)))


@dataclass(frozen=True, slots=True)
class DPH:
    """DPH score: max(0, (1 - f)²/(tf + 1) · information). It has no parameters."""

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return a term's score, from 0 (see `Similarity.score`)."""
        tf, dl = checked("tf", tf, above=True), checked("dl", dl, above=True)
        norm = (1.0 - relative_frequency(tf, dl)) ** 2 / (tf + 1.0)
        return np.maximum(0.0, norm * information(tf, dl, term))

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """Explain a term's score (see `Similarity.explain`)."""
        count, f = term.leaf("tf", tf), float(relative_frequency(tf, dl))
        filled = (count, term.leaf("dl", dl)) if tf < dl else ()
        share = Explanation(
            f, f"f, relative frequency{': tf / dl' if filled else ' of a full document'}", filled
        )
        norm = Explanation(
            (1.0 - f) ** 2 / (tf + 1.0), "norm, Popper's: (1 - f)^2 / (tf + 1)", (share, count)
        )
        bits = Explanation(
            float(information(tf, dl, term)),
            "information, in bits: "
            "tf × log2(tf × avgdl / dl × N / ttf) + 0.5 × log2(2 × pi × tf × (1 - f))",
            (count, term.leaf("dl", dl), share, *term.explain("avgdl", "N", "ttf")),
        )
        return Explanation(
            float(self.score(tf, dl, term)),
            "DPH, one term: max(0, norm × information)",
            (norm, bits),
        )
