"""A challenged text: its conclusion and side are found, what speaks against it comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.challenge.author import SURE_SIDE, side_of
from argsearch.engine.challenge.challenge import (
    NO_CLAIM,
    NO_SIDE,
    NO_SIDES,
    NO_SUBJECT,
    NO_SURE_ARGUMENT,
    OPPOSITE,
    Challenge,
    span_of,
)
from argsearch.engine.challenge.reading import TEXT_READ, claims_of
from argsearch.indexer.corpus.argument import Argument, Premise
from tests.indexes import document, indexed

PENALTY = (
    "The death penalty should be abolished. Innocent people have been executed. The death penalty "
    "does not deter murderers. Executions cost the state more than prison for life. Killing a "
    "killer brings no victim back. Who has ever been made safe by it?"
)
TEXTS = [
    (PENALTY, "Capital punishment deters murder", "against"),
    (
        "Homework should be banned. It steals the evening from children and makes families "
        "quarrel. Pupils who work at school all day need sleep and play.",
        "Should schools give homework?",
        "against",
    ),
    (
        "Zoos should be closed. Animals suffer in small cages and lose their natural behaviour. "
        "Nobody learns respect for nature by looking at a caged tiger.",
        "Are zoos cruel?",
        "for",
    ),
    (
        "Zoos save species from extinction. Children learn to love animals there. We should "
        "support our zoos.",
        "Zoos protect endangered species",
        "for",
    ),
    (
        "Teacher tenure should be abolished. Tenure protects bad teachers.",
        "Teachers should get tenure",
        "against",
    ),
]
UNSURE = "Homework is given at many schools. Some families like it at home."


@pytest.fixture(scope="module")
def found(engine: Engine) -> Challenge:
    return engine.challenge(PENALTY)


@pytest.mark.parametrize(("text", "about", "side"), TEXTS)
def test_the_other_side_of_the_text_s_conclusion_comes_first(engine, text, about, side):
    told = engine.challenge(text)
    assert told.about == about
    assert (told.side.value, told.opposite) == (side, OPPOSITE[side])
    assert told.side.explanation.value == told.side.probability >= SURE_SIDE
    (logit,) = told.side.explanation.details
    assert sum(one.value for one in logit.details) == pytest.approx(logit.value)
    assert [one.side for one in told.sections] == [OPPOSITE[side], side]
    assert [one.heading for one in told.sections] == [
        f"Against the text: arguments {OPPOSITE[side]} “{about}”",
        f"For the text: arguments {side} “{about}”",
    ]


def test_quotes_are_those_of_an_ordinary_search(engine, found):
    searched = engine.search(
        found.about,
        k=100,
        side="both",
        spread=True,
        discriminative=True,
        overrides=["stance.near=false"],
    )
    for section in found.sections:
        hits = searched.lists[section.side].hits
        assert [quote.id for quote in section.quotes] == hits.ids[:5]
        assert section.arguments == len(hits)
        for quote in section.quotes:
            assert quote.side == section.side
            assert quote.explanation.value == pytest.approx(quote.probability)
            assert f"argues {section.side} it" in quote.reason
            stretch = " ".join(quote.argument.premise[quote.begin : quote.end].split())
            first, *_, last = quote.text.split(" … ") * 2
            assert stretch.startswith(" ".join(first.split()))
            assert stretch.endswith(" ".join(last.split()))


def test_a_side_that_is_given_turns_the_order_round(engine, found):
    turned = engine.challenge(PENALTY, side="for", k=1)
    assert turned.side.probability == 1.0
    assert [one.side for one in turned.sections] == ["against", "for"]
    one, other = ({s.side: s.quotes[0].id for s in of.sections} for of in (found, turned))
    assert one == other
    assert {len(section.quotes) for section in turned.sections} == {1}


def test_a_side_that_is_not_sure_is_asked_for(engine):
    told = engine.challenge(UNSURE)
    assert told.side.value == "unclear"
    assert 0.5 <= told.side.probability < SURE_SIDE
    assert told.side.explanation.value == told.side.probability
    assert NO_SIDE in told.notes
    assert not told.opposite
    assert [one.side for one in told.sections] == [OPPOSITE[told.side.likelier], told.side.likelier]
    assert all(one.heading.startswith("Arguments ") for one in told.sections)


def test_the_side_is_that_whose_words_the_text_has():
    """Neither claim has a direction or an attitude: only the arguments tell them apart."""
    said = {
        "for": "Lunar dust lets miners win helium, and helium powers clean reactors number {}.",
        "against": "Rockets leave soot in the upper air, and soot warms the whole planet {}.",
    }
    sides = {
        side: [Argument(f"{n}", None, (Premise(text.format(n), None),), {}) for n in range(9)]
        for side, text in said.items()
    }
    for side, text in said.items():
        claims = claims_of(text.format("once more"))
        told = side_of("Moon bases", claims, sides)
        (logit,) = told.explanation.details
        assert told.likelier == side
        assert all(one.value > 0.0 for one in logit.details[2:]), "likeness and words agree"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Photons have no rest mass, and gluons carry a colour charge in every model.", NO_SUBJECT),
        ("Les impôts sur le revenu sont trop élevés pour les familles.", NO_SUBJECT),
        ("Why?", NO_CLAIM),
        ("word", NO_CLAIM),
        ("\0 … \ud7ff", NO_CLAIM),
    ],
)
def test_where_nothing_is_found_it_says_why(engine, text, note):
    told = engine.challenge(text)
    assert told.notes == (note,)
    assert (told.side, told.sections, told.opposite) == (None, (), "")


def test_what_has_no_sides_or_no_arguments_is_said(engine):
    assert NO_SIDES in engine.challenge(PENALTY, about="How can we prevent murder?").notes
    for asked in ({"about": "blorptic quexes should frandle"}, {"where": ["words > 100000"]}):
        told = engine.challenge(PENALTY, **{"about": "death penalty", "side": "for", **asked})
        assert told.notes == (NO_SURE_ARGUMENT,)
        assert told.sections == ()


def test_a_long_text_is_read_as_far_as_it_says(engine):
    told = engine.challenge("Homework makes many children tired in the evening. " * 8_000)
    assert told.about
    assert any(f"{TEXT_READ:,}" in note for note in told.notes)


def test_an_index_without_conclusions_asks_what_the_text_is_about(tmp_path):
    documents = [document(str(n), None, "Zoos are cruel.") for n in range(3)]
    with Engine.open(indexed(tmp_path, documents)) as bare:
        assert bare.challenge("Zoos should be closed at once.").notes == (NO_SUBJECT,)
    assert "as `about`" in NO_SUBJECT


@given(st.text(min_size=1, max_size=300))
def test_claims_stand_where_they_are_said_to_in_any_text(text):
    text = f"{text}\n\nThe death penalty does not deter murderers.\n{text}"
    for one in claims_of(text):
        assert one.text == " ".join(text[one.begin : one.end].split())


@pytest.mark.parametrize(
    ("gist", "stretch"),
    [
        ("One two. Three.", "One  two.\nThree."),
        ("One two. … Five (5)?", "One  two.\nThree. Four! Five (5)?"),
        ("One two. … Four!", "One  two.\nThree. Four!"),
        ("…two. Three.…", "two.\nThree."),
        ("Six.", ""),
        ("", ""),
    ],
)
def test_a_gist_stands_where_its_first_and_last_words_do(gist, stretch):
    text = "Four! Zero. One  two.\nThree. Four! Five (5)?"
    begin, end = span_of(gist, text)
    assert text[begin:end] == stretch
