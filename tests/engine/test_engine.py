"""The engine on the sample corpus: order, scores, explanations, filters, paging, bad input."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.engine.engine import EngineClosed
from argsearch.engine.results.results import Results
from argsearch.engine.units.arguments import EncoderMismatch
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.store import DocumentStore
from argsearch.ranking.combination import cluster_similarity, combine
from argsearch.ranking.similarities.dirichlet import dirichlet
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths

QUESTIONS = ("should teachers get tenure", "Should we abolish zoos?", "the the death penalty")
CONFIGS = ("default", "dirichlet", "heimdall-2021", "heimdall-2021-run3", "heimdall-2021-run4")


DEEP = ("boost.premises_depth=1000",)
"""So that the premises' factor reaches every match of the sample."""


def expected(engine: Engine, text: str, config: str) -> list[tuple[str, float]]:
    """Eq. 1 from the documents' texts, by the plain expressions: every match, best first.

    Times the premises' factor of their vectors, unrounded.
    """
    chosen = load_config(config)
    arrays = engine.backend.arrays  # type: ignore[attr-defined]
    store = DocumentStore(arrays)
    tokens = StandardAnalyzer().tokens
    bags = [Counter(tokens(store[d].text)) for d in range(len(arrays.quality))]
    dl = LENGTH_TABLE[encode_lengths([bag.total() for bag in bags])]
    T = sum(bag.total() for bag in bags)
    R, hit = np.zeros(len(bags)), np.zeros(len(bags), bool)
    for term in tokens(text):
        tf = np.array([bag[term] for bag in bags])
        if tf.any():
            R += np.where(tf > 0, dirichlet(tf, dl, tf.sum(), T, chosen.retrieval.mu), 0.0)
            hit |= tf > 0
    if chosen.retrieval.model == "constant":
        R, hit = np.ones(len(bags)), np.ones(len(bags), bool)
    unit = arrays.centroids / np.linalg.norm(arrays.centroids, axis=1, keepdims=True)
    cos = unit @ engine.encoder.encode([text])[0]
    C = np.append(cluster_similarity(cos, chosen.boost.cosine), 0.0)[arrays.clusters]
    S = combine(R, C, arrays.quality, chosen.boost.cluster, chosen.boost.quality)
    if chosen.boost.premises:
        premises = engine.encoder.encode([store[d].premise for d in range(len(S))])
        cos = premises @ engine.encoder.encode([text])[0]
        S = S * (1 + chosen.boost.premises * np.maximum(0.0, cos))
    matches = [(store[int(d)].id, float(S[d])) for d in np.flatnonzero(hit)]
    return sorted(matches, key=lambda match: (-match[1], match[0]))


@pytest.mark.thorough
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("text", QUESTIONS)
def test_order_and_scores_follow_equation_1(engine: Engine, text: str, config: str) -> None:
    wanted = expected(engine, text, config)
    results = engine.search(text, k=len(wanted) + 5, config=config, overrides=DEEP)
    assert results.total == len(wanted)
    rounded = results.config.boost.premises > 0  # vectors in one byte a dimension
    scores = dict(wanted)
    for hit in results.hits:
        assert hit.score == pytest.approx(scores[hit.id], rel=2e-3 if rounded else 1e-9)
    if not rounded:
        assert results.hits.ids == [id for id, _ in wanted]
    assert [hit.rank for hit in results.hits] == list(range(1, len(wanted) + 1))


def test_a_hit_carries_its_document(engine: Engine) -> None:
    hit = engine.search("teachers tenure").hits[0]
    assert hit.argument.id == hit.id
    assert "tenure" in hit.argument.text.lower()
    assert engine.argument(hit.id) == hit.argument
    assert engine.argument("no such id") is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"text": ""}, "query"),
        ({"text": " \n"}, "query"),
        ({"text": "zoo", "offset": -1}, "offset must be a whole number"),
        ({"text": "zoo", "stance": 1}, "not 1"),
        ({"text": "zoo", "stance": "maybe"}, "stance must be pro or con, not 'maybe'"),
        ({"text": "zoo", "config": "nope"}, "config must be a .toml file"),
        ({"text": "zoo", "discriminative": "yes"}, "discriminative must be true or false, not"),
        ({"text": "zoo", "sort": ""}, "sort must be a numeric column of the index"),
    ],
)
def test_bad_questions_name_what_is_allowed(
    engine: Engine, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidParameter, match="must be") as caught:
        engine.search(**arguments)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_search_many_is_search_of_each(engine: Engine) -> None:
    def shape(results: Results) -> list[tuple[str, float]]:
        return [(hit.id, hit.score) for hit in results.hits]

    many = engine.search_many(QUESTIONS, k=5, config="heimdall-2021")
    single = [engine.search(text, k=5, config="heimdall-2021") for text in QUESTIONS]
    assert list(map(shape, many)) == list(map(shape, single))
    assert {results.fingerprint for results in many} == {engine.info.fingerprint}


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
    assert engine.search("zoo").notes == ()


def test_another_encoder_than_the_indexs_is_an_error(sample_index: Path) -> None:
    class Narrow:
        name, dimensions = "narrow", 3

        def encode(self, texts: list[str]) -> np.ndarray:
            return np.ones((len(texts), 3), np.float32)

    opened = Engine.open(sample_index)
    opened.encoder = Narrow()  # type: ignore[assignment]
    with pytest.raises(EncoderMismatch, match="narrow gives 3 dimensions, but the index has 256"):
        opened.search("zoo")


COLD = """
import sys
from argsearch.engine import Engine
Engine.open(sys.argv[1]).search("zoos")
heavy = ("numba.np.arrayobj", "scipy.linalg", "sklearn", "fastapi", "typer")
print([name for name in heavy if name in sys.modules])
"""


@pytest.mark.thorough
def test_a_first_query_loads_nothing_that_it_does_not_need(sample_index: Path) -> None:
    command = [sys.executable, "-c", COLD, str(sample_index)]
    subprocess.run(command, check=True)  # compiles what is not kept yet
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("given", ["path", Path("path"), None, 3, Engine])
def test_an_engine_of_no_backend_is_refused_at_once(given):
    with pytest.raises(InvalidParameter, match=r"backend must be .*Engine\.open\(ADDRESS\)"):
        Engine(given)


def assert_closed(engine: Engine) -> None:
    """Nothing public of it answers, and closing it again does no harm."""
    for name in dir(type(engine)):
        if not name.startswith("_") and name not in ("close", "open"):
            with pytest.raises(EngineClosed, match=r"engine is closed.* Engine\.open"):
                getattr(engine, name)
    with pytest.raises(EngineClosed), engine:
        pass
    engine.close()


def test_a_closed_engine_answers_nothing(sample_index):
    with Engine.open(sample_index) as engine:
        found = engine.search(QUESTIONS[0])
        assert engine.columns
        assert engine.known.examples
    assert_closed(engine)
    assert found[0].text, "what was found before can be read"


def test_a_pickled_engine_opens_its_index_again(sample_index, monkeypatch):
    monkeypatch.chdir(sample_index.parent)
    with Engine.open(sample_index.name) as engine:
        asked = pickle.dumps(partial(engine.search, QUESTIONS[0], k=3))
        found = engine.search(QUESTIONS[0], k=3)
        assert pickle.loads(pickle.dumps(found[0].argument)) == found[0].argument
        assert len(asked) < 1000, "the address, not the index"
    monkeypatch.chdir("/")
    assert pickle.loads(asked)().to_dicts() == found.to_dicts()
    for one in (found, found.hits, found[0]):
        with pytest.raises(TypeError, match="to_dicts"):
            pickle.dumps(one)
