"""StandardAnalyzer by hand-written cases; Lucene's own answers are checked in tests/golden."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.indexer.analysis import StandardAnalyzer, standard
from argsearch.indexer.analysis.standard import MAX_TOKEN, spans

TOKENS = StandardAnalyzer().tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("Don't STOP.", ["don't", "stop"]),
        ("3.14 and 1,000 but a,b", ["3.14", "and", "1,000", "but", "a", "b"]),
        ("10:30 a:b 'tis x_1 __ _y_", ["10", "30", "a:b", "tis", "x_1", "_y_"]),
        ("U.S.A.", ["u.s.a"]),
        ("it’s", ["it’s"]),
        ("中文と한국", ["中", "文", "と", "한국"]),
        ("ไทย カタカナ", ["ไทย", "カタカナ"]),
        ("ΣΑΣ İ", ["σασ", "i"]),
        ("© 👍🏽 1️⃣ 🇩🇪🇫🇷", ["©", "👍🏽", "1️⃣", "🇩🇪", "🇫🇷"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_known_tokens(text: str, tokens: list[str]) -> None:
    assert TOKENS(text) == tokens


def test_long_tokens_are_split_by_utf16_units() -> None:
    assert [len(token) for token in TOKENS("x" * 511)] == [255, 255, 1]
    assert [len(token) for token in TOKENS("é" * 256)] == [255, 1]
    assert [len(token) for token in TOKENS("\U00010400" * 128)] == [127, 1]
    assert TOKENS("_" * 300 + "a") == ["_" * 254 + "a"]


MARKS = st.text(alphabet="aZ09 _.,:;'#*\t\x00\x7f-", max_size=40)


@given(st.one_of(MARKS, st.text(st.characters(max_codepoint=127))))
@example("_" * 600 + "a")
@example("ab" * 300 + "'c")
def test_ascii_pattern_equals_the_automaton(text: str) -> None:
    assert TOKENS(text) == [text[start:end].lower() for start, end in spans(text)]


@given(st.text())
def test_tokens_are_pieces_of_the_text_in_order(text: str) -> None:
    end = 0
    for start, stop in spans(text):
        assert end <= start < stop <= start + MAX_TOKEN
        end = stop
    assert end <= len(text)


def test_no_group_is_possessive():
    """Python 3.11.0 to 3.11.4 forgets the last character of what stands before one."""
    assert not re.search(r"\)[*+?]\+", standard._ASCII.pattern)
