"""BM25, TF-IDF, DPH, DFR and BM25F: values by hand, refusals, and what they become at the edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.bm25f import BM25F, WeightedField
from argsearch.ranking.similarities.dfr import DFR, expected_documents
from argsearch.ranking.similarities.statistics import Statistics
from tests.formulas import assert_follows

TERM = Statistics(df=1, ttf=3, N=7, T=70)  # avgdl = 10


def test_expected_documents() -> None:
    assert expected_documents(5, 1) == 1.0
    assert expected_documents(3, 7) == pytest.approx(7 * (1 - (6 / 7) ** 3), rel=1e-14)
    assert expected_documents(1, 1e12) == pytest.approx(1.0, rel=1e-9), "no digits are lost"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BM25(k1=-0.1), r"k1 must be a finite number of at least 0, not -0\.1"),
        (lambda: BM25(k1=math.inf), "k1 must be a finite number of at least 0, not inf"),
        (lambda: BM25(b=1.01), r"b must be a finite number of at least 0 and at most 1, not 1\.01"),
        (lambda: BM25(b=math.nan), "b must .*not nan"),
        (lambda: DFR("BE"), "basic must be G, If, In or Ine, not 'BE'"),
        (lambda: DFR(after="Laplace"), "after must be B or L, not 'Laplace'"),
        (lambda: DFR(normalisation="2"), "normalisation must be H1, H2, H3, Z or none, not '2'"),
        (lambda: DFR(c=0.0), r"c must be a finite number above 0, not 0\.0"),
        (lambda: DFR(mu=-1.0), r"mu must be a finite number above 0, not -1\.0"),
        (lambda: DFR(z=0.51), r"z must be a finite number above 0 and at most 0\.5, not 0\.51"),
        (lambda: WeightedField("premise", -1.0, 0.5, 1.0), r"w_premise must .*not -1\.0"),
        (lambda: WeightedField("premise", 1.0, 2.0, 1.0), r"b_premise must .*not 2\.0"),
        (lambda: WeightedField("premise", 1.0, 0.5, math.nan), "avgdl of premise must .*not nan"),
        (lambda: BM25F(()), "BM25F needs at least one field, but has none"),
        (lambda: BM25F((WeightedField("text", 1, 0, 1),), k1=-1.0), r"k1 must .*not -1\.0"),
    ],
)
def test_bad_parameters(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]


def fields(w: float = 2.0, b: float = 0.5) -> tuple[WeightedField, WeightedField]:
    return WeightedField("conclusion", w, b, 2.0), WeightedField("premise", 1.0, 0.25, 8.0)


@given(
    tf=st.tuples(st.integers(0, 300), st.integers(0, 300)),
    dl=st.tuples(st.integers(0, 40), st.integers(0, 3000)),
    w=st.sampled_from([0.0, 0.5, 1.0, 30.0]),
    b=st.sampled_from([0.0, 0.75, 1.0]),
    k1=st.sampled_from([0.0, 1.2, 100.0]),
)
def test_bm25f_at_the_corners(
    tf: tuple[int, int], dl: tuple[int, int], w: float, b: float, k1: float
) -> None:
    model = BM25F(fields(w, b), k1)
    score = float(model.score(tf, dl, TERM))
    assert math.isfinite(score)
    assert 0.0 <= score <= math.log(16 / 3)
    tree = model.explain(tf, dl, TERM)
    assert tree.value == score
    if min(dl) > 0:
        assert_follows(tree)
        assert model.score((tf[0] + 1, tf[1]), dl, TERM) >= score


def test_an_empty_field_counts_nothing() -> None:
    none = WeightedField("conclusion", 1.0, 0.75, 0.0)  # no document has a conclusion
    assert none.norm([0, 1]).tolist() == [0.0, 0.0]
    assert WeightedField("conclusion", 1.0, 1.0, 3.0).norm(0) == 0.0
