"""Word forms: R beside brute force over the texts, explained, counted; off, nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.stemming import stems
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore
from argsearch.ranking.combination import mixed_forms
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.similarities.bm25 import BM25
from argsearch.ranking.similarities.dirichlet import Dirichlet
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths
from argsearch.ranking.similarities.statistics import Similarity, Statistics
from tests.indexes import document, indexed

TOKENS = StandardAnalyzer().tokens
QUESTIONS = (
    "Should teachers get tenure?",
    "closing a zoo, zoos and zoos",
    "vaping",
    "the ban banned",
)
MODELS: dict[str, Similarity] = {"dirichlet": Dirichlet(), "bm25": BM25()}
BARE = IndexSettings(encoder="none", quality_model="none")


def bags_of(engine: Engine) -> tuple[list[str], list[Counter[str]]]:
    """Ids, and each document's words."""
    store = DocumentStore(engine.backend.arrays)  # type: ignore[attr-defined]
    documents = [store[d] for d in range(engine.info.documents)]
    return [one.id for one in documents], [Counter(TOKENS(one.text)) for one in documents]


def relevance(
    bags: list[Counter[str]], words: list[str], model: Similarity
) -> tuple[np.ndarray, np.ndarray]:
    """R of each document, and whether it has any of the words, one posting after another."""
    lengths = np.array([bag.total() for bag in bags])
    dl = LENGTH_TABLE[encode_lengths(lengths)]
    R, hit = np.zeros(len(bags)), np.zeros(len(bags), bool)
    for word in words:
        tf = np.array([bag[word] for bag in bags])
        has = np.flatnonzero(tf)
        if len(has):
            term = Statistics(len(has), int(tf.sum()), int((lengths > 0).sum()), int(lengths.sum()))
            R[has] += model.score(tf[has], dl[has], term)
            hit[has] = True
    return R, hit


