"""Clusters of a corpus: distinct conclusions, weights, documents without one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.building.collect import numbered
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.signals.base import Clusters
from argsearch.indexer.signals.cluster import cluster_conclusions

TOPICS = ["wind power", "teacher tenure", "gun control", "school uniforms"]
TEXTS = [f"{topic} {word}" for topic in TOPICS for word in ("is good", "is bad", "", "now", "why")]


def cluster(conclusions, encoder, k, weight_by_count, seed) -> Clusters:
    texts: dict[str, int] = {}
    text_of = numbered(conclusions, texts)
    settings = IndexSettings(clusters=k, weight_by_count=weight_by_count, seed=seed)
    return cluster_conclusions(list(texts), text_of, encoder, settings)


class Counting:
    """The real encoder, with a record of what it was asked."""

    def __init__(self):
        self.inner = load_encoder("wordllama")
        self.name, self.dimensions = self.inner.name, self.inner.dimensions
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return self.inner.encode(texts)


def test_each_distinct_conclusion_is_embedded_once():
    encoder = Counting()
    found = cluster([*TEXTS, None, *TEXTS, "", " \n", *TEXTS], encoder, 300, True, 0)
    assert encoder.asked == list(dict.fromkeys(TEXTS))
    assert found.k == 11
    assert found.labels.dtype == np.int32
    labels = found.labels.tolist()
    assert labels[20] == labels[41] == labels[42] == -1
    assert labels[:20] == labels[21:41] == labels[43:]


def test_k_as_it_stands_where_it_is_not_scaled():
    texts = [f"{topic} {i}" for topic in TOPICS for i in range(40)]
    numbers = np.arange(len(texts), dtype=np.int32)
    encoder = load_encoder("wordllama")
    for scale, k in ((True, 16), (False, 100)):
        settings = IndexSettings(clusters=100, scale_clusters=scale)
        assert cluster_conclusions(texts, numbers, encoder, settings).k == k


def test_weights_are_those_of_all_conclusions():
    encoder = load_encoder("wordllama")
    repeated = TEXTS + ["wind power is good"] * 50
    by_count = cluster(repeated, encoder, 1, True, 0)
    by_text = cluster(repeated, encoder, 1, False, 0)
    np.testing.assert_allclose(by_count.centroids[0], encoder.encode(repeated).mean(0), atol=1e-6)
    np.testing.assert_allclose(by_text.centroids[0], encoder.encode(TEXTS).mean(0), atol=1e-6)
    assert not np.allclose(by_count.centroids, by_text.centroids, atol=1e-3)


@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", " ", "", "a ", "c"])), max_size=30))
def test_conclusions_keep_order_and_every_document(conclusions):
    known: dict[str, int] = {}
    text_of = numbered(conclusions, known)
    texts = list(known)
    assert list(known.values()) == list(range(len(texts)))
    rebuilt = [texts[i] if i >= 0 else None for i in text_of]
    assert rebuilt == [c if c and c.strip() else None for c in conclusions]
    assert numbered(conclusions, known).tolist() == text_of.tolist()
