"""MMR over the best hits: the paper's order, monotone scores, pages and explanations."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.vectors import quantise
from tests.indexes import Built, document, indexed

QUERY = "should zoos be closed"
MMR = ["rerank.method=mmr", "rerank.depth=50"]


def test_pages_join_and_explanations_follow(engine: Engine) -> None:
    whole = engine.search(QUERY, k=20, overrides=MMR)
    pages = [engine.search(QUERY, k=5, offset=o, overrides=MMR) for o in (0, 5, 10, 15)]
    joined = [(h.rank, h.id, h.score) for page in pages for h in page.hits]
    assert joined == [(h.rank, h.id, h.score) for h in whole.hits]
    best = engine.search(QUERY, k=50).hits[0].score
    for hit in (h for page in pages for h in page.hits):
        weight, relevance, redundancy = hit.explanation.details
        score, top = relevance.details
        assert hit.explanation.value == hit.score
        assert top.value == best
        assert relevance.value == pytest.approx(score.value / best)
        lam = weight.value
        wanted = lam * relevance.value - (1 - lam) * redundancy.value
        assert hit.explanation.value == pytest.approx(wanted)
        assert hit.argument.id == hit.id


def small_index(tmp_path: Path, premises: list[str]) -> Engine:
    documents = [document(f"d{i}", "zoos", text) for i, text in enumerate(premises)]
    return Engine.open(indexed(tmp_path, documents))


def test_a_best_score_below_zero_turns_no_order_round(tmp_path: Path) -> None:
    premises = ["animals " * n + "plants " for n in range(1, 6)] + ["words of others " * 9] * 40
    weights = ["boost.cluster=-1000", "boost.cosine=shifted"]
    with small_index(tmp_path, premises) as small:
        base = small.search("animals", config="dirichlet", k=5, overrides=weights)
        assert base.hits.scores[0] < 0
        assert len(set(base.hits.scores)) == 5
        mmr = [*weights, *MMR, "rerank.mmr.trade_off=1.0"]
        found = small.search("animals", config="dirichlet", k=5, overrides=mmr)
        assert found.hits.ids == base.hits.ids


def test_a_best_score_of_zero_divides_nothing(tmp_path: Path) -> None:
    """Words of every document tell nothing: DirichletLM is 0 for all of them."""
    with small_index(tmp_path, ["animals"] * 3) as small:
        found = small.search("zoos", config="dirichlet", k=3, overrides=MMR)
        assert [hit.explanation.details[1].value for hit in found.hits] == [0.0, 0.0, 0.0]
        assert found.hits.ids == ["d0", "d1", "d2"]


def test_stages_follow_each_other(engine: Engine) -> None:
    both = [*MMR, "boost.premises=2", "boost.premises_depth=60"]
    found = engine.search(QUERY, k=100, overrides=both)
    first = engine.search(QUERY, k=100, overrides=both[2:])
    assert sorted(found.hits.ids[:50]) == sorted(first.hits.ids[:50])
    assert found.hits.ids[50:] == first.hits.ids[50:]
    before = {hit.id: hit for hit in first.hits}
    for hit in found.hits:
        tree = hit.explanation.find("1 + ω_P·P")
        score = before[hit.id].score
        assert any(node.value == score for node in hit.explanation)
        assert (tree is None) == (before[hit.id].rank > 60)


def test_the_premises_factor_multiplies(engine: Engine) -> None:
    without = ["boost.premises=0"]
    base = {hit.id: hit.score for hit in engine.search(QUERY, k=100, overrides=without).hits}
    found = engine.search(QUERY, k=100, overrides=["boost.premises=1.5"])
    question = engine.encoder.encode([QUERY])[0].astype(float)
    for hit in found.hits:
        levels, scales = quantise(engine.encoder.encode([hit.argument.premise]))
        cosine = float(scales[0]) * (levels[0].astype(float) @ question)
        wanted = base[hit.id] * (1 + 1.5 * max(0.0, cosine))
        assert hit.score == pytest.approx(wanted, rel=1e-6)
        score, factor = hit.explanation.details
        assert score.value * factor.value == pytest.approx(hit.score)


@pytest.mark.parametrize("stage", ["mmr", "graph"])
def test_an_index_without_encoder_cannot_rerank(built: Built, stage: str) -> None:
    bare = built(settings=IndexSettings(encoder="none", quality_model="none"))
    with Engine.open(bare) as engine, pytest.raises(InvalidParameter, match="needs an encoder"):
        engine.search(QUERY, overrides=[f"rerank.stages=['{stage}']"])


@pytest.mark.thorough
def test_without_an_encoder_the_premises_weigh_nothing(built: Built) -> None:
    chosen = load_config("default", ["index.encoder=none"])
    assert chosen.index.parts == ()
    with Engine.open(built(settings=chosen.index)) as engine:
        found = engine.search(QUERY, k=5)
        bare = engine.search(QUERY, k=5, overrides=["boost.premises=0"])
    assert [(h.id, h.score) for h in found.hits] == [(h.id, h.score) for h in bare.hits]
    assert "encoder 'none'" in found.notes[0]
    assert found.hits[0].explanation.find("1 + ω_P·P").value == 1.0  # type: ignore[union-attr]


def test_stored_vectors_and_vectors_made_now_give_the_same(engine: Engine, built: Built) -> None:
    with Engine.open(built(settings=IndexSettings())) as other:
        made = other.search(QUERY, k=100)
        assert not other.config("default").brief("vectors" in other.parts)
    assert engine.config("default").brief("vectors" in engine.parts)
    stored = engine.search(QUERY, k=100)
    assert made.hits.ids == stored.hits.ids
    scores = [hit.score for hit in stored.hits]
    assert [hit.score for hit in made.hits] == scores
