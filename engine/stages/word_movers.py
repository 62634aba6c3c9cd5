"""Word mover's distance: how far a text's words are from the question's (W22)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from argsearch.engine.stages.base import Candidates, Floats
from argsearch.engine.stages.mixing import Mixing
from argsearch.indexer.format.settings import setting


@dataclass(frozen=True, slots=True)
class WordMovers(Mixing):
    """Section [rerank.word_movers]: the exact distance over word vectors, mixed in.

    Of a text the 100 most frequent content words within 20,000 characters are moved.
    """

    name: ClassVar[str] = "word_movers"
    doc: ClassVar[str] = "word mover's distance over word vectors, mixed in (W22)"
    meaning: ClassVar[str] = "x, word mover's {mode} of question and premises"

    vectors: str = setting(
        "wordllama", "word vectors: wordllama, or a file of word2vec (text, binary) or GloVe"
    )

    def read(self, candidates: Candidates) -> Floats:
        """Return the distances, or the similarities."""
        from argsearch.indexer.encoders.word_vectors import bags, load_word_vectors
        from argsearch.ranking.reranking import word_movers

        made = bags(candidates.question, candidates.texts, load_word_vectors(self.vectors))
        R = word_movers.distances(made.query, made.texts, made.vectors)
        return word_movers.similarity(R) if self.mode == "similarity" else R
