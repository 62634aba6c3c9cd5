"""How systems are measured and chosen: recombined order, gains, the rule and what it reports."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc, nDCG

from argsearch.engine import Engine
from argsearch.engine.config import Boost, load_config
from argsearch.lab.judgements.webis import read_judgements
from studies import effectiveness, judgements
from studies.effectiveness import (
    Cell,
    Lab,
    by_mean,
    by_mean_then_all,
    grid,
    of_arguments,
    over_measures,
)
from studies.judgements import Collection, mean_votes, unseen_quality
from studies.recombining import Matches, judged_values, ndcg, recombined, variants

QUESTION = "should zoos be closed"


@pytest.fixture(scope="module")
def sample(sample_index: Path) -> Collection:
    """The sample corpus with one question; every other document is judged, its worth its rank."""
    engine = Engine.open(sample_index)
    backend = engine.backend
    n = backend.info.documents
    arrays = backend.arrays  # type: ignore[attr-defined]
    gains = np.where(np.arange(n) % 2, np.nan, np.arange(n) % 3)[None]
    quality = arrays.quality.astype(float)
    clusters = tuple(judgements._clusters(engine, seed) for seed in (0, 1))
    return Collection(engine, {"1": QUESTION}, {"1": gains}, {"1": quality}, clusters)


@pytest.mark.parametrize("name", of_arguments())
def test_the_recombined_order_is_the_engines(sample: Collection, name: str) -> None:
    config = load_config(name, ["boost.premises_depth=20"])
    matches = sample.matches("1", config)
    order = recombined(matches, 0, config.boost)
    found = sample.engine.search(QUESTION, k=1000, config=config)
    docs = np.sort(judgements.documents(sample.engine, found.hits.ids))
    by_id = docs[np.argsort(sample.engine.backend.arrays.ids_ranks[docs])]  # type: ignore[attr-defined]
    ids = [sample.engine.backend.ids[doc] for doc in by_id[order].tolist()]  # type: ignore[attr-defined]
    assert ids == found.hits.ids


def test_the_clusters_of_the_first_seed_are_the_indexs(sample: Collection) -> None:
    arrays = sample.engine.backend.arrays  # type: ignore[attr-defined]
    centroids, labels = sample.clusters[0]
    none = arrays.clusters == len(arrays.centroids)
    np.testing.assert_array_equal(labels == -1, none)
    units = arrays.centroids / np.linalg.norm(arrays.centroids, axis=1, keepdims=True)
    own = units[arrays.clusters[~none]]
    np.testing.assert_allclose(centroids[labels[~none]], own, rtol=1e-5, atol=1e-6)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=15), st.integers(0, 2**32 - 1))
def test_ndcg_is_trec_evals(grades: list[int], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(grades))
    gains = np.array(grades, float)
    ideal = -np.sort(-gains)[:10]
    qrels = [Qrel("q", str(i), grade) for i, grade in enumerate(grades)]
    run = [ScoredDoc("q", str(i), -float(rank)) for rank, i in enumerate(order)]
    for cutoff in (5, 10):
        wanted = ir_measures.calc_aggregate([nDCG @ cutoff], qrels, run)[nDCG @ cutoff]
        assert ndcg(gains[order], ideal, cutoff) == pytest.approx(wanted)


def test_judged_only_leaves_out_what_nobody_judged() -> None:
    gains, ideal = np.array([np.nan, 2.0, np.nan, 1.0]), np.array([2.0, 1.0])
    every5, every10, only5, only10 = judged_values(gains, ideal)
    assert (only5, only10) == (1.0, 1.0)
    best = 2 + 1 / np.log2(3)
    assert every5 == every10 == pytest.approx((2 / np.log2(3) + 1 / np.log2(5)) / best)


def _matches(n: int, seed: int) -> Matches:
    rng = np.random.default_rng(seed)
    cosines = np.where(rng.random((1, n)) < 0.2, np.nan, rng.uniform(-1, 1, (1, n)))
    gains = rng.integers(0, 4, (1, n)).astype(float)
    R, Q, P = rng.random((3, n))
    return Matches(R, cosines, Q, P, gains, -np.sort(-gains, axis=1)[:, :10])


@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_sharing_equation_1_changes_no_order(n: int, seed: int) -> None:
    matches = _matches(n, seed)
    boosts = [
        Boost(cluster=c, quality=q, premises=p, premises_depth=depth)
        for c, q, p, depth in [
            (0, 0, 0, 9),
            (0, 0, 2, 9),
            (1, 0, 2, 9),
            (1, 0, 2, 99),
            (0, 0, 2, 9),
        ]
    ]
    for i, order in variants(matches, 0, boosts):
        np.testing.assert_array_equal(order, recombined(matches, 0, boosts[i]))
        assert sorted(order.tolist()) == list(range(n))


def test_a_document_without_a_cluster_has_no_c() -> None:
    matches = replace(_matches(2, 0), R=np.array([1.0, 1.2]), cosines=np.array([[0.5, np.nan]]))
    assert recombined(matches, 0, Boost(cluster=0.0)).tolist() == [1, 0]
    assert recombined(matches, 0, Boost(cluster=1.0)).tolist() == [0, 1]
    assert recombined(matches, 0, Boost(cluster=1.0, cosine="shifted")).tolist() == [0, 1]


def _gains(*rows: tuple[float, ...]) -> np.ndarray:
    """[systems, 4 topics, measures]: two topics of each collection, NaN in the other's columns."""
    gains = np.full((len(rows), 4, 6), np.nan)
    for i, row in enumerate(rows):
        gains[i, :2, :4], gains[i, 2:, 4:] = row[:4], row[4:]
    return gains


