"""StandardAnalyzer by hand-written cases; Lucene's own answers are checked in tests/golden."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.indexer.analysis import StandardAnalyzer, standard
from argsearch.indexer.analysis.standard import MAX_TOKEN, spans

TOKENS = StandardAnalyzer().tokens


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