def stemmed(bag: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stem, n in zip(stems(list(bag)), bag.values(), strict=True):
        found[stem] += n
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("f", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("model", MODELS)
def test_relevance_is_the_mixture_of_words_and_stems(engine: Engine, model: str, f: float) -> None:
    ids, bags = bags_of(engine)
    classes = [stemmed(bag) for bag in bags]
    config = load_config(
        "dirichlet", [f"retrieval.model={model}", f"retrieval.stem_conflation={f}"]
    )
    for text in QUESTIONS:
        words = TOKENS(text)
        plain, _ = relevance(bags, words, MODELS[model])
        forms, hit = relevance(classes, stems(words), MODELS[model])
        R = (1 - f) * plain + f * forms
        results = engine.search(text, k=1000, config=config)
        found = {hit.id: hit.score for hit in results.hits}
        wanted = {ids[d]: float(R[d]) for d in np.flatnonzero(hit)}
        assert found == pytest.approx(wanted, rel=1e-10)
        assert results.total == len(found)
        ordered = [hit.score for hit in results.hits]
        assert ordered == sorted(ordered, reverse=True)


def parts(tree: Explanation) -> tuple[float, Explanation, Explanation]:
    R = tree.find("R")
    assert R is not None
    f, plain, forms = R.details
    return f.value, plain, forms


def test_both_parts_add_up_in_the_explanation(engine: Engine) -> None:
    for name in ("dirichlet", "heimdall-2021"):
        for text in QUESTIONS:
            for hit in engine.search(
                text, config=name, overrides=["retrieval.stem_conflation=0.5"]
            ).hits:
                f, plain, forms = parts(hit.explanation)
                R = hit.explanation.find("R")
                assert hit.explanation.value == pytest.approx(hit.score, rel=1e-12)
                assert R is not None
                assert R.value == pytest.approx((1 - f) * plain.value + f * forms.value, rel=1e-12)
                for part in (plain, forms):
                    assert part.value == pytest.approx(sum(d.value for d in part.details))


def test_the_forms_and_their_counts_are_named(engine: Engine) -> None:
    overrides = ["retrieval.stem_conflation=0.5"]
    hit = engine.search("zoo", config="dirichlet", overrides=overrides).hits[0]
    bag = Counter(TOKENS(hit.argument.text))
    _, _, forms = parts(hit.explanation)
    (only,) = forms.details
    assert f"zoo {bag['zoo']} of " in only.description or not bag["zoo"]
    assert f"zoos {bag['zoos']} of " in only.description or not bag["zoos"]
    counts = [node.value for node in only if node.description.startswith("tf, ")]
    assert counts == [bag["zoo"] + bag["zoos"] + bag["zoo's"] + bag["zoos'"]]


corpora = st.lists(
    st.lists(st.sampled_from(["tax", "zoo", "ban", "law", "the"]), min_size=1, max_size=9),
    min_size=1, max_size=12,
)  # fmt: skip


@pytest.mark.thorough
@settings(max_examples=10)
@given(corpora)
def test_classes_of_one_form_change_nothing(made: list[list[str]]) -> None:
    assert len(set(stems(["tax", "zoo", "ban", "law", "the"]))) == 5
    asked = {"text": "tax the zoo zoo", "k": 50, "config": "dirichlet"}
    texts = [" ".join(words) for words in made]
    with TemporaryDirectory() as folder, opened(Path(folder), texts) as engine:
        plain = engine.search(**asked)  # type: ignore[arg-type]
        mixed = engine.search(**asked, overrides=["retrieval.stem_conflation=0.3"])  # type: ignore[arg-type]
        found = {hit.id: hit.score for hit in mixed.hits}
        assert found == pytest.approx({hit.id: hit.score for hit in plain.hits}, rel=1e-12)
        assert mixed.total == plain.total


def opened(folder: Path, texts: list[str]) -> Engine:
    documents = (document(f"d{i:03}", None, text) for i, text in enumerate(texts))
    return Engine.open(indexed(folder, documents, BARE))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Documents of many blocks, Zipfian words with one to four forms each, some very frequent."""
    rng = np.random.default_rng(3)
    words = [f"{stem}{end}" for i in range(60) for stem in (f"w{'xkjq'[i % 4]}{i}a",)
             for end in ("", "s", "ing", "ed")[: 1 + i % 4]]  # fmt: skip
    shares = 1.0 / np.arange(1, len(words) + 1)
    lengths = rng.integers(1, 80, 4000)
    texts = [" ".join(rng.choice(words, n, p=shares / shares.sum())) for n in lengths]
    texts[7] = " ".join([words[5]] * 200 + [words[4]] * 200)  # more than a byte together
    with opened(tmp_path_factory.mktemp("many"), texts) as engine:
        yield engine


@pytest.mark.thorough
@pytest.mark.parametrize("k", [1, 10, 4000])
@pytest.mark.parametrize("f", [0.3, 1.0])
@pytest.mark.parametrize("keys", [(), ("mu=500",), ("lengths=exact",)], ids=" ".join)
def test_the_quick_way_is_that_of_all_postings(
    many: Engine, keys: tuple[str, ...], f: float, k: int
) -> None:
    """Terms and classes as one weighted query, by blocks or not, beside the two sums mixed."""
    searcher = many.backend.searcher  # type: ignore[attr-defined]
    overrides = [f"retrieval.{key}" for key in (*keys, f"stem_conflation={f}")]
    words = [searcher.vocabulary[row].decode() for row in (0, 3, 5, 40, 90)]
    for text in (" ".join(words), f"{words[0]} {words[0]}ing {words[1]}", "w0a unknown"):
        results = many.search(text, k=k, config="dirichlet", overrides=overrides)
        ranking = results.hits.candidates.source
        asked, matched = ranking.search.asked, ranking.search.matched
        times = zip(matched.rows, matched.weights.tolist(), strict=True)
        terms = {(row, False): weight for row, weight in times}
        classes = {(row, True): weight for row, weight in matched.classes.items()}
        (R_plain, _), (R_forms, hit) = (
            searcher.scoring.relevance(asked, weights) for weights in (terms, classes)
        )
        R = mixed_forms(R_plain, R_forms, f)
        docs = np.flatnonzero(hit)
        order = np.lexsort((searcher.arrays.ids_ranks[docs], -np.round(R[docs], 9)))
        wanted = R[docs[order]][:k]
        assert ranking.scores == pytest.approx(wanted, rel=1e-10)
        assert R[ranking.numbers] == pytest.approx(ranking.scores, rel=1e-10)
        assert results.total == len(docs)


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
