"""Reading claims: direction and subject."""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance.claims import CLAIM_READ, accord, read_claim, read_question

HERE = Path(__file__).parent
CONCLUSIONS = 4
"""Of the claims of a subject in claims.tsv the first are worded as debates word theirs."""


def read_rows(name: str) -> list[dict[str, Any]]:
    """The rows of a table beside this file; `side` as a number, 0 for none."""
    with (HERE / name).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [{**row, "side": int(f"{row['side']}1") if row["side"] in "+-" else 0} for row in rows]


@pytest.mark.parametrize(("name", "share"), [("directions.tsv", 0.75), ("effects.tsv", 0.7)])
def test_most_claims_speak_for_or_against_their_subject(name, share):
    right = [read_question(row["text"]).polarity == row["side"] for row in read_rows(name)]
    assert len(right) > 100
    assert sum(right) / len(right) > share


def test_most_questions_in_everyday_forms_have_their_direction():
    """Side + where yes is for the subject as debates name it, - where against it, 0 for none."""
    rows = read_rows("../stance_forms.tsv")
    claims = {row["question"]: (read_question(row["question"]), row["side"]) for row in rows}
    right = [
        (claim.sided, side and claim.polarity) == (side != 0, side)
        for claim, side in claims.values()
    ]
    assert len(claims) > 1_000
    assert sum(right) / len(claims) > 0.78
    unsided = [(asked, claim) for asked, (claim, _) in claims.items() if not claim.sided]
    assert all(claim.reading == f"nothing: “{asked}” has no sides" for asked, claim in unsided)


def test_two_claims_are_of_one_direction_or_of_contrary_ones():
    rows = read_rows("accord.tsv")
    both = [(read_question(row["asked"]), read_claim(row["told"]), row["side"]) for row in rows]
    right = [accord(one, other) == side for one, other, side in both]
    assert len(rows) > 35
    assert sum(right) / len(rows) > 0.88
    assert all(accord(one, other) == accord(other, one) for one, other, _ in both)


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Don't ban guns", 1),
        ("Should we not ban zoos?", 1),
        ("We cannot and should not ban guns", 1),
        ("We should oppose the ban on guns", 1),
        ("We should support a ban on guns", -1),
        ("The US should have better gun control", -1),
        ("Why not ban zoos?", -1),
        ("What if we banned zoos?", -1),
        ("How homework harms children", -1),
        ("Kids get too much homework", -1),
        ("All animals should be released from zoos", -1),
        ("Is the U.S. healthcare system broken?", -1),
        ("Zoos keep animals in cages. Should we close them?", -1),
        ("School uniforms should be mandatory. My son disagrees.", 1),
        ("Should voluntary euthanasia be legal?", 1),
        ("Should school uniforms be optional on Fridays?", -1),
        ("voluntary voting", -1),
        ("Do red light cameras cause more accidents?", -1),
        ("Do red light cameras prevent crashes?", 1),
        ("Gun control will not prevent suicides", 1),
        ("Does porn lead to violence against women?", -1),
        ("Do phones distract pupils in class?", -1),
        ("Does technology make people dumber?", -1),
        ("Does testing force teachers to teach to the test?", -1),
        ("Should the government force people to vaccinate?", 1),
        ("Do zoos protect endangered species?", 1),
        ("Is marijuana a gateway drug", -1),
        ("Do immigrants do jobs that Americans won't do?", 1),
        ("Is it wrong to eat meat?", 1),
        ("do e-cigarettes really help people quit smoking", 1),
        ("Does homework get in the way of family time?", -1),
        ("I believe that Trump will not win", -1),
        ("Should countries reduce carbon emissions?", -1),
        ("Should the government lower prices?", -1),
        ("Should we raise awareness of depression?", 1),
        ("Does free trade bring down prices?", 1),
        ("Does the state have the right to force citizens to vote?", 1),
        ("Does regulation force businesses to close?", -1),
        ("Does propaganda cause hatred against Muslims?", -1),
        ("Should we feed starving people?", 1),
        ("Does exercise make people less depressed?", 1),
        ("Does exercise give you pain relief?", 1),
        ("Should refugees take jobs?", 1),
    ],
)
def test_common_wordings_have_their_direction(text, polarity):
    asked = read_question(text)
    assert (asked.polarity, asked.sided) == (polarity, True)
    assert asked.subject


def test_a_bare_subject_has_no_direction_and_says_what_for_means():
    claim = read_claim("death penalty")
    assert (claim.directed, claim.polarity) == (False, 1)
    assert claim.reading == "“death penalty” is good, or should be supported"
    assert read_claim("Should homework be banned?").reading == "yes to “Should homework be banned?”"


def test_words_for_the_same_thing_have_the_same_subject():
    subjects = {read_claim(f"Should {x} be legal?").subject for x in ("cannabis", "marijuana")}
    assert len(subjects) == 1
    assert read_claim("Gun control").polarity == -read_claim("Gun ownership is good").polarity


nouns = st.lists(
    st.sampled_from(["homework", "robots", "zoos", "whaling", "juries", "tourism", "castles"]),
    min_size=1,
    max_size=3,
).map(" ".join)


@given(nouns, st.sampled_from(["{} should be", "Should {} be", "This house believes {} should be"]))
def test_banned_and_allowed_turn_the_direction_and_keep_the_subject(noun, form):
    banned, allowed = (read_claim(f"{form.format(noun)} {word}") for word in ("banned", "allowed"))
    assert banned.polarity == -allowed.polarity
    assert banned.subject == allowed.subject


@given(st.text(max_size=3 * CLAIM_READ))
def test_any_text_can_be_read(text):
    claim = read_claim(text)
    assert claim.polarity in (-1, 1)
    assert len(claim.text) <= CLAIM_READ


@given(st.text(max_size=100), st.text(max_size=100))
def test_accord_has_no_order_and_agrees_with_itself(one, other):
    one, other = read_claim(one), read_claim(other)
    assert accord(one, other) == accord(other, one)
    assert accord(one, one) == 1


def test_five_of_six_conclusions_are_read_on_their_side():
    texts = dict[str, list[dict[str, Any]]]()
    for row in read_rows("claims.tsv"):
        texts.setdefault(row["subject"], []).append(row)
    right = [
        accord(read_question(subject), read_claim(row["text"])) == row["side"]
        for subject, rows in texts.items()
        for row in rows[:CONCLUSIONS]
    ]
    assert len(right) > 1_000
    assert sum(right) / len(right) > 0.83
