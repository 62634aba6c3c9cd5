"""Circles in a plane: principal components, and none on another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from argsearch.engine.overview.map import apart, plane


def test_the_plane_is_that_of_the_principal_components():
    points = np.random.default_rng(0).normal(size=(40, 7)) * np.arange(1, 8)
    theirs = PCA(2).fit_transform(points)
    ours = plane(points)
    for ours_of, theirs_of in zip(ours.T, theirs.T, strict=True):
        sign = np.sign(ours_of @ theirs_of)
        np.testing.assert_allclose(ours_of, sign * theirs_of, atol=1e-9)
        assert ours_of[np.abs(ours_of).argmax()] > 0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_or_equal_points_have_places_too(n):
    assert plane(np.ones((n, 4))).tolist() == [[0.0, 0.0]] * n
    line = plane(np.arange(n, dtype=float)[:, None])
    assert line.shape == (n, 2)
    assert not line[:, 1].any()


@pytest.mark.thorough
@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 0.2)), min_size=1, max_size=25
    )
)
def test_no_circle_is_on_another(circles):
    places = np.array([circle[:2] for circle in circles])
    radii = np.array([circle[2] for circle in circles])
    moved = apart(places, radii)
    between = np.linalg.norm(moved[:, None] - moved[None], axis=2)
    overlap = np.maximum(0, radii[:, None] + radii[None] - between)
    np.fill_diagonal(overlap, 0)
    assert overlap.max() <= 1.1e-3 * radii.max()


def test_what_does_not_overlap_stays():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(apart(places, np.full(3, 0.1)), places, atol=1e-5)


def test_equal_places_part_the_same_way_every_time():
    places, radii = np.zeros((9, 2)), np.full(9, 0.1)
    assert (apart(places, radii) == apart(places, radii)).all()
    assert len(np.unique(apart(places, radii).round(4), axis=0)) == 9
