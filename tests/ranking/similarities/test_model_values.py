"""BM25, TF-IDF, DPH, DFR and BM25F: values by hand, refusals, and what they become at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.bm25f import BM25F, WeightedField
from argsearch.ranking.similarities.dfr import DFR, expected_documents
from argsearch.ranking.similarities.dph import DPH, information, relative_frequency
from argsearch.ranking.similarities.statistics import Statistics
from argsearch.ranking.similarities.tfidf import TFIDF
from tests.formulas import assert_follows

TERM = Statistics(df=1, ttf=3, N=7, T=70)  # avgdl = 10


def test_bm25_by_hand() -> None:
    # idf = ln(1 + 6.5/1.5) = ln(16/3); dl twice the mean: K = 1·(0.5 + 0.5·2) = 1.5; 3/4.5.
    assert BM25(1.0, 0.5).score(3, 20, TERM) == pytest.approx(math.log(16 / 3) * 2 / 3, rel=1e-15)
    assert BM25(0.0, 0.5).score(3, 20, TERM) == pytest.approx(math.log(16 / 3), rel=1e-15)


def test_tfidf_by_hand() -> None:
    # sqrt(4) = 2; 1 + ln(8/2); 1/sqrt(16).
    assert TFIDF().score(4, 16, TERM) == pytest.approx((1 + math.log(4)) / 2, rel=1e-15)


def test_dph_by_hand() -> None:
    # f = 1/2; norm = 1/4 / 2 = 1/8; 1·log2(1·10/2 · 7/3) + log2(π)/2.
    bits = math.log2(35 / 3) + 0.5 * math.log2(math.pi)
    assert DPH().score(1, 2, TERM) == pytest.approx(bits / 8, rel=1e-14)
    # A term that fills its document: f = 0.99999, a norm of 1e-10/4.
    assert relative_frequency([3, 3, 4], [4, 3, 3]).tolist() == [0.75, 0.99999, 0.99999]
    bits = 3 * math.log2(3 * 10 / 3 * 7 / 3) + 0.5 * math.log2(2e-5 * math.pi * 3)
    assert DPH().score(3, 3, TERM) == pytest.approx((1 - 0.99999) ** 2 / 4 * bits, rel=1e-9)
    # Rarer in the document than in the collection: negative bits, so no score.
    common = Statistics(df=7, ttf=35, N=7, T=70)
    assert information(1, 100, common) < 0
    assert DPH().score(1, 100, common) == 0.0
    assert_follows(DPH().explain(3, 3, TERM))


@pytest.mark.parametrize(
    ("model", "wanted"),
    [  # tf = 2, dl = 20: avgdl/dl = 1/2
        (DFR("In", "L", "none"), 2 / 3 * math.log2(8 / 1.5)),
        (DFR("In", "L", "H1", c=3.0), 3 / 4 * math.log2(8 / 1.5)),
        (DFR("In", "L", "H2", c=2.0), 2 / 3 * math.log2(8 / 1.5)),
        (DFR("In", "L", "H3", mu=20.0), (111 / 71) / (111 / 71 + 1) * math.log2(8 / 1.5)),
        (DFR("In", "L", "Z", z=0.5), math.sqrt(2) / (math.sqrt(2) + 1) * math.log2(8 / 1.5)),
        (DFR("In", "B", "none"), 5 / (2 * 3) * 2 * math.log2(8 / 1.5)),
        (DFR("If", "L", "none"), 2 / 3 * math.log2(1 + 8 / 3.5)),
        (DFR("Ine", "L", "none"), 2 / 3 * math.log2(8 / (7 * (1 - (6 / 7) ** 3) + 0.5))),
        (DFR("G", "L", "none"), (math.log2(15 / 11) + 2 * math.log2(15 / 4)) / 3),
    ],
    ids=str,
)
def test_dfr_by_hand(model: DFR, wanted: float) -> None:
    assert model.score(2, 20, TERM) == pytest.approx(wanted, rel=1e-14)


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


def test_bm25f_by_hand() -> None:
    # conclusion: 2·1/(0.5 + 0.5·4/2) = 4/3; premise: 3/(0.75 + 0.25·16/8) = 2.4; k1 = 1.
    x = 4 / 3 + 2.4
    score = BM25F(fields(), k1=1.0).score((1, 3), (4, 16), TERM)
    assert score == pytest.approx(math.log(16 / 3) * x / (x + 1), rel=1e-14)


def test_bm25f_saturates_once_over_both_fields() -> None:
    model = BM25F(
        (WeightedField("conclusion", 1.0, 0.0, 2.0), WeightedField("premise", 1.0, 0.0, 8.0))
    )
    split, whole = model.score((2, 3), (4, 16), TERM), BM25(b=0.0).score(5, 20, TERM)
    assert split == pytest.approx(float(whole), rel=1e-14)
    apart = float(model.score((2, 0), (4, 16), TERM) + model.score((0, 3), (4, 16), TERM))
    assert split < apart


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


def test_bm25f_of_one_field_is_bm25() -> None:
    tf, dl = np.array([1, 2, 30]), np.array([1, 40, 280])
    only = BM25F((WeightedField("text", 1.0, 0.75, TERM.avgdl),), k1=1.2)
    assert only.score([tf], [dl], TERM) == pytest.approx(BM25().score(tf, dl, TERM), rel=1e-14)


def test_an_empty_field_counts_nothing() -> None:
    none = WeightedField("conclusion", 1.0, 0.75, 0.0)  # no document has a conclusion
    assert none.norm([0, 1]).tolist() == [0.0, 0.0]
    assert WeightedField("conclusion", 1.0, 1.0, 3.0).norm(0) == 0.0
