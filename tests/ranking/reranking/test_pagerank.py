"""PageRank: by hand, as the solution of its equations, and as networkx has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.explanation import Explanation
from argsearch.ranking.reranking.pagerank import explain, pagerank, rank
from tests.formulas import assert_follows


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 8))
    flat = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    return np.array(flat).reshape(n, n)


DAMPINGS = st.sampled_from([0.0, 0.3, 0.85, 0.99])


@given(edges=graphs(), d=DAMPINGS)
def test_solves_its_equations(edges, d):
    """(I − d·M)·PR = (1 − d)/n, M[v, u] = 1/L(u) along edges, 1/n where u points nowhere."""
    n = len(edges)
    M = np.full((n, n), 1 / n)
    for u in range(n):
        if edges[u].any():
            M[:, u] = edges[u] / edges[u].sum()
    solved = np.linalg.solve(np.eye(n) - d * M, np.full(n, (1 - d) / n))
    found = pagerank(edges, d)
    assert found.values == pytest.approx(solved, abs=1e-9)
    assert found.values.sum() == pytest.approx(1)
    assert rank(n, found.brought, found.loose, d).tolist() == found.values.tolist()


@given(edges=graphs())
def test_what_nothing_points_at_is_equal_to_the_bit(edges):
    lone = pagerank(edges).values[~edges.any(axis=0)]
    assert len(set(lone.tolist())) <= 1


def test_without_edges_and_without_nodes():
    assert pagerank(np.zeros((3, 3), bool)).values.tolist() == [1 / 3] * 3
    assert pagerank(np.zeros((0, 0), bool)).values.tolist() == []


@given(edges=graphs(), d=DAMPINGS)
def test_an_explanation_follows(edges, d):
    found = pagerank(edges, d)
    brought = Explanation(float(found.brought[0]), "brought, by the others")
    tree = explain(len(edges), brought, found.loose, d)
    assert tree.value == found.values[0]
    assert_follows(tree)


@pytest.mark.parametrize("d", [1.0, -0.1, float("nan")])
def test_a_damping_with_which_it_might_never_stop_is_refused(d):
    with pytest.raises(ValueError, match="damping must be at least 0 and below 1"):
        pagerank([[True]], d)
