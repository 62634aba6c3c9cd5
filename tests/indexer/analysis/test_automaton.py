"""Patterns compiled to tables, held against Python's own regular expressions."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.analysis.automaton import (
    START,
    Automaton,
    Many,
    compile_pattern,
    one_of,
    some,
)
from argsearch.indexer.analysis.standard import TOKEN
from argsearch.indexer.analysis.word_classes import CLASSES, class_table, lower_case, ranges


def _matches(automaton: Automaton, text: str, alphabet: str) -> bool:
    state = START
    for letter in text:
        state = automaton.step[state, alphabet.index(letter)]
    return bool(automaton.accepting[state])


# A pattern, and the same as a regular expression.
ATOMS = st.sampled_from(["a", "b", "c", "ab", "bc"]).map(lambda one: (one, f"[{one}]"))
SIGNS = {"*": Many, "+": some, "?": lambda pattern: one_of((), pattern)}
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: ((two[0][0], two[1][0]), two[0][1] + two[1][1])),
        st.tuples(inner, inner).map(
            lambda two: (one_of(two[0][0], two[1][0]), f"({two[0][1]}|{two[1][1]})")
        ),
        st.tuples(inner, st.sampled_from("*+?")).map(
            lambda one: (SIGNS[one[1]](one[0][0]), f"({one[0][1]}){one[1]}")
        ),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.lists(st.text("abc", max_size=7), min_size=5))
def test_equals_regular_expressions(both, texts: list[str]) -> None:
    pattern, expression = both
    automaton = compile_pattern((pattern, "c"), "abc")  # none matches the empty text
    for text in texts:
        assert _matches(automaton, text, "abc") == bool(re.fullmatch(expression + "c", text))


def letters_of(pattern) -> set[str]:
    """Every letter in a pattern."""
    if isinstance(pattern, str):
        return set(pattern)
    parts = [pattern.of] if isinstance(pattern, Many) else pattern
    return {letter for part in parts for letter in letters_of(part)}


def test_classes_are_sound() -> None:
    found = ranges()
    assert all(first <= last for first, last, _ in found)
    assert all(here[1] < there[0] for here, there in pairwise(found))
    letters = list(CLASSES)
    assert all(letters[class_table()[first]] == letter for first, _, letter in found)
    assert {letter for _, _, letter in found} | {"o"} == set(CLASSES)
    assert letters_of(TOKEN) == set(CLASSES) - {"o"}


def test_lower_case_is_one_character_for_one() -> None:
    lower = lower_case()
    assert lower[ord("Σ")] == ord("σ")
    assert lower[ord("İ")] == ord("i")
    assert lower[ord("K")] == ord("k")
    assert ord("ß") not in lower
    assert not set(lower.values()) & set(lower)
