"""Structural and lexical distances between sentences (W22), and links between arguments.

A link is an edge of W22's argument graph: a sentence in a premise that is also a conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.tagging import load_tagger
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.encoders.word_vectors import WORDS, bags, load_word_vectors
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentences
from argsearch.ranking.reranking import structural, word_movers
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY

# The bits of an edge in `links` say which of W22's conditions holds.
BY_WORDS = 1
BY_COSINE = 2
Lists = Sequence[tuple[str, list[str]]]


@dataclass(frozen=True, slots=True)
class Ingredients:
    """Resources for comparing sentences (W22: en_core_web_md's tags and vectors, no limit)."""

    tagger: str = "lexicon"
    """Spec of the tagger for `load_tagger`."""
    vectors: str = "wordllama"
    """Spec of the word vectors for `load_word_vectors`."""
    words: int = WORDS
    """Maximum number of distinct words per sentence for word mover's distance."""


DEFAULT = Ingredients()


def structures(query: str, texts: Sequence[str], by: Ingredients = DEFAULT) -> NDArray[np.float64]:
    """Return the structural distance SD from a query to each text, float64[n] (W22)."""
    tagger = load_tagger(by.tagger)
    return structural.distances(tagger.codes(query), [tagger.codes(text) for text in texts])


def moves(query: str, texts: Sequence[str], by: Ingredients = DEFAULT) -> NDArray[np.float64]:
    """Return the word mover's distance WMD from a query to each text, float64[n] (W22)."""
    made = bags(query, texts, load_word_vectors(by.vectors), by.words)
    return word_movers.distances(made.query, made.texts, made.vectors)


def compare(by: Ingredients, lists: Lists) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return the distances (SD, WMD) from each conclusion to each of its premises."""
    return [
        (
            structures(query, texts, by).astype(np.float32),
            moves(query, texts, by).astype(np.float32),
        )
        for query, texts in lists
    ]


def links(
    arguments: Sequence[Argument],
    encoder: Encoder,
    cosine: float = COSINE,
    similarity: float = SIMILARITY,
) -> NDArray[np.uint8]:
    """Return links from arguments (rows) with a premise that is another's conclusion (columns).

    The links are bits as in `alike`, uint8[n, n].
    """
    found = np.zeros((len(arguments), len(arguments)), np.uint8)
    conclusions, premises = (_sentences(arguments, side) for side in (CONCLUSION, PREMISE))
    if not (conclusions and premises):
        return found
    bits = alike(list(premises), list(conclusions), encoder, cosine, similarity)
    users, owners = list(premises.values()), list(conclusions.values())
    for p, c in np.argwhere(bits).tolist():
        found[np.ix_(users[p], owners[c])] |= bits[p, c]
    np.fill_diagonal(found, 0)
    return found


def alike(
    premises: list[str],
    conclusions: list[str],
    encoder: Encoder,
    cosine: float = COSINE,
    similarity: float = SIMILARITY,
    vectors: str = DEFAULT.vectors,
) -> NDArray[np.uint8]:
    """Return which premises are also conclusions, as bits, uint8[premises, conclusions].

    Two sentences are the same if the cosine of their embeddings is above `cosine` (BY_COSINE) or
    their similarity 1/(1 + WMD) by these word vectors is above `similarity` (BY_WORDS) (W22).
    """
    x, y = (encoder.encode(side) for side in (premises, conclusions))
    made = bags("", [*conclusions, *premises], load_word_vectors(vectors))
    texts = made.texts[len(conclusions) :]
    columns = [
        word_movers.within(q, texts, made.vectors, similarity)
        for q in made.texts[: len(conclusions)]
    ]
    by_words = np.stack(columns, axis=1)
    return (BY_COSINE * (x @ y.T > cosine) + BY_WORDS * by_words).astype(np.uint8)


def _sentences(arguments: Sequence[Argument], side: str) -> dict[str, list[int]]:
    """Return each distinct sentence of a side, with the arguments that contain it."""
    having: dict[str, list[int]] = {}
    for number, argument in enumerate(arguments):
        for text in dict.fromkeys(one.text for one in sentences(argument, side)):
            having.setdefault(text, []).append(number)
    return having
