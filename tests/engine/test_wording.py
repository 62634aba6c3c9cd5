"""A question's words: unknown ones, those that tell, weak hits, what was meant, what is said."""

from __future__ import annotations

import numpy as np
import pytest

from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from argsearch.engine.query.terms import HIGHEST_IDF_SHARE, TELLING_SHARE, WEAK
from tests.engine.test_models import TOKENS, Texts

QUESTIONS = (
    "Should teachers get tenure?",
    "the zoos of the world",
    "Should zoos be xyzzyxed?",
    "should the",
    "tenure",
    "zoo " * 500,
    "🦄",
)


@pytest.fixture(scope="module")
def texts(engine: Engine) -> dict[str, set[str]]:
    """The words of each document, by its id."""
    counted = Texts(engine)
    return dict(zip(counted.ids, map(set, counted.text), strict=True))


def telling_words(question: str, texts: dict[str, set[str]]) -> dict[str, float]:
    """The words that tell, by their definition, and their idf."""
    words, N = dict.fromkeys(TOKENS(question)), len(texts)
    df = {word: sum(word in has for has in texts.values()) for word in words}
    idf = {word: float(np.log((N + 1) / (n + 1))) for word, n in df.items()}
    known = all(df.values())
    highest = max(idf.values(), default=0.0)
    return {
        word: idf[word]
        for word in words
        if df[word] <= TELLING_SHARE * N or (known and idf[word] >= HIGHEST_IDF_SHARE * highest)
    }


@pytest.mark.thorough
@pytest.mark.parametrize("config", ["dirichlet", "heimdall-2021", "heimdall-2021-run4", "bm25f"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_telling_counts_what_has_a_telling_word(
    engine: Engine, texts: dict[str, set[str]], question: str, config: str
) -> None:
    wanted = telling_words(question, texts)
    results = engine.search(question, k=1000, config=config)
    assert results.wording.weights == pytest.approx(wanted)
    having = [id for id, has in texts.items() if has & set(wanted)]
    assert results.discriminative == len(having) <= results.total
    assert results.unknown == tuple(
        word for word in dict.fromkeys(TOKENS(question))
        if not any(word in has for has in texts.values())
    )  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("offset", [0, 3])
@pytest.mark.parametrize("config", ["dirichlet", "heimdall-mmr"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_weak_hits_are_those_with_less_than_half_of_the_weight(
    engine: Engine, texts: dict[str, set[str]], question: str, config: str, offset: int
) -> None:
    weights = telling_words(question, texts)
    results = engine.search(question, k=60, offset=offset, config=config)
    weak = [
        sum(weights[word] for word in weights if word in texts[id]) < WEAK * sum(weights.values())
        for id in results.hits.ids
    ]
    first = next((i for i in range(len(weak)) if all(weak[i:])), None)
    assert results.first_weak_rank == (None if first is None else offset + first + 1)


def test_one_field_is_counted_by_itself(engine: Engine) -> None:
    overrides = ["retrieval.fields=conclusion"]
    found = engine.search("should zoos", k=1000, config="dirichlet", overrides=overrides)
    has = ["zoos" in TOKENS(hit.argument.conclusion or "") for hit in found.hits]
    assert found.discriminative == sum(has) > 0
    assert found.total == len(has) > sum(has)


@pytest.mark.parametrize(
    ("question", "suggested"),
    [
        ("Shoud we abolsh ZOSO? teh  end", None),
        ("Should teachres get tenure?", "Should teachers get tenure?"),
        ("TEACHRES", "TEACHERS"),
        ("„Teachres“ – und tenure", "„Teachers“ – und tenure"),
        ("Should teachers get tenure?", None),
        ("Sollten Lehrer unkündbar beschäftigt werden?", None),
        ("🦄", None),
        ("…", None),
    ],
)
def test_a_question_is_corrected_in_its_own_form(
    engine: Engine, question: str, suggested: str | None
) -> None:
    results = engine.search(question)
    if suggested is not None or question.startswith(("Should", "Sollten", "🦄", "…")):
        assert results.suggestion == suggested
    assert results.query == question


def test_a_question_in_another_language_says_so(engine: Engine) -> None:
    results = engine.search("Dürfen Lehrer in Rente gehen?", k=20)
    assert results.total > 50  # the English "in"
    assert results.discriminative == 0
    answer = Answer(engine, results)
    assert answer.hits == ()
    said = answer.to_dict()
    assert (said["hits"], said["discriminative"], said["suggestion"]) == ([], 0, None)
    assert said["unknown"] == ["dürfen", "lehrer", "rente", "gehen"]
    (note,) = said["notes"]
    assert note.startswith("no argument has the words “dürfen”, “lehrer”, “rente”, “gehen”; ")
    assert "common words are not shown" in note


def test_one_unknown_word_is_named_and_the_rest_is_shown(engine: Engine) -> None:
    results = engine.search("Should zoos be xyzzyxed?")
    assert results.remarks == ("no argument has the word “xyzzyxed”",)
    assert len(Answer(engine, results).hits) == 10


def test_many_unknown_words_make_a_short_note(engine: Engine) -> None:
    question = " ".join(f"qx{i}z" for i in range(300))[:2000]
    (note,) = engine.search(question).remarks
    assert len(note) < 200
    assert note.endswith(f"and {len(set(TOKENS(question))) - 5} more")
