"""A challenged text: whole sentences with addresses, the right side, the stated formulas."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.api.cli.main import run
from argsearch.engine import Engine
from argsearch.engine.challenge.challenge import (
    MEETS,
    NO_ARGUMENT,
    NO_CLAIM,
    NO_SIDE,
    NO_SIDES,
    NO_SUBJECT,
    REASON,
    WHOLE,
    Challenge,
    arguments_of,
)
from argsearch.engine.challenge.meeting import MEETS_BY_WORDS, ClaimVectors, Meeting
from argsearch.engine.challenge.reading import MOST_CLAIMS, TEXT_READ, claims_of, subject_of
from argsearch.engine.debate.choice import sound
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import ENCODER
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import InvalidParameter

PENALTY = (
    "The death penalty should be abolished. Innocent people have been executed. The death penalty "
    "does not deter murderers. Executions cost the state more than prison for life. Killing a "
    "killer brings no victim back. Who has ever been made safe by it?"
)


@pytest.fixture(scope="module")
def engine(sample_index: Path):
    with Engine.open(sample_index) as engine:
        yield engine


@pytest.fixture(scope="module")
def found(engine: Engine) -> Challenge:
    return engine.challenge(PENALTY, side="against")


def passages(found: Challenge) -> list:
    """All that is shown, claim by claim, then of the whole."""
    met = [one for finding in found.findings for one in finding.passages.values()]
    return met + [one for side in found.whole.values() for one in side]


def met_by(found: Challenge) -> list[tuple[str, str, str]]:
    """Each claim with the side and text of what meets it."""
    return [
        (finding.claim.text, side, one.text)
        for finding in found.findings
        for side, one in finding.passages.items()
    ]


def test_sentences_stand_whole_at_their_addresses_on_their_side(found):
    shown = passages(found)
    assert len(shown) >= 3
    for one in shown:
        text = one.argument.premise[one.sentence.begin : one.sentence.end]
        assert one.text == " ".join(text.split())
        assert sound(one.text)
        assert one.explanation.value == one.probability >= MEETS
    for finding in found.findings:
        assert {side: one.side for side, one in finding.passages.items()} == {
            side: side for side in finding.passages
        }
    for side, reasons in found.whole.items():
        assert all(one.side == side and one.probability >= REASON for one in reasons)
        assert len(reasons) <= WHOLE
        assert len({one.id for one in reasons}) == len(reasons)


def test_no_sentence_is_shown_twice(found):
    texts = [one.text for one in passages(found)]
    assert len(set(texts)) == len(texts)


def test_a_counter_is_of_the_other_side(engine, found):
    assert found.about == "Capital punishment deters murder"
    assert found.opposite == "for"
    turned = engine.challenge(PENALTY, side="for")
    assert turned.opposite == "against"
    assert sorted(met_by(found)) == sorted(met_by(turned))
    countered = [one for one in found.findings if found.counter(one)]
    assert countered
    assert all(found.counter(one).side == "for" for one in countered)
    assert all(
        (one := found.support(two)) is None or one.side == "against" for two in found.findings
    )


def test_claims_are_sentences_that_claim():
    said = [one.text for one in claims_of(PENALTY)]
    assert said[0] == "The death penalty should be abolished."
    assert not any("?" in one for one in said)
    for one in claims_of(f"  \n{PENALTY}\n\nShort.\n"):
        assert f"  \n{PENALTY}\n"[one.begin : one.end].split() == one.text.split()


def test_what_is_met_comes_first_and_the_surest_counter_first(found):
    met = [bool(one.passages) for one in found.findings]
    assert met == sorted(met, reverse=True)
    sure = [one.probability if (one := found.counter(two)) else 0.0 for two in found.findings]
    assert sure == sorted(sure, reverse=True)


def test_a_side_that_is_not_sure_is_asked_for(engine):
    told = engine.challenge("Homework is given at many schools. Some families like it at home.")
    assert told.side is not None
    assert told.side.value == "unclear"
    assert 0.5 <= told.side.probability == pytest.approx(told.side.explanation.value)
    assert NO_SIDE in told.notes
    assert not told.opposite
    assert all(told.counter(one) is None is told.support(one) for one in told.findings)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Photons have no rest mass, and gluons carry a colour charge in every model.", NO_SUBJECT),
        ("Why?", NO_CLAIM),
        ("word", NO_CLAIM),
        ("Die Katze schläft heute lange auf dem warmen Ofen im Haus.", NO_SUBJECT),
    ],
)
def test_where_nothing_is_found_it_says_why(engine, text, note):
    told = engine.challenge(text)
    assert note in told.notes
    assert not passages(told)


def test_a_long_text_is_read_as_far_as_it_says(engine):
    long = "Homework makes many children tired in the evening. " * 8_000
    told = engine.challenge(long, side="against")
    assert len(told.findings) == MOST_CLAIMS
    assert any(f"{TEXT_READ:,}" in note for note in told.notes)


def test_what_has_no_sides_or_no_arguments_is_said(engine):
    told = engine.challenge(PENALTY, about="How can we prevent murder?")
    assert NO_SIDES in told.notes
    for asked in ({"about": "blorptic quexes should frandle"}, {"where": ["words > 100000"]}):
        told = engine.challenge(PENALTY, **{"about": "death penalty", "side": "for", **asked})
        assert told.notes == (NO_ARGUMENT,)
        assert not passages(told)


def test_an_index_without_conclusions_asks_what_the_text_is_about(tmp_path, capsys):
    rows = [f'{{"id": "{n}", "premises": [{{"text": "Zoos are cruel."}}]}}' for n in range(3)]
    (tmp_path / "bare.jsonl").write_text("\n".join(rows))
    assert run(["index", str(tmp_path / "bare.jsonl"), "--out", str(tmp_path / "bare")]) == 0
    with Engine.open(tmp_path / "bare") as bare:
        assert bare.challenge("Zoos should be closed at once.").notes == (NO_SUBJECT,)
    assert "by `about`" in NO_SUBJECT


def test_a_receipt_replays_and_is_refused_elsewhere(engine, found):
    receipt = found.receipt
    again = engine.challenge(
        PENALTY,
        side=receipt["side"],
        fingerprint=receipt["fingerprint"],
        config_sha256=receipt["config_sha256"],
    )
    assert again.receipt == receipt
    assert receipt["claims"]
    for name in ("fingerprint", "config_sha256"):
        with pytest.raises(InvalidParameter, match=name):
            engine.challenge(PENALTY, **{name: "0" * 64})


@pytest.mark.parametrize("wrong", [{"text": " "}, {"side": "both"}, {"about": "\n"}])
def test_what_cannot_be_asked_is_refused(engine, wrong):
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        engine.challenge(**{"text": PENALTY, **wrong})


def test_a_filter_holds_for_all_that_is_shown(engine):
    long = ["words >= 100"]
    told = engine.challenge(PENALTY, side="against", where=long)
    shown = passages(told)
    assert shown
    passing = engine.search("the death penalty", k=1000, where=long, config="dirichlet")
    assert {one.id for one in shown} <= {hit.id for hit in passing.hits}


def test_probabilities_follow_the_stated_formula(engine):
    claims = claims_of(PENALTY)
    question = subject_of(engine.search, claims)
    side = arguments_of(engine.search, question, claims)["for"]
    meeting = Meeting(side, ClaimVectors(question, [one.text for one in claims], None))
    phrase, idf = read_question(question).phrase, StanceModel.load().idf

    def vector(text: str) -> np.ndarray:
        return load_encoder(ENCODER).encode([text])[0]

    for claim, column in ((0, 0), (1, len(meeting.looked) - 1), (2, len(meeting.looked) // 2)):
        sentence, text = side.sentences[meeting.looked[column]], claims[claim].text
        row = vector(sentence.text)
        near, beside = row @ vector(text), row @ vector(f"{phrase}: {text}")
        x = {name: float(values[claim, column]) for name, values in meeting.values.items()}
        assert x["near"] == pytest.approx(near, abs=1e-5)
        assert x["beside"] == pytest.approx(max(near, beside), abs=1e-5)
        assert x["subject"] == pytest.approx(row @ vector(phrase), abs=1e-5)
        assert x["length"] == pytest.approx(math.log(len(sentence.text.split())))
        assert 0.0 <= x["words"] <= 1.0
        assert all(idf(word) > 0 for word in sentence.roots)
        logit = sum(MEETS_BY_WORDS[name] * x[name] for name in MEETS_BY_WORDS)
        found = meeting.explanation(claim, column)
        assert found.value == pytest.approx(1.0 / (1.0 + math.exp(-logit)), abs=1e-6)
        (summed,) = found.details
        assert summed.value == pytest.approx(sum(one.value for one in summed.details))


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=300))
def test_claims_stand_where_they_are_said_to_in_any_text(engine, text):
    text = f"{text}\n\nThe death penalty does not deter murderers.\n{text}"
    found = engine.challenge(text, about="The death penalty is just", side="against")
    for one in found.findings:
        assert one.claim.text == " ".join(text[one.claim.begin : one.claim.end].split())
