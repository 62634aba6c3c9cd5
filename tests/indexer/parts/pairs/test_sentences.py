"""Sentences of arguments: found, named, and what they are not."""

from __future__ import annotations

import pytest

from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.parts.pairs.sentences import (
    CONCLUSION,
    FRAGMENT_BIT,
    PREMISE,
    QUESTION_BIT,
    QUOTE_BIT,
    TALK_BIT,
    kind,
    sentence_id,
    sentences,
    text_of,
)

ONE = Argument(
    "S1-A1",
    "Zoos should close. They harm animals.",
    (Premise("  Cages are small.  Animals pace.", Stance.PRO), Premise("No end", Stance.PRO)),
)


def test_split_named_and_found_again():
    found = sentences(ONE, PREMISE)
    assert [(s.text, s.place) for s in found] == [
        ("Cages are small.", 1), ("Animals pace.", 2), ("No end", 3)]  # fmt: skip
    assert all(text_of(ONE, PREMISE)[s.begin : s.end] == s.text for s in found)
    conclusions = sentences(ONE, CONCLUSION)
    assert [s.text for s in conclusions] == ["Zoos should close.", "They harm animals."]
    assert sentence_id(ONE.id, CONCLUSION, conclusions[1].place) == "S1-A1__CONC__2"


def test_items_of_a_list_and_quotations_are_sentences():
    listed = "1) Cages are small. 2) Animals pace\n- Tickets cost much"
    long = f'"{"Zoos are cruel places and " * 8}nobody should visit them." They say this often.'
    one = Argument("a", None, (Premise(listed, None), Premise(long, None)))
    found = sentences(one, PREMISE)
    assert [s.text for s in found[:3]] == ["Cages are small.", "Animals pace", "Tickets cost much"]
    assert found[-1].text == "They say this often."
    assert [s.place for s in found] == [1, 2, 3, 4, 5]
    assert all(text_of(one, PREMISE)[s.begin : s.end] == s.text for s in found)


def test_the_form_of_2022_keeps_its_sentences_and_numbers():
    listed = [
        {"sent_id": "S1-A1__CONC__1", "sent_text": "Zoos should close."},
        {"sent_id": "S1-A1__PREMISE__2", "sent_text": "Animals pace."},
        {"sent_id": "S1-A1__PREMISE__7", "sent_text": "Not in the text."},
        {"sent_id": "S9-A9__PREMISE__1", "sent_text": "Another's."},
        {"sent_id": None, "sent_text": 3},
        "nonsense",
    ]
    one = Argument(ONE.id, ONE.conclusion, ONE.premises, {"sentences": listed})
    found = sentences(one, PREMISE)
    assert [(s.text, s.place) for s in found] == [("Animals pace.", 2), ("Not in the text.", 7)]
    assert text_of(one, PREMISE)[found[0].begin : found[0].end] == "Animals pace."
    assert found[1].end == 0
    assert [s.place for s in sentences(one, CONCLUSION)] == [1]


def test_nothing_to_split():
    blank = Argument("a", None, (Premise(" \n "), Premise("")))
    assert sentences(blank, PREMISE) == sentences(blank, CONCLUSION) == []


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("Zoos protect endangered species from extinction.", 0),
        ("Do zoos protect endangered species?", QUESTION_BIT),
        ('He said "zoos protect endangered species."', QUOTE_BIT | TALK_BIT),
        ("> Zoos protect endangered species.", QUOTE_BIT),
        ("The many animals of the zoo.", FRAGMENT_BIT),
        ("and zoos protect endangered species.", FRAGMENT_BIT),
        ("Zoos protect endangered species", FRAGMENT_BIT),
        ("See http://example.org for what zoos protect.", FRAGMENT_BIT),
        ("I accept.", FRAGMENT_BIT | TALK_BIT),
        ("Thank you for this debate on zoos.", TALK_BIT),
        ("Today as the con, I am going to prove that zoos harm no animal.", TALK_BIT),
        ("I affirm the resolution that zoos should be closed.", TALK_BIT),
        ("My opponent concedes that zoos protect endangered species.", TALK_BIT),
        ("I have seen that zoos protect endangered species.", 0),
        (f"Zoos protect {'rare ' * 100}animals.", FRAGMENT_BIT),
    ],
)
def test_kinds(text: str, bits: int):
    assert kind(text) == bits
