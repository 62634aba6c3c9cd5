"""Key points: they add up, are quoted word for word, and can be asked again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from argsearch.engine import Engine
from argsearch.engine.points import key_points as points
from argsearch.engine.points import sentences
from argsearch.engine.points.key_points import key_points
from argsearch.engine.points.model import PointModel
from argsearch.engine.points.sentences import asked_roots, sentences_of, standing_alone
from argsearch.engine.results.quotes import ALL, TWO_SIDES
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import IndexSettings
from tests.indexes import document, indexed

QUESTION = "Should homework be banned?"
SAID = {
    "pro": [
        "Homework causes stress and takes away the sleep of young pupils.",
        "Homework causes so much stress that it takes away the sleep of pupils.",
        "Homework takes away the time that families need for each other.",
    ],
    "con": [
        "Homework teaches pupils responsibility and how to manage their time.",
        "Homework teaches pupils to manage their time and take responsibility.",
        "Practice at home makes what was learnt in class stay in memory.",
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Six arguments on homework, three a side."""
    own = {"sourceTitle": "homework"}
    documents = [
        document(f"{of}-{n}", "Homework should be banned", text, stance=of.upper(), **own)
        for of, texts in SAID.items()
        for n, text in enumerate(texts)
    ]
    settings = IndexSettings(quality_model="none", parts=())
    return Engine.open(indexed(tmp_path_factory.mktemp("points"), documents, settings))


@pytest.mark.thorough
def test_alike_sentences_make_a_point_and_the_rest_is_shown(engine):
    found = engine.key_points(QUESTION)
    assert list(found.sides) == list(TWO_SIDES)
    for side, stance in (("for", "pro"), ("against", "con")):
        one = found.sides[side]
        assert [{quote.id for quote in point.quotes} for point in one.points] == [
            {f"{stance}-0", f"{stance}-1"}
        ]
        assert [argument.id for argument in one.ungrouped] == [f"{stance}-2"]
        assert (one.grouped, one.total) == (2, 3)
        assert one.coverage == pytest.approx(2 / 3)


def test_every_quote_stands_in_its_argument(engine):
    for side in engine.key_points(QUESTION).sides.values():
        for point in side.points:
            assert point.heading == point.quotes[0].text
            assert point.arguments == len(point.quotes)
            for quote in point.quotes:
                assert quote.argument.premise[quote.begin : quote.end] == quote.text
                assert quote.side == point.side == side.side


def test_an_explanation_adds_up_to_the_probability(engine):
    point = engine.key_points(QUESTION).sides["for"].points[0]
    own, other = point.quotes[:2]
    assert own.explanation.value == own.probability == 1.0
    assert other.explanation.value == pytest.approx(other.probability)
    (logit,) = other.explanation.details
    assert sum(one.value for one in logit.details) == pytest.approx(logit.value)


def test_what_a_receipt_was_not_made_of_is_refused(engine, tmp_path):
    with pytest.raises(InvalidParameter, match="fingerprint must be .*, not 'f00'"):
        engine.key_points(QUESTION, fingerprint="f00")
    path = tmp_path / "own.toml"
    path.write_text("[retrieval]\nmu = 900.0\n")
    told = engine.key_points(QUESTION, config=path).receipt["config_sha256"]
    assert engine.key_points(QUESTION, config=path, config_sha256=told).results.config.name == "own"
    assert told != engine.key_points(QUESTION).receipt["config_sha256"]
    path.write_text("[retrieval]\nmu = 901.0\n")
    fresh = Engine(engine.backend)  # an engine reads a file once
    with pytest.raises(InvalidParameter, match="config_sha256 must be"):
        fresh.key_points(QUESTION, config=path, config_sha256=told)


def test_filters_narrow_what_is_read(engine):
    found = engine.key_points(QUESTION, stance="pro")
    assert found.sides["against"].total == 0
    assert found.sides["for"].total == 3


@pytest.mark.parametrize("question", ["qwertzuiop", "How can we learn?"])
def test_what_has_no_sides_is_one_list_or_none(engine, question):
    found = engine.key_points(question)
    read = sum(side.total for side in found.sides.values()) + found.unclear
    assert read == len(found.results.hits)
    assert set(found.sides) <= {*TWO_SIDES, ALL}


