"""Each retrieval model as R of Eq. 1 on the sample corpus, beside the plain expressions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import Config, Retrieval, describe, load_config
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore
from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.bm25f import BM25F, WeightedField
from argsearch.ranking.similarities.dfr import DFR
from argsearch.ranking.similarities.dirichlet import Dirichlet
from argsearch.ranking.similarities.dph import DPH
from argsearch.ranking.similarities.registry import SIMILARITIES
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths
from argsearch.ranking.similarities.statistics import Similarity, Statistics
from argsearch.ranking.similarities.tfidf import TFIDF
from tests.formulas import assert_follows
from tests.indexes import document, indexed

TOKENS = StandardAnalyzer().tokens
QUESTIONS = ("should teachers get tenure", "Should we abolish zoos?", "the the death penalty")
MODELS: dict[str, tuple[Similarity, tuple[str, ...]]] = {
    "bm25": (BM25(), ()),
    "bm25 set": (BM25(2.0, 0.3), ("k1=2", "b=0.3")),
    "tfidf": (TFIDF(), ()),
    "dph": (DPH(), ()),
    "dfr": (DFR(), ()),
    "dfr set": (
        DFR("G", "B", "H3", mu=100.0),
        ("dfr_basic=G", "dfr_after=B", "dfr_normalisation=H3", "dfr_mu=100"),
    ),
    "dfr Z": (DFR("Ine", "L", "Z", z=0.1), ("dfr_basic=Ine", "dfr_normalisation=Z", "dfr_z=0.1")),
}
BARE = IndexSettings(encoder="none", quality_model="none")
FIELDS = ("w_conclusion=3", "w_premise=0.5", "b_conclusion=0.2", "b_premise=0.9", "k1=2")


def configured(model: str, *settings: str, base: str = "dirichlet") -> Config:
    name = model.partition(" ")[0]
    return load_config(base, [f"retrieval.{s}" for s in (f"model={name}", *settings)])


def counts(bags: list[Counter[str]], token: str) -> Statistics:
    tf = [bag[token] for bag in bags]
    lengths = [bag.total() for bag in bags]
    return Statistics(np.count_nonzero(tf), sum(tf), np.count_nonzero(lengths), sum(lengths))


class Texts:
    """The documents of an index, counted from their texts."""

    def __init__(self, engine: Engine) -> None:
        store = DocumentStore(engine.backend.arrays)  # type: ignore[attr-defined]
        arguments = [store[doc] for doc in range(engine.info.documents)]
        self.ids = [argument.id for argument in arguments]
        self.text = [Counter(TOKENS(argument.text)) for argument in arguments]
        self.conclusion = [Counter(TOKENS(argument.conclusion or "")) for argument in arguments]
        self.premise = [Counter(TOKENS(argument.premise)) for argument in arguments]
        self.N = len(arguments)

    def relevance(
        self, similarity: Similarity, query: str, exact: bool, field: str = "text"
    ) -> dict[int, float]:
        bags: list[Counter[str]] = getattr(self, field)
        lengths = np.array([bag.total() for bag in bags])
        dl = lengths if exact else LENGTH_TABLE[encode_lengths(lengths)]
        R: dict[int, float] = {}
        for token in TOKENS(query):
            tf = np.array([bag[token] for bag in bags])
            here = np.flatnonzero(tf)
            if len(here):
                scores = similarity.score(tf[here], dl[here], counts(bags, token))
                for d, score in zip(here.tolist(), scores.tolist(), strict=True):
                    R[d] = R.get(d, 0.0) + score
        return R

    def field_relevance(self, model: BM25F, query: str, exact: bool) -> dict[int, float]:
        R: dict[int, float] = {}
        for token in TOKENS(query):
            term = counts(self.text, token) if any(bag[token] for bag in self.text) else None
            for d, bag in enumerate(self.text):
                if term and bag[token]:
                    own = (self.conclusion[d], self.premise[d])
                    lengths = np.array([counted.total() for counted in own])
                    dl = lengths if exact else LENGTH_TABLE[encode_lengths(lengths)]
                    tf = [counted[token] for counted in own]
                    R[d] = R.get(d, 0.0) + float(model.score(tf, dl, term))
        return R

    def bm25f(self, asked: Retrieval) -> BM25F:
        names = ("conclusion", "premise")
        w, b = (asked.w_conclusion, asked.w_premise), (asked.b_conclusion, asked.b_premise)
        means = [sum(bag.total() for bag in getattr(self, name)) / self.N for name in names]
        return BM25F(tuple(map(WeightedField, names, w, b, means)), asked.k1)


@pytest.fixture(scope="module")
def texts(engine: Engine) -> Texts:
    return Texts(engine)


def ranked(pairs: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Best first, ties by id: scores are told apart to 12 digits, since sums round."""
    return sorted(pairs, key=lambda pair: (-float(f"{pair[1]:.12g}"), pair[0]))


def check(engine: Engine, texts: Texts, text: str, config: Config, R: dict[int, float]) -> None:
    results = engine.search(text, k=1000, config=config)
    found = [(hit.id, hit.score) for hit in results.hits]
    wanted = ranked([(texts.ids[d], score) for d, score in R.items()])
    assert results.total == len(wanted)
    assert [score for _, score in found] == pytest.approx([s for _, s in wanted], rel=1e-10)
    assert [id for id, _ in ranked(found)] == [id for id, _ in wanted]
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.thorough
@pytest.mark.parametrize("lengths", ["lucene", "exact"])
@pytest.mark.parametrize("model", MODELS)
def test_a_model_ranks_as_its_plain_expression(
    engine: Engine, texts: Texts, model: str, lengths: str
) -> None:
    similarity, settings = MODELS[model]
    config = configured(model, *settings, f"lengths={lengths}")
    for text in QUESTIONS:
        R = texts.relevance(similarity, text, lengths == "exact")
        check(engine, texts, text, config, R)


