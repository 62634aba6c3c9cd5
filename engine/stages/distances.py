"""Two distances between a question and a text: structural, and word mover's (W22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argsearch.engine.stages.base import Candidates, Floats, Step
from argsearch.engine.stages.mixing import Mixing
from argsearch.indexer.format.settings import setting
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.reranking.mixture import MIXTURE_READINGS


@dataclass(frozen=True, slots=True)
class MixedDistance(Mixing):
    """A stage whose R is a distance or a similarity between the question and a text."""

    meaning: ClassVar[str]
    """Description of R in which {mode} is a placeholder."""

    mode: str = setting(
        "similarity",
        "R: the distance (one reading of W22, where farther is higher), or the similarity",
        choices=MIXTURE_READINGS,
    )

    def read(self, candidates: Candidates) -> Floats:
        """Return R of each candidate, according to the mode."""
        raise NotImplementedError

    def step(self, candidates: Candidates) -> Step:
        """Order by the mixture of R and the earlier scores."""
        return self.mixed(candidates.scores, self.read(candidates))

    def reason(self, values: Mapping[str, float], remarks: Mapping[str, str]) -> Explanation:
        """Return the distance or the similarity."""
        return Explanation(values["x"], self.meaning.format(mode=self.mode))


@dataclass(frozen=True, slots=True)
class Structural(MixedDistance):
    """Section [rerank.structural]: mixes in 1 - Jaro of the universal part-of-speech tags.

    Tags only the first 200 tokens of a text, within its first 2,400 characters.
    """

    name: ClassVar[str] = "structural"
    doc: ClassVar[str] = (
        "structural distance: Jaro of part-of-speech tags, mixed with the score (W22)"
    )
    meaning: ClassVar[str] = "x, structural {mode} between question and premises (Jaro over tags)"

    tagger: str = setting("lexicon", "the tagger: lexicon (ships with the package), or spacy:MODEL")

    def read(self, candidates: Candidates) -> Floats:
        """Return the distances or the similarities."""
        from argsearch.indexer.parts.pairs.comparing import Ingredients, structures
        from argsearch.ranking.reranking.structural import similarity

        R = structures(candidates.question, candidates.texts, Ingredients(tagger=self.tagger))
        return similarity(R) if self.mode == "similarity" else R


@dataclass(frozen=True, slots=True)
class WordMovers(MixedDistance):
    """Section [rerank.word_movers]: mixes in the exact distance over word vectors.

    Uses the 100 most frequent content words in the first 20,000 characters of a text.
    """

    name: ClassVar[str] = "word_movers"
    doc: ClassVar[str] = "word mover's distance over word vectors, mixed with the score (W22)"
    meaning: ClassVar[str] = "x, word mover's {mode} between question and premises"

    vectors: str = setting(
        "wordllama", "word vectors: wordllama, spacy:MODEL or spacy-content:MODEL"
    )

    def read(self, candidates: Candidates) -> Floats:
        """Return the distances or the similarities."""
        from argsearch.indexer.parts.pairs.comparing import Ingredients, moves
        from argsearch.ranking.reranking.word_movers import similarity

        R = moves(candidates.question, candidates.texts, Ingredients(vectors=self.vectors))
        return similarity(R) if self.mode == "similarity" else R
