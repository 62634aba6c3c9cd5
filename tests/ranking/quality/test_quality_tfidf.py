"""TF-IDF and both stages of H21 against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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


def decision(x: np.ndarray, S: np.ndarray, alpha: np.ndarray, gamma: float, bias: float) -> float:
    """f(x) = Σ_i α_i · exp(−γ‖x − s_i‖²) + b, for a dense x[k] and support vectors S[n, k]."""
    return float(alpha @ np.exp(-gamma * ((S - x) ** 2).sum(axis=1)) + bias)


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


@given(st.lists(st.lists(st.sampled_from(["aa", "bb", "cc", "zz"]), max_size=9), max_size=6))
def test_term_counts_are_plain_counts(rows: list[list[str]]) -> None:
    index = {"aa": 0, "bb": 1, "cc": 2}
    found = count_terms([" ".join(row) for row in rows], index)
    for i, row in enumerate(rows):
        part = slice(found.starts[i], found.starts[i + 1])
        expected = {index[t]: row.count(t) for t in sorted(set(row)) if t in index}
        assert (
            dict(zip(found.ids[part].tolist(), found.tfs[part].tolist(), strict=True)) == expected
        )


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


@pytest.mark.thorough
@settings(max_examples=20)
@given(st.integers(0, 149))
def test_the_kernel_equals_the_plain_expression(
    stages: tuple[csr_matrix, np.ndarray, np.ndarray, TermCounts, np.ndarray], row: int
) -> None:
    X, good, y, counts, idf = stages
    machines = fit_machines(X[:80], good[:80], y[:80])
    S = csr_matrix(
        (machines.values, machines.ids, machines.starts), (len(machines.starts) - 1, X.shape[1])
    )
    found = Decisions(machines, idf)(counts)[row]
    x = X[row].toarray()[0]
    for stage in range(2):
        parts = machines.alpha[stage], machines.gamma[stage], machines.bias[stage]
        assert found[stage] == pytest.approx(decision(x, S.toarray(), *parts), abs=1e-12)


def test_a_text_decides_alone(
    stages: tuple[csr_matrix, np.ndarray, np.ndarray, TermCounts, np.ndarray],
) -> None:
    X, good, y, counts, idf = stages
    decide = Decisions(fit_machines(X, good, y), idf)
    part = slice(counts.starts[7], counts.starts[8])
    alone = TermCounts(counts.starts[7:9] - counts.starts[7], counts.ids[part], counts.tfs[part])
    np.testing.assert_array_equal(decide(alone)[0], decide(counts)[7])
