"""The engine's BM25, TF-IDF and DFR beside Lucene's on a real corpus: scores and order."""

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
from tests.golden.test_lucene_engine import CORPORA, TOPICS, K, compare

pytestmark = [pytest.mark.lucene, pytest.mark.slow, pytest.mark.data]

MODELS = {
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


@pytest.fixture(scope="module")
def engine(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("models") / "index"
    settings = IndexSettings(encoder="none", quality_model="none")
    build(BuildRequest([str(data_dir / CORPORA["args.me"])], folder, settings))
    opened = Engine.open(folder)
    yield opened
    opened.close()


@pytest.mark.parametrize("words", MODELS)
def test_scores_and_order_are_lucenes(
    words: str, engine: Engine, data_dir: Path, lucene: ModuleType
) -> None:
    texts = [topic.title for topic in read_topics(data_dir / TOPICS)]
    source = data_dir / CORPORA["args.me"]
    documents = sorted((argument.id, argument.text) for argument in read(source))
    overrides = [f"retrieval.{setting}" for setting in MODELS[words]]
    answers = lucene.lucene_scores(documents, texts, K, words)
    for text, lucene_hits in zip(texts, answers, strict=True):
        results = engine.search(text, k=K, config="dirichlet", overrides=overrides)
        compare([(hit.id, hit.score) for hit in results.hits], lucene_hits, f"{words}: {text}")
