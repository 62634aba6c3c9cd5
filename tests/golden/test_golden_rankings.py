"""Rankings that no change of the house may change: kept from before the walls were moved.

For every configuration of that day, 49 topics and two corpora: the number of matches, the five best
ids, their scores, and the sum of the values in the first hit's explanation. Numbers are compared to
six digits, since an encoder's matrix product differs in the last ones between processors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config
from argsearch.lab.runs import read_topics

RANKINGS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "rankings.json").read_text("utf-8")
)
CONFIGS = sorted({key.partition("|")[2] for key in RANKINGS})
OLD_DEFAULT = ("boost.cluster=0.05", "boost.quality=1.0", "boost.premises=0.0")
"""What `default` was on that day."""


def _config(name: str) -> Config:
    return load_config(name, OLD_DEFAULT if name == "default" else ())


@pytest.fixture(scope="module")
def topics(data_dir: Path) -> dict[str, str]:
    found = read_topics(data_dir / "touche" / "topics-task-1-2020.xml")
    return {topic.query_id: topic.title for topic in found}


@pytest.fixture(scope="module")
def argsme(real_index: Path) -> Iterator[Engine]:
    with Engine.open(real_index) as engine:
        yield engine


@pytest.fixture(scope="module")
def sample(sample_index: Path) -> Iterator[Engine]:
    with Engine.open(sample_index) as engine:
        yield engine


@pytest.mark.data
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("corpus", ["sample", "args.me subset"])
def test_rankings_are_those_of_before(
    corpus: str, config: str, topics: dict[str, str], request: pytest.FixtureRequest
) -> None:
    engine: Engine = request.getfixturevalue("argsme" if corpus == "args.me subset" else corpus)
    kept = RANKINGS[f"{corpus}|{config}"]
    assert set(kept) == set(topics)
    for number, (total, ids, scores, explained) in kept.items():
        found = engine.search(topics[number], k=5, config=_config(config))
        assert found.total == total
        assert [hit.score for hit in found.hits] == pytest.approx(scores, rel=2e-6)
        assert _same(found.hits.ids, ids.split(), scores)
        if len(found.hits):
            values = sum(node.value for node in found.hits[0].explanation)
            assert values == pytest.approx(explained, rel=2e-6)


def _same(found: list[str], kept: list[str], scores: list[float]) -> bool:
    """Whether the ids are the same, but for the order of equal scores."""
    pairs = zip(found, kept, scores, strict=True)
    moved = [(one, other, score) for one, other, score in pairs if one != other]
    return all(scores.count(score) > 1 or score == scores[-1] for _, _, score in moved)
