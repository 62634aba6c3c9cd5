"""Readers get one answer for every spelling of apostrophes, quotation marks, dashes and accents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from argsearch.engine.config import load_config, names
from argsearch.engine.overview.suggestions import Suggestions
from argsearch.engine.query.variants import (
    APOSTROPHES,
    MOST_VARIANTS,
    unify,
    unify_word,
    variants,
)
from argsearch.engine.text.snippet import mark, word_weights
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.parts.adding import add_parts
from argsearch.ranking.similarities.registry import SIMILARITIES, weighs_fields
from tests.indexes import document, indexed

READERS = {"default", "meaning", "pairs-default"}
MARKS = f"'{APOSTROPHES}"
WRITTEN = ("e\u0302\u0301", "\u00ea\u0301", "\u1ebf")
"""ế in three ways."""
CLAIMS = [
    ("Women's rights matter", "A woman's choice is her own. Women's rights are everybody's."),
    ("The café isn't cheap", "The café's owner doesn't care. Crème brûlée costs more there."),
    ("Rock 'n' roll isn't dead", "The '90s had rock 'n' roll, and so have we. We don't tire."),
    ("Don't tax tiếng Việt", "It isn't fair, and tiếng Việt is spoken at home. Don't."),
    ("People don't vote", "Why don't people vote? They don't trust parties, and don't care."),
    ("Parties lose trust", "People vote less where parties lose trust, whatever they say."),
    ("Schools need zoos", "Children learn in zoos. A zoo isn't a prison, and costs little."),
]
QUESTIONS = [
    "women's rights",
    "why don't people vote",
    "don't don't people tire",
    "café isn't cheap",
    "is tiếng Việt fair",
    "rock 'n' roll in the '90s",
    'the "café" - is it cheap?',
]


def spelt(text: str, number: int) -> str:
    """Return a text in one of its spellings."""
    text = text.replace("'", MARKS[number % len(MARKS)])
    text = normalize("NFD", text) if number % 2 else text
    return text.replace(WRITTEN[0], WRITTEN[number % 3]).replace("ế", WRITTEN[number % 3])


def mixed(question: str) -> Iterator[str]:
    """Return the question in all kinds of spellings."""
    for number in range(10):
        asked = spelt(question, number)
        quotes = ("“”", "„“", "«»", "＂＂")[number % 4]
        if question.count('"') == 2:
            first, inside, last = asked.split('"')
            asked = f"{first}{quotes[0]}{inside}{quotes[1]}{last}"
        yield asked.replace(" - ", f" {'‐‑‒–—―−﹘﹣－'[number]} ")


def corpus(write: Any) -> list[dict[str, Any]]:
    """Return arguments; write: gives a text of the n-th its spelling."""
    rows = [(n, *claim) for n, claim in enumerate(CLAIMS * 5)]
    return [
        document(f"a{n}", write(conclusion, n), write(premise, n), stance="PRO" if n % 2 else "CON")
        for n, conclusion, premise in rows
    ]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Arguments in mixed spellings, with all that units need."""
    folder = indexed(tmp_path_factory.mktemp("mixed"), corpus(spelt), load_config("default").index)
    add_parts(folder, ["pairs", "premises", "near_duplicates"])
    with Engine.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The same arguments in one spelling."""
    folder = indexed(tmp_path_factory.mktemp("plain"), corpus(lambda text, _: unify(text)))
    with Engine.open(folder) as opened:
        yield opened


def told(engine: Engine, question: str, **asked: Any) -> dict[str, Any]:
    """Return all that a reader is told, but for the question as typed."""
    found = engine.search(question, k=20, **asked)
    answer = Answer(engine, found).to_dict()
    explained = [str(hit.explanation) for hit in found.hits]
    left = {key: value for key, value in answer.items() if key not in ("milliseconds", "query")}
    return {**left, "explained": explained}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_spelling_of_a_question_has_the_same_answer(engine: Engine, question: str) -> None:
    asked = {"sides": True, "discriminative": True, "collapse": True}
    expected = told(engine, question, **asked)
    assert expected["hits"]
    assert not expected["unknown"]
    for other in mixed(question):
        assert told(engine, other, **asked) == expected, other
    assert engine.search(other).query == other


@pytest.mark.parametrize("unit", ["premises", "pairs"])
def test_every_unit_has_the_same_answer(engine: Engine, unit: str) -> None:
    for question in QUESTIONS:
        expected = told(engine, question, unit=unit)
        assert all(told(engine, other, unit=unit) == expected for other in mixed(question))
        assert expected["hits"] or unit == "pairs"


def test_points_and_challenges_have_the_same_answer(engine: Engine) -> None:
    text = "Women's rights aren't what matters most. Society shouldn't care for women's rights."
    for other in mixed(text):
        points = [engine.key_points(one).receipt for one in ("women's rights", unify(other)[:14])]
        assert points[0]["points"] == points[1]["points"]
        read = [engine.challenge(one, about="women's rights") for one in (text, other)]
        assert read[0].sections == read[1].sections
        assert read[0].side == read[1].side


@pytest.mark.parametrize("fields", ["text", "conclusion", "premise"])
@pytest.mark.parametrize("model", [m for m in SIMILARITIES if not weighs_fields(m)])
def test_spellings_are_one_term_with_summed_statistics(
    engine: Engine, plain: Engine, model: str, fields: str
) -> None:
    """The oracle is an index of the same texts in one spelling."""
    overrides = [f"retrieval.model={model}", f"retrieval.fields={fields}"]
    unified = [*overrides, "retrieval.spelling_conflation=true"]
    for question in QUESTIONS:
        expected = plain.search(question, config="dirichlet", overrides=overrides, k=50)
        found = engine.search(question, config="dirichlet", overrides=unified, k=50)
        assert found.hits.ids == expected.hits.ids
        assert found.total == expected.total
        assert found.hits.scores.tolist() == pytest.approx(expected.hits.scores.tolist(), 1e-12)
        for hit in found.hits[:5]:
            assert hit.explanation.value == pytest.approx(hit.score, 1e-12)
        wording, own = found.wording, expected.wording
        assert (wording.weights, wording.discriminative) == (own.weights, own.discriminative)
        assert found.first_weak_rank == expected.first_weak_rank


def test_other_configurations_take_spellings_for_different_words(engine: Engine) -> None:
    unifying = {name for name in names() if load_config(name).retrieval.unifies_spellings}
    assert unifying == READERS
    found = [engine.search(f"women{m}s", config="dirichlet").hits.ids for m in MARKS]
    assert [len(ids) for ids in found] == [1] * 5
    assert len({ids[0] for ids in found}) == 5
    # what has no classes of spellings is asked as it is written
    for override in ("retrieval.model=bm25f", "retrieval.stem_conflation=0.5"):
        assert not load_config("default", [override]).retrieval.unifies_spellings
    one = engine.search("women’s", config="default", overrides=["retrieval.model=bm25f"])
    assert one.hits.ids == found[MARKS.index("’")]


def test_marks_and_snippets_know_every_spelling(engine: Engine) -> None:
    asked = load_config("default").retrieval
    weights = word_weights("women’s rights", engine.backend, asked)
    assert list(weights) == ["women's", "rights"]
    for word in MARKS:
        found = mark(f"Few women{word}s rights.", weights)
        assert [one for one, marked in found.parts() if marked] == [f"women{word}s", "rights"]
    for word in WRITTEN:
        found = mark(f"Few ti{word}ng.", word_weights("tiếng", engine.backend, asked))
        assert [one for one, marked in found.parts() if marked] == [f"ti{word}ng"]
    occurrences = sum(engine.backend.frequencies([f"women{m}s" for m in MARKS]))
    share = occurrences / engine.info.tokens
    assert weights["women's"] == pytest.approx(1e-3 / (1e-3 + share))
    assert list(word_weights("women’s", engine.backend)) == ["women’s"]


def test_suggestions_while_typing_know_every_spelling() -> None:
    known = Suggestions([("Women’s rights matter", 2), ("Women's rights matter", 1)])
    for typed in ("women's r", "Women’s ri", "rights womenʼs"):
        assert [tuple(one) for one in known.matching(typed, 5)] == [("Women’s rights matter", 3)]


@pytest.mark.parametrize(
    "word", ["don't", "rock'n'roll", "tiếng", "ậ", "café's", "한국", "zoo", "ג'ורג"]
)
def test_variants_are_spellings_of_the_word_alone(word: str) -> None:
    tokens = StandardAnalyzer().tokens
    found = variants(word)
    assert found[0] == word
    assert len(set(found)) == len(found)
    assert {unify_word(one) for one in found} == {word}
    assert {normalize("NFC", word), normalize("NFD", word)} <= set(found)
    assert all(tokens(one) == [one] for one in found)
    if "ế" in word:
        assert {word.replace("ế", one) for one in WRITTEN} <= set(found)


def test_the_number_of_variants_is_bounded() -> None:
    for word in ("o'" * 100 + "o", "é" * 100, "ế'" * 50 + "e", "한" * 80):
        found = variants(word)
        assert len(found) <= 4 * MOST_VARIANTS + 4
        assert {word, normalize("NFD", word)} <= set(found)


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [
        ("‘90s", ["90s"]),
        ("rock ’n’ roll", ["rock", "n", "roll"]),
        ("rock ʼnʼ roll", ["rock", "n", "roll"]),
        ("‘word’ ‚word‘ ‹word› ＇word＇ ʼwordʼ", ["word"] * 5),
        ("“don’t”", ["don't"]),
        ("don´t don`t don′t don‚t", ["don", "t"] * 4),
        ("well‑known – 3−5", ["well", "known", "3", "5"]),
        ("co\u00adoperate", ["co\u00adoperate"]),
        ("‘שלום’ 'שלום' צה”ל", ["שלום", "שלום", 'צה"ל']),
        ("Café\u0301 CAFE\u0301", ["café\u0301", "café"]),
    ],
)
def test_a_question_is_read_in_one_spelling(typed: str, tokens: list[str]) -> None:
    assert StandardAnalyzer().tokens(unify(typed)) == tokens
    assert unify(unify(typed)) == unify(typed)


LETTERS = "aeos’'ʼé\u0301\u0302\u1ebf\u09df\u09af\u09bc\u1f71אש\u05f3"


@given(st.text(st.sampled_from(LETTERS), min_size=1, max_size=6))
@example("সম\u09df")
@example("\uf914")
@example("ʼ")
def test_every_token_is_among_its_own_variants(text: str) -> None:
    """NFC replaces some characters for ever, and a document with one must still be found."""
    assume(not re.search("['’ʼ]{2}", text))
    for token in StandardAnalyzer().tokens(text):
        spellings = variants(unify_word(token))
        assert token in spellings
        assert {unify_word(one) for one in spellings} == {unify_word(token)}
