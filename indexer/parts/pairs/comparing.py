"""How sentences differ in build and in words (W22), and so who uses another's conclusion.

That is an edge of W22's argument graph: a premise's sentence that is a conclusion's, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.tagging import load_tagger
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.encoders.word_vectors import bags, load_word_vectors
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentences
from argsearch.ranking.reranking import structural, word_movers
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY

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


def links(
    arguments: Sequence[Argument],
    encoder: Encoder,
    cosine: float = COSINE,
    similarity: float = SIMILARITY,
) -> NDArray[np.uint8]:
    """Where a premise of one argument (row) is the conclusion of another (column), uint8[n, n].

    Sentences are the same where the cosine of their embeddings is above `cosine`, which is a 2, or
    their word mover's similarity 1/(1 + WMD) alone above `similarity`, a 1; else 0   (W22).
    """
    found = np.zeros((len(arguments), len(arguments)), np.uint8)
    conclusions, premises = (_sentences(arguments, side) for side in (CONCLUSION, PREMISE))
    if not (conclusions and premises):
        return found
    x, y = (encoder.encode(list(side)) for side in (premises, conclusions))
    by_cosine = x @ y.T > cosine
    near = by_cosine | _by_words(list(premises), list(conclusions), similarity)
    users, owners = list(premises.values()), list(conclusions.values())
    for p, c in np.argwhere(near).tolist():
        at = np.ix_(users[p], owners[c])
        found[at] = np.maximum(found[at], 1 + by_cosine[p, c])
    np.fill_diagonal(found, 0)
    return found


def _sentences(arguments: Sequence[Argument], side: str) -> dict[str, list[int]]:
    """Every distinct sentence of a side, and the arguments that have it."""
    having: dict[str, list[int]] = {}
    for number, argument in enumerate(arguments):
        for text in dict.fromkeys(one.text for one in sentences(argument, side)):
            having.setdefault(text, []).append(number)
    return having


def _by_words(premises: list[str], conclusions: list[str], similarity: float) -> NDArray[np.bool_]:
    """bool[premises, conclusions]: which are near by word mover's distance."""
    made = bags("", [*conclusions, *premises], load_word_vectors(VECTORS))
    texts = made.texts[len(conclusions) :]
    columns = [
        word_movers.within(q, texts, made.vectors, similarity)
        for q in made.texts[: len(conclusions)]
    ]
    return np.stack(columns, axis=1)
