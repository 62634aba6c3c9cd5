"""How each conclusion's premises differ from it in build and in words (W22), known in advance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.tagging import load_tagger
from argsearch.indexer.encoders.word_vectors import bags, load_word_vectors
from argsearch.ranking.reranking import structural, word_movers

TAGGER, VECTORS = "lexicon", "wordllama"
"""The tagger and the word vectors."""
Lists = Sequence[tuple[str, list[str]]]


def structures(query: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """SD of a query to each text, float64[n] (W22)."""
    tagger = load_tagger(TAGGER)
    return structural.distances(tagger.codes(query), [tagger.codes(text) for text in texts])


def moves(query: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """WMD of a query to each text, float64[n] (W22)."""
    made = bags(query, texts, load_word_vectors(VECTORS))
    return word_movers.distances(made.query, made.texts, made.vectors)


def compare(lists: Lists) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """(SD, WMD) of each conclusion to each of its premises."""
    return [
        (structures(query, texts).astype(np.float32), moves(query, texts).astype(np.float32))
        for query, texts in lists
    ]
