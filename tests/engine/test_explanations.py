"""Every hit of every topic on a real corpus is explained down to its counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.lab.runs import read_topics
from tests.engine.test_engine import follows

WHOLE = ("dirichlet", "heimdall-2021")
SISTERS = tuple(f"heimdall-2021-run{n}" for n in range(2, 6))
CONFIGS = [
    *((config, 1000) for config in WHOLE),
    *((config, 200) for config in SISTERS),
    *(pytest.param(config, 1000, marks=pytest.mark.nightly) for config in SISTERS),
]
"""Configurations, and how many hits of a topic: of those that differ in weights the first."""


@pytest.fixture(scope="module")
def engine(real_index: Path) -> Engine:
    return Engine.open(real_index)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("config", "k"), CONFIGS)
def test_every_hit_of_every_topic_is_explained(
    config: str, k: int, engine: Engine, data_dir: Path
) -> None:
    explained = 0
    for topic in read_topics(data_dir / "touche/topics-task-1-2020-only-titles-all50.xml"):
        for hit in engine.search(topic.title, k=k, config=config).hits:
            assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
            assert follows(hit.explanation)
            explained += 1
    assert explained > 49 * k
