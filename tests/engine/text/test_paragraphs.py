"""Paragraphs: a text's own, and long ones parted at the ends of sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.text.paragraphs import LONG_LINE, PARAGRAPH_LENGTH, paragraphs


def test_a_long_text_is_parted_where_sentences_end() -> None:
    sentence = "Zoos are good for animals, and people learn a lot there about nature."
    parts = paragraphs(" ".join([sentence] * 40))
    assert len(parts) > 3
    assert all(part.startswith("Zoos") and part.endswith("nature.") for part in parts)
    assert all(PARAGRAPH_LENGTH <= len(part) <= LONG_LINE for part in parts)


def test_what_has_paragraphs_keeps_them() -> None:
    assert paragraphs("One. Two.\n\n  Three.\r\nFour.\n \n") == ["One. Two.", "Three.", "Four."]
    assert paragraphs(" ") == []


@pytest.mark.thorough
@given(st.text(alphabet="ab .!?\n😀", max_size=3000))
def test_no_word_is_lost(text: str) -> None:
    assert " ".join(" ".join(paragraphs(text)).split()) == " ".join(text.split())
