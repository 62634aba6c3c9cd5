"""Structural distance: texts built like the question, or unlike it (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argsearch.engine.stages import mixing
from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Structural:
    """Section [rerank.structural]: 1 - Jaro of the universal part-of-speech tags, mixed in.

    Of a text the first 200 tokens (within 2,400 characters) are tagged.
    """

    name: ClassVar[str] = "structural"
    doc: ClassVar[str] = "structural distance: Jaro over part-of-speech tags, mixed in (W22)"
    formula: ClassVar[str] = mixing.FORMULA
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    mu: float = mixing.mu_setting()
    mode: str = mixing.mode_setting()
    tagger: str = setting("lexicon", "the tagger: lexicon (ships with the package), or spacy:MODEL")

    def step(self, candidates: Candidates) -> Step:
        """By the mixture of the scores so far with the distances."""
        from argsearch.indexer.analysis.tagging import load_tagger
        from argsearch.ranking.reranking import structural

        tagger = load_tagger(self.tagger)
        texts = [tagger.codes(text) for text in candidates.texts]
        R = structural.distances(tagger.codes(candidates.question), texts)
        other = structural.similarity(R) if self.mode == "similarity" else R
        return mixing.step(candidates.scores, other, self.mu)

    def combine(self, **columns: Floats) -> Floats:
        """S = μ·I + (1 − μ)·R   (W22)."""
        return mixing.combine(columns, self.mu)

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """The mixture's parts."""
        meaning = f"x, structural {self.mode} of question and premises (Jaro over tags)"
        return mixing.explain(values, self.mu, before, meaning)
