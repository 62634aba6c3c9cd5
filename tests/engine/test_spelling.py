"""Words misspelt: what an index offers for them, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.query.spelling import RARE, TIMES, Spelling
from argsearch.indexer.format.arrays import SortedStrings

COUNTS = {
    "abort": 40, "aborting": 9, "abortion": 5000, "abortions": 900, "cool": 300, "dads": 4,
    "days": 4000, "goverment": 9, "government": 6000, "legal": 2400, "level": 1400, "level5": 9,
    "the": 50_000, "school": 2900, "schools": 900, "should": 9000, "tenure": 8, "uniforms": 200,
    "vapes": 6, "vase": 5, "zoo": 90, "zoos": 80, "aboriton": 1,
}  # fmt: skip
TOKENS = 1_000_000


def spelling(counts: dict[str, int], tokens: int = TOKENS) -> Spelling:
    words = sorted(word.encode() for word in counts)
    offsets = np.cumsum([0, *map(len, words)])
    terms = SortedStrings(offsets, np.frombuffer(b"".join(words), np.uint8))
    return Spelling(terms, np.array([counts[word.decode()] for word in words]), tokens)


@pytest.fixture(scope="module")
def known() -> Spelling:
    return spelling(COUNTS)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("abortoin", "abortion"),  # neighbours swapped
        ("legel", "legal"),  # more frequent than level
        ("scool", "school"),  # not cool: another first letter
        ("shoud", "should"),
        ("goverment", "government"),  # occurs, the other 600 times as often
        ("govrenmnet", "government"),  # two mistakes in a long word
        ("uniformes", "uniforms"),
        ("vape", "vapes"),  # another form, though a rare one
        ("tenur", "tenure"),
    ],
)
def test_a_misspelt_word_is_recognised(known: Spelling, word: str, meant: str) -> None:
    assert known.correction(word) == meant


@pytest.mark.parametrize(
    "word",
    [
        "abortion", "abort", "tenure", "vapes",  # known, and no one's misspelling
        "dads",  # a short word that occurs
        "aborting",  # a rare form of a frequent word
        "zo", "teh", "vame",  # too short, or too little like anything frequent
        "lexeg",  # two mistakes in a short word
        "bbortion",  # the first letter
        "level5", "20210", "🦄🦄🦄🦄", "Ünïcödé", "x" * 300, "",
    ],
)  # fmt: skip
def test_other_words_are_left_alone(known: Spelling, word: str) -> None:
    assert known.correction(word) is None


def test_words_that_are_never_doubted_are_not_remembered(known: Spelling) -> None:
    known._remembered.cache_clear()
    assert known.correction("abortoin" * 6) is None
    assert known._remembered.cache_info().currsize == 0
    known.correction("abortoin")
    assert known._remembered.cache_info().currsize == 1


def test_of_a_corpus_of_nothing_nothing_is_offered() -> None:
    assert spelling({"a": 1}, 1).correction("abortoin") is None


letters = st.text("abc", min_size=4, max_size=7)


@given(st.dictionaries(letters, st.integers(1, 10**6), max_size=30), letters)
def test_what_is_offered_is_the_most_frequent_of_the_nearest(
    counts: dict[str, int], word: str
) -> None:
    """For words that occur: beside brute force over every word at a distance of one."""
    counts[word] = 5
    meant = spelling(counts, 10**8).correction(word)
    if meant is not None:
        near = [w for w in counts if w[0] == word[0] and one_mistake(w, word)]
        assert meant in near
        assert counts[meant] >= TIMES * counts[word]
        assert counts[word] <= RARE * 10**8


def one_mistake(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or one == other:
        return False
    if len(short) < len(long):
        return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    differ = [i for i in range(len(one)) if one[i] != other[i]]
    swapped = len(differ) == 2 and differ[1] == differ[0] + 1
    return len(differ) == 1 or (
        swapped and one[differ[0]] == other[differ[1]] and one[differ[1]] == other[differ[0]]
    )
