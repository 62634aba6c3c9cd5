"""Which arguments use another's conclusion as a premise: the edges of W22's argument graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.encoders.word_vectors import bags, load_word_vectors
from argsearch.indexer.parts.pairs.comparing import VECTORS
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentences
from argsearch.ranking.reranking import word_movers
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY


class Said(NamedTuple):
    """A premise's sentence that is a conclusion's."""

    user: int
    """The argument whose premise it is."""
    owner: int
    """The argument that concludes it."""
    premise: str
    conclusion: str
    by_cosine: bool
    """Whether the cosine was enough; else the word mover's similarity alone."""


def links(
    arguments: Sequence[Argument],
    encoder: Encoder,
    cosine: float = COSINE,
    similarity: float = SIMILARITY,
) -> list[Said]:
    """Where a premise of one argument is the conclusion of another   (W22).

    Sentences are the same where the cosine of their embeddings is above `cosine`, or their word
    mover's similarity 1/(1 + WMD) above `similarity`. In the order of users, owners, sentences.
    """
    conclusions, premises = (_sentences(arguments, side) for side in (CONCLUSION, PREMISE))
    if not (conclusions and premises):
        return []
    x, y = (encoder.encode(list(side)) for side in (premises, conclusions))
    by_cosine = x @ y.T > cosine
    near = by_cosine | _by_words(list(premises), list(conclusions), similarity)
    said, concluded = list(premises.items()), list(conclusions.items())
    found = [
        Said(user, owner, said[p][0], concluded[c][0], bool(by_cosine[p, c]))
        for p, c in np.argwhere(near).tolist()
        for user in said[p][1]
        for owner in concluded[c][1]
        if user != owner
    ]
    return sorted(found)


def adjacency(found: Sequence[Said], n: int) -> NDArray[np.bool_]:
    """The edges as bool[n, n]: of the argument that uses (row) to the one that concludes."""
    edges = np.zeros((n, n), np.bool_)
    edges[[one.user for one in found], [one.owner for one in found]] = True
    return edges


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
