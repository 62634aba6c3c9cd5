"""What is measured of re-rankers is what the engine does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from studies import judgements, reranked
from studies.judgements import Collection
from studies.reranked import SYSTEMS, VARIETY, Found, gain, table

QUESTION = "should zoos be closed"


@pytest.fixture(scope="module")
def sample(sample_index: Path) -> Collection:
    """The sample corpus with one question."""
    engine = Engine.open(sample_index)
    arrays = reranked.backend(engine).arrays
    gains, quality = np.zeros((1, len(arrays.quality))), arrays.quality.astype(float)
    clusters = (judgements._clusters(engine, 0),)
    return Collection(engine, {"1": QUESTION}, {"1": gains}, {"1": quality}, clusters)


@pytest.mark.thorough
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_measured_order_is_the_engines(sample: Collection, system: str) -> None:
    config = load_config("default", SYSTEMS[system])
    found = Found.of(sample, "1", config.boost)
    order, milliseconds = reranked.reranked(sample.engine, found, config)
    ids = [reranked.backend(sample.engine).ids[doc] for doc in found.docs[order].tolist()]
    assert ids == sample.engine.search(QUESTION, k=1000, config=config).hits.ids
    assert milliseconds >= 0.0


def test_the_table_has_a_row_for_each_system() -> None:
    rng = np.random.default_rng(1)
    values = {name: rng.random((9, 6)) for name in ("default", "mmr")}
    variety = np.full((9, len(VARIETY)), 1.25)
    text = table({name: (column, variety) for name, column in values.items()})
    assert text.count("| default |") == 2
    assert text.count("| mmr |") == 3
    assert "| 1.25 | 1.25 | 1.25 | 1.2 | 1.2 |" in text
    column = values["mmr"][:, 0]
    assert gain(column, column) == "0"
    assert gain(column + 0.5, column).startswith("+0.500 [+0.500, +0.500]")
