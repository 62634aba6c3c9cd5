"""The stage `quality`: Q read against the question's candidates, explained and exact."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.engine.stages import STAGES, Candidates
from argsearch.engine.stages.base import Findings
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.explanation import Explanation

QUERY = "should zoos be closed"
STAGE = ["rerank.stages=['quality']", "rerank.depth=20"]


@dataclass(frozen=True)
class Judged(Findings):
    """Rows whose quality is known, and nothing else."""

    Q: np.ndarray

    def qualities(self, rows):
        return self.Q[rows]


def candidates(Q: list[float], scores: list[float]) -> Candidates:
    return Candidates("?", Judged(np.array(Q)), np.arange(len(Q)), np.array(scores), str)


def test_ranks_by_hand() -> None:
    stage = STAGES["quality"](weight=1.0, mode="rank")
    step = stage.step(candidates([0.1, 0.7, 0.1, 0.9], [4.0, 3.0, 3.0, 2.5]))
    assert step.columns["F"].tolist() == pytest.approx([2 / 3, 1.0, 1 / 6, 1 / 6])
    assert step.order.tolist() == [1, 3, 0, 2]  # 3·5/3, 2.5·2, 4·7/6, 3·7/6
    assert stage.combine(**step.columns).tolist() == pytest.approx([5.0, 5.0, 14 / 3, 3.5])
    assert step.remarks["F"][0] == "better argued than 2 of 3 other candidates"


def test_one_candidate_and_equal_ones_keep_their_order() -> None:
    for reading in ("absolute", "rank", "z"):
        stage = STAGES["quality"](weight=5.0, mode=reading)
        assert stage.step(candidates([0.4], [1.0])).order.tolist() == [0]
        assert stage.step(candidates([0.4] * 3, [2.0, 2.0, 1.0])).order.tolist() == [0, 1, 2]


@pytest.mark.parametrize("reading", ["absolute", "rank", "z"])
def test_every_value_follows_from_its_details(engine: Engine, reading: str) -> None:
    overrides = [*STAGE, f"rerank.quality.mode={reading}", "rerank.quality.weight=2"]
    found = engine.search(QUERY, k=20, overrides=overrides)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    base = {hit.id: hit for hit in engine.search(QUERY, k=20).hits}
    assert {hit.id for hit in found.hits} == base.keys()
    for hit in found.hits:
        before, factor = hit.explanation.details
        assert hit.explanation.value == hit.score == pytest.approx(before.value * factor.value)
        assert before.value == base[hit.id].score
        weight, F = factor.details
        assert factor.value == pytest.approx(1 + weight.value * F.value)
        assert F.value == pytest.approx(_standing(reading, F.details))
        assert "of 19 other candidates" in F.description


def _standing(reading: str, details: tuple[Explanation, ...]) -> float:
    Q, *rest = (detail.value for detail in details)
    if reading == "absolute":
        return Q
    if reading == "rank":
        worse, equal, others = rest
        return (worse + equal / 2) / others
    mean, deviation = rest
    return 1 / (1 + math.exp(-1.702 * (Q - mean) / deviation))


def test_qualities_are_those_of_eq_1(engine: Engine) -> None:
    found = engine.search(QUERY, k=10, config="heimdall-2021")
    told = [hit.explanation.details[2].details[1].value for hit in found.hits]
    assert found.hits.candidates.quality[:10].tolist() == pytest.approx(told)


def test_what_is_refused() -> None:
    for override in ("rerank.quality.mode=best", "rerank.quality.weight=-1"):
        with pytest.raises(InvalidParameter, match="rerank.quality"):
            load_config("default", [override])
