"""Divergence from randomness (Amati and van Rijsbergen, TOIS 2002), like Lucene's DFRSimilarity.

A term's score is Inf1·Inf2, and both are functions of the normalised frequency tfn. The parts are a
basic model (how surprising the frequency is), an after effect (the gain of one more occurrence),
and a normalisation of the frequency by length. D20 ranks claims by divergence from randomness.

With F = ttf, n = df, λ = (F + 1)/(N + F + 1), n_e = N·(1 - ((N - 1)/N)^F):

* basic models: G log2(1 + λ) + tfn·log2((1 + λ)/λ), If tfn·log2(1 + (N + 1)/(F + 0.5)),
    In tfn·log2((N + 1)/(n + 0.5)), Ine tfn·log2((N + 1)/(n_e + 0.5));
* after effects: L 1/(tfn + 1), B (F + 2)/((n + 1)·(tfn + 1));
* normalisations: H1 tf·c·avgdl/dl, H2 tf·log2(1 + c·avgdl/dl),
    H3 (tf + μ·(F + 1)/(T + 1))/(dl + μ)·μ, Z tf·(avgdl/dl)^z, none tf.

The added ones and halves are Lucene's smoothing. Lucene rounds to float32; this uses float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from argsearch.ranking.errors import either
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter
from argsearch.ranking.similarities.statistics import Array, Statistics, check_parameter, checked

BASIC_MODELS = ("G", "If", "In", "Ine")
AFTER_EFFECTS = ("B", "L")
NORMALISATIONS = ("H1", "H2", "H3", "Z", "none")


def expected_documents(ttf: float, N: float) -> float:
    """Return n_e = N·(1 - ((N - 1)/N)^F), how many documents F random occurrences would hit."""
    return float(N * -math.expm1(ttf * math.log1p(-1.0 / N))) if N > 1 else float(N)


def _key(
    name: str, default: Any, doc: str, choices: tuple[str, ...] = (), high: float | None = None
) -> Any:
    low = None if high is None else 1e-3
    return parameter(default, f"DFR: {doc}", key=f"dfr_{name}", choices=choices, low=low, high=high)


@dataclass(frozen=True, slots=True)
class DFR:
    """Inf1·Inf2 with the named parts. Raises ValueError for an unknown part or invalid parameter.

    H1 and H2 use c > 0, H3 uses μ > 0 (tokens), and Z uses z in (0, 0.5].
    """

    basic: str = _key("basic", "In", "basic model", BASIC_MODELS)
    after: str = _key("after", "L", "after effect", AFTER_EFFECTS)
    normalisation: str = _key(
        "normalisation", "H2", "normalisation of frequencies by length", NORMALISATIONS
    )
    c: float = _key("c", 1.0, "weight c of the normalisations H1 and H2", high=1e6)
    mu: float = _key("mu", 800.0, "smoothing μ of the normalisation H3, in tokens", high=1e9)
    z: float = _key("z", 0.3, "exponent z of the normalisation Z", high=0.5)

    def __post_init__(self) -> None:
        for one in fields(self):
            value, known = getattr(self, one.name), one.metadata["choices"]
            if known and value not in known:
                raise ValueError(f"{one.name} must be {either(known)}, not {value!r}")
        check_parameter("c", self.c, above=True)
        check_parameter("mu", self.mu, above=True)
        check_parameter("z", self.z, high=0.5, above=True)

    def score(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return a term's score, at least 0 (see `Similarity.score`)."""
        tfn = self.tfn(tf, dl, term)
        first, gain = self.information(term)
        return np.asarray((first + gain * tfn) * (self.effect(term) / (tfn + 1.0)))

    def tfn(self, tf: ArrayLike, dl: ArrayLike, term: Statistics) -> Array:
        """Return the normalised term frequency."""
        tf, dl = checked("tf", tf, above=True), checked("dl", dl, above=True)
        if self.normalisation == "H1":
            return np.asarray(tf * self.c * (term.avgdl / dl))
        if self.normalisation == "H2":
            return np.asarray(tf * np.log2(1.0 + self.c * term.avgdl / dl))
        if self.normalisation == "H3":
            P = (term.ttf + 1.0) / (term.T + 1.0)
            return np.asarray((tf + self.mu * P) / (dl + self.mu) * self.mu)
        if self.normalisation == "Z":
            return np.asarray(tf * (term.avgdl / dl) ** self.z)
        return np.asarray(tf + 0.0 * dl)

    def information(self, term: Statistics) -> tuple[float, float]:
        """Return the basic model's bits at tfn = 0, and the bits that each further tfn adds."""
        N, F = float(term.N), float(term.ttf)
        if self.basic == "G":
            odds = (F + 1.0) / (N + F + 1.0)
            return math.log2(1.0 + odds), math.log2((1.0 + odds) / odds)
        if self.basic == "If":
            return 0.0, math.log2(1.0 + (N + 1.0) / (F + 0.5))
        n = float(term.df) if self.basic == "In" else expected_documents(F, N)
        return 0.0, math.log2((N + 1.0) / (n + 0.5))

    def effect(self, term: Statistics) -> float:
        """Return the after effect times (tfn + 1), which is 1 for L and (F + 2)/(n + 1) for B."""
        return 1.0 if self.after == "L" else (term.ttf + 2.0) / (term.df + 1.0)

    def explain(self, tf: float, dl: float, term: Statistics) -> Explanation:
        """Explain a term's score (see `Similarity.explain`)."""
        tfn = self._explain_tfn(tf, dl, term)
        return Explanation(
            float(self.score(tf, dl, term)),
            f"DFR {self.basic} {self.after} {self.normalisation}, one term: Inf1 × Inf2",
            (self._explain_first(tfn, term), self._explain_after(tfn, term)),
        )

    def _explain_tfn(self, tf: float, dl: float, term: Statistics) -> Explanation:
        c = Explanation(self.c, "c, weight of the normalisation")
        mu = Explanation(self.mu, "mu, smoothing in tokens")
        z = Explanation(self.z, "z, exponent of the normalisation")
        lengths = (term.leaf("dl", dl), *term.explain("avgdl"))
        formula, parts = {
            "H1": ("tf × c × avgdl / dl", (*lengths, c)),
            "H2": ("tf × log2(1 + c × avgdl / dl)", (*lengths, c)),
            "H3": (
                "(tf + mu × (ttf + 1) / (T + 1)) / (dl + mu) × mu",
                (term.leaf("dl", dl), mu, *term.explain("ttf", "T")),
            ),
            "Z": ("tf × (avgdl / dl)^z", (*lengths, z)),
            "none": ("tf", ()),
        }[self.normalisation]
        return Explanation(
            float(self.tfn(tf, dl, term)),
            f"tfn, normalised frequency {self.normalisation}: {formula}",
            (term.leaf("tf", tf), *parts),
        )

    def _explain_first(self, tfn: Explanation, term: Statistics) -> Explanation:
        zero, gain = self.information(term)
        formula, parts = {
            "G": (
                "log2(1 + odds) + tfn × log2((1 + odds) / odds)",
                (
                    Explanation(
                        (term.ttf + 1.0) / (term.N + term.ttf + 1.0),
                        "odds, of a geometric distribution: (ttf + 1) / (N + ttf + 1)",
                        term.explain("ttf", "N"),
                    ),
                ),
            ),
            "If": ("tfn × log2(1 + (N + 1) / (ttf + 0.5))", term.explain("N", "ttf")),
            "In": ("tfn × log2((N + 1) / (df + 0.5))", term.explain("N", "df")),
            "Ine": (
                "tfn × log2((N + 1) / (n_e + 0.5))",
                (
                    *term.explain("N"),
                    Explanation(
                        expected_documents(term.ttf, term.N),
                        "n_e, documents expected by chance: N × (1 - ((N - 1) / N)^ttf)",
                        term.explain("N", "ttf"),
                    ),
                ),
            ),
        }[self.basic]
        return Explanation(
            zero + gain * tfn.value,
            f"Inf1, basic model {self.basic}, in bits: {formula}",
            (tfn, *parts),
        )

    def _explain_after(self, tfn: Explanation, term: Statistics) -> Explanation:
        counts = self.after == "B"
        formula = "(ttf + 2) / ((df + 1) × (tfn + 1))" if counts else "1 / (tfn + 1)"
        return Explanation(
            self.effect(term) / (tfn.value + 1.0),
            f"Inf2, after effect {self.after}: {formula}",
            (tfn, *(term.explain("ttf", "df") if counts else ())),
        )
