"""Patterns compiled to tables, held against Python's own regular expressions."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.analysis.automaton import START, Automaton, compile_pattern
from argsearch.indexer.analysis.standard import TOKEN
from argsearch.indexer.analysis.word_classes import CLASSES, class_table, lower_case, ranges


def _matches(automaton: Automaton, text: str, alphabet: str) -> bool:
    state = START
    for letter in text:
        state = automaton.step[state, alphabet.index(letter)]
    return bool(automaton.accepting[state])


ATOMS = st.sampled_from(["a", "b", "c", "[ab]", "[bc]"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({}{})".format, inner, inner),
        st.builds("({}|{})".format, inner, inner),
        st.builds("({}){}".format, inner, st.sampled_from("*+?")),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.lists(st.text("abc", max_size=7), min_size=5))
def test_equals_regular_expressions(pattern: str, texts: list[str]) -> None:
    pattern += "c"  # none matches the empty text
    automaton = compile_pattern(pattern, "abc")
    for text in texts:
        assert _matches(automaton, text, "abc") == bool(re.fullmatch(pattern, text))


def test_is_minimal() -> None:
    assert len(compile_pattern("(a|b)(a|b) | a(a|b) | ba", "ab").step) == 4


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("a*", "empty string"), ("(a", "the pattern lacks a"), ("a)b", "the pattern"), ("", "empty")],
)
def test_malformed(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_pattern(pattern, "ab")


def test_classes_are_sound() -> None:
    found = ranges()
    assert all(first <= last for first, last, _ in found)
    assert all(here[1] < there[0] for here, there in pairwise(found))
    letters = list(CLASSES)
    assert all(letters[class_table()[first]] == letter for first, _, letter in found)
    assert {letter for _, _, letter in found} | {"o"} == set(CLASSES)
    assert set("".join(re.findall(r"[^\[\]()|*+?\s]", TOKEN))) == set(CLASSES) - {"o"}


def test_lower_case_is_one_character_for_one() -> None:
    lower = lower_case()
    assert lower[ord("Σ")] == ord("σ")
    assert lower[ord("İ")] == ord("i")
    assert lower[ord("K")] == ord("k")
    assert ord("ß") not in lower
    assert not set(lower.values()) & set(lower)
