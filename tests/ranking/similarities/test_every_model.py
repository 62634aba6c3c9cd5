"""Every model through the same corner statistics, and its explanation."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.dfr import AFTER_EFFECTS, BASIC_MODELS, DFR, NORMALISATIONS
from argsearch.ranking.similarities.dirichlet import Dirichlet
from argsearch.ranking.similarities.dph import DPH
from argsearch.ranking.similarities.statistics import Similarity, Statistics
from argsearch.ranking.similarities.tfidf import TFIDF
from tests.formulas import assert_follows

MONOTONE: list[Similarity] = [
    *(BM25(k1, b) for k1, b in product((0.0, 1.2, 1000.0), (0.0, 0.75, 1.0))),
    TFIDF(),
    *(DFR(*parts) for parts in product(BASIC_MODELS, AFTER_EFFECTS, NORMALISATIONS)),
    DFR("G", "B", "H1", c=1e-3),
    DFR("In", "L", "Z", z=0.5),
    DFR("Ine", "B", "H3", mu=1e9),
]
MODELS: list[Similarity] = [*MONOTONE, DPH()]
DIRICHLET: list[Similarity] = [Dirichlet(mu) for mu in (1e-3, 1.0, 2000.0, 1e9)]
"""Its explanation has a form of its own: see test_dirichlet.py."""

terms = st.builds(
    lambda df, more_ttf, more_N, more_T: Statistics(
        df, df + more_ttf, df + more_N, df + more_ttf + more_N + more_T
    ),
    df=st.sampled_from([1, 2, 255, 65_537, 2**31 - 1]),
    more_ttf=st.sampled_from([0, 1, 1000, 2**40]),
    more_N=st.sampled_from([0, 1, 300_000, 2**31]),
    more_T=st.sampled_from([0, 1, 7_000_000, 2**45]),
)
counts = st.sampled_from([1, 2, 10, 254, 255, 65_537, 2**31 - 1])
lengths = st.sampled_from([1, 2, 40, 280, 200_000, 2**31 - 1])


@given(model=st.sampled_from([*MODELS, *DIRICHLET]), tf=counts, dl=lengths, term=terms)
def test_corner_statistics(model: Similarity, tf: int, dl: int, term: Statistics) -> None:
    score = float(model.score(tf, dl, term))
    assert math.isfinite(score)
    assert score >= 0.0, "Eq. 1 needs R from 0"
    assert model.explain(tf, dl, term).value == score


@given(model=st.sampled_from([*MONOTONE, *DIRICHLET]), tf=counts, dl=lengths, term=terms)
def test_more_occurrences_and_shorter_documents_never_score_less(
    model: Similarity, tf: int, dl: int, term: Statistics
) -> None:
    score = float(model.score(tf, dl, term)) * (1 - 1e-12)
    assert model.score(tf + 1, dl, term) >= score
    if getattr(model, "normalisation", "") == "H3":
        return  # smooths towards the collection: a document may gain from being longer
    assert model.score(tf, dl, term) * (1 + 1e-12) >= model.score(tf, dl + 1, term)


@given(model=st.sampled_from(MODELS), tf=counts, dl=lengths, term=terms)
def test_explanations_follow(model: Similarity, tf: int, dl: int, term: Statistics) -> None:
    assume(term.N < 2**30 or getattr(model, "basic", "") != "Ine")  # its formula loses digits
    assert_follows(model.explain(tf, dl, term))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_scores_broadcast(model: Similarity) -> None:
    term = Statistics(7, 21, 100, 5000)
    scores = model.score(np.array([[1], [2]]), np.array([10, 20, 30]), term)
    assert scores.shape == (2, 3)
    assert scores[1, 2] == pytest.approx(float(model.score(2, 30, term)), rel=1e-14)


@pytest.mark.parametrize("model", [BM25(), TFIDF(), DPH(), DFR()], ids=str)
def test_a_posting_has_an_occurrence_and_a_length(model: Similarity) -> None:
    term = Statistics(7, 21, 100, 5000)
    for tf, dl, said in ((0, 5, "tf"), (-1, 5, "tf"), (1, 0, "dl")):
        with pytest.raises(ValueError, match=f"{said} must be a finite number above 0"):
            model.score(tf, dl, term)
    with pytest.raises(ValueError, match="tf must be a finite number above 0, not nan"):
        model.score([1.0, math.nan], 5, term)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((0, 5, 10, 50), "df must be from 1 to N, 10 documents, not 0"),
        ((11, 20, 10, 50), "df must be from 1 to N, 10 documents, not 11"),
        ((5, 4, 10, 50), "ttf must be from df to T, 5 to 50 tokens, not 4"),
        ((5, 51, 10, 50), "ttf must be from df to T, 5 to 50 tokens, not 51"),
        ((5, 20, 60, 50), "N must be from 1 to T, 50 tokens, not 60"),
    ],
)
def test_impossible_statistics(counts: tuple[int, int, int, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Statistics(*counts)