@pytest.mark.thorough
def test_the_sample_adds_up(sample_index: Path):
    with Engine.open(sample_index) as engine:
        for question in ("Should homework be abolished?", "Should zoos be abolished?"):
            found = engine.key_points(question)
            assert found.unclear + sum(one.total for one in found.sides.values()) == len(
                found.results.hits
            )
            for side in found.sides.values():
                grouped = {quote.id for point in side.points for quote in point.quotes}
                assert grouped.isdisjoint(one.id for one in side.ungrouped)
                assert len(side.points) <= 7
                assert all(point.arguments >= 2 for point in side.points)


def argument(text: str) -> Argument:
    return Argument("a", None, (Premise(text, Stance.PRO),), {})


def test_texts_of_one_word_and_of_many_are_read():
    asked = asked_roots(QUESTION)
    assert sentences_of([argument("No"), argument(""), argument("。" * 50)], asked) == []
    long = argument("Homework causes stress and takes away the sleep of pupils. " * 5000)
    assert 0 < len(sentences_of([long], asked)) <= 32


def test_what_is_read_of_a_side_is_bounded(monkeypatch):
    monkeypatch.setattr(sentences, "MOST_SIDE_WORDS", 400)
    asked, number = asked_roots(QUESTION), iter(range(10**6))
    new = " ".join("Homework causes {} of {} in {}." for _ in range(1000))
    hostile = [argument(re.sub("{}", lambda _: f"w{next(number)}", new)) for _ in range(9)]
    read = sentences_of(hostile, asked)
    assert 390 < len({word for one in read for word in one.words}) <= 400
    assert {one.place for one in read} < set(range(9))
    assert len(sentences_of([argument("w " * 50_000)], asked)) == 0
    monkeypatch.setattr(sentences, "MOST_SENTENCES", 40)
    assert len(sentences_of(hostile, asked)) == 40


def test_what_leans_on_another_sentence_stands_for_less():
    asked = asked_roots(QUESTION)
    (alone,) = sentences_of([argument("Homework causes a lot of stress for young pupils.")], asked)
    (leaning,) = sentences_of([argument("It also causes a lot of stress for young pupils.")], asked)
    assert standing_alone(alone, asked) > 2 * standing_alone(leaning, asked) > 0


@pytest.mark.parametrize(
    "worse",
    [
        "Homework Guidelines Homework causes stress for young pupils.",
        "Homework-the work that pupils do at home causes them stress.",
        "Leading to a lot of stress over homework for young pupils.",
    ],
)
def test_titles_definitions_and_rests_of_sentences_stand_for_less(worse):
    asked, best = asked_roots(QUESTION), "Homework causes a lot of stress for young pupils at home."
    told = [standing_alone(sentences_of([argument(one)], asked)[0], asked) for one in (best, worse)]
    assert told[0] > 2 * told[1]


def test_a_sentence_near_the_question_heads_a_point(monkeypatch):
    """Both say the same and stand alone equally well; without nearness, the first one counts."""
    monkeypatch.setattr(points, "standing_alone", lambda *_: 1.0)
    monkeypatch.setattr(points, "CANDIDATES", 1)
    near = "Homework causes stress for pupils and takes away their sleep."
    far = "School causes stress for pupils and takes away their sleep."
    other = "Families need time for each other in the evening."
    for enough, headings in ((0.9, [near, near]), (1e-9, [near, far]), (100.0, [])):
        monkeypatch.setattr(points, "NEAR_QUESTION", enough)
        said = [list(map(argument, some)) for some in ((near, far, other), (far, near, other))]
        found = [points.of_side(QUESTION, "for", one, PointModel.load()) for one in said]
        assert [point.heading for one in found for point in one.points] == headings
    assert [one.ungrouped for one in found] == list(map(tuple, said))


@pytest.mark.parametrize("candidates", [1, 120])
def test_a_point_is_headed_by_the_wording_that_stands_alone_best(monkeypatch, candidates):
    """Both say the same, so that only how well they can be read alone tells them apart."""
    monkeypatch.setattr(points, "CANDIDATES", candidates)
    best = "Homework causes stress for pupils and takes away their sleep."
    worse = best.lower()
    other = "Families need time for each other in the evening."
    for wordings in ((worse, best, other), (best, other, worse)):
        one = points.of_side(QUESTION, "for", list(map(argument, wordings)), PointModel.load())
        assert [point.heading for point in one.points] == [best]
        assert [quote.text for quote in one.points[0].quotes] == [best, worse]


def test_points_are_of_a_search_whose_sides_were_asked_for(engine):
    results = engine.search(QUESTION, k=6, sides=True)
    assert key_points(results).receipt["points"] == engine.key_points(QUESTION).receipt["points"]
    assert PointModel.load().sha256 == key_points(results).receipt["model"]
