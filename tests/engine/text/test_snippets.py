from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine import Engine
from argsearch.engine.text.highlighting import word_spans
from argsearch.engine.text.snippet import (
    ELLIPSIS,
    PREMISES_READ,
    Snippet,
    best_sentence,
    mark,
    sentences,
    word_weights,
)

WORDS = {"zoos": 5.0, "the": 0.5, "animals": 4.0, "of": 0.4, "ש": 0.1, "日": 0.1}


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[begin:end] for begin, end in snippet.marks]


def test_without_query_words_it_is_the_first_sentence():
    assert best_sentence("Nothing to see. Ah.", WORDS) == Snippet("Nothing to see.")
    assert best_sentence("  \n ", WORDS) == Snippet("")


def test_abbreviations_do_not_end_a_sentence():
    assert best_sentence("Dr. Smith likes zoos, e.g. ours. No.", WORDS).text.startswith("Dr. Smith")


def test_marks_are_places_of_whole_tokens_in_any_case():
    assert marked(mark("ZOOS and the animals' zoosphere", WORDS)) == ["ZOOS", "the", "animals"]
    assert marked(mark("İZOOS, İ zoos 😀 zoos", WORDS)) == ["zoos", "zoos"]
    assert marked(mark("ΟΔΟΣ, οδοσ", dict.fromkeys(["οδοσ"], 1.0))) == ["ΟΔΟΣ", "οδοσ"]


@pytest.mark.parametrize("filler", ["x ", "xyz", "the "])
def test_a_long_sentence_is_cut_around_its_best_words(filler):
    text = filler * 3000 + " zoos and animals " + filler * 3000
    snippet = best_sentence(text, WORDS, width=100)
    assert len(snippet.text) <= 100 + 2 * len(ELLIPSIS)
    assert {"zoos", "animals"} <= set(marked(snippet))
    assert snippet.text.startswith(ELLIPSIS)
    assert snippet.text.endswith(ELLIPSIS)


def test_of_equal_windows_the_first_is_shown():
    filler = "x " * 200
    text = f"{filler}first zoos here {filler}second zoos here {filler}third zoos here"
    snippet = best_sentence(text, WORDS, width=100)
    assert "first zoos here" in snippet.text
    assert marked(snippet) == ["zoos"]


@given(st.text(max_size=400), st.integers(40, 120))
def test_any_text_gives_a_piece_of_itself_with_marks_on_words(text, width):
    words = dict.fromkeys({word for word, _ in word_spans(text)} | {"zoos"}, 1.0)
    snippet = best_sentence(text, words, width=width)
    assert snippet.text.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS) in text
    assert len(snippet.text) <= width + 2
    assert "".join(piece for piece, _ in snippet.parts()) == snippet.text
    assert all(0 <= begin < end <= len(snippet.text) for begin, end in snippet.marks)


vocabulary = st.sampled_from(["zoos", "Zoos", "ban", "the", "animals", "a"])
written = st.tuples(st.lists(vocabulary, min_size=1, max_size=5), st.sampled_from(".!?"))


@given(st.lists(written, max_size=8))
def test_the_best_sentence_is_the_heaviest_then_the_shortest_then_the_first(sentence_words):
    text = " ".join(" ".join(words).capitalize() + end for words, end in sentence_words)
    sought = {"zoos": 2.0, "animals": 1.0, "ban": 1.0}  # many are equal
    each = [text[begin:end] for begin, end in sentences(text).tolist()]
    weights = [sum(sought.get(w, 0.0) for w in {w for w, _ in word_spans(s)}) for s in each]
    values = [(weights[i], -len(each[i]), -i) for i in range(len(each))]
    best = -max(values)[2] if any(weights) else 0
    snippet = best_sentence(text, sought, width=len(text))
    assert snippet.text == (each[best] if each else "")


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


def test_only_the_first_of_a_very_long_text_is_read():
    filler = "x " * (PREMISES_READ // 2)
    assert best_sentence(f"{filler}zoos", WORDS).marks == ()
    assert best_sentence(f"{filler[8:]}zoos", WORDS).marks
