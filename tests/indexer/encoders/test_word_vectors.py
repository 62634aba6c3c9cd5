"""The default word vectors, and bags of content words."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from argsearch.indexer.analysis.tagging import SpacyTagger, TaggerUnavailable
from argsearch.indexer.encoders import word_vectors
from argsearch.indexer.encoders.word_vectors import (
    TEXT_CHARACTERS,
    WORDS,
    bags,
    content_words,
    load_word_vectors,
)
from argsearch.ranking.lexicons import lexicon
from argsearch.ranking.reranking.word_movers import distances


class Listed:
    """Word vectors of two dimensions in a dictionary."""

    def __init__(self, rows):
        self._rows = rows

    def vectors(self, words):
        known = np.array([word in self._rows for word in words])
        rows = [self._rows[word] for word in words if word in self._rows]
        return known, np.array(rows, np.float32).reshape(-1, 2)


@pytest.fixture(scope="module")
def source():
    return load_word_vectors("wordllama")


def test_a_words_vector_is_the_mean_of_its_pieces(source):
    words = ["tenure", "a", "antidisestablishmentarianism"]
    known, vectors = source.vectors(words)
    assert known.all()
    for word, vector in zip(words, vectors, strict=True):
        ids = source._encoder._tokenizer.encode(word, add_special_tokens=False).ids
        mean = source._encoder._vectors[ids].astype(np.float64).mean(axis=0)
        np.testing.assert_allclose(vector, mean, rtol=1e-5, atol=1e-5)


def test_a_word_only_bytes_can_write_is_not_known(source):
    known, vectors = source.vectors(["tenure", "🦊", "", "\ud800", "tenure"])
    assert known.tolist()[:3] == [True, False, False]
    assert known[4]
    np.testing.assert_array_equal(vectors[0], vectors[-1])
    assert source.vectors([])[1].shape == (0, 256)


@pytest.mark.parametrize("words", [[], [""], ["", "原", "\ud800", "tenure", "x" * 700]])
def test_a_words_vector_does_not_depend_on_its_company(source, words):
    known, rows = source.vectors(words)
    alone = [source.vectors([word]) for word in words]
    assert known.tolist() == [bool(one[0][0]) for one in alone]
    np.testing.assert_array_equal(
        rows, np.concatenate([np.zeros((0, 256)), *[a[1] for a in alone]])
    )


def test_content_words_by_hand():
    text = "The Teachers' union isn't for tenure; TENURE costs 500 dollars, teachers say. Teachers!"
    assert dict(content_words(text)) == {
        "tenure": 2,
        "teachers": 3,
        "union": 1,
        "costs": 1,
        "dollars": 1,
        "say": 1,
    }
    assert next(iter(content_words(text))) == ("teachers", 3)


def test_stop_words_are_scikit_learns():
    assert set(lexicon("stop_words")["english"]) == ENGLISH_STOP_WORDS
    assert not content_words(" ".join(ENGLISH_STOP_WORDS))


def test_a_long_text_is_its_most_frequent_words(source):
    rare = " ".join(f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}lore" for i in range(600))
    words = content_words(f"{rare} " + "tenure " * 1000)
    assert len(words) == WORDS
    assert words[0] == ("tenure", 1000)
    found = bags("tenure", ["word " * 5000], source)
    assert np.isfinite(distances(found.query, found.texts, found.vectors)).all()


def test_what_follows_the_limit_is_not_read():
    text = "tenure " * (TEXT_CHARACTERS // 7 + 1)
    assert content_words(text) == content_words(text + "union")


AWKWARD = [
    "",
    "   ",
    "Tenure",
    "the of and",
    "Ist Atomkraft sicher?",
    "原子力は安全ですか",
    "🦊🦊",
    "\ud800 x",
]


@pytest.mark.parametrize("query", ["should teachers get tenure", "", "the", "原子力"])
def test_awkward_texts_get_finite_distances(source, query):
    found = bags(query, AWKWARD * 2, source)
    far = distances(found.query, found.texts, found.vectors)
    assert np.isfinite(far).all()
    assert far[: len(AWKWARD)].tolist() == far[len(AWKWARD) :].tolist()
    for bag in (found.query, *found.texts):
        assert bag.weights.sum() == pytest.approx(1.0 if len(bag.words) else 0.0)


def test_words_without_a_vector_leave_the_weights_to_others():
    source = Listed({"teachers": [1, 0], "union": [0, 1]})
    found = bags("teachers tenure", ["union tenure pay", "tenure"], source)
    assert found.names == ["teachers", "union"]
    assert found.query.weights.tolist() == [1.0]
    far = distances(found.query, found.texts, found.vectors)
    assert far == pytest.approx([np.sqrt(2)] * 2)  # the second has no known word


def test_a_spacy_model_takes_the_words_of_w22s_tool_or_ours(monkeypatch):
    rows = {"Zoos": [1.0, 0.0], "zoos": [0.0, 1.0]}
    vocab = SimpleNamespace(vectors_length=2, has_vector=rows.__contains__)
    vocab.get_vector = lambda word: rows.get(word, [0.0, 0.0])
    tagger = object.__new__(SpacyTagger)  # a stand-in for a model, whose stop word is "The"
    tagger.model = SimpleNamespace(vocab=vocab, make_doc=lambda text: map(token, text.split()))
    monkeypatch.setattr(word_vectors, "load_tagger", lambda _: tagger)
    texts = "The Zoos", ["zoos keep 12 animals"]
    made = bags(*texts, load_word_vectors("spacy:some-model"))
    assert made.names == ["Zoos", "zoos", "keep", "animals"]
    assert made.vectors.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    made = bags(*texts, load_word_vectors("spacy-content:some-model"))
    assert (made.names, made.vectors.tolist()) == (["zoos"], [[0, 1]])
    vocab.vectors_length = 0
    with pytest.raises(TaggerUnavailable, match="spacy:small has no word vectors"):
        load_word_vectors("spacy:small")


def token(word):
    return SimpleNamespace(text=word, is_alpha=word.isalpha(), is_stop=word == "The")
