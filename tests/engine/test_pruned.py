"""The search by blocks on a built index of many blocks: every answer is that of all postings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.backends.embedded import scoring
from argsearch.engine.backends.embedded.matched import Eligible
from argsearch.engine.backends.embedded.searching import Search, Searcher
from argsearch.engine.results.results import Results
from argsearch.ranking.combination import factor
from argsearch.ranking.retrieval.blocks import BLOCK
from argsearch.ranking.retrieval.scoring import score_all
from argsearch.ranking.similarities.tfidf import TFIDF
from tests.indexes import document, indexed

N = 5000
WORDS = [
    f"{stem}{end}"
    for i, stem in enumerate(f"w{'xkjq'[i % 4]}{i}a" for i in range(160))
    for end in ("", "s", "ing", "ed")[: 1 + i % 4]
]
"""400 words with one to four forms each, the most frequent first."""
TOPICS = ("zoos", "school uniforms", "nuclear power", "the death penalty", "vegan food", "taxes")
SAID = ("should be banned", "are good", "cost too much", "help the poor", "must be kept")
QUERIES = tuple(
    " ".join(WORDS[int(word)] if word.isdigit() else word for word in query.split())
    for query in ("0 1 7 30", "399 2 zoos", "should 5 5 60 be 3", "0", "120 250", "taxes")
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Short documents of Zipfian words; clusters, qualities and stances differ within a block.

    A document has a word and another form of it more often than a byte counts.
    """
    folder, rng = tmp_path_factory.mktemp("many"), np.random.default_rng(5)
    shares = 1.0 / np.arange(1, len(WORDS) + 1)
    words = rng.choice(WORDS, (N, 60), p=shares / shares.sum())
    documents = []
    for i, id in enumerate(rng.permutation(N).tolist()):
        said = [*words[i, : rng.integers(1, 60)]] if i != 7 else [*WORDS[1:3]] * 200
        mark = rng.choice([" ", ", ", ". ", "!!! "])
        stance = "PRO" if rng.random() < 0.8 else "CON"
        conclusion = f"{rng.choice(TOPICS)} {rng.choice(SAID)}"
        documents.append(document(f"d{id:05}", conclusion, mark.join(said), stance=stance))
    with Engine.open(indexed(folder, documents)) as opened:
        yield opened


def searcher_of(engine: Engine) -> Searcher:
    return engine.backend.searcher  # type: ignore[attr-defined,no-any-return]


