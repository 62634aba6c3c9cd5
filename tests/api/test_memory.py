"""What an answer holds is free as soon as it is sent: nothing waits for a collection of circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.answer import Answer
from engine import Engine

OURS = ("api.", "engine.", "indexer.", "ranking.")


@pytest.fixture(scope="module")
def engine(awkward_index: Path) -> Iterator[Engine]:
    with Engine.open(awkward_index) as engine:
        yield engine


@pytest.fixture
def circles() -> Iterator[list[object]]:
    """What only a collection frees; to be looked at after it."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"side": "for"},
        {"sides": True},
        {"facets": ["stance"]},
        {"sort": "quality"},
        {"overrides": ["rerank.stages=['mmr']"]},
        {"where": ["quality >= .1"]},
    ],
)
def test_an_answer_leaves_no_circles(engine, circles, asked):
    for _ in range(2):  # the first one may load what every later one needs
        gc.collect()
        circles.clear()
        Answer(engine, engine.search("zoos and cats", k=5, **asked), explain=True).to_dict()
    gc.collect()
    assert [o for o in circles if type(o).__module__.startswith(OURS)] == []
