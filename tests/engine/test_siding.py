"""Sides against labels that were given before there was a model."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.api.cli.main import run
from argsearch.engine import Engine
from argsearch.engine.stance.model import SIDE_VALUES, StanceModel
from argsearch.engine.stance.sides import DEPTH, claiming, sided
from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs import read_topics
from argsearch.lab.training.stance.training import CORPUS, PAIRS, read_labels, read_pairs
from argsearch.ranking.evaluation.agreement import cohen_kappa
from tests.conftest import SAMPLE
from tests.indexes import document, indexed

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
    trained = {row["question"].lower() for row in read_labels(PAIRS)}
    assert not trained & {row["question"].lower() for row in read_labels(LABELS)}


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

    from argsearch.lab.training.stance.training import held_out

    held = held_out(data_dir, lambda _: None)
    assert held.right.mean() >= 0.82
    surest = np.argsort(-np.abs(held.logits), kind="stable")[: round(0.6 * len(held.logits))]
    assert held.right[surest].mean() >= 0.915


QUESTION = "Should zoos be abolished?"
BOOSTED = ("boost.quality=3",)
MISSPELT = "Should zooos be abolishd?"


@pytest.mark.thorough
def test_no_more_is_read_than_is_asked_for(engine):
    results = engine.search(QUESTION, k=3, sides=True, overrides=[*BOOSTED, "stance.near=false"])
    assert results.sided.so_far.sides == ()
    shown = results.sides
    assert results.sided.so_far.sides == tuple(shown)
    best = [hit.argument for hit in engine.search(QUESTION, k=3, overrides=BOOSTED)]
    assert shown == StanceModel.load().sides(QUESTION, best)
    balance = results.balance
    assert sum(balance.counts.values()) == min(DEPTH, results.total)
    assert balance.sides[:3] == tuple(shown)


def test_the_second_side_finds_what_the_first_has_read(engine):
    one, other = (engine.search(QUESTION, side=side) for side in ("for", "against"))
    assert one.sided is other.sided
    for changed in (
        {"collapse": False, "where": ["words >= 30"]},
        {"overrides": ["boost.cluster=2"]},
    ):
        assert engine.search(QUESTION, side="for", **changed).sided is not one.sided


def ids(results):
    return [hit.id for hit in results]


@pytest.mark.thorough
def test_sides_of_a_misspelt_question_are_those_of_its_suggestion_and_say_so(engine):
    found = engine.search(MISSPELT, side="for")
    meant = engine.search(found.suggestion, side="for")
    assert found.query == MISSPELT
    assert found.sided_for == found.asked == found.suggestion == QUESTION
    assert len(found) == len(meant) > 0
    assert ids(found) == ids(meant)
    assert found.sides == meant.sides
    assert found.balance == meant.balance
    assert f"sides refer to “{QUESTION}”" in found.remarks
    assert found.unknown == engine.search(MISSPELT).unknown
    assert meant.sided_for is None
    assert not any("sides are read" in remark for remark in meant.remarks)


def test_the_hits_of_a_misspelt_question_stay_its_own(engine):
    plain, sided = engine.search(MISSPELT, k=5), engine.search(MISSPELT, k=5, sides=True)
    assert ids(plain) == ids(sided)
    assert [hit.score for hit in plain] == [hit.score for hit in sided]
    assert sided.asked == MISSPELT
    assert sided.sided_for == QUESTION
    assert sided.total == plain.total
    assert sided.discriminative == plain.discriminative
    assert sided.first_weak_rank == plain.first_weak_rank
    assert len(sided.sides) == len(sided)


def test_a_correction_that_fills_no_more_places_is_not_taken(engine):
    found = {one: engine.search(one, k=DEPTH).hits.candidates for one in (MISSPELT, QUESTION)}
    worse = engine.search("golf", k=DEPTH).hits.candidates
    assert sided(MISSPELT, found.__getitem__).other == QUESTION
    assert sided(MISSPELT, (found | {QUESTION: worse}).__getitem__).other is None


@pytest.fixture(scope="module")
def copied(built):
    """The sample corpus in an index that can fold near-duplicates."""
    with Engine.open(built(added=["near_duplicates"])) as opened:
        yield opened


ASKED = st.fixed_dictionaries(
    {},
    optional={
        "config": st.sampled_from(["default", "dirichlet", "heimdall-mmr"]),
        "collapse": st.booleans(),
        "stance": st.sampled_from(["pro", "con"]),
        "where": st.sampled_from([["words >= 30"], ["quality >= .3", "words < 300"]]),
        "sort": st.sampled_from(["-words", "quality"]),
        "overrides": st.sampled_from([("boost.quality=3",), ("boost.cluster=0",)]),
        "facets": st.just(["stance"]),
    },
)
QUESTIONS = (QUESTION, MISSPELT, "zoos", "qwertzuiop zoos", "golf", f"I saw a lion. {QUESTION}")


@pytest.mark.thorough
@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    question=st.sampled_from(QUESTIONS),
    side=st.sampled_from(SIDE_VALUES),
    k=st.integers(1, 120),
    offset=st.integers(0, 30),
    first=st.integers(1, 300),
    asked=ASKED,
)
def test_a_side_of_one_search_is_what_a_search_for_it_finds(
    copied, question, side, k, offset, first, asked
):
    one = copied.search(question, k=first, sides=True, **asked).on(side, k=k, offset=offset)
    other = copied.search(question, k=k, offset=offset, side=side, **asked)
    assert [(h.id, h.rank, h.score) for h in one] == [(h.id, h.rank, h.score) for h in other]
    assert [h.explanation for h in one[:3]] == [h.explanation for h in other[:3]]
    assert one.sides == other.sides
    assert one.balance == other.balance
    for name in (
        "total",
        "groups",
        "discriminative",
        "first_weak_rank",
        "unknown",
        "suggestion",
        "facets",
    ):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("remarks", "asked", "sided_for", "collapsed", "sort", "fingerprint"):
        assert getattr(one, name) == getattr(other, name), name


def test_sides_are_read_once_for_both_lists(engine, monkeypatch):
    read = []
    evidence = StanceModel.evidence
    monkeypatch.setattr(
        StanceModel,
        "evidence",
        lambda model, question, arguments, *rest, **named: (
            read.append(len(arguments)) or evidence(model, question, arguments, *rest, **named)
        ),
    )
    found = engine.search(QUESTION, sides=True, overrides=["stance.near=false"])
    lists = [found.on("for"), found.on("against"), found.on("unclear", offset=10)]
    assert read == [DEPTH]
    assert all(one.total == found.balance.counts[one.sides[0].value] for one in lists)


@pytest.mark.parametrize(
    ("how", "name"),
    [
        ({"side": "both"}, "side"),
        ({"side": "for", "k": 0}, "k"),
        ({"side": "for", "offset": -1}, "offset"),
        ({"side": "for"}, "sides"),
    ],
)
def test_a_side_that_cannot_be_had_is_named(engine, how, name):
    found = engine.search(QUESTION, k=3, sides=name != "sides")
    with pytest.raises(InvalidParameter, match=f"^{name} must be |with {name}=True"):
        found.on(**how)


@pytest.mark.thorough
def test_texts_that_repeat_the_question_leave_the_first_five_of_both_columns(engine):
    """What Dirichlet puts first is, for each of the sample's questions, its text of grade 0 that
    repeats the question's words; two of these are long essays that say nothing, which no one sees.
    """
    left = []
    for topic in read_topics(SAMPLE / "topics.xml"):
        trap = engine.search(topic.title, k=1, config="dirichlet").hits.ids[0]
        found = engine.search(topic.title, sides=True)
        columns = [found.on(side, k=5).hits.ids for side in ("for", "against")]
        left += [topic.query_id] * any(trap in ids for ids in columns)
    assert left == ["7", "17"]


TITLES = ("Open mind", "Seinfeld", "Gun thread", "My weekend", "Homework")
CLAIMS = ("Zoos should be banned", "Guns are dangerous", "Homework is useful", "Vote yes", "Zoos")
HARM = "Zoos are cruel and harmful; they should be banned, for they hurt animals and are wrong."


@pytest.mark.parametrize(
    ("conclusions", "stances", "expected"),
    [(TITLES, ("PRO",), False), (TITLES, ("PRO", "CON"), True), (CLAIMS, ("PRO",), True)],
)
def test_one_stance_towards_titles_decides_nothing(
    tmp_path, capsys, conclusions, stances, expected
):
    documents = [
        document(f"a{i}", conclusion, HARM, stance=stances[i % len(stances)])
        for i, conclusion in enumerate(conclusions)
    ]
    index = indexed(tmp_path, documents)
    with Engine.open(index) as engine:
        assert claiming(engine.backend.contents) is expected
        found = engine.search("Should zoos be allowed?", sides=True, k=5)
        assert len(found.sides) == 5
        told = "by the text alone"
        for side in found.sides:
            assert (told in str(side.explanation)) is not expected
            assert expected or side.value != "for"
    assert run(["info", str(index)]) == 0
    said = capsys.readouterr().out
    assert "sides" in said
    assert ("make no claim" in said) is not expected