@pytest.mark.thorough
def test_the_index_can_tell_right_from_wrong(engine: Engine) -> None:
    """Without such variety, the tests below would pass whatever the bounds are."""
    arrays = searcher_of(engine).arrays
    assert -(-N // BLOCK) >= 30
    assert len(arrays.blocks_terms) >= 30, "terms with a row in the directory of blocks"
    assert len(arrays.spans_clusters) > -(-N // BLOCK), "blocks of several clusters"
    for first in range(0, N - BLOCK, BLOCK):
        quality, stances = arrays.quality[first : first + BLOCK], arrays.stances
        assert np.ptp(quality) > 0.1
        assert len(np.unique(stances[first : first + BLOCK])) == 2


def everything(results: Results, searcher: Searcher, keep: np.ndarray) -> tuple[int, list]:
    """Eq. 1 from every posting, filtered by flags: total, and the best as (document, score)."""
    ranking = results.hits.candidates.source  # type: ignore[attr-defined]
    query, sought = ranking.search.query, ranking.search.sought
    R, hit = score_all(sought.postings, sought.terms, N)
    C = query.similarities if len(query.similarities) else np.zeros(len(searcher.arrays.centroids))
    S = R * factor(query.boost.cluster, np.append(C, 0.0))[searcher.arrays.clusters]
    D = 1.0 + query.boost.quality * searcher.arrays.quality.astype(float)
    for name, omega in query.boost.columns:
        column, values = searcher.columns[name].column, searcher.columns[name].array
        low, high = column.ramp or (column.low, column.high)
        x = (values.astype(float) - low) / (high - low)
        D = D * (1.0 + omega * np.where(values == column.missing, 0.0, x))
    S = S * D
    docs = np.flatnonzero(hit & keep)
    order = np.lexsort((searcher.arrays.ids_ranks[docs], -S[docs]))[query.offset :][: query.k]
    return len(docs), list(zip(docs[order].tolist(), S[docs[order]].tolist(), strict=True))


def check(engine: Engine, overrides: Sequence[str], keep: np.ndarray, **asked: object) -> None:
    for text in QUERIES:
        results = engine.search(text, config="dirichlet", overrides=overrides, **asked)  # type: ignore[arg-type]
        ranking = results.hits.candidates.source
        total, expected = everything(results, ranking.backend.searcher, keep)
        found = list(zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True))
        assert found == expected
        assert results.total == total


ALL = np.ones(N, bool)
WEIGHTS = [
    (),
    ("boost.cluster=1", "boost.quality=3"),
    ("boost.quality=50",),
    ("boost.cluster=50", "boost.cosine=shifted"),
    ("boost.cluster=-0.5", "boost.quality=2"),
    ("boost.cluster=-0.4", "boost.cosine=shifted"),
    ("boost.cluster=-5",),
    ("boost.quality=-0.5",),
    ("boost.cluster=2", "boost.quality=-3"),
    ("boost.columns.words=1000", "boost.quality=2", "boost.cluster=1"),
    ("boost.columns={quality = 3, date = 9}",),
    ("boost.columns.quality=5", "boost.quality=-0.5"),
]


@pytest.mark.thorough
@pytest.mark.parametrize("k", [1, 10, 300, N])
@pytest.mark.parametrize("weights", WEIGHTS, ids=" ".join)
def test_weights_and_cutoffs(engine: Engine, weights: tuple[str, ...], k: int) -> None:
    check(engine, weights, ALL, k=k)


@pytest.mark.thorough
@pytest.mark.parametrize("lengths", ["lucene", "exact"])
@pytest.mark.parametrize("mu", [1, 20, 200, 2000, 20_000])
def test_any_smoothing(engine: Engine, mu: int, lengths: str) -> None:
    overrides = (f"retrieval.mu={mu}", f"retrieval.lengths={lengths}")
    for k in (1, 5, 50):
        check(engine, overrides, ALL, k=k)
        check(engine, (*overrides, "boost.quality=2"), ALL, k=k)


MODELS = [
    ("model=bm25",),
    ("model=bm25", "k1=2", "b=0.3", "lengths=exact"),
    ("model=bm25f", "w_conclusion=3", "b_premise=0.9"),
    ("model=tfidf",),
    ("model=dph",),
    ("model=dfr",),
    ("model=dfr", "dfr_basic=G", "dfr_after=B", "dfr_normalisation=H3"),
    ("model=bm25", "fields=conclusion"),
    ("model=dph", "fields=premise"),
    ("model=dirichlet", "fields=premise", "mu=300", "lengths=exact"),
    ("model=dirichlet", "stem_conflation=0.4"),
    ("model=tfidf", "stem_conflation=1", "lengths=exact"),
]


def keys(model: Sequence[str]) -> list[str]:
    return [f"retrieval.{key}" for key in model]


def relevance(engine: Engine, results: Results) -> tuple[np.ndarray, np.ndarray]:
    """R of every document by the way that neither kernels nor block bounds take part in."""
    ranking = results.hits.candidates.source  # type: ignore[attr-defined]
    scoring, search = searcher_of(engine).scoring, ranking.search
    return scoring.relevance(search.asked, scoring.weighed(search.asked, search.matched))


@pytest.mark.thorough
@pytest.mark.parametrize("model", MODELS, ids=" ".join)
def test_every_model_is_answered_as_by_all_postings(
    engine: Engine, model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over weights, filters and pages, some of which block bounds are not for."""
    kept = np.random.default_rng(4).random(N) < 0.3
    for keep in (ALL, kept, np.arange(N) % 700 == 3):
        eligible = Eligible.of(keep)
        with monkeypatch.context() as patched:
            if keep is not ALL:
                patched.setattr(Search, "eligible", eligible)
            for weights in (WEIGHTS[0], WEIGHTS[1], WEIGHTS[7], WEIGHTS[9]):
                for k, offset in ((1, 0), (7, 5), (400, 0)):
                    check(engine, (*keys(model), *weights), keep, k=k, offset=offset)


@pytest.mark.thorough
@pytest.mark.parametrize("model", MODELS, ids=" ".join)
def test_what_the_kernels_read_is_what_the_model_says(
    engine: Engine, model: tuple[str, ...]
) -> None:
    for text in QUERIES:
        results = engine.search(text, k=5, config="dirichlet", overrides=keys(model))
        ranking = results.hits.candidates.source  # type: ignore[attr-defined]
        sought = ranking.search.sought
        R, hit = score_all(sought.postings, sought.terms, N)
        wanted, matched = relevance(engine, results)
        assert np.array_equal(R, wanted)
        assert np.array_equal(hit, matched)


def forget(engine: Engine) -> None:
    searcher_of(engine).scoring.remembered.cache_clear()
    searcher_of(engine).scoring.remembered_tables.cache_clear()


@pytest.mark.parametrize("model", MODELS[:5:2], ids=" ".join)
@pytest.mark.parametrize("room", [200, 3000, 10_000])
def test_a_small_memory_changes_no_answer(
    engine: Engine, room: int, model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terms are forgotten for others, or never fit, and then every posting is read."""
    asked = {"k": 20, "config": "dirichlet", "overrides": keys(model)}
    before = [engine.search(text, **asked) for text in QUERIES]  # type: ignore[arg-type]
    forget(engine)
    monkeypatch.setattr(scoring, "CACHED_POSTINGS", room)
    monkeypatch.setattr(scoring, "CACHED_SCORES", room)
    for _ in range(2):
        for text, known in zip(QUERIES, before, strict=True):
            found = engine.search(text, **asked)  # type: ignore[arg-type]
            assert found.hits.ids == known.hits.ids
            assert np.array_equal(found.hits.candidates.scores, known.hits.candidates.scores)
    forget(engine)


def test_a_query_that_never_fits_costs_others_no_scores(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, keep = list[object](), scoring.RememberedTables._keep

    def noted(self: scoring.RememberedTables, key: scoring.Key) -> bool:
        kept.append(key)
        return keep(self, key)

    forget(engine)
    monkeypatch.setattr(scoring, "CACHED_SCORES", 1000)
    monkeypatch.setattr(scoring.RememberedTables, "_keep", noted)
    first = engine.search(WORDS[399], config="dph")
    engine.search(" ".join(WORDS[:5]), config="dph")
    read = len(kept)
    assert read > 1
    assert engine.search(WORDS[399], config="dph").to_dicts() == first.to_dicts()
    assert len(kept) == read
    forget(engine)


def test_a_model_with_negative_scores_is_not_pruned(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def score(self: object, tf: np.ndarray, dl: np.ndarray, term: object) -> np.ndarray:
        return np.asarray(np.log(tf) - dl / 20.0)

    monkeypatch.setattr(TFIDF, "score", score)
    forget(engine)
    for k in (1, 10, N):
        check(engine, keys(("model=tfidf",)), ALL, k=k)
        check(engine, (*keys(("model=tfidf",)), "boost.quality=2"), ALL, k=k)
    forget(engine)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.0, 0.0005, 0.01, 0.04, 0.15, 0.6, "some blocks", 1.0])
def test_filters(engine: Engine, share: float | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From no document to all: one by one in the index, or block by block."""
    rng = np.random.default_rng(2)
    blocks = np.arange(N) // BLOCK
    keep = blocks % 7 == 3 if isinstance(share, str) else rng.random(N) < share
    monkeypatch.setattr(Search, "eligible", Eligible.of(keep))
    for overrides in (*WEIGHTS[:4], ("retrieval.mu=200",), ("boost.quality=-0.5",)):
        for k in (1, 10, 200):
            check(engine, overrides, keep, k=k)
