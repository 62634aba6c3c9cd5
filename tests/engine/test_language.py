"""A question in another language than the arguments is told so, and offered no English words."""

from __future__ import annotations

import pytest

from argsearch.engine import Engine
from argsearch.engine.query.language import FREQUENT, foreign

OTHERS = {
    "sollte die Todesstrafe abgeschafft werden": "German",
    "Faut-il abolir la peine de mort ?": "French",
    "¿Debería abolirse la pena de muerte?": "Spanish",
    "La pena di morte dovrebbe essere abolita?": "Italian",
    "A pena de morte deve ser abolida?": "Portuguese",
    "Moet de doodstraf worden afgeschaft": "Dutch",
    "Нужно ли отменить смертную казнь": "Cyrillic letters",
}
ENGLISH = (
    "should zoos be closed",
    "Should abortoin be legel?",
    "should we die",
    "de facto",
    "xqzzy",
)


@pytest.mark.parametrize("question", OTHERS)
def test_another_language_is_said_and_nothing_is_made_of_its_words(
    engine: Engine, question: str
) -> None:
    found = engine.search(question, discriminative=True)
    assert found.wording.language == OTHERS[question]
    assert found.remarks[0].startswith(f"the question seems to be in {OTHERS[question]}")
    assert (found.total, found.suggestion) == (0, None)


@pytest.mark.parametrize("question", ENGLISH)
def test_english_is_not(engine: Engine, question: str) -> None:
    assert engine.search(question).wording.language is None


def test_a_corpus_in_that_language_is_asked_in_its_own() -> None:
    words = ["sollte", "die", "todesstrafe", "abgeschafft", "werden"]
    named = foreign(words, [0, 9, 0, 0, 0], 10.0)
    assert (named.name, set(named.words)) == ("German", {"sollte", "die", "werden"})
    assert foreign(words, [40, 90, 2, 1, 70], 10.0) is None  # frequent there
    assert all(frequent for frequent in FREQUENT.values())
