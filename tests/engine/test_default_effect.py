"""What `default` does to a score, and what an answer says of an index that was built otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config

QUESTION = "should teachers get tenure"


@pytest.fixture(scope="module")
def engine(sample_index: Path) -> Iterator[Engine]:
    with Engine.open(sample_index) as opened:
        yield opened


def scores(engine: Engine, *overrides: str) -> dict[str, float]:
    hits = engine.search(QUESTION, k=1000, overrides=overrides).hits
    return {hit.id: hit.score for hit in hits}


def test_the_default_is_what_the_results_page_chose() -> None:
    """docs/results.md reports ω_C = 1, ω_Q = 10, ω_P = 1 over DirichletLM, μ = 2000."""
    config = load_config("default")
    assert (config.retrieval.model, config.retrieval.mu) == ("dirichlet", 2000.0)
    boost = config.boost
    assert (boost.cluster, boost.quality, boost.premises) == (1.0, 10.0, 1.0)
    assert (boost.cosine, config.rerank.names) == ("clipped", ())


def test_the_default_multiplies_by_one_plus_ten_times_the_quality(engine: Engine) -> None:
    arrays = engine.backend.arrays  # type: ignore[attr-defined]
    ids = {engine.backend.ids[doc]: doc for doc in range(len(arrays.quality))}  # type: ignore[attr-defined]
    eq1 = "boost.premises=0"  # the third factor has only the first hits, which differ
    without = scores(engine, "boost.quality=0", eq1)
    rises = {id: score / without[id] for id, score in scores(engine, eq1).items() if without[id]}
    assert len(rises) > 50
    for id, rise in rises.items():
        assert rise == pytest.approx(1.0 + 10.0 * float(arrays.quality[ids[id]]), rel=1e-6)


def test_the_default_lets_a_perfect_cluster_count_double(engine: Engine) -> None:
    eq1 = "boost.premises=0"
    plain = scores(engine, "boost.cluster=0", eq1)
    half = scores(engine, "boost.cluster=0.5", eq1)
    for id, score in scores(engine, eq1).items():
        if plain[id]:
            closeness = half[id] / plain[id] - 1.0
            assert score / plain[id] == pytest.approx(1.0 + closeness * 2, rel=1e-6)


def test_the_default_multiplies_by_one_plus_the_premises_similarity(engine: Engine) -> None:
    plain = scores(engine, "boost.premises=0")
    double = scores(engine, "boost.premises=2")
    found = scores(engine)
    first = list(plain)[:100]
    assert any(found[id] > plain[id] for id in first)
    for id in first:
        closeness = double[id] / plain[id] - 1.0
        assert found[id] / plain[id] == pytest.approx(1.0 + closeness / 2, rel=1e-6)


@pytest.mark.parametrize(
    ("key", "wanted", "said"),
    [
        ("encoder", "none", "encoder 'wordllama' (the configuration says 'none')"),
        ("clusters", "7", "clusters 300 (the configuration says 7)"),
        ("quality_model", "none", "quality_model 'default' (the configuration says 'none')"),
        ("quality_scale", "minmax", "quality_scale 'clip' (the configuration says 'minmax')"),
    ],
)
def test_every_setting_that_the_index_was_built_otherwise_with_is_noted(
    engine: Engine, key: str, wanted: str, said: str
) -> None:
    notes = engine.search("zoo", overrides=[f"index.{key}={wanted}"]).notes
    assert notes == (f"the index was built with {said}",)


def test_settings_that_agree_are_not_noted(engine: Engine) -> None:
    assert engine.search("zoo").notes == ()