def test_the_rule_is_the_mean_and_all_tells_between_equals() -> None:
    plain = (0.0,) * 6
    best = (-0.05, -0.05, 0.02, 0.02, 0.02, 0.02)
    near = (-0.01, -0.01, 0.018, 0.018, 0.016, 0.016)
    mild = (0.0, 0.0, 0.014, 0.014, 0.014, 0.014)
    gains = _gains(plain, best, near, mild)
    assert over_measures(gains) == pytest.approx([0.0, 0.02, 0.017, 0.014])
    assert (by_mean(gains), by_mean_then_all(gains)) == (1, 2)


def test_same_subjects_are_left_out_together() -> None:
    nothing = {"topics": {}, "gains": {}, "quality": {}, "clusters": ()}
    first = Collection(None, **(nothing | {"topics": {"39": "a", "40": "b"}}))  # type: ignore[arg-type]
    second = Collection(None, **(nothing | {"topics": {"3": "c", "1": "d"}}))  # type: ignore[arg-type]
    assert Lab(first, second).subjects().tolist() == [0, 1, 2, 0]


def test_the_report_names_what_it_chose() -> None:
    cells = [Cell(model, boost) for model in ("dirichlet", "other") for boost in grid()]
    rng = np.random.default_rng(0)
    scores = np.full((len(cells), 6, 6), np.nan)
    scores[:, :3, :4] = 0.5 + 0.001 * rng.random((len(cells), 3, 4))
    scores[:, 3:, 4:] = 0.5 + 0.001 * rng.random((len(cells), 3, 2))
    best = next(i for i, cell in enumerate(cells) if cell.boost.premises == 2.0)
    scores[best, :3, 2:4] += 0.1
    scores[best + len(grid()), :3, 2:4] += 0.3  # better, but not to be chosen
    text = effectiveness.report(cells, scores, scores - scores[0], np.arange(6))
    assert text.startswith("Chosen on all topics: w_cluster = 0, w_quality = 0, w_premises = 2 ")
    assert f"| 6 | {cells[best].row()} |" in text
    assert f"| {cells[best + len(grid())].row()} | +0.15" in text


def test_votes_are_averaged_over_all_of_an_item() -> None:
    votes = [("1", "2", "3"), ("1", "2", "0"), ("1", "3", "2")]
    keys = ("Discussion ID", "Argument ID", "Relevance")
    assert mean_votes([dict(zip(keys, vote, strict=True)) for vote in votes]) == {
        "1-2": 1.5,
        "1-3": 2.0,
    }


def test_a_page_without_its_marker_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- table -->\nold\n<!-- end -->\nb\n")
    effectiveness.renew(page, "table", "new\n")
    assert page.read_text() == "a\n<!-- table -->\nnew\n<!-- end -->\nb\n"
    with pytest.raises(SystemExit, match="no marker <!-- choose -->"):
        effectiveness.renew(page, "choose", "new\n")


@pytest.mark.data
def test_quality_of_a_topic_never_saw_the_topic(data_dir: Path) -> None:
    """Changing a topic's judgements changes nothing of what its own model says."""
    known = read_judgements(data_dir / judgements.W20)
    few = np.isin(known.topics, [0, 1, 2, 3])
    small = replace(
        known,
        texts=tuple(np.array(known.texts, object)[few]),
        topics=known.topics[few],
        is_argument=known.is_argument[few],
        quality=known.quality[few],
    )
    other = replace(small, quality=np.where(small.topics == 2, 0.5, small.quality))
    first, second = unseen_quality(small), unseen_quality(other)
    np.testing.assert_array_equal(first[2], second[2])
    assert not np.array_equal(first[0], second[0])


@pytest.mark.data
def test_the_topics_taken_for_the_same_share_a_word(data_dir: Path) -> None:
    with (data_dir / judgements.W20_TOPICS).open(encoding="utf-8-sig", newline="") as stream:
        long = {row["Topic ID"]: row["Long Query"] for row in csv.DictReader(stream)}
    titles = {t.query_id: t.title for t in judgements.read_topics(data_dir / judgements.TOPICS)}
    for ours, theirs in judgements.SAME_SUBJECT.items():
        a, b = (set(text.lower().strip("?").split()) for text in (long[ours], titles[theirs]))
        assert len({word for word in a & b if len(word) > 4 and word != "should"}) >= 1, (a, b)
