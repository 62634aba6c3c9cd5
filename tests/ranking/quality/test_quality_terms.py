"""Words and pairs of words: the kernel counts and weighs as plain Python does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.quality.terms import HashedTerms, terms
from tests.ranking.quality import plain_terms as plain

pieces = st.lists(
    st.sampled_from(["the", "The", "don't", "it's", "''", "a'", "café", "x1", " ", ". ", "—", "’s"])
    | st.text(max_size=5)
).map("".join)  # fmt: skip


@pytest.mark.thorough
@given(st.lists(pieces, max_size=5))
def test_the_kernel_finds_the_terms_of_plain_python(texts: list[str]) -> None:
    found, starts = terms(texts)
    parts = [found[a:b].tolist() for a, b in pairwise(starts)]
    assert parts == [plain.terms(text) for text in texts]


TEXTS = ["to be or not to be", "to do is to be", "do be do be do", "", "being"]


def test_vocabulary_is_that_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    theirs = TfidfVectorizer(
        sublinear_tf=True, ngram_range=(1, 2), min_df=2, token_pattern=r"\w+"
    ).fit(TEXTS)
    ours = HashedTerms.of(TEXTS, least=2)
    assert sorted(ours.idf) == pytest.approx(sorted(theirs.idf_))
    expected = theirs.transform(TEXTS)
    gram = ours.matrix(TEXTS) @ ours.matrix(TEXTS).T
    assert gram.toarray() == pytest.approx((expected @ expected.T).toarray())


@pytest.mark.thorough
@given(st.lists(pieces, min_size=1, max_size=4), st.integers(0, 99))
def test_weighing_is_that_of_plain_python(texts: list[str], seed: int) -> None:
    vocabulary = HashedTerms.of([*TEXTS, *texts], least=1)
    weights = np.random.default_rng(seed).normal(size=(2, len(vocabulary.keys)))
    found = vocabulary.weigh(texts, weights)
    idf = dict(zip(vocabulary.keys.tolist(), vocabulary.idf.tolist(), strict=True))
    for m, row in enumerate(weights):
        named = dict(zip(vocabulary.keys.tolist(), row.tolist(), strict=True))
        assert found[:, m] == pytest.approx([plain.weigh(text, idf, named) for text in texts])
    assert found == pytest.approx(vocabulary.matrix(texts) @ weights.T)


def test_unknown_terms_weigh_nothing() -> None:
    vocabulary = HashedTerms.of(TEXTS, least=2)
    ones = np.ones((1, len(vocabulary.keys)))
    assert vocabulary.weigh(["", "zebra", "\ud83d", "to"], ones).ravel().tolist() == [0, 0, 0, 1]
    with pytest.raises(ValueError, match="no term occurs in 9 of the 5 texts"):
        HashedTerms.of(TEXTS, least=9)