@pytest.mark.thorough
@pytest.mark.parametrize("lengths", ["lucene", "exact"])
@pytest.mark.parametrize("settings", [(), FIELDS, ("w_conclusion=0",), ("w_premise=0", "k1=0")])
def test_bm25f_weighs_conclusion_and_premises(
    engine: Engine, texts: Texts, settings: tuple[str, ...], lengths: str
) -> None:
    config = configured("bm25f", *settings, f"lengths={lengths}")
    for text in QUESTIONS:
        R = texts.field_relevance(texts.bm25f(config.retrieval), text, lengths == "exact")
        check(engine, texts, text, config, R)


@pytest.mark.thorough
@pytest.mark.parametrize("lengths", ["lucene", "exact"])
@pytest.mark.parametrize("field", ["conclusion", "premise"])
@pytest.mark.parametrize("model", ["dirichlet", "bm25", "dfr set"])
def test_one_field_can_be_searched(
    engine: Engine, texts: Texts, model: str, field: str, lengths: str
) -> None:
    similarity, settings = {"dirichlet": (Dirichlet(), ()), **MODELS}[model]
    config = configured(model, *settings, f"fields={field}", f"lengths={lengths}")
    for text in QUESTIONS:
        R = texts.relevance(similarity, text, lengths == "exact", field)
        check(engine, texts, text, config, R)
        for hit in engine.search(text, config=config).hits:
            assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
    pro = engine.search("zoos", k=1000, config=config, stance="pro")
    assert pro.total == len(pro.hits) < engine.search("zoos", config=config).total


def test_bm25f_searches_both_fields(engine: Engine) -> None:
    said = r"retrieval.fields must be text with bm25f, not 'premise'"
    with pytest.raises(InvalidParameter, match=said):
        engine.search("zoos", config=configured("bm25f", "fields=premise"))


def test_empty_documents_shorten_no_field(tmp_path: Path) -> None:
    """BM25F's mean lengths are those of the documents that have any token."""
    documents = []
    for i in range(12):
        words = ("zoos", "zoos and animals " * (i % 4 + 1)) if i % 3 else ("", "...")
        documents.append(document(f"d{i}", *words))
    with Engine.open(indexed(tmp_path, documents, BARE)) as engine:
        texts = Texts(engine)
        assert (engine.info.documents, sum(bag.total() > 0 for bag in texts.text)) == (12, 8)
        texts.N = 8
        config = configured("bm25f", "w_conclusion=3")
        R = texts.field_relevance(texts.bm25f(config.retrieval), "zoos animals", exact=False)
        found = {hit.id: hit.score for hit in engine.search("zoos animals", config=config).hits}
    assert found == pytest.approx({texts.ids[d]: s for d, s in R.items()}, rel=1e-10)


ALL = ["dirichlet", *MODELS, "bm25f"]


@pytest.mark.thorough
@pytest.mark.parametrize("base", ["dirichlet", "heimdall-2021"])
@pytest.mark.parametrize("model", ALL)
def test_every_hit_is_explained_down_to_its_counts(engine: Engine, model: str, base: str) -> None:
    settings = FIELDS if model == "bm25f" else MODELS.get(model, (None, ()))[1]
    config = configured(model, *settings, base=base)
    for text in QUESTIONS:
        for hit in engine.search(text, k=50, config=config).hits:
            R, cluster, quality = hit.explanation.details
            assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
            product = R.value * cluster.value * quality.value
            assert hit.explanation.value == pytest.approx(product, rel=1e-12)
            assert R.value == pytest.approx(sum(detail.value for detail in R.details), rel=1e-12)
            for detail in R.details:
                if model != "dirichlet":  # whose formulas have a form of their own
                    assert_follows(detail)


def test_a_document_that_matches_with_no_score_matches(engine: Engine) -> None:
    results = engine.search("the", k=1000, config=configured("dph"))
    assert results.total == len(results.hits)
    scores = [hit.score for hit in results.hits]
    assert min(scores) == 0.0, "the is rarer in some documents than in the collection"
    ties = [hit.id for hit in results.hits if hit.score == 0.0]
    assert ties == sorted(ties)
    weightless = configured("bm25f", "w_conclusion=0", "w_premise=0")
    assert engine.search("zoos", config=weightless).total > 0


def test_each_model_tells_its_parameters() -> None:
    assert configured("tfidf").retrieval.parameters() == {"fields": "text", "lengths": "lucene"}
    assert configured("bm25", "k1=0.9").retrieval.parameters() == {
        "fields": "text",
        "k1": 0.9,
        "b": 0.75,
        "lengths": "lucene",
    }
    read = {key for name in SIMILARITIES for key in Retrieval(name).parameters()}
    own = {"model", "spelling_conflation", "stem_conflation"}
    assert own | read == set(load_config("default").to_dict()["retrieval"])
    assert "stem_conflation" not in read
    conflating = configured("tfidf", "stem_conflation=0.5").retrieval.parameters()
    assert conflating["stem_conflation"] == 0.5
    assert Retrieval("constant").parameters() == {}
    assert "over every argument\n" in describe(load_config("heimdall-2021-run4"))
