from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.engine.text import gist as gist_module
from argsearch.engine.text.gist import (
    CACHED_EMBEDDINGS,
    LARGEST_ANSWER,
    PRESELECTED,
    gists,
    read,
    remembered,
)
from argsearch.engine.text.highlighting import word_spans
from argsearch.engine.text.snippet import (
    ELLIPSIS,
    LONG_TEXT,
    PREMISES_READ,
    TEXTS_REMEMBERED,
    WIDTH,
    Snippet,
)
from argsearch.indexer.encoders import load_encoder

QUESTION = "Should zoos be closed?"
WORDS = {"zoos": 1.0, "closed": 0.8}
POINT = "Zoos should be closed because animals suffer from boredom in cages that are too small."
SPEECH = (
    "I thank my opponent for this debate. Good luck! Why are there zoos? "
    f"{POINT} My opponent says that zoos save species. See http://example.org for sources."
)


def forget():
    for cached in (gist_module._short, gist_module._long):
        cached.cache_clear()
    gist_module.question_row.cache_clear()


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("wordllama")


@pytest.fixture(autouse=True)
def _fresh():
    forget()


class Counting:
    """An encoder that counts its calls and texts."""

    name, dimensions = "wordllama", 4

    def __init__(self) -> None:
        self.calls: list[int] = []

    def encode(self, texts):
        self.calls.append(len(texts))
        rows = np.array([[len(t), t.count("e"), t.count("a"), 1] for t in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Heavy(Counting):
    name = "sbert:any"


def gist(text: str, encoder=None) -> Snippet:
    return gists(QUESTION, [[text]], WORDS, encoder)[0]


@pytest.mark.parametrize("cosines", [True, False])
def test_the_point_of_a_speech_not_its_talk(cosines, encoder):
    assert gist(SPEECH, encoder if cosines else None).text == POINT


WORSE = {
    "talk": "I thank my opponent for having closed so many zoos in this debate with all of us.",
    "asked": "Should zoos be closed because animals suffer from boredom in cages of such a size?",
    "quoted": '"Zoos should be closed because animals suffer from boredom in cages," she said.',
    "reference": "See http://example.org and http://example.com on why zoos should be closed.",
    "fragment": "Zoos closed.",
    "digits": "In 1988, 1989, 1990, 1991 and 1992 some 12345 zoos of 67890 closed in 4321 cities.",
    "anaphora": "This is because they should be closed when animals suffer from boredom in cages.",
}


@pytest.mark.parametrize("name", WORSE)
def test_each_penalty_is_worth_less_than_the_point_in_the_same_place(name):
    assert read([WORSE[name]]).manner[0] < read([POINT]).manner[0]


@pytest.mark.parametrize("name", ["talk", "asked", "quoted", "reference", "fragment"])
def test_what_carries_no_point_loses_even_in_the_first_place(name, encoder):
    assert gist(f"{WORSE[name]} {POINT}", encoder).text == POINT


UNSPOKEN = {
    "objection": "The serious objection is that zoos must not be closed because they save species.",
    "opponent": "My opponent says that zoos should not be closed because they save species.",
    "others": "Many people still believe that zoos should not be closed as they save species.",
    "conceded": "While it is true that zoos save species that would be lost, they do so for a few.",
    "answered": "Zoos should not be closed because they save species from being lost. But no:",
    "announcement": "In this round I will show why zoos should be closed and what harm they cause.",
    "colon": "Zoos should be closed for each of these reasons because they harm all animals:",
    "title": "Why zoos should be closed",
}


@pytest.mark.parametrize("name", UNSPOKEN)
def test_what_does_not_speak_for_its_author_is_never_chosen(name, encoder):
    weak = "Some animals walk up and down all day in there, and some of them are ill."
    assert gist(f"{UNSPOKEN[name]} \n{weak}", encoder).text == weak


@pytest.mark.parametrize("name", UNSPOKEN)
def test_where_only_such_sentences_are_the_beginning_is_shown_and_said_to_be_that(name, encoder):
    found = gist(f"{UNSPOKEN[name]}\n" * 20, encoder)
    assert found.beginning
    assert found.text.startswith(UNSPOKEN[name])
    assert found.text.endswith(ELLIPSIS)
    assert len(found.text) <= WIDTH + len(ELLIPSIS)
    assert "zoos" in {found.text[a:b].lower() for a, b in found.marks}


def test_a_short_text_of_such_sentences_is_shown_whole():
    text = "My opponent says that zoos save species. Is that so?"
    assert gist(text).text == text
    assert not gist(text).beginning


NASTY = {
    "one word": "zoos",
    "no end": "zoos and animals " * 400,
    "200,000 words": "Many zoos are far too small for such animals. " * 25_000,
    "only questions": "Why zoos? Who closed them? Are zoos good?",
    "only addresses": "http://example.org/a http://example.org/b",
    "only a marker": "1.",
    "german": "Zoos sollten geschlossen werden, weil Tiere dort leiden. Das ist falsch.",
    "emoji": "😀😀 zoos 😡! 🐘🐘🐘",
    "right to left": "יש לסגור את גני החיות כי בעלי החיים סובלים. אין ספק.",
}


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("cosines", [True, False])
def test_nasty_texts_have_a_gist(name, cosines, encoder):
    found = gist(NASTY[name], encoder if cosines else None)
    assert found.text
    assert len(found.text) <= WIDTH + 2 * len(ELLIPSIS)


def test_nothing_gives_nothing(encoder):
    for texts in ([], [""], [" \n\t "], ["", ""]):
        assert gists(QUESTION, [texts], WORDS, encoder) == [Snippet("")]
    assert gists(QUESTION, [], WORDS, encoder) == []


@pytest.mark.thorough
@given(st.lists(st.text(max_size=120), max_size=4))
@settings(max_examples=150)
def test_any_texts_give_pieces_of_themselves_with_marks_on_words(texts):
    words = dict.fromkeys({w for text in texts for w, _ in word_spans(text)} | {"zoos"}, 1.0)
    found = gists(QUESTION, [texts], words, None)[0]
    assert bool(found.text) == any(text.strip() for text in texts)
    source = " ".join(texts).replace(ELLIPSIS, " ")
    assert all(piece in source for piece in found.text.replace(ELLIPSIS, " ").split())
    assert all(0 <= a < b <= len(found.text) for a, b in found.marks)
    assert list(found.marks) == sorted(set(found.marks))


def test_sentences_stand_in_the_texts_order_and_never_reach_across_premises(encoder):
    filler = "Some cities have parks and some have none, which is a matter of money. " * 30
    found = gists(QUESTION, [[f"{POINT} {filler}", "no end here", POINT.upper()]], WORDS, encoder)
    assert "none, which is a matter of money. no end" not in found[0].text
    assert "here ZOOS" not in found[0].text


def test_only_the_first_of_very_long_texts_is_read():
    filler = "x " * (PREMISES_READ // 2)
    assert gists(QUESTION, [[filler, POINT]], WORDS, None)[0].marks == ()


def test_a_page_is_embedded_in_one_call_and_remembered():
    counting = Counting()
    page = [[SPEECH], [POINT + " " + SPEECH], ["Zoos are old. " * 30 + POINT]]
    first = gists(QUESTION, page, WORDS, counting)
    assert len(counting.calls) == 2  # one is for the question
    assert counting.calls[0] <= PRESELECTED * len(page)
    assert gists(QUESTION, page, WORDS, counting) == first
    assert len(counting.calls) == 2


def test_a_heavy_encoder_is_not_asked():
    heavy = Heavy()
    assert gists(QUESTION, [[SPEECH]], WORDS, heavy) == gists(QUESTION, [[SPEECH]], WORDS, None)
    assert not heavy.calls


def test_what_was_asked_before_changes_nothing(encoder):
    texts = [[SPEECH], [f"{POINT} Nobody pays for zoos in winter. " * 9]]
    alone = gists(QUESTION, texts, WORDS, encoder)
    forget()
    gists("Who pays for winter?", texts, {"pays": 1.0}, encoder)
    assert gists(QUESTION, texts, WORDS, encoder) == alone
    assert gists(QUESTION, texts[::-1], WORDS, encoder) == alone[::-1]


def test_many_threads_see_the_same(encoder):
    rng = random.Random(5)
    pages = [[[f"{POINT} Number {rng.random()}."], [SPEECH]] for _ in range(8)]
    alone = [gists(QUESTION, page, WORDS, encoder) for page in pages]
    forget()
    with ThreadPoolExecutor(8) as pool:
        again = list(pool.map(lambda page: gists(QUESTION, page, WORDS, encoder), pages * 6))
    assert again == alone * 6


def test_memory_is_bounded():
    forget()
    for i in range(TEXTS_REMEMBERED + 9):
        remembered([f"Text number {i}."])
        remembered([f"{i} " + "long " * LONG_TEXT])
        gists(f"Question {i}?", [[SPEECH]], {}, Counting())
    assert gist_module._short.cache_info().currsize == TEXTS_REMEMBERED
    assert gist_module._long.cache_info().currsize == gist_module.LONG_REMEMBERED
    assert len({*gist_module.question_row.cache_info()[2:]}) == 1  # as many as it may hold
    assert remembered(["Text number 8."]).text == "Text number 8."


@pytest.mark.parametrize("worth", [-np.inf, -9.0, 0.0])
def test_a_passage_that_is_worth_more_gives_the_gist(worth, encoder):
    other = "Zoos must stay open because they breed animals that would otherwise die out."
    texts = [f"{POINT} {other} {'Tickets are sold at the gate every day. ' * 30}"]
    for first, second, gist in ((0.0, worth, POINT), (worth, 0.0, other), (worth, worth, POINT)):
        passages = [(0, first), (len(POINT), second), (len(POINT) + len(other) + 1, -np.inf)]
        [found] = gists(QUESTION, [texts], WORDS, encoder, within=[passages])
        assert found.text.startswith(gist if worth else POINT)


def test_large_answers_do_not_take_the_place_of_what_is_remembered():
    forget()
    kept = remembered([SPEECH])
    many = [[f"{POINT} Number {i}."] for i in range(LARGEST_ANSWER + 1)]
    large = gists(QUESTION, many, WORDS, None)
    assert gist_module._short.cache_info().currsize == 1
    assert large[:LARGEST_ANSWER] == gists(QUESTION, many[:LARGEST_ANSWER], WORDS, None)
    assert remembered([SPEECH]) is kept


def test_embeddings_of_an_argument_are_bounded_and_gists_the_same(monkeypatch, encoder):
    text = " ".join(f"Word{i} is what zoos number {i} keep for reason{i}." for i in range(200))
    asked = [
        (f"word{i} reason{i + 1}", {f"word{i}": 1.0, f"reason{i + 1}": 0.5}) for i in range(90)
    ]
    alone = []
    for question, words in asked:
        forget()
        alone.append(gists(question, [[text]], words, encoder))
    forget()
    assert [gists(question, [[text]], words, encoder) for question, words in asked] == alone
    one = remembered([text])
    assert PRESELECTED <= len(one.embedded.rows) <= CACHED_EMBEDDINGS
    assert np.count_nonzero(one.embedded.slots >= 0) == len(one.embedded.rows)
