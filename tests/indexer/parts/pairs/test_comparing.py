"""Edges of the argument graph, against a naive reading of random corpora."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.corpus.argument import Argument, Premise
from argsearch.indexer.encoders import load_encoder, word_vectors
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parts.pairs.comparing import Ingredients, links, moves, structures
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentences
from tests.indexer.encoders.test_word_vectors import Listed

TEXTS = (
    "Zoos are cruel.", "Zoos are cruel!", "Cruel are zoos.", "Zoos are cruel to animals.",
    "Taxes help.", "Taxes are theft. Zoos are cruel.", "Is it?", "", "!!!", "动物园",
)  # fmt: skip


def arguments(pairs: list[tuple[str | None, str]]) -> list[Argument]:
    return [Argument(f"a{n}", c, (Premise(p, None),)) for n, (c, p) in enumerate(pairs)]


def naive(some: list[Argument], cosine: float, similarity: float) -> np.ndarray:
    """Every sentence with every other: W22's two conditions, one at a time."""
    encoder = load_encoder("wordllama")
    edges = np.zeros((len(some), len(some)), bool)
    for u, user in enumerate(some):
        for v, owner in enumerate(some):
            for p in sentences(user, PREMISE) if u != v else ():
                for c in sentences(owner, CONCLUSION):
                    x, y = encoder.encode([p.text, c.text]).astype(float)
                    far = _distance(c.text, p.text)
                    edges[u, v] |= x @ y > cosine or 1 / (1 + far) > similarity
    return edges


def _distance(a: str, b: str) -> float:
    """WMD, infinite where either text has no content word."""
    from argsearch.indexer.encoders.word_vectors import content_words

    return float(moves(a, [b])[0]) if content_words(a) and content_words(b) else np.inf


@pytest.mark.thorough
@settings(max_examples=25)
@given(
    pairs=st.lists(
        st.tuples(st.none() | st.sampled_from(TEXTS), st.sampled_from(TEXTS)), max_size=5
    ),
    cosine=st.sampled_from([0.6, 0.99]),
    similarity=st.sampled_from([0.05, 0.2, 0.9]),
)
def test_edges_are_those_of_a_naive_reading(pairs, cosine, similarity):
    some = arguments(pairs)
    found = links(some, load_encoder("wordllama"), cosine, similarity)
    expected = naive(some, cosine, similarity)
    assert (found > 0).tolist() == expected.tolist()


def test_an_edge_says_what_made_it():
    some = arguments(
        [
            ("Ban them.", "Zoos are cruel. They are dear."),
            ("Zoos are cruel!", "Animals pace. Zoos are cruel."),
            ("How cruel zoos can be.", "It is known."),
        ]
    )
    assert links(some, load_encoder("wordllama"))[0].tolist() == [0, 3, 1]


def test_the_ingredients_are_those_named(monkeypatch):
    """Word vectors of one's own, and no more words than told."""
    source = Listed({"zoos": [0, 0], "cages": [3, 4]})
    monkeypatch.setattr(word_vectors, "_spacy", lambda _model, _as_published: source)
    by = Ingredients(vectors="spacy-content:listed")
    assert moves("zoos", ["cages"], by).tolist() == [5.0]
    assert moves("zoos", ["zoos cages zoos"], replace(by, words=1)).tolist() == [0.0]
    assert moves("zoos", ["zoos cages zoos"], by)[0] > 0
    with pytest.raises(InvalidParameter, match="tagger must .*not 'best'"):
        structures("zoos", ["cages"], Ingredients(tagger="best"))
