"""What an answer holds is free as soon as it is sent: nothing waits for a collection of circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from argsearch.api.serialise import Answer

OURS = ("api.", "engine.", "indexer.", "ranking.")


@contextmanager
def circles() -> Iterator[list[object]]:
    """What only a collection frees of all that is made here; looked at after one."""
    gc.collect()
    gc.freeze()  # what is there already, which every collection would go through
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
        gc.enable()


@pytest.mark.thorough
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
def test_an_answer_leaves_no_circles(engine, asked):
    def answered() -> None:
        Answer(engine, engine.search("zoos and cats", k=5, **asked), explain=True).to_dict()

    answered()  # which may load what every later one needs
    with circles() as found:
        answered()
        gc.collect()
        assert [o for o in found if type(o).__module__.startswith(OURS)] == []
