"""Pairs that a cross-encoder of sides is trained on: claims taken apart, phrased and turned."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.lab.training.sides.material import (
    EACH,
    Matter,
    SidePair,
    Sourced,
    asked,
    material,
    on_subjects,
    others,
    phrasing,
)
from argsearch.lab.training.sides.training import nearest
from argsearch.ranking.lexicons import lexicon, lines

SUBJECTS = [*lexicon("sides")["one"], *lexicon("sides")["many"]]
PATTERNS = lines("sides")


@pytest.mark.parametrize(
    ("claim", "subject", "polarity"),
    [
        ("We should ban fast food", "fast food", -1),
        ("We should legalize cannabis", "cannabis", 1),
        ("We should not abolish zoos", "zoos", 1),
        ("Surrogacy should be banned", "surrogacy", -1),
        ("We should fight for the abolition of nuclear weapons", "nuclear weapons", -1),
        ("Homeopathy brings more harm than good", "homeopathy", -1),
        ("We should abandon the use of school uniform", "school uniform", -1),
    ],
)
def test_a_claim_is_taken_apart(claim: str, subject: str, polarity: int) -> None:
    assert Matter.of(claim) == Matter(claim, subject, polarity)


@pytest.mark.parametrize("claim", ["Golf", "my opinion", "Merit Pay for Teachers", "Not it."])
def test_what_cannot_be_taken_apart_stays_as_worded(claim: str) -> None:
    matter = Matter.of(claim)
    assert matter.subject == ""
    assert {matter.phrased(Random(seed))[1] for seed in range(20)} == {1}


@given(st.sampled_from(SUBJECTS), st.sampled_from((1, -1)), st.integers(0, 1 << 20))
def test_turning_the_question_round_swaps_the_class(subject: str, polarity: int, seed: int) -> None:
    claim = f"{subject} {'is right' if polarity > 0 else 'is wrong'}"
    question, sign = Matter(claim, subject, polarity).phrased(Random(seed))
    phrased = {subject: 1}
    phrased |= {phrasing(pattern, subject): 1 for pattern in PATTERNS["questions for"]}
    phrased |= {phrasing(pattern, subject): -1 for pattern in PATTERNS["questions against"]}
    assert len(phrased) == 1 + sum(len(PATTERNS[f"questions {of}"]) for of in ("for", "against"))
    assert sign == (1 if question in (claim, asked(claim)) else phrased[question] * polarity)


@given(st.sampled_from([p for of in PATTERNS.values() for p in of if "{" in p]))
def test_phrasings_are_filled_in(pattern: str) -> None:
    for subject in ("zoos", "the lottery"):
        text = phrasing(pattern, subject)
        assert not set("{}") & set(text)
        assert subject in text.lower()
    assert phrasing("{Is} {x} bad? Leave {it}.", "zoos") == "Are zoos bad? Leave them."
    assert phrasing("{Does} {x} work?", "gas", many=False) == "Does gas work?"


def test_pairs_of_a_subject_agree_where_both_are_for_or_both_against() -> None:
    pairs = on_subjects(["We should ban whaling"], Random(0))
    assert {"zoos", "whaling"} <= set(pairs)
    for subject in ("zoos", "whaling"):
        assert len(pairs[subject]) == EACH["subject"]
        for pair in pairs[subject]:
            assert pair.side == _direction(pair.question, subject) * _direction(pair.text, subject)


def _direction(text: str, subject: str) -> int:
    """By the list that a phrasing is in; +1 for the bare subject."""
    found = {
        1 if name.endswith("for") else -1
        for name in ("questions for", "questions against", "claims for", "claims against")
        if text in {phrasing(pattern, subject) for pattern in PATTERNS[name]}
    }
    (direction,) = found or {1}
    assert found or text == subject
    return direction


def test_a_text_on_another_subject_is_on_neither_side() -> None:
    claims = ["We should ban whaling", "We should keep zoos", "We should legalize cannabis"]
    sourced = [Sourced(Matter.of(claim), f"text on {claim}", 1) for claim in claims]
    pairs = [SidePair("", "", 1)] * 80
    found = others(pairs, sourced, Random(1), lambda s: [[(i + 1) % len(s)] for i in range(len(s))])
    assert len(found) > 5
    for pair in found:
        assert pair.side == 0
        both = f"{pair.question} {pair.text}"
        assert sum(subject in both for subject in ("whaling", "zoos", "cannabis")) == 2


@pytest.mark.data
@pytest.mark.slow
def test_no_topic_left_out_is_trained_on(data_dir: Path) -> None:
    found = material(data_dir, 0, nearest)
    assert min(map(len, found.tests.values())) > 100
    left_out = {pair.text for pair in found.tests["topics"]}
    assert not left_out & {pair.text for pair in found.train}
    shares = [sum(p.side == side for p in found.train) / len(found.train) for side in (1, -1, 0)]
    assert min(shares) > 0.1
    assert found == material(data_dir, 0, nearest)
    assert found != material(data_dir, 1, nearest)
