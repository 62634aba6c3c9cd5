"""Words found in a text are the tokens that its analysis gives, wherever they stand."""

from __future__ import annotations

import string

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from argsearch.engine.text.highlighting import SoughtWords, occurrences, weights_in, word_spans

PLAIN = dict.fromkeys(["zoos", "zoo", "the", "animals", "of", "s", "9", "x9"], 1.0)
OTHERS = {**PLAIN, "ש": 0.1, "日": 0.1, "don't": 1.0, "3.5": 1.0, "_": 1.0}
SIGNS = [*string.punctuation, *"ש \n\t\u00a0\u202f\u0301\u200d\x00\x7fİΣK日ア😀9x\u2003’—"]
pieces = st.sampled_from(["Zoos", "zoo", "the", "animals", "of", "s", "9", "don't", "3.5", *SIGNS])
texts = st.lists(pieces, max_size=60).map("".join)


def whole(text: str, words: dict[str, float]) -> list[tuple[str, tuple[int, int]]]:
    """The plain way: every token of the text that is a word."""
    return [(word, span) for word, span in word_spans(text) if word in words]


def find_words(text: str, words: dict[str, float]) -> list[tuple[str, tuple[int, int]]]:
    sought = SoughtWords.of(words)
    rows = occurrences(text, sought).tolist()
    return [(sought.words[word], (begin, end)) for begin, end, word in rows]


@pytest.mark.thorough
@settings(max_examples=500)
@given(texts, st.sampled_from([PLAIN, OTHERS]))
@example("9;9 9", PLAIN)
@example("5日 日5", OTHERS)
def test_words_are_found_as_by_analyzing_the_whole_text(text, words):
    assert find_words(text, words) == whole(text, words)


@given(st.text(max_size=200))
def test_in_any_text_too(text):
    words = dict.fromkeys([*[word for word, _ in word_spans(text)][::2], "zoos"], 1.0)
    assert find_words(text, words) == whole(text, words)


@pytest.mark.thorough
def test_many_words_and_long_texts():
    words = {f"w{i}": 1.0 for i in range(300)}
    text = " ".join(f"w{i % 450}" for i in range(20_000))
    assert find_words(text, words) == whole(text, words)
    assert occurrences("", SoughtWords.of(words)).shape == (0, 3)
    assert occurrences(text, SoughtWords.of({})).shape == (0, 3)


spans = st.lists(st.integers(0, 6), max_size=8).map(
    lambda widths: [
        (begin, begin + width)
        for begin, width in zip(np.cumsum([0, *widths]).tolist(), widths, strict=False)
        if width
    ]
)
found = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 4), st.integers(0, 4)), max_size=30)
weights = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@given(spans, found, weights)
def test_a_span_weighs_what_a_plain_look_finds(spans, found, weights):
    rows = sorted((begin, begin + width, word) for begin, width, word in found)
    wanted = [
        sum(weights[word] for word in {word for a, b, word in rows if begin <= a and b <= end})
        for begin, end in spans
    ]
    places = np.array(rows, np.int32).reshape(-1, 3)
    limits = np.array(spans, np.int32).reshape(-1, 2)
    assert weights_in(places, limits, np.array(weights, np.int64)).tolist() == wanted
