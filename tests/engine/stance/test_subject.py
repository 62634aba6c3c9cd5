"""What a question is about: words found in other words, and what the best hits speak of."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance import lexicon, wording
from argsearch.engine.stance.claims import plain, read_claim, root
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.subject import FEW_HITS, Subject
from argsearch.engine.stance.terms import canonical, masked, terms
from argsearch.engine.stance.wording import Wording
from argsearch.indexer.corpus.argument import Argument, Premise, Stance

WORDS = [
    "homework",
    "should",
    "not",
    "be",
    "banned",
    "it",
    "is",
    "harmful",
    "good",
    "for",
    "pupils",
    "schools",
    "weed",
    "smoke",
    "x",
]
SEX = "Sex education should be taught in schools"


def even(word: str) -> float:
    return 1.0


def hit(id: str, conclusion: str, text: str) -> Argument:
    return Argument(id, conclusion, (Premise(text, Stance.PRO),))


def near(subject, *texts):
    return Wording.of(StanceModel.load().terms, texts).near(subject).tolist()


def about(claim, hits, idf=even):
    return Subject.of(read_claim(claim), hits, idf, StanceModel.load().terms)


def test_a_word_is_found_as_it_stands_in_another_form_or_by_one_like_it():
    assert near(("penny",), ("pennies", "cost")) == [[1.0]]
    assert near(("marijuana",), ("cannabis",)) == [[1.0]]
    (coin,), (moon,) = near(("penny",), ("coin",), ("moon",))
    assert 0 <= moon < coin < 1
    assert near((), ("coin",)) == [[]]
    assert near(("penny", "coin"), ()) == [[0.0, 0.0]]


def test_covered_is_the_weighted_share_of_the_subjects_words():
    words = about("homework pupils", [], lambda word: 3.0 if word == "homework" else 1.0)
    homework, pupils = (Wording.of(words.texts.terms, [(word,)]) for word in ("homework", "pupils"))
    ((likeness,),) = near(("pupils",), ("homework",))
    assert words.covered(homework) == [pytest.approx(0.75 + 0.25 * likeness)]
    assert words.covered(homework, pupils) == [pytest.approx(1.0)]
    assert about("", []).covered(homework) == [0.0]


def test_what_a_tenth_of_the_texts_speak_of_is_spoken_of():
    asked = about("evolution", [])
    lacking, having = ("table", "chair"), ("evolution",)

    def spoken_of(*texts):
        return replace(asked, texts=Wording.of(asked.texts.terms, texts)).spoken_of

    assert spoken_of(having, having, *9 * (lacking,)) == pytest.approx(1.0)
    assert spoken_of(having, *19 * (lacking,)) < 0.9
    assert spoken_of() == 0.0


def test_a_question_of_the_same_form_on_another_subject_is_told_apart():
    text = "Pupils should be taught about sex at school, since they learn to be careful."
    hits = [hit(f"h{i}", SEX, text) for i in range(FEW_HITS + 2)]
    model = StanceModel.load()
    own, other = (
        model.sides(f"Should {what} be taught in schools?", hits, hits)[0]
        for what in ("sex education", "evolution")
    )
    assert own.value == "for"
    assert other.probability < own.probability - 0.1


def test_what_is_read_does_not_depend_on_what_was_read_before(monkeypatch):
    hits = [hit(f"h{i}", SEX, f"Schools teach sex, number {i}.") for i in range(FEW_HITS)]
    question = "Should sex education be taught in schools?"
    first = StanceModel.load().sides(question, hits, hits)
    model = replaced(StanceModel.load())
    Wording.of(model.terms, [f"word{i} of{i}" for i in range(500)])
    assert model.sides(question, hits, hits) == first
    before = model.terms.vocabulary
    monkeypatch.setattr(wording, "CACHED_WORDS", 4)
    assert model.sides(question, hits, hits) == first
    assert model.terms.vocabulary is not before
    with ThreadPoolExecutor(4) as pool:
        many = pool.map(lambda _: model.sides(question, hits, hits), range(16))
        assert list(many) == [first] * 16


def replaced(model):
    return StanceModel(model.terms.names, model.attitude, model.weights)


def test_only_so_many_phrases_are_remembered(monkeypatch):
    monkeypatch.setattr(wording, "CACHED_VECTORS", 4)
    few, phrases = wording.RememberedRows(), [f"phrase {letter}" for letter in "abcdefgh"]
    for begin in range(6):
        some = phrases[begin : begin + 3]
        assert np.array_equal(few.of(some), wording.RememberedRows().of(some))
        assert len(few._rows) <= 4


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=9), max_size=4),
    st.lists(st.sampled_from(WORDS), max_size=3),
)
def test_terms_and_masks_are_those_of_the_plain_reading(texts, subject):
    model, claim = StanceModel.load(), read_claim("")
    claim = replace(claim, subject=tuple(dict.fromkeys(map(canonical, subject))))
    names = {name: i for i, name in enumerate(model.terms.names)}
    read, begin = Wording.of(model.terms, texts).read(claim), 0
    for text, has, end in zip(texts, read.has, read.ends.tolist(), strict=True):
        roots = {canonical(word) for word in text}
        assert has.tolist() == [root in roots for root in claim.subject]
        counted = Counter(map(names.get, terms(masked(text, frozenset(claim.subject)))))
        counted.pop(None, None)
        pairs = zip(read.ids[begin:end].tolist(), read.tfs[begin:end].tolist(), strict=True)
        assert list(pairs) == sorted(counted.items())
        begin = end


def test_a_single_word_has_the_root_of_what_it_paraphrases():
    words = {word for old, _ in lexicon.PARAPHRASES.listed for word in re.findall("[a-z]+", old)}
    for word in {*words, *(f"{word}s" for word in words), *WORDS}:
        assert canonical(word) == root(plain(word).split(" ")[0])
