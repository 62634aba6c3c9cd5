"""Stems of words: classes that a reader expects, and what the classes of an index rest on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.stemming import stems


@pytest.mark.parametrize(
    "forms",
    [
        ("vape", "vapes", "vaping", "vaped"),
        ("ban", "bans", "banned", "banning"),
        ("die", "dies", "dying", "died"),
        ("policy", "policies"),
        ("child", "child's"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len(set(stems(forms))) == 1


@pytest.mark.parametrize("pair", [("legal", "legend"), ("zoo", "zone"), ("news", "new")])
def test_stems_tell_words_apart(pair: tuple[str, str]) -> None:
    assert len(set(stems(pair))) == 2


def test_what_is_no_english_word_is_kept() -> None:
    assert stems(["日", "🦄", "2021", "straße"]) == ["日", "🦄", "2021", "straße"]
    assert stems([]) == []


@pytest.mark.thorough
@given(st.text(max_size=60) | st.text("aeiouylst'", max_size=9))
def test_no_stem_changes_the_first_letter(text: str) -> None:
    """What `WordForms` rests on: only terms with a word's first byte are stemmed."""
    words = StandardAnalyzer().tokens(text)
    for word, stem in zip(words, stems(words), strict=True):
        assert stem.encode()[:1] == word.encode()[:1]
