"""The kernels' counts equal the plain expressions, for any text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.ranking.quality.surface import (
    AS_IS,
    COUNTS,
    FEATURES,
    LOG,
    LOG_SPACING,
    LOG_SQUARED,
    MAX_CHARACTERS,
    MAX_WORDS,
    ROOT_SHARE,
    SQUARE_ROOT,
    WORD_CLASSES,
    counts,
    derive,
    features,
    fold,
    join,
    word_hash,
    word_table,
)
from tests.ranking.quality import plain_counts as plain

PIECES = st.sampled_from(
    [
        *(
            "the",
            "I",
            "i",
            "don't",
            "DON'T",
            "therefore",
            "U.S.",
            "ok,then",
            " .",
            "...",
            "?!",
            "'",
        ),
        *("''", " ", "  ", "\n", "\t", "a'b'", "1st", "2,000", "WHO", "Evaluation", "é", "“", "…"),
        *("\xa0", '"', "(", "[", "-", ";", "beautiful", "eye", "\x00", "\ud800", "日本", "😀"),
        *(".a", ". A", ". a"),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join))


def as_row(text: str) -> dict[str, int]:
    return dict(zip(COUNTS, counts([text])[0].tolist(), strict=True))


@pytest.mark.thorough
@settings(max_examples=400)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_kernel_equals_plain_expressions(texts: list[str]) -> None:
    for text, row in zip(texts, counts(texts).tolist(), strict=True):
        assert dict(zip(COUNTS, row, strict=True)) == plain.counts(fold(text))


@pytest.mark.thorough
@settings(max_examples=20)
@given(st.lists(PIECES, min_size=200, max_size=900), st.integers(0, 5))
def test_kernel_equals_plain_expressions_where_texts_are_cut(pieces: list[str], gap: int) -> None:
    text = (" " * gap).join(pieces)
    assert as_row(text) == plain.counts(fold(text))


def test_only_the_first_words_and_characters_count() -> None:
    text = "Good words, every one. " * 200
    assert as_row(text)["words"] == MAX_WORDS
    assert as_row(text + "lol !!! i") == as_row(text)
    assert as_row("a" * 50_000)["bytes"] == MAX_CHARACTERS


def test_typographic_forms_count_as_typewriter_forms() -> None:
    fancy, typed = "It’s “so” – really…\xa0yes\u200b", 'It\'s "so" - really... yes'
    np.testing.assert_array_equal(features([fancy]), features([typed]))


def test_join_keeps_texts_apart() -> None:
    text, offsets = join(["ab", "", "é"])
    assert text.tobytes() == "abé".encode()
    assert offsets.tolist() == [0, 2, 2, 4]


def test_every_class_word_is_found_and_no_other() -> None:
    keys, masks = word_table()
    found = {int(k): int(m) for k, m in zip(keys, masks, strict=True) if k}
    classes = list(WORD_CLASSES.values())
    expected = {
        word: sum(1 << bit for bit, own in enumerate(classes) if word in own)
        for words in classes
        for word in words
    }
    assert found == {word_hash(word.encode()): mask for word, mask in expected.items()}
    for name, words in WORD_CLASSES.items():
        assert as_row(" ".join(words))[name] == len(words), name
    assert not any(as_row("zebra xylophone")[name] for name in WORD_CLASSES)


def test_fnv_hash_is_the_published_one() -> None:
    assert word_hash(b"a") == 0xAF63DC4C8601EC8C  # from the FNV authors' test vectors
    assert word_hash(b"foobar") == 0x85944171F73967E8


PLAIN = {
    AS_IS: lambda n, _: n,
    LOG: lambda n, _: math.log(1 + n),
    LOG_SQUARED: lambda n, _: math.log(1 + n) ** 2,
    SQUARE_ROOT: lambda n, _: math.sqrt(n),
    ROOT_SHARE: lambda n, w: math.sqrt(n / max(w, 1)),
    LOG_SPACING: lambda n, w: math.log(max(w, 1) / max(n, 1)),
}


@pytest.mark.thorough
@settings(max_examples=50)
@given(st.lists(st.integers(0, 4000), min_size=len(COUNTS), max_size=len(COUNTS)))
def test_features_equal_their_plain_transforms(row: list[int]) -> None:
    named = dict(zip(COUNTS, row, strict=True))
    expected = [PLAIN[f.transform](named[f.counted], named["words"]) for f in FEATURES]
    assert derive(np.array([row], dtype=np.int32))[0] == pytest.approx(
        expected, rel=1e-14, abs=1e-14
    )
