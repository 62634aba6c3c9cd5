"""Readers get one answer for every spelling of apostrophes, quotation marks, dashes and accents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from unicodedata import normalize

import pytest

from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.engine.query.spellings import APOSTROPHES, plain, spellings
from tests.indexes import Built

READERS = ("default", "meaning")
MARKS = [*APOSTROPHES, "`", "´", "′", "‛"]


def argument(number: int, conclusion: str, premise: str) -> dict[str, object]:
    """Return an argument of the corpus."""
    premises = [{"text": premise, "stance": "PRO"}]
    return {"id": f"a{number}", "conclusion": conclusion, "premises": premises}


@pytest.fixture(scope="module")
def engine(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An index whose arguments spell words in several ways."""
    rows = [
        (f"Women{mark}s rights matter", f"A woman{mark}s choice is her own, don{mark}t.")
        for mark in APOSTROPHES * 2
    ]
    for form in ("NFC", "NFD"):
        rows.append(
            (normalize(form, "The café is cheap"), normalize(form, "Crème brûlée is naïve."))
        )
        rows.append((normalize(form, "Việt Nam grows"), normalize(form, "Ελλάδα and Україна too.")))
    rows += [(f"Zoos {i} are bad", "Animals suffer pain there every day.") for i in range(30)]
    corpus = tmp_path_factory.mktemp("spellings") / "arguments.json"
    found = [argument(number, *row) for number, row in enumerate(rows)]
    corpus.write_text(json.dumps({"arguments": found}))
    with Engine.open(built(corpus)) as opened:
        yield opened


def answer(engine: Engine, question: str, config: str = "default") -> object:
    """Return all that a reader sees of an answer."""
    found = engine.search(question, k=20, config=config, sides=True, discriminative=True)
    told: dict[str, object] = Answer(engine, found).to_dict()
    return {key: value for key, value in told.items() if key != "milliseconds"}


@pytest.mark.parametrize("mark", MARKS)
def test_every_apostrophe_is_asked_for(engine: Engine, mark: str) -> None:
    expected = answer(engine, "women's rights")
    assert answer(engine, f"women{mark}s rights") == expected
    found = engine.search("women's", config="default", k=20)
    assert {hit.id for hit in found.hits} == {f"a{i}" for i in range(2 * len(APOSTROPHES))}
    assert found.remarks == ()


@pytest.mark.parametrize(
    "question", ["café", "crème brûlée", "naïve café", "Việt Nam", "Ελλάδα", "Україна", "Αΐ café"]
)
def test_every_form_of_an_accent_is_asked_for(engine: Engine, question: str) -> None:
    composed, parted = (normalize(form, question) for form in ("NFC", "NFD"))
    assert answer(engine, composed) == answer(engine, parted)
    assert len(engine.search(parted, config="default").hits) >= 2


@pytest.mark.parametrize("opening", "“„”«»‟")
@pytest.mark.parametrize("dash", "‐‑‒–—―−")
def test_quotation_marks_and_dashes_are_one(engine: Engine, opening: str, dash: str) -> None:
    asked = f"{opening}women's rights{opening} {dash} well{dash}known"
    assert answer(engine, asked) == answer(engine, '"women\'s rights" - well-known')


def test_published_configurations_ask_for_the_words_as_they_are_written(engine: Engine) -> None:
    """They are Lucene's to the bit."""
    found = [engine.search(f"women{mark}s", config="dirichlet", k=20) for mark in APOSTROPHES[:3]]
    assert [len(one.hits) for one in found] == [2, 2, 2]
    assert len({hit.id for one in found for hit in one.hits}) == 6


def test_only_what_readers_ask_by_asks_for_every_spelling() -> None:
    from argsearch.engine.config import names

    asking = {name for name in names() if load_config(name).retrieval.spellings}
    assert asking == set(READERS)


@pytest.mark.parametrize("word", ["zoos", "women", "3.5", "中", "über"])
def test_words_without_apostrophes_have_few_spellings(word: str) -> None:
    assert spellings(word)[0] == plain(word) == word
    assert len(spellings(word)) == (2 if word == "über" else 1)


def test_explanations_name_the_word_as_the_argument_has_it(engine: Engine) -> None:
    hits = engine.search("women's", config="default", k=20).hits
    assert {mark for hit in hits for mark in APOSTROPHES if mark in str(hit.explanation)} == set(
        APOSTROPHES
    )
