"""TF-IDF and both stages of H21 against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.svm import SVC, SVR

from argsearch.ranking.quality.svm import (
    Decisions,
    TermCounts,
    count_terms,
    fit_machines,
    fit_vocabulary,
    weights,
)

WORDS = [
    f"{a}{b}"
    for a in ("school", "tax", "gun", "vote", "law", "animal")
    for b in ["", "s", "ing", "é", "_1"]
]


def some_texts(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        " ".join(rng.choice([*WORDS, "the", "And", "x"], size=rng.integers(1, 60)))
        for _ in range(n)
    ]


def matrix(texts: list[str], terms: tuple[str, ...], idf: np.ndarray) -> csr_matrix:
    found = count_terms(texts, {term: i for i, term in enumerate(terms)})
    return csr_matrix((weights(found, idf), found.ids, found.starts), (len(texts), len(terms)))


def test_tfidf_is_scikit_learns() -> None:
    texts = some_texts(80, 0)
    theirs = TfidfVectorizer(stop_words="english").fit(texts)
    vocabulary = fit_vocabulary(texts, ENGLISH_STOP_WORDS)
    assert vocabulary.terms == tuple(theirs.get_feature_names_out())
    assert vocabulary.idf == pytest.approx(theirs.idf_, rel=1e-14)
    more = [*some_texts(20, 1), "", "the", "unknown"]
    ours = matrix(more, vocabulary.terms, vocabulary.idf)
    assert abs(ours - theirs.transform(more)).max() < 1e-14


def test_the_most_frequent_terms_are_kept_ties_by_name() -> None:
    texts = ["bb bb aa cc dd", "bb dd aa"]
    assert fit_vocabulary(texts, (), 2).terms == ("aa", "bb")
    assert fit_vocabulary(texts, ("bb",), 2).terms == ("aa", "dd")


def test_texts_without_terms_are_refused() -> None:
    with pytest.raises(ValueError, match="the texts have no terms; give texts with words other"):
        fit_vocabulary(["the a of", ""], ENGLISH_STOP_WORDS)


@pytest.fixture(scope="module")
def stages() -> tuple[csr_matrix, np.ndarray, np.ndarray, TermCounts, np.ndarray]:
    texts = some_texts(150, 2)
    vocabulary = fit_vocabulary(texts, ENGLISH_STOP_WORDS)
    X = matrix(texts, vocabulary.terms, vocabulary.idf)
    good = np.array([len(text) > 100 for text in texts])
    y = np.clip(np.array([len(text) for text in texts]) / 400, 0, 1)
    counts = count_terms(texts, {term: i for i, term in enumerate(vocabulary.terms)})
    return X, good, y, counts, vocabulary.idf


def test_both_stages_decide_as_scikit_learn(
    stages: tuple[csr_matrix, np.ndarray, np.ndarray, TermCounts, np.ndarray],
) -> None:
    X, good, y, counts, idf = stages
    gate, quality = Decisions(fit_machines(X, good, y), idf)(counts).T
    svc, svr = SVC().fit(X, good), SVR().fit(X[good], y[good])
    assert gate == pytest.approx(svc.decision_function(X), abs=1e-12)
    assert quality == pytest.approx(svr.predict(X), abs=1e-12)
    np.testing.assert_array_equal(gate > 0, svc.predict(X))


def test_a_text_decides_alone(
    stages: tuple[csr_matrix, np.ndarray, np.ndarray, TermCounts, np.ndarray],
) -> None:
    X, good, y, counts, idf = stages
    decide = Decisions(fit_machines(X, good, y), idf)
    part = slice(counts.starts[7], counts.starts[8])
    alone = TermCounts(counts.starts[7:9] - counts.starts[7], counts.ids[part], counts.tfs[part])
    np.testing.assert_array_equal(decide(alone)[0], decide(counts)[7])
