"""A question in everyday wording, put in the words that debates use."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import QUESTION_READ, read_question
from argsearch.engine.stance.everyday import _wordings, formal


@pytest.mark.parametrize(
    ("question", "put"),
    [
        ("Should mum and dad decide about jabs?", "should parents decide about vaccination?"),
        (
            "May two dads bring up a child?",
            "may same-sex couples bring up a child?",  # and not "two parents"
        ),
        ("Must I show who I am at the polls?", "must i show identification photo id at the polls?"),
        ("Should a good pupil get more than a lazy one?", "should a good pupil get more?"),
        ("Do cops stop people for their looks?", "do police racial profiling?"),
        ("Should the law and the state stay out of it?", "should one allow it?"),
        ("Should vaping, vaping be banned?", "should vaping, vaping be banned?"),
    ],
)
def test_everyday_words_are_replaced(question: str, put: str) -> None:
    assert formal(question).lower() == put


@pytest.mark.parametrize(
    "question",
    ["Should Zoos  be banned?", "Who shot Kennedy?", "", "Did Martin Luther King do good?"],
)
def test_a_question_without_such_words_stays_as_it_is(question: str) -> None:
    assert formal(question) is question


def test_the_end_of_a_very_long_text_is_read() -> None:
    text = "kids " * QUESTION_READ + "Should cops carry guns?"
    put = formal(text)
    assert put.endswith("should police carry guns?")
    assert len(put) < 3 * QUESTION_READ


def test_what_an_idiom_is_against_is_turned_round() -> None:
    claim = read_question(formal("Should a shop pay as little as it likes?"))
    assert (claim.polarity, "wage" in claim.phrase) == (-1, True)


TABLES = (lexicon.PARAPHRASES, _wordings())


@pytest.mark.thorough
@given(st.data())
def test_what_is_not_compiled_would_not_have_matched(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(TABLES))
    drawn = st.sampled_from([old for old, _ in table.listed]).flatmap(st.from_regex)
    text = data.draw(drawn)
    put = text
    for old, new in table.listed:
        put = re.sub(old, new, put)
    assert table.put(text) == put
    assert table.begin(text) == any(re.match(old, text) for old, _ in table.listed)
