"""What is below a re-ranked depth: where it came, never above, whatever the sign of its scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.stages.base import carried_on

SCORES = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=20)


@given(SCORES, SCORES)
def test_hits_below_the_depth_keep_their_order_below_the_others(head, rest) -> None:
    first, below = (np.array(sorted(scores, reverse=True)) for scores in (head, rest))
    found = carried_on(first, below)
    assert found[0] <= first[-1]
    assert (np.diff(found) <= 0).all()
    if below[0] <= first[-1]:
        assert found.tolist() == below.tolist()
    else:
        assert np.float32(found[0]) < np.float32(first[-1])


def test_scores_below_zero_fall_by_what_they_fell() -> None:
    found = carried_on(np.array([0.5, -4.0]), np.array([-1.0, -1.5, -9.0]))
    assert found.tolist() == pytest.approx([-4.0, -4.5, -12.0])
    found = carried_on(np.array([0.5, -4.0]), np.array([2.0, 1.0, -2.0]))
    assert found.tolist() == pytest.approx([-4.0, -4.5, -6.0])


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["mmr", "structural", "word_movers", "quality"])
def test_negative_scores_are_carried_below_the_depth(sample_index: Path, method: str) -> None:
    weights = ["boost.cluster=-1000", "boost.cosine=shifted"]
    with Engine.open(sample_index) as engine:
        asked = {"k": 1000, "config": "dirichlet"}
        base = engine.search("should zoos be closed", overrides=weights, **asked)
        depth = int(np.argmax(np.array(base.hits.scores) < 0)) + 2
        assert base.hits.scores[depth] < 0
        staged = [*weights, f"rerank.method={method}", f"rerank.depth={depth}"]
        found = engine.search("should zoos be closed", overrides=staged, **asked)
        assert sorted(found.hits.ids[:depth]) == sorted(base.hits.ids[:depth])
        assert found.hits.ids[depth:] == base.hits.ids[depth:]
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        assert [hit.explanation.value for hit in found.hits] == scores
