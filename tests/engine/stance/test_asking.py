"""What a question asks: the sentence, and what of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance.claims import CLAIM_READ, asking, read_claim, read_question

ASKED = [
    ("My son hates it. Should homework be banned?", "Should homework be banned?"),
    ("Should homework be banned? My son hates it. So do I.", "Should homework be banned?"),
    (
        "Zoos are cruel, they say. Should zoos be closed? What do you think?",
        "Should zoos be closed?",
    ),
    (
        "It rains. I wonder whether zoos should be closed.",
        "I wonder whether zoos should be closed.",
    ),
    ("I live in the U.S. today. Is it safe?\nAre guns useful?", "Are guns useful?"),
    ("I saw one. Zoos are cruel.", "Zoos are cruel."),
    ("  death \n penalty ", "death penalty"),
    ("abortion", "abortion"),
    ("Ich mag Tiere. Sollte man Zoos abschaffen?", "Sollte man Zoos abschaffen?"),
]


@pytest.mark.parametrize(("text", "sentence"), ASKED)
def test_the_sentence_that_asks_is_found(text, sentence):
    assert asking(text) == sentence
    assert read_question(text).text == sentence


@pytest.mark.parametrize(
    ("text", "polarity", "subject"),
    [
        ("I met two teachers today. Should teachers get tenure?", 1, ("teache", "tenure")),
        ("Do you think that zoos should be closed?", -1, ("zoo",)),
        ("Isn't abortion murder?", -1, ("aborti",)),
        ("Shouldn't we ban zoos?", -1, ("zoo",)),
        ("Is it true that vaccines cause autism?", -1, ("vaccin", "cause")),
        ("Should zoos not be closed?", 1, ("zoo",)),
    ],
)
def test_direction_and_subject_are_those_of_what_is_asked(text, polarity, subject):
    claim = read_question(text)
    assert (claim.polarity, claim.subject) == (polarity, subject)
    assert claim.directed


def test_what_a_question_takes_for_granted_is_what_for_means():
    assert (
        read_question("Why are zoos bad?").reading == "what “Why are zoos bad?” takes for granted"
    )


TURNED = """
Should we give up zoos? | Should we keep zoos?
Should marriage be between one man and one woman? | Should gay marriage be legal?
Should we take cameras out of our schools? | Should we have cameras in our schools?
Should we end the war on drugs? | Should the drug war go on?
Could we do without zoos? | Do we need zoos?
Should museums charge admission? | Should museums be free?
Should zoos stay open? | Should zoos stay closed?
Should the internet remain unregulated? | Should the internet be regulated?
Is there a case against zoos? | Is there a case for zoos?
Why are zoos bad? | Why are zoos good?
Should we stop banning zoos? | Should we stop protecting zoos?
Would we be better off without zoos? | Would we be better off with zoos?
Are there good reasons to keep zoos? | Are there good reasons to abolish zoos?
"""


@pytest.mark.parametrize("pair", TURNED.strip().split("\n"))
def test_a_question_turned_round_swaps_direction_and_keeps_the_subject(pair):
    one, other = map(read_question, pair.split(" | "))
    assert one.polarity == -other.polarity
    assert {*one.subject} & {*other.subject} & {"zoo", "museum", "intern", "gay", "camera", "drug"}
    assert one.sided
    assert other.sided


PLAIN = ["Should zoos be closed?", "abortion", "Is golf a sport?", "We should fight zoos", "", "?"]


@pytest.mark.parametrize("text", PLAIN)
def test_what_leads_to_nothing_is_read_as_it_was(text):
    assert read_question(text) == read_claim(text)


@pytest.mark.thorough
@given(st.text(max_size=200))
def test_any_text_has_a_claim(text):
    claim = read_question(text)
    assert claim.polarity in (-1, 1)
    assert len(claim.text) <= CLAIM_READ
    assert asking(text) in " ".join(text.split())


@pytest.mark.parametrize(
    "text", ["x" * 2000, "🙂🙂 " * 500, "a? " * 600, "Was meinst du? 🙂", ". . ."]
)
def test_odd_questions(text):
    assert read_question(text).polarity in (-1, 1)


def test_in_2000_characters_the_last_question_is_found():
    text = "Some say this and some say that about it. " * 46 + "Should zoos be closed?"
    assert 1900 < len(text) < 2000
    assert read_question(text).subject == ("zoo",)
