"""Users' files of word vectors: every form, and what is wrong with them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.encoders import vector_files
from argsearch.indexer.encoders.vector_files import FaultyVectors, FileVectors
from argsearch.indexer.encoders.word_vectors import load_word_vectors
from argsearch.indexer.errors import InvalidParameter

WORDS = ["the", "tenure", "Obama", "USA", "naïve", "原子力", "a.b", "'s"]
NUMBERS = np.array([[i + 0.5, -i, i / 8, 1e-3] for i in range(len(WORDS))], np.float32)


def glove(words, numbers):
    rows = (
        f"{word} {' '.join(map(repr, map(float, row)))}\n"
        for word, row in zip(words, numbers, strict=True)
    )
    return "".join(rows).encode()


def header(words, numbers):
    return f"{len(words)} {len(numbers[0])}\n".encode()


def text(words, numbers):
    return header(words, numbers) + glove(words, numbers)


def binary(words, numbers, end=b"\n"):
    rows = (
        word.encode() + b" " + np.asarray(row, "<f4").tobytes() + end
        for word, row in zip(words, numbers, strict=True)
    )
    return header(words, numbers) + b"".join(rows)


def unbroken(words, numbers):
    return binary(words, numbers, b"")


FORMS = [glove, text, binary, unbroken]


@pytest.fixture
def opened(tmp_path):
    def open_(data):
        path = tmp_path / "vectors"
        path.write_bytes(data)
        return FileVectors(path)

    return open_


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(opened, form):
    source = opened(form(WORDS, NUMBERS))
    known, vectors = source.vectors([*WORDS, "absent", ""])
    assert (len(source._keys), source.dimensions) == (len(WORDS), 4)
    assert known.tolist() == [True] * len(WORDS) + [False, False]
    np.testing.assert_array_equal(vectors, NUMBERS)
    assert vectors.dtype == np.float32
    known, vectors = source.vectors(["obama", "usa", "The"])
    assert known.tolist() == [True, True, False], "names are found by their capitals"
    np.testing.assert_array_equal(vectors, NUMBERS[[2, 3]])
    assert source.vectors([])[1].shape == source.vectors(["absent"])[1].shape == (0, 4)
    twice = opened(form(["a", "b", "a"], [[1, 1], [2, 2], [3, 3]]))
    assert twice.vectors(["a"])[1].tolist() == [[1, 1]], "the first counts"


def test_a_word_of_glove_may_hold_spaces(opened):
    source = opened(b"a 1 2\n. . . 3 4\nat home@example.org 5 6\n")
    known, vectors = source.vectors([". . .", "at home@example.org", ".", "at"])
    assert known.tolist() == [True, True, False, False]
    assert vectors.tolist() == [[3, 4], [5, 6]]


@pytest.mark.parametrize("end", [b"\r\n", b" \n", b"\n\n"])
def test_ends_of_lines(opened, end):
    assert opened(b"a 1 2" + end + b"b 3 4" + end).vectors(["b"])[1].tolist() == [[3, 4]]


@pytest.mark.thorough
@settings(max_examples=60)
@given(st.dictionaries(st.text("abcäß日🦊-'", min_size=1, max_size=6), st.integers(-9, 9)))
def test_round_trips(tmp_path_factory, words):
    if not words:
        return
    numbers = [[value, 0.25] for value in words.values()]
    for form in FORMS:
        path = tmp_path_factory.mktemp("vectors") / "file"
        path.write_bytes(form(list(words), numbers))
        known, vectors = FileVectors(path).vectors(list(words))
        assert known.all()
        np.testing.assert_array_equal(vectors, np.array(numbers, np.float32))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: the file is empty"),
        (b"a 1 2\nb 3\n", "line 2: this word must have 2 numbers, not 1"),
        (b"a 1 2\nb 3 4\nc 5 6 7\n", "line 3: this word must have 2 numbers, not 3"),
        (b"2 2\na 1 2\nb 3 4 5\n", "line 3: this word must have 2 numbers, not 3"),
        (b"2 2\na 1 2\n\n b 4\n", "line 4: "),
        (b"a 1 2\n 3 4\n", "line 2: "),
        (b"hello\nworld\n", "line 1: the line must be `count dimensions`, or a word and its"),
        (b"a b c\n", "line 1: the line must be `count dimensions`, or a word and its numbers"),
        (b"PK\x03\x04 some \x00 archive", "line 1: the line must be `count dimensions`, or a"),
        (b"\n\n", "line 1: the line must be `count dimensions`, or a word and its numbers"),
        (b"3 2\na 1 2\nb 3 4\n", "line 1: its header says 3 words"),
        (b"1 2\na 1 2\nb 3 4\n", "line 1: its header says 1 words, but there are 2"),
        (b"999999999999 300\na 1 2\n", "line 1: its header says 999999999999 words of 300 numbers"),
        (b"3 999999999999\na 1 2\n", "line 1: its header says 3 words of 999999999999 numbers"),
        (b"0 0\n", "line 1: its header says 0 words"),
        (b"3 0\na\nb\nc\n", "line 1: its header says 3 words of 0 numbers"),
        (b"2 2\nthe x y\na 1 2\n", None),  # found when `the` is asked for
    ],
)
def test_a_faulty_file_says_where(opened, data, message):
    if message is None:
        source = opened(data)
        assert source.vectors(["a"])[1].tolist() == [[1, 2]]
        message = "line 2: the word does not have 2 finite numbers"
    else:
        source = None
    with pytest.raises(FaultyVectors) as caught:
        (source or opened(data)).vectors(["the"])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", ["nan", "inf", "1e99", "x"])
@pytest.mark.parametrize("block", [1, 4, 1 << 20])
def test_a_number_that_is_none_says_where(opened, bad, block, monkeypatch):
    monkeypatch.setattr(vector_files, "FILE_BLOCK", block)
    source = opened(f"a 1 2\n\nb 3 {bad}\nc 4 5\n".encode())
    assert source.vectors(["c"])[1].tolist() == [[4, 5]]
    with pytest.raises(FaultyVectors, match="line 3: the word does not have 2 finite numbers"):
        source.vectors(["c", "b"])


def test_nan_in_a_binary_file_names_its_word(opened):
    numbers = NUMBERS.copy()
    numbers[2, 1] = np.nan
    for end in (b"", b"\n"):
        source = opened(binary(WORDS, numbers, end))
        with pytest.raises(FaultyVectors, match="word 3: the word does not have 4 finite numbers"):
            source.vectors(["Obama"])


@pytest.mark.parametrize("form", [binary, unbroken])
@pytest.mark.parametrize("cut", [2, 5, 20, 60, 130])
def test_a_binary_file_cut_off_is_refused(opened, form, cut):
    with pytest.raises(FaultyVectors, match="word|line 1"):
        opened(form(WORDS, NUMBERS)[:-cut])


def test_a_binary_file_with_more_is_refused(opened):
    with pytest.raises(FaultyVectors, match="the file goes on after the 8 words that its header"):
        opened(binary(WORDS, NUMBERS) + b"more " + struct.pack("<4f", 1, 2, 3, 4))


def test_a_path_is_a_spec(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_bytes(glove(WORDS, NUMBERS))
    source = load_word_vectors(str(path))
    assert source is load_word_vectors(f" {path} ")
    assert source.dimensions == 4
    path.write_bytes(glove(WORDS[:2], NUMBERS[:2]) + b"new 1 2 3 4\n")
    assert load_word_vectors(str(path)).vectors(["new"])[0].tolist() == [True]


@pytest.mark.parametrize("spec", ["", "no/such/file", "."])
def test_a_spec_that_names_no_file_is_refused(spec):
    with pytest.raises(InvalidParameter, match="word vectors must .*not '"):
        load_word_vectors(spec)
