"""BM25F (Zaragoza et al., TREC 2004): BM25 over weighted fields, combined before saturation.

Each field's frequency is normalised by the field's length and weighted, and the sum replaces tf. So
an occurrence in the conclusion counts like w_conclusion occurrences in a premise, and the term
still saturates once. df and N count whole documents. A field's mean length is its number of tokens
divided by N. The idf is Lucene's (see `bm25`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.parameters import parameter
from argsearch.ranking.similarities.bm25 import K1, explain_idf, idf
from argsearch.ranking.similarities.statistics import Array, Statistics, check_parameter, checked


@dataclass(frozen=True, slots=True)
class WeightedField:
    """The parameters of a field and its mean length: weight ≥ 0, b in [0, 1], avgdl ≥ 0 (tokens).

    Raises ValueError if a value is out of range.
    """

    name: str
    weight: float
    b: float
    avgdl: float

    def __post_init__(self) -> None:
        check_parameter(f"w_{self.name}", self.weight)
        check_parameter(f"b_{self.name}", self.b, high=1.0)
        check_parameter(f"avgdl of {self.name}", self.avgdl)

    def norm(self, dl: ArrayLike) -> Array:
        """Return weight / (1 - b + b·dl/avgdl) ≥ 0, an occurrence's weight; 0 in an empty field."""
        dl = checked("dl", dl)
        B = 1.0 - self.b + self.b * dl / self.avgdl if self.avgdl > 0 else np.zeros_like(dl)
        return np.divide(self.weight, B, out=np.zeros_like(dl), where=(dl > 0) & (B > 0))

    def explain(self, tf: float, dl: float) -> Explanation:
        """Explain weight · tf / (1 - b + b·dl/avgdl)."""
        described = f"{self.name}, weighted frequency there"
        if not tf:
            return Explanation(0.0, f"{described} (the term does not occur)")
        return Explanation(
            float(tf * self.norm(dl)),
            f"{described}: w × tf / (1 - b + b × dl / avgdl)",
            (
                Explanation(self.weight, f"w, weight of the {self.name}"),
                Explanation(tf, f"tf, occurrences in the {self.name}"),
                Explanation(self.b, f"b, length normalisation of the {self.name}"),
                Explanation(dl, f"dl, length of the {self.name} in tokens"),
                Explanation(self.avgdl, f"avgdl, mean length of a {self.name} in tokens"),
            ),
        )


@dataclass(frozen=True, slots=True)
class BM25F:
    """BM25F score: idf · x / (x + k1) with x = Σ over fields w·tf/(1 - b + b·dl/avgdl).

    Requires k1 ≥ 0. Raises ValueError for an invalid k1 or without fields.
    """

    fields: tuple[WeightedField, ...]
    k1: float = 1.2

    def __post_init__(self) -> None:
        check_parameter("k1", self.k1)
        if not self.fields:
            raise ValueError("BM25F needs at least one field, but has none")

    def score(self, tf: Sequence[ArrayLike], dl: Sequence[ArrayLike], term: Statistics) -> Array:
        """Return a term's score in [0, idf] from each field's tf ≥ 0 and dl ≥ 0, which broadcast.

        Raises ValueError if a tf or dl is negative, or the number of fields differs.
        """
        x = np.zeros(())
        for field, tf_f, dl_f in zip(self.fields, tf, dl, strict=True):
            x = x + checked("tf", tf_f) * field.norm(dl_f)
        share = np.divide(x, x + self.k1, out=np.zeros_like(x), where=x > 0)
        return np.asarray(idf(term.df, term.N) * share)

    def explain(self, tf: Sequence[float], dl: Sequence[float], term: Statistics) -> Explanation:
        """Explain a term's score. The root is `score(tf, dl, term)`."""
        parts = tuple(
            field.explain(tf_f, dl_f) for field, tf_f, dl_f in zip(self.fields, tf, dl, strict=True)
        )
        names = " + ".join(field.name for field in self.fields)
        x = Explanation(
            sum(part.value for part in parts), f"x, frequency over all fields: {names}", parts
        )
        k1 = Explanation(self.k1, "k1, term saturation")
        score = float(self.score(tf, dl, term))
        formula = "idf × x / (x + k1)" if x.value else "0 × idf"
        return Explanation(score, f"BM25F, one term: {formula}", (explain_idf(term), x, k1))


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """BM25F's parameters for the two fields of an argument, before field lengths are known."""

    k1: float = parameter(1.2, K1, low=0.0, high=1000.0)
    w_conclusion: float = parameter(1.0, "BM25F: weight of the conclusion", low=0.0, high=1000.0)
    w_premise: float = parameter(1.0, "BM25F: weight of the premises", low=0.0, high=1000.0)
    b_conclusion: float = parameter(0.75, "BM25F: penalty for long conclusions", low=0.0, high=1.0)
    b_premise: float = parameter(0.75, "BM25F: penalty for long premises", low=0.0, high=1.0)

    def over(self, conclusion: float, premise: float) -> BM25F:
        """Build the model for fields of these mean lengths (tokens), or raise ValueError."""
        return BM25F(
            (
                WeightedField("conclusion", self.w_conclusion, self.b_conclusion, conclusion),
                WeightedField("premise", self.w_premise, self.b_premise, premise),
            ),
            self.k1,
        )
