"""The default encoder against the package it reads its vectors from."""

from __future__ import annotations

import ctypes
import json
import math
import platform
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.indexer.encoders import load_encoder, pieces
from argsearch.indexer.encoders.base import LONGEST_TEXT, MOST_TOGETHER, batches, unit_rows
from argsearch.indexer.encoders.pieces import JOINS
from argsearch.indexer.encoders.wordllama import WordLlamaEncoder, open_tokenizer, open_vectors
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.packages import PackageBroken, package_folder

TEXTS = [
    "should teachers get tenure",
    "Teachers should not get tenure.",
    "  Wind   power\tis cheap\n",
    "Ist Atomkraft sicher? 是的 😀",
    "a",
    "x" * 700,
]


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("wordllama")


@pytest.mark.thorough
def test_equals_the_package_it_reads():
    script = (
        "import sys, pathlib, numpy as np, wordllama\n"
        "from wordllama import WordLlama\n"
        "from argsearch.indexer.encoders import load_encoder\n"
        "folder = pathlib.Path(wordllama.__file__).parent\n"
        "peer = WordLlama.load(cache_dir=folder, disable_download=True)\n"
        f"texts = {TEXTS!r}\n"
        "expected = peer.embed(texts, norm=True)\n"
        "np.testing.assert_allclose(load_encoder('wordllama').encode(texts), expected, atol=2e-6)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.thorough
def test_neither_it_nor_the_tagger_loads_a_heavy_package():
    script = (
        "import sys\n"
        "from argsearch.indexer.analysis.tagging import load_tagger\n"
        "load_tagger('lexicon').codes('Teachers get tenure')\n"
        "assert not {'textblob', 'nltk', 'spacy', 'scipy'} & set(sys.modules)\n"
        "from argsearch.indexer.encoders import load_encoder\n"
        "load_encoder('wordllama').encode(['wind power'])\n"
        "heavy = {'wordllama', 'requests', 'torch', 'tensorflow', 'sklearn', 'scipy.linalg'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)


def test_says_what_it_is(encoder):
    assert (encoder.name, encoder.dimensions) == ("wordllama", 256)
    assert load_encoder(" WordLlama ") is encoder


def test_nul_lone_surrogates_and_special_tokens_are_only_text(encoder):
    rows = encoder.encode(["\x00", "half a pair \ud83d", "<s> </s> <unk>", "\ufffd"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    whole, pair = encoder.encode(["\U0001f600", "\ud83d\ude00"])
    assert np.array_equal(whole, pair)


def test_what_follows_the_longest_prefix_is_left_out(encoder):
    head = "wind " * (LONGEST_TEXT // 5)
    long, cut = encoder.encode([head + "nuclear power", head])
    assert np.array_equal(long, cut)


def test_no_more_tokens_are_read_than_asked_for(encoder):
    texts = ["", "wind", "wind power is cheap and clean", "x" * 700, "wind power is cheap"]
    pieces, bounds = encoder.pieces(texts)
    rows = encoder.encode(texts, 3)
    for row, begin, end in zip(rows, bounds, bounds[1:], strict=False):
        sums = encoder.sums(pieces[begin : min(end, begin + 3)], np.array([0, min(3, end - begin)]))
        assert np.array_equal(row, unit_rows(sums)[0])
    assert np.array_equal(rows[2], rows[4])
    assert not np.array_equal(rows[3], encoder.encode(texts)[3])
    assert np.array_equal(encoder.encode(texts, 9000), encoder.encode(texts))


@pytest.mark.parametrize("tokens", [2, 0, -1])
def test_too_few_tokens_are_refused(encoder, tokens):
    with pytest.raises(InvalidParameter, match=f"tokens must be .* at least 3, not {tokens}"):
        encoder.encode(["wind power"], tokens)


BLANK = st.sampled_from(["", " ", "\n\t ", "\u2003"])


@pytest.mark.thorough
@given(texts=st.lists(BLANK | st.text(max_size=40), max_size=12), data=st.data())
def test_rows_are_unit_or_zero_and_do_not_depend_on_company(texts, data):
    encoder = load_encoder("wordllama")
    rows = encoder.encode(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (len(texts), 256)
    norms = np.linalg.norm(rows, axis=1)
    for text, norm in zip(texts, norms, strict=True):
        assert norm == pytest.approx(1.0 if text.strip() else 0.0, abs=1e-5)
    order = data.draw(st.permutations(range(len(texts))))
    assert np.array_equal(encoder.encode([texts[i] for i in order]), rows[list(order)])
    assert all(np.array_equal(encoder.encode([t])[0], r) for t, r in zip(texts, rows, strict=True))


def test_damaged_weights_are_named(tmp_path: Path):
    broken = tmp_path / "l2_supercat_256.safetensors"
    broken.write_bytes(b"\x05\0\0\0\0\0\0\0{}   ")
    with pytest.raises(PackageBroken, match=r"no usable l2_supercat_256.safetensors.*reinstall"):
        open_vectors(broken)
    with pytest.raises(PackageBroken, match=r"no usable absent.json"):
        open_tokenizer(tmp_path / "absent.json")


ODD = st.text(st.sampled_from(list("ab  \n\t▁<s>/unk'.é日👍\u200d\u00a0")), max_size=30)


def cut_up(encoder, texts: list[str]) -> list[list[int]]:
    flat, bounds = encoder.pieces(texts)
    return [flat[begin:end].tolist() for begin, end in pairwise(bounds.tolist())]


@example(["▁ ", "a▁▁ b"])
@example(["", "<s>", "a<s> b</s>", "  ", "don’t”. 1999\r\n\n\ta-b_c's/x"])
@given(st.lists(ODD, min_size=1, max_size=6))
def test_segments_cut_up_once_are_the_tokenizers_pieces(texts: list[str]) -> None:
    encoder = load_encoder("wordllama")
    whole = encoder._tokenizer.encode_batch_fast(texts, add_special_tokens=False)  # type: ignore[attr-defined]
    assert cut_up(encoder, texts) == [encoding.ids for encoding in whole]


def test_no_rule_joins_pieces_where_texts_are_cut(encoder) -> None:
    folder = package_folder("wordllama") / "tokenizers"
    model = json.loads((folder / "l2_supercat_tokenizer_config.json").read_text())["model"]
    pairs = [joined.split(" ") for joined in model["merges"]]
    assert len(pairs) > 60_000
    sides = [[part.replace("▁", " ").encode() for part in pair] for pair in pairs]
    assert not [pair for pair in sides if not JOINS[pair[0][-1], pair[1][0]]]


def test_more_words_than_are_remembered_change_nothing(monkeypatch) -> None:
    texts = ["wind power", "", "is it cheap? Is it?", "wind is " + "cheap " * 8, "the end."]
    texts += ["a coal mine, a gas well", "an oil rig; a dam", "sun or tide: both"]
    expected = load_encoder("wordllama").encode(texts)
    for most, room in ((64, 1 << 10), (1 << 10, 64)):
        monkeypatch.setattr(pieces, "KNOWN_SEGMENTS", most)
        monkeypatch.setattr(pieces, "SEGMENT_ROOM", room)
        small = WordLlamaEncoder()
        for _ in range(2):
            assert np.array_equal(small.encode(texts), expected)


def test_a_cut_that_was_broken_off_leaves_nothing_half_known(monkeypatch) -> None:
    encoder, cut = WordLlamaEncoder(), WordLlamaEncoder._cut
    stopped = {"power"}

    def stopping(self, segment):
        if segment.strip() in stopped:
            raise KeyboardInterrupt
        return cut(self, segment)

    monkeypatch.setattr(WordLlamaEncoder, "_cut", stopping)
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(["wind power is cheap"])
    stopped.clear()
    expected = load_encoder("wordllama").encode(["wind power is cheap"])
    assert np.array_equal(encoder.encode(["wind power is cheap"]), expected)


@given(st.lists(st.sampled_from([*TEXTS[:5], "\u0623\u064e ¡", "1999"]), min_size=1, max_size=300))
def test_rows_are_the_exact_sums_rounded_once(some: list[str]) -> None:
    encoder = load_encoder("wordllama")
    text = " ".join(some)
    each = encoder._vectors[cut_up(encoder, [text])[0]].astype(np.float64)  # type: ignore[attr-defined]
    exact = np.array([math.fsum(column) for column in each.T])
    assert np.array_equal(encoder.rows([text])[0], exact.astype(np.float32))


@pytest.mark.slow
def test_every_number_of_half_precision_is_read_as_it_is() -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    bits = bits[np.isfinite(bits.view(np.float16))]
    numbers = np.arange(2, dtype=np.int64)
    found = pieces.sums(bits[None], np.zeros(1, np.int32), numbers)[0]
    assert np.array_equal(found, bits.view(np.float16).astype(np.float32))


@contextmanager
def no_subnormals() -> Iterator[None]:
    """The processor takes subnormals for 0, read and written, as some libraries set it."""
    libm, environment = ctypes.CDLL("libm.so.6"), ctypes.create_string_buffer(32)
    libm.fegetenv(environment)
    before = environment.raw
    control = int.from_bytes(before[28:], "little")
    environment.raw = before[:28] + (control | 0x8040).to_bytes(4, "little")
    libm.fesetenv(environment)
    try:
        yield
    finally:
        environment.raw = before
        libm.fesetenv(environment)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="sets bits of x86-64's MXCSR")
def test_sums_are_the_same_where_the_processor_knows_no_subnormals() -> None:
    bits = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256)
    bits[~np.isfinite(bits.view(np.float16))] = 1
    asked = np.arange(256, dtype=np.int32), np.arange(0, 257, 2)
    least = np.full(4, np.float32(2.0**-140))
    expected = pieces.sums(bits, *asked)
    with no_subnormals():
        found, none = pieces.sums(bits, *asked), (least * np.float32(2.0)).copy()
    assert not none.any(), "the setting holds"
    assert least.all()
    assert found.tobytes() == expected.tobytes()


def test_long_texts_are_read_in_smaller_batches() -> None:
    texts = [
        *("\u6838" * 20_000 for _ in range(450)),
        "",
        *("short" for _ in range(5000)),
        "\u98a8",
    ]
    at, found = [], []
    for rows, some in batches(texts, 2048):
        assert 0 < len(some) <= 2048
        assert sum(map(len, some)) <= MOST_TOGETHER
        at += rows.tolist()
        found += some
    assert sorted(at) == [i for i in range(len(texts)) if i != 450]
    assert found == [texts[i] for i in at]


def test_threads_that_share_an_encoder_read_the_same() -> None:
    encoder = WordLlamaEncoder()
    texts = [f"wind power number {i} of {word}" for i in range(20) for word in ("sea", "land")]
    expected = load_encoder("wordllama").encode(texts)
    with ThreadPoolExecutor(4) as threads:
        for rows in threads.map(encoder.encode, [texts] * 8):
            assert np.array_equal(rows, expected)
