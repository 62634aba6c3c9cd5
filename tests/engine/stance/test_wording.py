"""The words of a text, their roots, and the terms that a model counts."""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, plain, read_question, root
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.terms import MOST_FURTHER, QUESTION_SHARE, TextRead, _hashes
from argsearch.engine.stance.wording import (
    CACHED_WORDS,
    CLASS_OF,
    HEAD,
    TAIL,
    WORD_WIDTH,
    canonical,
    ends,
    expanded,
    masked,
    read_words,
    terms,
    words_of,
)
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.ranking.hashing import fnv

BAGS = read_question("Should plastic bags be banned?").subject
PIECES = st.sampled_from(
    ["can't", "won’t", "Plastic_bags", "a", " ", ". ", "ÉTÉ ", "ΣΑΣ ", "don't "]
)


@given(st.lists(PIECES, max_size=40), st.integers(1, 60))
def test_the_words_at_both_ends_are_those_of_reading_the_whole_text(pieces, times):
    text = "".join(pieces) * times

    def words(part):
        part = part.lower().replace("’", "'").replace("can't", "can not")
        return WORD.findall(part.replace("won't", "will not").replace("n't", " not"))

    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        read = words(text)
        expected = read if len(read) <= HEAD + TAIL else read[:HEAD] + read[-TAIL:]
    else:
        begin, end = words(text[: HEAD * WORD_WIDTH]), words(text[-TAIL * WORD_WIDTH :])
        expected = begin[:HEAD] + end[-TAIL:]
    assert read_words(text) == expected


def test_a_single_word_has_the_root_of_its_synonym():
    assert canonical("cannabis") == canonical("marijuana")
    assert plain("Pot, and e-cigarettes") == "marijuana, and ecigarette"
    for word in (one for one in lexicon.SYNONYMS if " " not in one):
        assert canonical(word) == root(plain(word).split(" ")[0])


def test_only_so_many_words_are_remembered():
    assert canonical.cache_info().maxsize == CACHED_WORDS


def test_words_of_the_subject_are_masked_and_classes_have_terms_of_their_own():
    words = masked(["zoos", "are", "not", "good"], frozenset({canonical("zoo")}))
    assert words == ["SUBJECT", "are", "not", "good"]
    assert {"SUBJECT are not", "not good", "<it> <is> <not>", "<good>"} <= set(terms(words))


def plainly_read(text, subject):
    """Count the words with the functions that training uses."""
    words = read_words(text)
    roots = [canonical(word) for word in words]
    own = [root for root in roots if root in subject]
    others = [
        root
        for word, root in zip(words, roots, strict=True)
        if root not in subject and word not in lexicon.SAYING_NOTHING
    ]
    few = len(words) >= HEAD or len(own) <= QUESTION_SHARE * (len(own) + len(others))
    further = MOST_FURTHER + 1 if few else min(len(set(others)), MOST_FURTHER + 1)
    return [len(set(own)), further]


KNOWN = sorted({*lexicon.SAYING_NOTHING, *lexicon.SYNONYMS, *CLASS_OF})
LETTERS = st.text() | st.text("aénstwo'’İΣß_ﬀ٣²ǅ ", max_size=40)


@given(
    st.lists(LETTERS | PIECES | st.sampled_from(KNOWN), max_size=60).map(" ".join),
    st.integers(1, 40),
)
def test_the_kernel_reads_the_words_of_any_text(text, times):
    texts = [text, text * times, "", text * 200]
    found, _ = StanceModel.load().terms.read(list(map(ends, texts)), [False] * 4, BAGS)
    assert found == [plainly_read(one, BAGS) for one in texts]


def test_every_letter_and_sign_is_read_as_python_does():
    every = " ".join(map(chr, range(sys.maxunicode + 1)))
    words = words_of(every)
    assert _hashes([expanded(every)])[0].tolist() == [fnv(map(ord, word)) for word in words]


@given(st.lists(PIECES | st.sampled_from(["zoos ", "ban ", "is good "])).map("".join))
def test_the_kernel_counts_the_terms_of_a_text(text):
    model, subject = StanceModel.load(), read_question("Should plastic zoos be banned?").subject
    (found,), counted = model.terms.read([ends(text)], [True], subject)
    read = masked(read_words(text), frozenset(subject))
    number_of = {name: number for number, name in enumerate(model.terms.names)}
    known = Counter(number_of[term] for term in terms(read) if term in number_of)
    assert dict(zip(*map(np.ndarray.tolist, counted[:2]), strict=True)) == known
    assert counted[2].tolist() == [len(known)]
    assert found == plainly_read(text, subject)


def test_what_is_read_does_not_depend_on_other_threads():
    model = StanceModel.load()
    texts = [Argument("", None, (Premise(f"Zoos hurt animals, number {i}."),)) for i in range(9)]
    first = model.sides("Should zoos be closed?", texts)
    with ThreadPoolExecutor(4) as pool:
        many = pool.map(lambda _: model.sides("Should zoos be closed?", texts), range(16))
        assert list(many) == [first] * 16


REPEATING = (
    "Yes plastic bags should be banned, plastic is plastic. Banned means banned. Plastic bags!"
)
REASON = (
    "Plastic bags end up in rivers, where turtles swallow them. Cloth bags last for years, and "
    "shops in ten countries sell nothing else."
)


def reads(text):
    ((of_subject, further),), _ = StanceModel.load().terms.read([ends(text)], [False], BAGS)
    return TextRead(of_subject, further, 0.0).repeats(text)


@pytest.mark.parametrize(
    "text",
    [
        REPEATING,
        "Plastic bags should be banned!",
        "No. I think plastic bags should not be banned. A plastic bag is a bag.",
        "Plastic bags should be legal.",
        "I oppose banning plastic bags.",
        "Plastic bags are plastic!\nBan plastic bags\nThey are cheap and plastic and bags",
    ],
)
def test_the_questions_own_words_are_no_reason(text):
    assert reads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I accept.",
        REASON,
        "Plastic bags kill turtles.",
        "Plastic bags are harmful. They kill turtles.",
        "Shops would lose customers.",
        REPEATING + " " + REASON,
        REPEATING * 10,
        "Plastic bags cost less than cloth. " * 5,
    ],
)
def test_a_text_that_adds_something_or_repeats_nothing_does_not(text):
    assert not reads(text)


def test_a_text_that_repeats_the_question_stands_on_no_side_and_says_why():
    given = Argument("a", "Plastic bags should be banned", (Premise(REPEATING, Stance.PRO),))
    silent = StanceModel.load().side("Should plastic bags be banned?", given)
    assert (silent.value, silent.probability) == ("unclear", 0.0)
    assert "repeats the question's words" in "\n".join(silent.explanation.lines())
