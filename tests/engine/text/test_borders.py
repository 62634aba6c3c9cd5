"""Sentences of texts that lost their line breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.text.gist import read


def spans(text: str) -> list[str]:
    """The sentences that a gist is chosen from."""
    return [text[begin:end] for begin, end in read([text]).spans.tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IntroWe should not drink milk from cows.", "We should not drink milk from cows."),
        ("ConclusionFor these reasons it is bad for us.", "For these reasons it is bad for us."),
        ("Benefits of Free TradeSpecialization makes us rich.", "Specialization makes us rich."),
        ("(Google)Argument1) The death penalty is revenge.", "The death penalty is revenge."),
        ("No. We should ban zoos.It is cruel to keep animals.", "It is cruel to keep animals."),
        ("== C1: Rebuttal 2 - Prisons make nobody better.", "Prisons make nobody better."),
        ("Prisons do not make anybody better. [3] [1]", "Prisons do not make anybody better."),
        ("Prisons do not help anybody (http://a.org/b?c=d)", "Prisons do not help anybody"),
    ],
)
def test_labels_headings_and_references_are_no_part_of_a_sentence(text: str, expected: str) -> None:
    assert spans(text)[-1] == expected


@pytest.mark.parametrize(
    "text",
    [
        "LinkedIn, PolitiFact, match.com and debate.org are names that people know.",
        "They cost 2.5 dollars (3) and weigh [4] pounds.",
        "Counter-terrorism saves lives, as MoveOn and WikiHow say (in World War 2)",
        "#MeToo is a movement of women that began at -40 degrees.",
    ],
)
def test_other_sentences_stay_whole(text: str) -> None:
    assert spans(text) == [text]


@given(st.lists(st.sampled_from(["Ab", "aTheA", ". ", ".2) A", "[1]", "(x)Yes", "\n", "é"])))
def test_sentences_stay_in_order_and_within_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    edges = read([text]).spans.ravel().tolist()
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)
