"""Fuse the ranking by words with the ranking by meaning (docs/meaning.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from textwrap import shorten
from typing import Any, ClassVar

import numpy as np

from argsearch.engine.stages.base import Candidates, Findings, Floats, Ints, Step
from argsearch.ranking.combination import (
    KAPPA,
    NOWHERE,
    PASSAGE_WEIGHT,
    factor,
    raised,
    reach,
    reciprocal_ranks,
)
from argsearch.ranking.explanation import Explanation

PASSAGE_SHOWN = 200
"""Maximum number of characters of a passage to show in an explanation."""


class _PassageTexts(Sequence[str]):
    """The best passage of each candidate, read when shown; empty for a candidate without one."""

    def __init__(self, source: Findings, rows: Ints, places: Floats) -> None:
        self._source, self._rows, self._places = source, rows, places

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        place = int(self._places[index])
        if place < 0:
            return ""
        # Segmentation loads compiled code, and importing the engine should not.
        from argsearch.indexer.analysis.passages import passage_texts

        text = passage_texts(self._source.argument(int(self._rows[index])).premise)[place]
        return shorten(text, PASSAGE_SHOWN, placeholder=" …")


@dataclass(frozen=True, slots=True)
class Fusion:
    """F = 1 / (κ + rank by words) + ω_M / (κ + rank by meaning); used by `[meaning] weight`.

    The first `depth` hits by words and by meaning are fused, and the other hits follow. A hit in
    only one list has only that list's term. The rank by meaning follows max(0, M) · (1 + ω_N·Q).
    Without a passage, Q is 0. ω_M rises to `paraphrase_weight` if the search by words misses near
    arguments (`ranking.combination.reach`).
    """

    name: ClassVar[str] = "meaning"
    doc: ClassVar[str] = "adds the nearest arguments by meaning and fuses both lists by rank"
    formula: ClassVar[str] = "score, reciprocal ranks: by words + w_meaning × by meaning"
    needs: ClassVar[tuple[str, ...]] = ("meaning",)

    weight: float = 0.5
    depth: int = 100
    paraphrase_weight: float = 0.0
    quality: float = 0.0

    def step(self, candidates: Candidates) -> Step:
        """Order by F, ties by the earlier order."""
        assert candidates.source.fused is not None, "the unit must find candidates by meaning"
        found = candidates.source.fused.near(candidates.rows)
        place = np.arange(1.0, len(candidates) + 1)
        words = np.where((place <= self.depth) & (found["found"] > 0), place, NOWHERE)
        # Without passages, weighing by quality left more lists of a side empty.
        Q = np.where(found["place"] < 0, 0.0, candidates.quality)
        M, worth = found["M"], factor(self.quality, Q)
        # With a negative M, a larger factor would lower a text.
        N = np.where(np.isfinite(found["near"]), np.maximum(0.0, M) * worth, -np.inf)
        nearest = np.lexsort((found["near"], -N))
        found["near"][nearest] = np.where(np.isfinite(N[nearest]), place, NOWHERE)
        reached = reach(M[found["found"] > 0], M[np.isfinite(found["near"])])
        weight = np.full(len(M), raised(self.weight, self.paraphrase_weight, reached))
        of_all = {"words": words, "weight": weight, "reach": np.full(len(M), reached)}
        columns = {**of_all, "worth": worth, **found}
        fused = reciprocal_ranks(words, found["near"], weight)
        order = np.argsort(-fused, kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
        texts = _PassageTexts(candidates.source, candidates.rows[order], columns["place"])
        return Step(order, columns, {"passage": texts})

    def combine(self, **columns: Floats) -> Floats:
        """Return F for the ranks."""
        return reciprocal_ranks(columns["words"], columns["near"], columns["weight"])

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return one term for each list, with the rank and the values behind it."""
        words = self._term("words", 1.0, values["words"], (before,))
        names = {
            "claim": "conclusion, cosine with the question",
            "passage": "premises or their best passage, cosine with the question",
        }
        parts = tuple(
            Explanation(values[key], name)
            for key, name in names.items()
            if np.isfinite(values[key])
        )
        mean = f"M, {1 - PASSAGE_WEIGHT:.2f} × conclusion + {PASSAGE_WEIGHT:.2f} × premises"
        mean = mean if len(parts) == 2 else "M, by the conclusion or the premises alone"
        if remarks["passage"]:
            mean += f", found through this passage: “{remarks['passage']}”"
        M = Explanation(values["M"], mean, parts, symbol="M")
        said = f"ω_M, for what words find comes to {values['reach']:.2f} of the nearest"
        weight = Explanation(values["weight"], said, symbol="ω_M")
        said = "1 + ω_N × Q, quality factor; ranks by meaning follow M times this factor"
        quality = Explanation(values["worth"], said, symbol="1 + ω_N·Q")
        shown = (True, values["worth"] != 1.0, values["weight"] != self.weight)
        details = tuple(compress((M, quality, weight), shown))
        return words, self._term("meaning", values["weight"], values["near"], details)

    def _term(
        self, by: str, weight: float, rank: float, details: tuple[Explanation, ...]
    ) -> Explanation:
        symbol = f"1 / (κ + rank by {by})"
        if not np.isfinite(rank):
            said = f"not among the first {self.depth} by {by}"
            return Explanation(0.0, said, details, symbol=symbol)
        said = f"{weight:g} / ({KAPPA} + {rank:.0f}), rank {rank:.0f} by {by}"
        return Explanation(weight / (KAPPA + rank), said, details, symbol=symbol)
