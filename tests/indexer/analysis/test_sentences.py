"""Sentence segmentation takes a bounded time, and changes no ordinary text."""

from __future__ import annotations

import numpy as np
import pytest
import sentencex
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.analysis import sentences
from argsearch.indexer.analysis.sentences import BLOCK_CHARACTERS, MOST_MARKED, segment

MARKS = "\"'`«»‘’‚“”‛„‟‹›《》「」!"
HOSTILE = [
    "“",
    '"',
    "'",
    "`",
    "‘tis a “quote”. ",
    "!A",
    "!'",
    "[!",
    "\"!“«„‘'「 ",
    "“a.\n\n",
    "( “. A",
]


def spans(text: str) -> list[tuple[int, int]]:
    """The sentences of a text that is segmented as a whole."""
    at, found = 0, []
    for piece in sentencex.segment("en", text):
        begin, at = at + len(piece) - len(piece.lstrip()), at + len(piece)
        if piece.strip():
            found.append((begin, begin + len(piece.strip())))
    return found


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_work_grows_with_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """sentencex looks for the end of each mark in all that follows: marks times characters."""
    handed: list[str] = []
    monkeypatch.setattr(
        sentences.sentencex, "segment", lambda _, text: handed.append(text) or [text]
    )
    for size in (100_000, 400_000, 1_600_000):
        handed.clear()
        text = unit * (size // len(unit))
        assert len(segment(text))
        assert sum(map(len, handed)) == len(text)
        assert max(map(len, handed)) <= BLOCK_CHARACTERS
        assert sum(sum(map(one.count, MARKS)) * len(one) for one in handed) <= max(
            MOST_MARKED, len(text) / BLOCK_CHARACTERS * MOST_MARKED
        )


@pytest.mark.parametrize(
    ("unit", "size"), [("“", 100_000), ("!A", 300_000), ('"!“«„‘「 ', 100_000)]
)
def test_a_text_of_marks_is_cut_into_sentences_of_its_own(unit: str, size: int) -> None:
    text = unit * (size // len(unit)) + " It is so. It was so."
    found = segment(text)
    assert np.all(found[:, 0] < found[:, 1])
    assert np.all(found[1:, 0] >= found[:-1, 1])
    assert [text[a:b] for a, b in found.tolist()][-1] == "It was so."


@given(
    st.lists(st.sampled_from(["It is so.", "“Why? No.”", "Mr. X", "!", " ", "\n\n", "(a.) ", "‘"]))
)
def test_ordinary_texts_are_segmented_as_a_whole(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert [tuple(one) for one in segment(text).tolist()] == spans(text)


def test_a_long_text_is_cut_where_a_word_ends() -> None:
    words = "reason " * BLOCK_CHARACTERS
    assert {words[b - 1] for _, b in segment(words).tolist()} == {"n"}


def test_no_end_of_a_paragraph_moves_what_follows() -> None:
    """sentencex leaves some out, and each moved all later sentences by two characters."""
    text = "\n\n".join(["The first reason is this one. It holds. " * 20] * 400)
    assert sum(map(len, sentencex.segment("en", text))) < len(text)
    found = {text[begin:end] for begin, end in segment(text).tolist()}
    assert found == {"The first reason is this one.", "It holds."}


@pytest.mark.parametrize("space", ["\u00a0", " \u2028", "\n\u3000", "\x85 "])
def test_wide_spaces_before_a_full_stop_are_read(space: str) -> None:
    text = f"People need vitamin A{space}. It helps them."
    assert segment(text)[-1, 1] == len(text)
