"""Word mover's distance: how far a text's words are from the question's (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argsearch.engine.stages import mixing
from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class WordMovers:
    """Section [rerank.word_movers]: the exact distance over word vectors, mixed in.

    Of a text the 100 most frequent content words within 20,000 characters are moved.
    """

    name: ClassVar[str] = "word_movers"
    doc: ClassVar[str] = "word mover's distance over word vectors, mixed in (W22)"
    formula: ClassVar[str] = mixing.FORMULA
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    mu: float = mixing.mu_setting()
    mode: str = mixing.mode_setting()
    vectors: str = setting(
        "wordllama", "word vectors: wordllama, or a file of word2vec (text, binary) or GloVe"
    )

    def step(self, candidates: Candidates) -> Step:
        """By the mixture of the scores so far with the distances."""
        from argsearch.indexer.encoders.word_bags import bags
        from argsearch.indexer.encoders.word_vectors import load_word_vectors
        from argsearch.ranking.reranking import word_movers

        made = bags(candidates.question, candidates.texts, load_word_vectors(self.vectors))
        R = word_movers.distances(made.query, made.texts, made.vectors)
        other = word_movers.similarity(R) if self.mode == "similarity" else R
        return mixing.step(candidates.scores, other, self.mu)

    def combine(self, **columns: Floats) -> Floats:
        """S = μ·I + (1 − μ)·R   (W22)."""
        return mixing.combine(columns, self.mu)

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """The mixture's parts."""
        meaning = f"x, word mover's {self.mode} of question and premises"
        return mixing.explain(values, self.mu, before, meaning)
