"""Texts that repeat the question and give no reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance.claims import WORD, read_question
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.terms import HEAD, TAIL, WORD_WIDTH, read_words, repeats
from argsearch.indexer.corpus.argument import Argument, Premise, Stance

QUESTION = "Should plastic bags be banned?"
REPEATING = (
    "Yes plastic bags should be banned, plastic is plastic. Banned means banned. Plastic bags!"
)
REASON = (
    "Plastic bags end up in rivers, where turtles swallow them. Cloth bags last for years, and "
    "shops in ten countries sell nothing else."
)


def reads(text, question=QUESTION):
    return repeats(read_question(question), text)


@pytest.mark.parametrize(
    "text",
    [
        REPEATING,
        "Plastic bags should be banned!",
        "No. I think plastic bags should not be banned. A plastic bag is a bag.",
        "Plastic bags should be kept!",
        "Plastic bags should be legal.",
        "I support banning plastic bags.",
        "I oppose banning plastic bags.",
        "Plastic bags are plastic!\nBan plastic bags\nThey are cheap and plastic and bags",
    ],
)
def test_the_questions_own_words_are_no_reason(text):
    assert reads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I accept.",
        REASON,
        "Plastic bags kill turtles.",
        "Plastic bags are harmful. They kill turtles.",
        "Plastic bags kill turtles. Ban them.",
        "Shops would lose customers.",
        REPEATING + " " + REASON,
        REPEATING * 10,
        "Plastic bags cost less than cloth. " * 5,
    ],
)
def test_a_text_that_adds_something_or_repeats_nothing_does_not(text):
    assert not reads(text)


WORDS = (
    "plastic bags banned allowed should be they are a the harmful rivers turtles cost yes no . !"
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=40).map(" ".join))
def test_a_text_turned_round_and_the_question_turned_round_are_read_alike(text):
    turned = " ".join({"banned": "allowed", "allowed": "banned"}.get(w, w) for w in text.split())
    assert reads(text) == reads(turned) == reads(text, "Should plastic bags be allowed?")


@pytest.mark.thorough
@given(st.text(max_size=300), st.text(max_size=100))
def test_any_text_can_be_read(text, question):
    assert reads(text, question) in (True, False)


def test_it_stands_on_no_side_and_says_why():
    def side(text):
        argument = Argument("a", QUESTION.rstrip("?"), (Premise(text, Stance.PRO),))
        return StanceModel.load().side("Should plastic bags be banned?", argument)

    assert side(REASON).value == "for"
    silent = side(REPEATING)
    assert (silent.value, silent.probability) == ("unclear", 0.0)
    assert "repeats the question's words" in "\n".join(silent.explanation.lines())
    assert silent.explanation.details[-1].value == 0.0


PIECES = st.sampled_from(
    ["can't", "won’t", "Plastic_bags", "a", " ", ". ", "ÉTÉ ", "ΣΑΣ ", "don't "]
)


@given(st.lists(PIECES, max_size=40), st.integers(1, 60))
def test_the_words_at_both_ends_are_those_of_reading_the_whole_text(pieces, times):
    text = "".join(pieces) * times

    def words(part):
        part = part.lower().replace("’", "'").replace("can't", "can not")
        return WORD.findall(part.replace("won't", "will not").replace("n't", " not"))

    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        read = words(text)
        expected = read if len(read) <= HEAD + TAIL else read[:HEAD] + read[-TAIL:]
    else:
        begin, end = words(text[: HEAD * WORD_WIDTH]), words(text[-TAIL * WORD_WIDTH :])
        expected = begin[:HEAD] + end[-TAIL:]
    assert read_words(text) == expected
