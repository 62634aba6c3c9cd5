"""Sides against labels that were given before there was a model."""

import csv
from pathlib import Path

import pytest

from engine import Engine
from engine.sides import DEPTH
from indexer.stance.material import CORPUS, PAIRS, read_labels, read_pairs
from indexer.stance.model import StanceModel
from ranking.evaluation.agreement import cohen_kappa

LABELS = Path(__file__).parent / "stance_labels.tsv"


def test_labels_are_two_hundred_and_more_and_were_given_twice():
    with LABELS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) >= 200
    assert {row["label"] for row in rows} == {"for", "against", "neither"}
    twice = [(row["label"], row["second"]) for row in rows if row["second"]]
    assert len(twice) >= 60
    assert cohen_kappa(*map(list, zip(*twice, strict=True))) >= 0.9


def test_no_question_was_trained_on():
    trained = {question.lower() for question, _, _ in read_labels(PAIRS)}
    assert not trained & {question.lower() for question, _, _ in read_labels(LABELS)}


@pytest.mark.data
def test_most_of_what_is_shown_on_a_side_is_right(data_dir):
    pairs, model = read_pairs(LABELS, data_dir / CORPUS), StanceModel.load()
    sides = [(model.side(pair.question, pair.argument).value, pair.label) for pair in pairs]
    shown = [side == label for side, label in sides if side != "unclear"]
    assert len(shown) >= 0.6 * len(pairs)
    assert sum(shown) / len(shown) >= 0.85


@pytest.mark.data
@pytest.mark.slow
def test_attitudes_of_topics_left_out(data_dir):
    import numpy as np

    from indexer.stance.training import held_out
    from ranking.stance import surest

    held = held_out(data_dir, lambda _: None)
    confidence = np.abs(held.logits)
    assert held.right.mean() >= 0.82
    assert surest(confidence, held.right, 0.6) >= 0.92


QUESTION = "Should zoos be abolished?"


@pytest.fixture(scope="module")
def engine(sample_index):
    with Engine.open(sample_index) as opened:
        yield opened


def test_no_more_is_read_than_is_asked_for(engine):
    results = engine.search(QUESTION, k=3, sides=True, overrides=("boost.quality=3",))
    assert results.sided is not None
    assert results.sided.so_far.sides == ()
    shown = results.sides
    assert results.sided.so_far.sides == tuple(shown)
    assert shown == StanceModel.load().sides(QUESTION, [hit.argument for hit in results])
    balance = results.balance
    assert balance is not None
    assert sum(balance.counts.values()) == min(DEPTH, results.total)
    assert balance.sides[:3] == tuple(shown)


def test_a_page_of_one_side_has_the_sides_of_the_whole(engine):
    whole = engine.search(QUESTION, k=DEPTH, sides=True)
    for side in ("for", "against", "unclear"):
        places = [i for i, one in enumerate(whole.sides) if one.value == side]
        page = engine.search(QUESTION, k=2, offset=1, side=side)
        assert page.hits.ids == [whole.hits.ids[place] for place in places[1:3]]
        assert [one.value for one in page.sides] == [side] * len(page)
        assert page.total == len(places)


def test_the_second_side_finds_what_the_first_has_read(engine):
    one, other = (engine.search(QUESTION, side=side) for side in ("for", "against"))
    assert one.sided is other.sided
    for changed in ({"fold": False, "where": ["words >= 30"]}, {"overrides": ["boost.cluster=2"]}):
        assert engine.search(QUESTION, side="for", **changed).sided is not one.sided
