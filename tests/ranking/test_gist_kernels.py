"""The kernels of a gist against the plain expressions that they stand for."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from argsearch.ranking.gist import GistWeights, Room, choose, judge, manners
from tests.ranking.plain_gist import SentenceSigns, manner, matched, select, worth

W = GistWeights()
FLAGS = (
    *("asked", "talk", "reference", "quoted", "person", "anaphora", "example"),
    *("open", "announced", "opposed", "unended", "answer"),
)
"""Columns of the counts from the fifth on."""


@given(arrays(np.int32, st.tuples(st.integers(0, 12), st.just(16)), elements=st.integers(0, 60)))
def test_the_kernel_of_manner_equals_the_plain_expression(counts):
    counts[:, 4:] %= 2
    words, cues, digits, characters = counts.T[:4]
    share = digits / np.maximum(characters, 1)
    flags = dict(zip(FLAGS, counts.T[4:] > 0, strict=True))
    plainly = manner(SentenceSigns(words.astype(float), cues.astype(float), share, **flags), W)
    found = manners(counts, np.arange(16), np.array(astuple(W)))
    np.testing.assert_allclose(found, plainly, rtol=1e-12, atol=1e-12)


@st.composite
def texts(draw):
    """A text of n sentences: manner, words' weights, embeddings, question, lengths, room."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(1, 14)), draw(st.sampled_from([2, 3, 16]))
    rows = rng.normal(size=(n, d)).astype(np.float32)
    rows[draw(st.lists(st.integers(0, n - 1), max_size=2))] = rows[0]  # some say the same
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    words = rng.integers(0, 3, n).astype(np.float64) if draw(st.booleans()) else np.ones(n)
    asked = rng.normal(size=d)
    room = Room(characters=200, stretch=draw(st.sampled_from([1, 60, 10_000])), alike=0.9)
    return rng.normal(size=n) * 3, words, rows, asked / np.linalg.norm(asked), room


@given(text=texts(), most=st.integers(0, 16), seed=st.integers(0, 9))
def test_judged_and_chosen_as_the_plain_expressions_do(text, most, seed):
    manners_, words, rows, asked, room = text
    n = len(manners_)
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 120, n)
    slots = rng.permutation(n).astype(np.int64)
    slots[slots > n // 2] = -1

    worths, numbers, missing = judge(manners_, words, W.words, most, slots)
    plain = matched(manners_, words, W)
    np.testing.assert_allclose(worths, plain, atol=1e-9)
    assert numbers.tolist() == sorted(np.argsort(-plain, kind="stable")[:most].tolist())
    assert missing == (slots[numbers] < 0).sum()

    order = rng.permutation(n)
    shelf, place = rows[order], np.argsort(order).astype(np.int64)  # row of each sentence
    cosines, limits = (W.question, W.centrality), astuple(room)
    chosen = choose(worths, numbers, shelf, place, asked, cosines, lengths, limits)
    G, alike = plain.copy(), np.zeros((n, n))
    if len(numbers):
        G[numbers] = worth(plain[numbers], rows[numbers], asked, W)
        alike[np.ix_(numbers, numbers)] = rows[numbers] @ rows[numbers].T
    assert chosen.tolist() == select(G, lengths, alike, room).tolist()
