"""The sparring partner: whole sentences with addresses, on the subject, nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.debate.choice import overlapping, sound
from argsearch.engine.debate.partner import DISAGREEING, FIXED, LONGEST, Reply
from argsearch.engine.debate.talk import NOTHING, Talk, read_messages, spelt
from argsearch.engine.points.sentences import asked_roots
from argsearch.indexer.errors import InvalidParameter
from tests.conftest import SAMPLE

THESIS = "Should zoos be abolished?"
OPENINGS = {*DISAGREEING, FIXED["side"], FIXED["agreed"], FIXED["back"]}


@pytest.fixture(scope="module")
def engine(sample_index: Path):
    with Engine.open(sample_index) as engine:
        yield engine


def talk(engine: Engine, *said: str) -> list[Reply]:
    """The answers to a user who says this."""
    messages: list[dict[str, str]] = []
    replies = []
    for text in said:
        messages.append({"role": "user", "content": text})
        replies.append(engine.debate(messages))
        messages.append({"role": "assistant", "content": replies[-1].content})
    return replies


def check(reply: Reply) -> None:
    """What holds of every answer: its length, its sentences and fixed words, their addresses."""
    assert len(reply.content.split()) <= LONGEST
    if not reply.spoken:
        assert reply.content in FIXED.values()
        return
    said = " ".join(one.text for one in reply.spoken)
    opening = reply.content.removesuffix(said).strip()
    assert f"{opening} {said}" == reply.content
    assert opening in OPENINGS
    for one in reply.spoken:
        assert one.id == one.argument.id
        assert one.text == " ".join(one.argument.premise[one.begin : one.end].split())
        assert one.text[0].isupper()
        assert one.text[-1] in ".!"
        assert sound(one.text)


def scripted(engine: Engine, question: str) -> list[str]:
    """A user of ten turns, who says the question, then first sentences of the arguments for it."""
    found = engine.search(question, sides=True).on("for", k=4).hits
    said = [hit.text.split(". ")[0] for hit in found]
    return [
        question,
        *said,
        "Why?",
        "What do you think?",
        "No.",
        "You are wrong about that.",
        "So?",
    ]


@pytest.mark.thorough
def test_scripted_users_get_answers_on_the_subject_and_nothing_twice(engine):
    judged: dict[str, set[str]] = {}
    for line in (SAMPLE / "relevance.qrels").read_text().splitlines():
        topic, _, id, grade = line.split()
        judged.setdefault(topic, set()).update([id] if int(grade) else [])
    on = answers = 0
    for topic in ElementTree.parse(SAMPLE / "topics.xml").getroot():
        number, question = (topic.findtext(name, "").strip() for name in ("number", "title"))
        replies = talk(engine, *scripted(engine, question))
        for reply in replies:
            check(reply)
        answered = [reply for reply in replies if reply.spoken]
        on += sum({one.id for one in reply.spoken} <= judged[number] for reply in answered)
        answers += len(answered)
        said = [one.text for reply in replies for one in reply.spoken]
        assert len({spelt(text) for text in said}) == len(said)
        asked = asked_roots(question)
        for at, text in enumerate(said):
            for other in said[:at]:
                assert not overlapping(asked_roots(text) - asked, asked_roots(other) - asked)
    assert answers >= 30
    assert on / answers >= 0.9


def test_what_is_said_follows_from_the_messages(engine):
    first, second = talk(engine, THESIS, "Animals suffer there.")
    assert first.spoken
    assert second.spoken
    again = engine.debate(
        [
            {"role": "user", "content": THESIS},
            {"role": "assistant", "content": first.content},
            {"role": "user", "content": "Animals suffer there."},
        ]
    )
    assert again == second
    other = engine.debate([{"role": "user", "content": THESIS}] * 2)
    assert other.spoken == first.spoken


def test_a_sentence_that_the_user_said_is_not_said(engine):
    (first,) = talk(engine, THESIS)
    messages = [{"role": "user", "content": f"{THESIS} {first.spoken[0].text}"}]
    said = engine.debate(messages).spoken
    assert first.spoken[0].text not in [one.text for one in said]


def test_every_argument_is_against_the_thesis(engine):
    replies = talk(engine, THESIS, "They are cruel.", "Why?")
    against = {hit.id for hit in engine.search(THESIS, sides=True).on("against", k=100).hits}
    assert {one.id for reply in replies for one in reply.spoken} <= against
    assert {reply.thesis for reply in replies} == {THESIS}


@pytest.mark.parametrize(
    ("said", "opening"),
    [
        ("What do you think?", FIXED["side"]),
        ("You are right.", FIXED["agreed"]),
        ("Zoos should not be abolished.", FIXED["agreed"]),
        ("You are right, but they are cruel.", DISAGREEING[1]),
        ("Xylophones sound awful.", FIXED["back"]),
        ("They are cruel.", DISAGREEING[1]),
        ("<b>why</b>", DISAGREEING[1]),
    ],
)
def test_openings(engine, said, opening):
    reply = talk(engine, THESIS, said)[-1]
    assert reply.content.startswith(f"{opening} ")
    assert reply.spoken


def test_who_claims_nothing_is_asked_and_who_meets_nobody_may_claim_something_else(engine):
    replies = talk(engine, "hello", "What is a zoo?", "Chess is an Olympic sport.", THESIS)
    assert [reply.content for reply in replies[:3]] == [FIXED["claim"], FIXED["claim"], NOTHING]
    assert replies[3].spoken
    assert replies[3].thesis == THESIS


def test_who_has_said_all_says_so(engine):
    replies = talk(engine, THESIS, *["They are cruel."] * 12)
    assert replies[-1].content == FIXED["left"]
    assert replies[0].spoken


@pytest.mark.parametrize(
    "text", ["學校", "Ich finde Zoos grausam", "\ud800 \x00\x1b[31m", "?!", "zoo " * 50_000, ""]
)
def test_other_languages_signs_and_endless_messages_are_answered(engine, text):
    for reply in talk(engine, text, THESIS, text):
        check(reply)


def test_a_thesis_is_what_follows_from_the_rest_of_its_sentence():
    def thesis(*said: str) -> str:
        messages = [{"role": "user", "content": text} for text in said]
        return Talk(read_messages(messages)).thesis

    assert thesis("Guns make us safe, so gun control is wrong.") == "gun control is wrong."
    assert thesis("Zoos are sad. Zoos should be closed. Yes.") == "Zoos should be closed."
    assert thesis("Hi!", "Zoos are cruel.", "Tea is good.") == "Zoos are cruel."


@pytest.mark.parametrize(
    ("messages", "wrong"),
    [
        ([], "messages"),
        ([{"role": "assistant", "content": "x"}], "messages"),
        ([{"role": "judge", "content": "x"}], "role"),
        ([{"role": "user"}], "content"),
        (["hello"], "role"),
    ],
)
def test_what_is_no_talk_is_refused(engine, messages: list[Any], wrong):
    with pytest.raises(InvalidParameter, match=f"^{wrong} is"):
        engine.debate(messages)


PIECES = st.sampled_from(
    [THESIS, "Homework should be banned.", "Why?", "you are right", "It is cruel, I think.", "🦁"]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=3).map(" ".join))
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": TEXTS}),
    max_size=5,
)


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(MESSAGES, TEXTS)
def test_any_messages_are_answered_by_whole_new_sentences(engine, messages, last):
    reply = engine.debate([*messages, {"role": "user", "content": last}])
    check(reply)
    said = [f" {spelt(one['content'])} " for one in messages]
    for one in reply.spoken:
        assert not any(f" {spelt(one.text)} " in text for text in said)


@pytest.mark.parametrize(
    ("first", "thesis"),
    [
        (
            "Zoos are so cruel that they should be closed.",
            "Zoos are so cruel that they should be closed.",
        ),
        (
            "Guns should be controlled so that people are safe.",
            "Guns should be controlled so that people are safe.",
        ),
        ("Innocent people die, so guns should be banned.", "guns should be banned."),
    ],
)
def test_a_thesis_is_cut_before_what_follows_from_the_rest_alone(first, thesis):
    assert Talk(read_messages([{"role": "user", "content": first}])).thesis == thesis


def test_who_agrees_with_nobody_yet_gets_a_disagreement(engine):
    (reply,) = talk(engine, "I agree that " + THESIS[0].lower() + THESIS[1:])
    assert not reply.content.startswith(FIXED["agreed"])


@pytest.mark.parametrize(
    "asked", ["What do you think about that?", "What’s your view?", "What about you?"]
)
def test_who_asks_for_an_opinion_is_heard(asked):
    said = [("user", THESIS), ("assistant", "I disagree."), ("user", asked)]
    messages = [{"role": role, "content": content} for role, content in said]
    assert Talk(read_messages(messages)).asks_opinion
