"""English word lists: every file has the one form, and no list says a word twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from argsearch.ranking import lexicons
from argsearch.ranking.lexicons import lexicon, lines

FILES = sorted(path.stem for path in Path(lexicons.__file__).parent.glob("*.txt"))


def test_the_lists_are_there() -> None:
    assert {"cues", "replies", "stance", "stop_words", "word_classes"} <= set(FILES)


@pytest.mark.parametrize("file", sorted(set(FILES) - {"effects", "phrasings"}))
def test_every_entry_is_in_lower_case_once_and_without_outer_space(file: str) -> None:
    assert lexicon(file)
    for name, entries in lexicon(file).items():
        assert entries, name
        assert len(set(entries)) == len(entries), name
        for entry in entries:
            assert entry == " ".join(entry.lower().split()), entry


@pytest.mark.parametrize("file", ["effects", "phrasings"])
def test_phrasings_are_regular_expressions_one_a_line(file: str) -> None:
    for name, patterns in lines(file).items():
        for pattern in patterns:
            expression, arrow, replacement = pattern.partition(" => ")
            assert bool(arrow) == (name in ("effects", "paraphrases", "troubles")), pattern
            re.sub(expression, replacement, "a question")
