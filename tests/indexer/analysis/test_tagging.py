"""Universal part-of-speech tags: textblob's own tags for the same tokens, limits, odd texts."""

from __future__ import annotations

import subprocess
import sys
import types

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from argsearch.indexer.analysis import tagging
from argsearch.indexer.analysis.tagging import (
    CHARACTERS,
    TOKENS,
    UNIVERSAL,
    TaggerUnavailable,
    load_tagger,
    tokens,
)
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.errors import InvalidParameter, MissingExtra
from argsearch.indexer.format.settings import IndexSettings


@pytest.fixture(scope="module")
def tagger():
    return load_tagger("lexicon")


def tags(tagger, text):
    return [UNIVERSAL[code] for code in tagger.codes(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Teachers shouldn't get it.", ["Teachers", "should", "n't", "get", "it", "."]),
        ("They’re lazy", ["They", "'re", "lazy"]),
        ("U.S. costs $1,000.50 at 12:30", ["U.S.", "costs", "$", "1,000.50", "at", "12:30"]),
        ("well-known... (50%)", ["well-known", "...", "(", "50%", ")"]),
        ("3rd cat’s can't", ["3rd", "cat", "'s", "ca", "n't"]),
        ("原子力", ["原子力"]),
        ("", []),
    ],
)
def test_tokens(text, expected):
    assert tokens(text) == expected


@pytest.mark.thorough
@given(st.text("ab'’nt.,!-1 \n%U.s", max_size=40))
def test_tokens_hold_every_mark_and_no_space(text):
    together = "".join(tokens(text))
    assert together == "".join(text.replace("’", "'").split())


def test_by_hand(tagger):
    assert tags(tagger, "The old teacher should not quickly get 3 of them, and why?") == [
        *("DET", "ADJ", "NOUN", "AUX", "ADV", "ADV", "VERB", "NUM", "ADP", "PRON", "PUNCT"),
        *("CCONJ", "ADV", "PUNCT"),
    ]
    assert tags(tagger, "to London $ «x»") == ["PART", "PROPN", "SYM", "PUNCT", "NOUN", "PUNCT"]


WORDS = st.sampled_from(
    ["the", "The", "Teachers", "teach", "tenure", "glibly", "blorf", "Blorf", "blorfing", "12%"]
)


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_equals_textblob_on_the_same_tokens(words):
    tagger = load_tagger("lexicon")
    penn = tagger.penn(words)
    expected = [tagging._universal(word, tag) for word, tag in zip(words, penn, strict=True)]
    assert tagger.codes(" ".join(words)).tolist() == expected


@pytest.mark.slow
def test_is_textblobs_own_tagger():
    script = (
        "from textblob.en import tag\n"
        "from argsearch.indexer.analysis.tagging import load_tagger\n"
        "words = 'Teachers quickly get blorfed by the 3 old Blorf unions of Paris'.split()\n"
        "ours = load_tagger('lexicon').penn(words)\n"
        "assert ours == [penn for _, penn in tag(' '.join(words))], ours\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_sentence_may_owe_its_capital_to_its_place(tagger):
    # "Retract" is not in the lexicon, "retract" is: a verb where a sentence begins, else a name.
    assert tags(tagger, "Retract it")[0] == "VERB"
    assert tags(tagger, 'it. "Retract it')[3] == "VERB"
    assert tags(tagger, "it Retract")[1] == tags(tagger, "it, Retract")[2] == "PROPN"


@pytest.mark.thorough
def test_a_text_is_tagged_the_same_whatever_came_before(tagger):
    fresh = tagging.LexiconTagger()
    texts = ["Retract it", "they Retract it.", "Retract", "it. Retract it", "they Retract it."]
    assert [fresh.codes(t).tolist() for t in texts] == [tagger.codes(t).tolist() for t in texts]


def test_long_texts_are_their_beginning(tagger):
    text = "teacher " * 5000
    assert len(tagger.codes(text)) == TOKENS
    assert len(tagger.codes("!" * 50_000)) == TOKENS
    assert len(tagger.codes("x" * 50_000)) == 1
    assert len(tagger.codes("teachers' " * 300)) == TOKENS
    assert tagger.codes("a b").tolist() == tagger.codes("a b" + " " * CHARACTERS + "c").tolist()


@pytest.mark.thorough
@settings(max_examples=40)
@given(st.text(max_size=60))
@example("Ist Atomkraft sicher?")
@example("原子力は安全ですか")
@example("\ud800 🦊\x00")
def test_every_text_is_tagged(text):
    codes = load_tagger("lexicon").codes(text)
    assert codes.dtype == np.int8
    assert not codes.flags.writeable
    assert len(codes) == len(tokens(text))
    assert np.all((codes >= 0) & (codes < len(UNIVERSAL)))


def test_one_tagger_a_process(tagger):
    assert load_tagger(" Lexicon ") is tagger
    assert tagger.name == "lexicon"


@pytest.mark.parametrize("spec", ["", "spacy", "spacy:", "lexicon:en", "nltk"])
def test_other_specs_are_refused(spec):
    with pytest.raises(InvalidParameter, match="tagger must .*not '"):
        load_tagger(spec)


class Token:
    def __init__(self, pos):
        self.pos_, self.is_space = pos, pos == "SPACE"


@pytest.fixture
def spacy(monkeypatch):
    """A stand-in for the library: models that tag each word by its own text."""

    def load(name, exclude):
        if name == "absent":
            raise OSError("[E050] Can't find model 'absent'.\nIt is no package.")
        return lambda text: [Token(word) for word in text.split()]

    module = types.ModuleType("spacy")
    module.load = load
    module.__spec__ = types.SimpleNamespace()
    monkeypatch.setitem(sys.modules, "spacy", module)
    tagging._load.cache_clear()
    yield
    tagging._load.cache_clear()


def test_a_spacy_model_gives_its_own_tags(spacy):
    tagger = load_tagger("spacy:some-model")
    assert tagger.name == "spacy:some-model"
    assert tags(tagger, "NOUN AUX SPACE SCONJ") == ["NOUN", "AUX", "SCONJ"]
    assert len(tagger.codes("X " * 1000)) == TOKENS
    assert tagger.codes("").tolist() == []


def test_a_spacy_model_that_is_absent_is_named(spacy):
    with pytest.raises(
        TaggerUnavailable, match=r"spacy:absent cannot be loaded: \[E050\]"
    ) as error:
        load_tagger("spacy:absent")
    assert "\n" not in str(error.value)


def test_a_spacy_model_without_tags_is_refused(spacy, monkeypatch):
    monkeypatch.setattr(
        Token, "__init__", lambda token, _: vars(token).update(pos_="", is_space=False)
    )
    with pytest.raises(TaggerUnavailable, match="gives no part-of-speech tags"):
        load_tagger("spacy:blank").codes("a text")


def test_spacy_itself_may_be_missing_and_a_build_says_so_before_it_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(tagging, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="spaCy is not installed"):
        tagging.SpacyTagger("en_core_web_md")
    asked = IndexSettings(parts=("pairs",), pair_vectors="spacy-content:no-model")
    with pytest.raises(MissingExtra, match="spaCy is not installed"):
        build(BuildRequest(["no-corpus"], tmp_path, asked))
