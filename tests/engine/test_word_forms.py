"""Word forms: R beside brute force over the texts, explained, counted; off, nothing changes."""

from __future__ import annotations

from collections import Counter

import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.analysis.stemming import stems
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.dirichlet import Dirichlet
from argsearch.ranking.similarities.statistics import Similarity
from tests.engine.test_models import TOKENS, Texts

QUESTIONS = (
    "Should teachers get tenure?",
    "closing a zoo, zoos and zoos",
    "vaping",
    "the ban banned",
)
MODELS: dict[str, Similarity] = {"dirichlet": Dirichlet(), "bm25": BM25()}


def stemmed(bag: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stem, n in zip(stems(list(bag)), bag.values(), strict=True):
        found[stem] += n
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("f", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("model", MODELS)
def test_relevance_is_the_mixture_of_words_and_stems(engine: Engine, model: str, f: float) -> None:
    texts = Texts(engine)
    texts.stems = [stemmed(bag) for bag in texts.text]
    config = load_config(
        "dirichlet", [f"retrieval.model={model}", f"retrieval.stem_conflation={f}"]
    )
    for text in QUESTIONS:
        stemmed_text = " ".join(stems(TOKENS(text)))
        plain = texts.relevance(MODELS[model], text, exact=False)
        forms = texts.relevance(MODELS[model], stemmed_text, exact=False, field="stems")
        results = engine.search(text, k=1000, config=config)
        found = {hit.id: hit.score for hit in results.hits}
        wanted = {texts.ids[d]: (1 - f) * plain.get(d, 0.0) + f * R for d, R in forms.items()}
        assert found == pytest.approx(wanted, rel=1e-10)
        assert results.total == len(found)
        ordered = [hit.score for hit in results.hits]
        assert ordered == sorted(ordered, reverse=True)


def test_both_parts_add_up_in_the_explanation(engine: Engine) -> None:
    for name in ("dirichlet", "heimdall-2021"):
        for text in QUESTIONS:
            for hit in engine.search(
                text, config=name, overrides=["retrieval.stem_conflation=0.5"]
            ).hits:
                R = hit.explanation.find("R")
                f, plain, forms = R.details
                assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
                mixed = (1 - f.value) * plain.value + f.value * forms.value
                assert R.value == pytest.approx(mixed, rel=1e-12)
                for part in (plain, forms):
                    assert part.value == pytest.approx(sum(d.value for d in part.details))


def test_one_field_has_forms_too(engine: Engine) -> None:
    overrides = ["retrieval.fields=conclusion", "retrieval.stem_conflation=1"]
    results = engine.search("zoo", k=1000, config="dirichlet", overrides=overrides)
    wanted = {
        hit.id
        for hit in engine.search("zoo zoos zoo's", k=1000, config="dirichlet").hits
        if "zoo" in stems(TOKENS(hit.argument.conclusion or ""))
    }
    assert set(results.hits.ids) == wanted
    assert results.total == len(wanted) > 0
    for hit in results.hits:
        assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)


@pytest.mark.parametrize("model", ["constant", "bm25f"])
def test_models_without_terms_of_one_field_refuse(model: str) -> None:
    said = rf"retrieval\.stem_conflation must be 0 with the model {model}, not 0\.5"
    with pytest.raises(InvalidParameter, match=said):
        load_config("dirichlet", [f"retrieval.model={model}", "retrieval.stem_conflation=0.5"])
