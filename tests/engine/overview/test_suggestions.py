"""Conclusions that are suggested for what has been typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.overview.suggestions import MOST_CHARACTERS, Suggestion, Suggestions, folded

COUNTED = [
    ("Zoos should be abolished", 3),
    ("ZOOS should  be abolished", 1),
    ("School uniforms are good", 9),
    ("Abolish school uniforms", 12),
    ("Zoo visits educate", 5),
    ("Über-zoos: a study", 1),
    ("   ", 4),
    ("z" * (MOST_CHARACTERS + 1), 8),
]


@pytest.fixture(scope="module")
def suggestions() -> Suggestions:
    return Suggestions(COUNTED)


def test_case_and_spaces_do_not_tell_conclusions_apart(suggestions):
    assert suggestions.matching("  zoos   SHOULD", 9) == [Suggestion("Zoos should be abolished", 4)]
    assert len(suggestions) == 5


@pytest.mark.parametrize("typed", ["", "  ", "?", "qwertz", "\U0010ffff", "\0"])
def test_nothing_goes_with_nothing(suggestions, typed):
    assert suggestions.matching(typed, 9) == []


words = st.text(st.sampled_from("ab é'"), min_size=1, max_size=8)


@given(st.dictionaries(words, st.integers(1, 3), max_size=12), words, st.integers(1, 5))
def test_it_equals_looking_at_all_of_them(counted, typed, most):
    import re

    sums: dict[str, int] = {}
    for text, arguments in counted.items():
        if key := folded(text):
            sums[key] = sums.get(key, 0) + arguments
    ranked = sorted(sums, key=lambda key: (-sums[key], key))
    key = folded(typed)
    asked = re.findall(r"\w+", key)
    begun = [one for one in ranked if key and one.startswith(key)]
    fit = [
        one
        for one in ranked
        if asked and all(any(w.startswith(a) for w in re.findall(r"\w+", one)) for a in asked)
    ]
    expected = [*begun, *(one for one in fit if one not in begun)][:most]
    found = Suggestions(counted.items()).matching(typed, most)
    assert [folded(one.text) for one in found] == expected
    assert [one.arguments for one in found] == [sums[one] for one in expected]
