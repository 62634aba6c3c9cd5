"""What a question is about: words found in other words, and what the best hits speak of."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from argsearch.engine.stance import subject
from argsearch.engine.stance.claims import read_claim
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.subject import FEW, RememberedVectors, Subject, near
from argsearch.indexer.corpus.argument import Argument, Premise, Stance

SEX = "Sex education should be taught in schools"


def even(word: str) -> float:
    return 1.0


def hit(id: str, conclusion: str, text: str) -> Argument:
    return Argument(id, conclusion, (Premise(text, Stance.PRO),))


def test_a_word_is_found_as_it_stands_in_another_form_or_by_one_like_it():
    assert near(("penny",), ("pennies", "cost")) == (1.0,)
    assert near(("marijuana",), ("cannabis",)) == (1.0,)
    (coin,), (moon,) = near(("penny",), ("coin",)), near(("penny",), ("moon",))
    assert 0 <= moon < coin < 1
    assert near((), ("coin",)) == ()
    assert near(("penny", "coin"), ()) == (0.0, 0.0)


def test_covered_is_the_weighted_share_of_the_subjects_words():
    words = Subject.of(
        read_claim("homework pupils"), [], lambda word: 3.0 if word == "homework" else 1.0
    )
    assert words.covered(("homework",)) == pytest.approx(
        0.75 + 0.25 * near(("pupils",), ("homework",))[0]
    )
    assert words.covered(("homework",), ("pupils",)) == pytest.approx(1.0)
    assert Subject.of(read_claim(""), [], even).covered(("homework",)) == 0.0


def test_what_a_tenth_of_the_texts_speak_of_is_spoken_of():
    about = Subject.of(read_claim("evolution"), [], even)
    lacking, having = ("table", "chair"), ("evolution",)
    assert replace(about, texts=(having,) * 2 + (lacking,) * 9).spoken_of == pytest.approx(1.0)
    assert replace(about, texts=(having,) + (lacking,) * 19).spoken_of < 0.9
    assert replace(about, texts=()).spoken_of == 0.0


def test_a_question_of_the_same_form_on_another_subject_is_told_apart():
    text = "Pupils should be taught about sex at school, since they learn to be careful."
    hits = [hit(f"h{i}", SEX, text) for i in range(FEW + 2)]
    model = StanceModel.load()
    own, other = (
        model.sides(f"Should {what} be taught in schools?", hits, hits)[0]
        for what in ("sex education", "evolution")
    )
    assert own.value == "for"
    assert other.probability < own.probability - 0.1


def test_what_is_read_does_not_depend_on_what_was_read_before():
    hits = [hit(f"h{i}", SEX, f"Schools teach sex, number {i}.") for i in range(FEW)]
    claim = read_claim("Should sex education be taught in schools?")
    first = Subject.of(claim, hits, even).read(read_claim(SEX), "h0", ("schools", "teach"))
    near.cache_clear()
    subject._vectors.of([f"word{i}" for i in range(500)])
    again = Subject.of(claim, hits, even).read(read_claim(SEX), "h0", ("schools", "teach"))
    assert first == again


def test_only_so_many_words_are_remembered(monkeypatch):
    monkeypatch.setattr(subject, "MOST_VECTORS", 8)
    few, many = RememberedVectors(), subject._vectors
    words = [f"{letter}{letter}" for letter in "abcdefghijkl"]
    for start in range(0, 12, 3):
        three = words[start : start + 3]
        assert np.array_equal(few.of(three).rows, many.of(three).rows)
        assert np.array_equal(few.of(three).lengths, many.of(three).lengths)


def test_threads_that_read_at_once_agree():
    vectors = RememberedVectors()
    words = [f"{a}{b}" for a in "abcdef" for b in "uvwxyz"]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: vectors.of(words[i:] + words[:i]), range(36)))
    for i, one in enumerate(found):
        assert np.array_equal(np.roll(one.rows, i, axis=0), found[0].rows)
