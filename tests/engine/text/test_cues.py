from __future__ import annotations

import numpy as np
import pytest

from argsearch.engine.text import cues
from argsearch.engine.text.snippet import sentences
from argsearch.indexer.analysis.sentences import segment_further
from argsearch.ranking.lexicons import lexicon


def counted(sentence: str) -> dict[str, int]:
    spans = np.array([[0, len(sentence)]], np.int32)
    row = cues.count(cues.codes(sentence), spans, *cues.table())[0]
    return dict(zip(cues.CUE_COLUMNS, row.tolist(), strict=True))


def pieces(text: str) -> list[str]:
    return [text[a:b] for a, b in segment_further(cues.codes(text), sentences(text)).tolist()]


PLAIN = "Many large animals walk long distances every day in summer."


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("question", "Why would anyone keep them in a cage?"),
        ("question", 'Who asked "why not?"'),
        ("question", "Should we ban cell phones in school?."),
        ("quoted", '"Zoos protect species that would be lost."'),
        ("quoted", "“Zoos protect species that are rare.”"),
        ("quoted", 'Keepers say: "Zoos protect species that would be lost."'),
        ("colon", "There are some things to look at:"),
        ("unended", "The costs of zoos"),
        ("cue", "Zoos should go because they harm animals."),
        ("talk", "I thank my opponent for a lively exchange."),
        ("talk", "My opponent's case falls apart."),
        ("talk", "Pro says that zoos are good."),
        ("talk", "CON claims the contrary of it."),
        ("talk", "Good luck!"),
        ("announcement", "I will show that zoos are bad."),
        ("opposed", "My opponent says that zoos save species."),
        ("opposed", "Some people claim that zoos save species."),
        ("opposed", "Others, among them keepers of some large parks, say that zoos save species."),
        ("opposed", "It is often argued that zoos save species."),
        ("opposed", "While it is true that zoos save species, few animals are happy there."),
        ("reference", "See http://example.org/page for more."),
        ("reference", "Smith et al. looked at it in 1999."),
        ("person", "I like large animals."),
        ("person", "You’re fond of large animals."),
        ("example", "For example, tigers pace up and down."),
        ("anaphora", "This makes them ill."),
        ("anaphora", "On the other hand, they live longer."),
        ("answer", "But they live longer."),
    ],
)
def test_each_cue_is_found_and_a_plain_sentence_has_none(name, sentence):
    assert counted(sentence)[name] > 0
    assert counted(PLAIN)[name] == 0


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("talk", "Pro-choice groups and pro life groups met in the Congo."),
        ("talk", "Affirmative action helps students of minorities."),
        ("talk", "Voters and judges decide on the conclusion."),
        ("anaphora", "Animals know this and that."),
        ("answer", "Animals suffer, but few die."),
        ("quoted", 'Keepers call it "a park" and close it.'),
        ("question", "He asked why. Nobody knew."),
        ("opposed", "Some people claim that zoos save species, but they are mistaken."),
        ("opposed", "For most animals I believe that a zoo is a cage."),
        ("opposed", "Studies of many animals show that they die young."),
        ("unended", "Zoos are small (and dark)."),
    ],
)
def test_what_only_looks_like_a_cue_is_none(name, sentence):
    assert counted(sentence)[name] == 0


def test_words_and_signs_are_counted():
    row = counted("In 1999, Don’t Panic sold 3 copies")
    assert (row["words"], row["digits"], row["characters"]) == (7, 5, 34)


def test_no_listed_phrase_is_longer_than_what_is_looked_for():
    phrases = [phrase for listed in lexicon("cues").values() for phrase in listed]
    assert len(phrases) > 500
    assert all(1 <= len(phrase.split()) <= 3 for phrase in phrases)
    for phrase in phrases:
        assert any(counted(f"{phrase} zebra")[name] for name in cues.CUE_CLASSES), phrase


def column(text: str, name: str) -> list[int]:
    spans = segment_further(cues.codes(text), sentences(text))
    rows = cues.count(cues.codes(text), spans, *cues.table())
    return rows[:, cues.CUE_COLUMNS.index(name)].tolist()


def test_sentences_inside_an_open_quotation_are_quoted_and_mangled_apostrophes_are_not():
    assert column('"It is. It is." We go. Earth"s air thins. We go.', "quoted") == [1, 1, 0, 0, 0]
    assert column('They said: "Zoos are bad.' + " All is sad." * 90, "quoted")[1::88] == [1, 0]


def test_speeches_that_run_on_are_cut():
    assert pieces("That is my case.Pros are few.") == ["That is my case.", "Pros are few."]
    assert pieces("One line\nanother line") == ["One line", "another line"]


def test_lists_are_cut_and_lose_their_markers():
    long = "1) Cost. " + "Keeping many large animals in small cages costs a city money. " * 4
    assert pieces(long)[:2] == [
        "Cost.",
        "Keeping many large animals in small cages costs a city money.",
    ]
    assert pieces("[12, 13] They are ill.") == ["They are ill."]
    assert pieces("(a) They are ill.") == ["They are ill."]


def test_numbers_and_abbreviations_do_not_cut():
    for text in ("It rose by 3.5 percent.", "The U.S.A. did so.", "Mr.Smith went."):
        assert pieces(text) == [text]
