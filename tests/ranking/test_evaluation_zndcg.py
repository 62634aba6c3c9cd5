"""z-nDCG, combined quality and its components: properties, and the published figures of G19."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.ranking.evaluation.zndcg import (
    JudgedDocuments,
    Reading,
    dcg,
    principal_components,
    z_ndcg,
    z_ndcg_by_topic,
)
from argsearch.ranking.numbers import z_scores

gains = st.lists(st.floats(-5, 5, width=16), min_size=2, max_size=20).map(
    lambda x: list(z_scores(x))
)


def test_dcg_by_hand() -> None:
    assert dcg([3.0, 0.0, 1.0]) == pytest.approx(3 / np.log(2) + 1 / np.log(4))
    assert dcg([]) == 0.0


@pytest.mark.thorough
@settings(max_examples=100)
@given(g=gains)
def test_ideal_is_one_inverted_is_minus_one(g: list[float]) -> None:
    best = sorted(g, reverse=True)
    if dcg(best) < 1e-6:
        return
    assert z_ndcg(best, g, 50) == pytest.approx(1.0)
    if dcg(best[::-1]) < 0:
        assert z_ndcg(best[::-1], g, 50, "worst") == pytest.approx(-1.0)


def test_undefined_where_the_ideal_is_not_positive() -> None:
    assert np.isnan(z_ndcg([-1.0], [-1.0, -2.0], 2))
    assert np.isnan(z_ndcg([0.0], [0.0], 1))


def test_readings_by_hand() -> None:
    judged = JudgedDocuments(
        gain=np.array([2.0, 1.0, -4.0, -1.0]),
        is_argument=np.array([True, True, False, True]),
        topic=np.zeros(4, dtype=np.intp),
    )
    runs = {"a": [[0, 2, 0]], "b": [[3, 1]]}

    def value(run: str, **reading: object) -> float:
        return float(z_ndcg_by_topic(runs, judged, Reading(**reading))[run][0])  # type: ignore[arg-type]

    assert value("a") == pytest.approx(dcg([2, 0, 2]) / dcg([2, 2, 1, 0, -1]))
    assert value("a", k=2) == pytest.approx(dcg([2, 0]) / dcg([2, 2]))
    assert value("a", non_arguments="keep") == pytest.approx(
        dcg([2, -4, 2]) / dcg([2, 2, 1, -1, -4])
    )
    assert value("a", non_arguments="drop") == pytest.approx(dcg([2, 2]) / dcg([2, 2, 1, -1]))
    assert value("b", ideal="judged") == pytest.approx(dcg([-1, 1]) / dcg([2, 1, 0, -1]))
    assert value("b", negative="worst", k=2) == pytest.approx(dcg([-1, 1]) / -dcg([-1, 0]))
    assert np.isnan(value("b", negative="worst"))
    z = (np.array([2.0, 1.0, -1.0]) - 2 / 3) / np.std([2.0, 1.0, -1.0])
    expected = dcg([z[0], 0, z[0]]) / dcg([z[0], z[0], z[1], 0, z[2]])
    assert value("a", scale="topic") == pytest.approx(expected)


def test_components_of_planted_data() -> None:
    rng = np.random.default_rng(0)
    common = rng.normal(size=500)
    parts = principal_components(
        np.column_stack([common + rng.normal(0, s, 500) for s in (1, 1, 1)])
    )
    assert parts.explained.sum() == pytest.approx(1.0)
    assert parts.explained[0] == pytest.approx(2 / 3, abs=0.05)
    assert parts.loadings[0] == pytest.approx([3**-0.5] * 3, abs=0.05)
