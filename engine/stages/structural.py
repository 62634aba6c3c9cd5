"""Structural distance: texts built like the question, or unlike it (W22)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from argsearch.engine.stages.base import Candidates, Floats
from argsearch.engine.stages.mixing import MixedDistance
from argsearch.indexer.format.settings import setting


@dataclass(frozen=True, slots=True)
class Structural(MixedDistance):
    """Section [rerank.structural]: 1 - Jaro of the universal part-of-speech tags, mixed in.

    Of a text the first 200 tokens (within 2,400 characters) are tagged.
    """

    name: ClassVar[str] = "structural"
    doc: ClassVar[str] = "structural distance: Jaro over part-of-speech tags, mixed in (W22)"
    meaning: ClassVar[str] = "x, structural {mode} of question and premises (Jaro over tags)"

    tagger: str = setting("lexicon", "the tagger: lexicon (ships with the package), or spacy:MODEL")

    def read(self, candidates: Candidates) -> Floats:
        """Return the distances, or the similarities."""
        from argsearch.indexer.analysis.tagging import load_tagger
        from argsearch.ranking.reranking import structural

        tagger = load_tagger(self.tagger)
        texts = [tagger.codes(text) for text in candidates.texts]
        R = structural.distances(tagger.codes(candidates.question), texts)
        return structural.similarity(R) if self.mode == "similarity" else R
