"""The engine's `dirichlet` beside Lucene's LMDirichlet on real corpora: scores and order."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.corpus import read
from argsearch.indexer.format.settings import IndexSettings
from argsearch.lab.runs import read_topics

pytestmark = [pytest.mark.lucene, pytest.mark.slow]

TOPICS = "touche/topics-task-1-2020-only-titles-all50.xml"
CORPORA = {"args.me": "argsme-subset/args-me-subset.json.xz", "forum": "forum/forum-posts.jsonl.xz"}
K = 1000


def compare(found: list[tuple[str, float]], lucene: list[tuple[str, float]], what: str) -> None:
    """Same documents, scores within 1e-5, and the order too but for float32's ties."""
    assert len(found) == len(lucene), what
    theirs = dict(lucene)
    for place, ((id, score), (_, at_place)) in enumerate(zip(found, lucene, strict=True)):
        if id in theirs:
            assert score == pytest.approx(theirs[id], rel=1e-5, abs=1e-9), (what, place, id)
        assert score == pytest.approx(at_place, rel=1e-6, abs=1e-9), (what, place, id)
    strict = [id for id, score in found if score > found[-1][1] * (1 + 1e-6)]
    assert set(strict) <= set(theirs), what


@pytest.mark.data
@pytest.mark.parametrize("name", ["args.me", pytest.param("forum", marks=pytest.mark.nightly)])
def test_scores_and_order_are_lucenes(
    name: str, data_dir: Path, lucene: ModuleType, tmp_path: Path
) -> None:
    source = data_dir / CORPORA[name]
    settings = IndexSettings(encoder="none", quality_model="none")
    build(BuildRequest([str(source)], tmp_path / "index", settings, workers=2))
    engine = Engine.open(tmp_path / "index")
    texts = [topic.title for topic in read_topics(data_dir / TOPICS)]
    assert len(texts) == 50
    documents = sorted((argument.id, argument.text) for argument in read(source))
    answers = lucene.lucene_scores(documents, texts, K, 2000)
    for text, lucene_hits in zip(texts, answers, strict=True):
        results = engine.search(text, k=K, config="dirichlet")
        found = [(hit.id, hit.score) for hit in results.hits]
        compare(found, lucene_hits, text)
