"""The engine's models beside Lucene's on real corpora: scores and order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.corpus import read
from argsearch.indexer.format.settings import IndexSettings
from argsearch.lab.runs import read_topics

pytestmark = [pytest.mark.lucene, pytest.mark.slow, pytest.mark.data]

TOPICS = "touche/topics-task-1-2020-only-titles-all50.xml"
CORPORA = {"args.me": "argsme-subset/args-me-subset.json.xz", "forum": "forum/forum-posts.jsonl.xz"}
K = 1000
MODELS = {
    2000: (),
    "bm25 1.2 0.75": ("model=bm25",),
    "bm25 0.9 0.4": ("model=bm25", "k1=0.9", "b=0.4"),
    "classic": ("model=tfidf",),
    "dfr In L H2 1.0": ("model=dfr",),
    "dfr G B Z 0.1": (
        "model=dfr",
        "dfr_basic=G",
        "dfr_after=B",
        "dfr_normalisation=Z",
        "dfr_z=0.1",
    ),
}
"""Lucene's name of a model, or the μ of its LMDirichlet, and what `dirichlet` is set to."""


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


@pytest.fixture(
    scope="module", params=["args.me", pytest.param("forum", marks=pytest.mark.nightly)]
)
def corpus(
    request: pytest.FixtureRequest, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, list[tuple[str, str]]]]:
    """The engine on a corpus, and its documents."""
    source = data_dir / CORPORA[request.param]
    index = tmp_path_factory.mktemp("lucene") / "index"
    settings = IndexSettings(encoder="none", quality_model="none")
    build(BuildRequest([str(source)], index, settings, workers=2))
    with Engine.open(index) as engine:
        yield engine, sorted((argument.id, argument.text) for argument in read(source))


@pytest.mark.parametrize("model", MODELS)
def test_scores_and_order_are_lucenes(
    model: int | str,
    corpus: tuple[Engine, list[tuple[str, str]]],
    data_dir: Path,
    lucene: ModuleType,
) -> None:
    engine, documents = corpus
    texts = [topic.title for topic in read_topics(data_dir / TOPICS)]
    assert len(texts) == 50
    overrides = [f"retrieval.{setting}" for setting in MODELS[model]]
    answers = lucene.lucene_scores(documents, texts, K, model)
    for text, lucene_hits in zip(texts, answers, strict=True):
        results = engine.search(text, k=K, config="dirichlet", overrides=overrides)
        compare([(hit.id, hit.score) for hit in results.hits], lucene_hits, f"{model}: {text}")
