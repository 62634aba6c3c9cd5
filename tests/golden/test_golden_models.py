"""BM25, TF-IDF and DFR beside Lucene: answers kept in a file, and Lucene asked again."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.dfr import AFTER_EFFECTS, BASIC_MODELS, DFR, NORMALISATIONS
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths
from argsearch.ranking.similarities.statistics import Similarity, Statistics
from argsearch.ranking.similarities.tfidf import TFIDF

TOKENS = StandardAnalyzer().tokens
PARAMETERS = {"H1": ("c", 2.5), "H2": ("c", 0.7), "H3": ("mu", 300.0), "Z": ("z", 0.2)}


def golden(name: str) -> Any:
    return json.loads(Path(__file__).with_name(name).read_text("utf-8"))


def similarity_of(words: str) -> Similarity:
    """The model that the referee knows by these words."""
    name, *values = words.split()
    if name == "bm25":
        return BM25(*map(float, values))
    if name == "classic":
        return TFIDF()
    basic, after, normalisation, value = values
    named = {PARAMETERS[normalisation][0]: float(value)} if normalisation in PARAMETERS else {}
    return DFR(basic, after, normalisation, **named)


def every_dfr() -> list[str]:
    parts = product(BASIC_MODELS, AFTER_EFFECTS, NORMALISATIONS)
    return [f"dfr {b} {a} {n} {PARAMETERS.get(n, ('', 0.0))[1]}" for b, a, n in parts]


class Bags:
    """Documents as counted tokens."""

    def __init__(self, documents: dict[str, str]) -> None:
        self.ids = sorted(documents)
        self.bags = [Counter(TOKENS(documents[id])) for id in self.ids]
        lengths = [bag.total() for bag in self.bags]
        self.dl = LENGTH_TABLE[encode_lengths(lengths)]
        self.N, self.T = int(np.count_nonzero(lengths)), sum(lengths)

    def scores(self, similarity: Similarity, query: str) -> dict[str, float]:
        """R of every document that matches, by the plain expressions."""
        R: dict[str, float] = {}
        for token in TOKENS(query):
            tf = np.array([bag[token] for bag in self.bags])
            here = np.flatnonzero(tf)
            if len(here):
                term = Statistics(len(here), int(tf.sum()), self.N, self.T)
                for d, s in zip(here, similarity.score(tf[here], self.dl[here], term), strict=True):
                    R[self.ids[d]] = R.get(self.ids[d], 0.0) + float(s)
        return R


@pytest.fixture(scope="module")
def bags() -> Bags:
    return Bags(golden("scores.json")["documents"])


def compare(found: dict[str, float], hits: list[tuple[str, float]], what: tuple[str, str]) -> None:
    assert found == pytest.approx(dict(hits), rel=2e-6, abs=1e-9), what
    order = sorted(found, key=lambda id: (-found[id], id))
    places = {id: place for place, (id, _) in enumerate(hits)}
    for id, after in pairwise(order):
        close = found[id] - found[after] <= 2e-6 * found[id]  # a tie in float32
        assert places[id] < places[after] or close, what


def test_plain_expressions_give_lucenes_answers(bags: Bags) -> None:
    answers = golden("models.json")
    for words, by_query in zip(answers["similarities"], answers["hits"], strict=True):
        for query, hits in zip(answers["queries"], by_query, strict=True):
            compare(bags.scores(similarity_of(words), query), hits, (words, query))


@pytest.mark.lucene
@pytest.mark.slow
def test_golden_files_are_what_lucene_says(lucene: ModuleType) -> None:
    docs = golden("scores.json")["documents"].items()
    for name, models in (("models.json", "similarities"), ("scores.json", "mu")):
        kept = golden(name)
        for model, by_query in zip(kept[models], kept["hits"], strict=True):
            found = lucene.lucene_scores(docs, kept["queries"], None, model)
            assert found == [[(id, score) for id, score in hits] for hits in by_query], model


@pytest.mark.lucene
@pytest.mark.slow
@pytest.mark.nightly
def test_every_dfr_model_is_lucenes(bags: Bags, lucene: ModuleType) -> None:
    scores = golden("scores.json")
    for words in every_dfr():
        answers = lucene.lucene_scores(scores["documents"].items(), scores["queries"], None, words)
        for query, hits in zip(scores["queries"], answers, strict=True):
            compare(bags.scores(similarity_of(words), query), hits, (words, query))
