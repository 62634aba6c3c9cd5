from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.text.highlighting import word_spans
from argsearch.engine.text.snippet import (
    ELLIPSIS,
    Snippet,
    mark,
    sentences,
    word_weights,
)

WORDS = {"zoos": 5.0, "the": 0.5, "animals": 4.0, "of": 0.4, "ש": 0.1, "日": 0.1}


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[begin:end] for begin, end in snippet.marks]


def test_marks_are_places_of_whole_tokens_in_any_case():
    assert marked(mark("ZOOS and the animals' zoosphere", WORDS)) == ["ZOOS", "the", "animals"]
    assert marked(mark("İZOOS, İ zoos 😀 zoos", WORDS)) == ["zoos", "zoos"]
    assert marked(mark("ΟΔΟΣ, οδοσ", dict.fromkeys(["οδοσ"], 1.0))) == ["ΟΔΟΣ", "οδοσ"]


@given(st.text(max_size=400), st.integers(40, 120))
def test_a_long_text_is_cut_at_its_end_with_marks_on_words(text, width):
    words = dict.fromkeys({word for word, _ in word_spans(text)} | {"zoos"}, 1.0)
    snippet = mark(text, words, width)
    assert text.startswith(snippet.text.removesuffix(ELLIPSIS) if len(text) > width else text)
    assert len(snippet.text) <= width + 1
    assert "".join(piece for piece, _ in snippet.parts()) == snippet.text
    assert all(0 <= begin < end <= len(snippet.text) for begin, end in snippet.marks)


@given(st.text(max_size=300))
def test_sentences_are_ordered_trimmed_and_cover_all_but_white_space(text):
    spans = sentences(text).tolist()
    covered = "".join(text[begin:end] for begin, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(text[begin:end].strip() == text[begin:end] != "" for begin, end in spans)


def test_rarer_words_weigh_more(sample_index):
    engine = Engine.open(sample_index)
    weights = word_weights("should teachers get tenure xyzzy should", engine.backend)
    assert list(weights) == ["should", "teachers", "get", "tenure", "xyzzy"]
    assert weights["should"] < weights["tenure"] < weights["xyzzy"]
    assert list(word_weights("the tenure", engine.backend)) == ["tenure"]
    assert list(word_weights("the", engine.backend)) == ["the"]
