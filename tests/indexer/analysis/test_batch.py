"""Many texts at once: the same tokens as one by one, whatever the texts hold."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.analysis.batch import TokenBatch, tokenize
from argsearch.indexer.analysis.word_classes import ranges

TOKENS = StandardAnalyzer().tokens


def _unpacked(batch: TokenBatch) -> list[list[str]]:
    terms = [term.decode("utf-8", "surrogatepass") for term in batch.terms]
    bounds = zip(batch.offsets, batch.offsets[1:], strict=False)
    return [[terms[i] for i in batch.ids[start:end]] for start, end in bounds]


ONE_OF_EACH_CLASS = "".join({letter: chr(first) for first, _, letter in ranges()}.values())
WORDS = st.sampled_from(
    [
        "don't",
        "U.S.A.",
        "a" * 254,
        "b" * 255,
        "c" * 256,
        "1" * 300,
        "é" * 256,
        "𐐨" * 130,
        "3.14",
        "x_y",
        "10:30",
    ]
)
TEXTS = st.one_of(
    st.text(st.characters(max_codepoint=127)),
    st.text("aB9 _.,:;'#*\x00\n", max_size=30),
    st.text(ONE_OF_EACH_CLASS + " A.", max_size=30),
    st.text(),
    st.lists(st.one_of(WORDS, st.text(max_size=3))).map(" ".join),
    st.lists(WORDS).map("'".join),
)


@given(st.lists(TEXTS, max_size=6))
@example(["", " ", ""])
def test_equals_one_by_one(texts: list[str]) -> None:
    assert _unpacked(tokenize(texts)) == [TOKENS(text) for text in texts]


def test_neighbouring_texts_do_not_join() -> None:
    texts = ["can", "'t", "1", "\u20e3", "é", "\u0301x", "a\ud800b", "\udfff"]
    found = [["can"], ["t"], ["1"], [], ["é"], ["x"], ["a", "b"], []]
    assert _unpacked(tokenize(texts)) == found


def test_bytes_of_four_texts_are_the_most_tokens() -> None:
    text = "a©" * 5000
    assert _unpacked(tokenize([text])) == [["a", "©"] * 5000]


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1, 7, 8, 60, 200])
def test_many_terms_and_long_ones(width: int) -> None:
    words = [f"{number:0{width}d}é"[-255:] for number in range(40_000)]
    batch = tokenize([" ".join(words[:20_000]), " ".join(words), " ".join(words[::-1])])
    assert [term.decode() for term in batch.terms] == words
    assert batch.ids[60_000:].tolist() == list(range(40_000))[::-1]
