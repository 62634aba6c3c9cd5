"""The default encoder against the package it reads its vectors from."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.base import LONGEST_TEXT
from argsearch.indexer.encoders.wordllama import open_tokenizer, open_vectors
from argsearch.indexer.packages import PackageBroken

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
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_loads_without_the_package_or_a_network_client():
    script = (
        "import sys, numpy as np\n"
        "from argsearch.indexer.encoders import load_encoder\n"
        "load_encoder('wordllama').encode(['wind power'])\n"
        "heavy = {'wordllama', 'requests', 'torch', 'tensorflow', 'sklearn', 'scipy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_says_what_it_is(encoder):
    assert (encoder.name, encoder.dimensions) == ("wordllama", 256)
    assert load_encoder(" WordLlama ") is encoder


def test_meaning_beats_shared_words(encoder):
    query, near, far = encoder.encode(
        [
            "should teachers get tenure",
            "professors deserve job security",
            "should abortion be legal",
        ]
    )
    assert query @ near > query @ far


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u2003"])
def test_blank_text_is_a_zero_row(encoder, blank):
    rows = encoder.encode([blank, "wind power"])
    assert not rows[0].any()
    assert rows[1].any()


def test_no_text_is_no_row(encoder):
    assert encoder.encode([]).shape == (0, 256)


def test_nul_lone_surrogates_and_special_tokens_are_only_text(encoder):
    rows = encoder.encode(["\x00", "half a pair \ud83d", "<s> </s> <unk>", "\ufffd"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    whole, pair = encoder.encode(["\U0001f600", "\ud83d\ude00"])
    assert np.array_equal(whole, pair)


def test_what_follows_the_longest_prefix_is_left_out(encoder):
    head = "wind " * (LONGEST_TEXT // 5)
    long, cut = encoder.encode([head + "nuclear power", head])
    assert np.array_equal(long, cut)


@pytest.mark.thorough
@given(texts=st.lists(st.text(max_size=40), max_size=12), data=st.data())
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


@example(["▁ ", "a▁▁ b"])
@given(st.lists(ODD, min_size=1, max_size=6))
def test_words_cut_up_once_are_the_tokenizers_pieces(texts: list[str]) -> None:
    encoder = load_encoder("wordllama")
    whole = encoder._tokenizer.encode_batch_fast(texts, add_special_tokens=False)  # type: ignore[attr-defined]
    assert encoder.pieces(texts) == [encoding.ids for encoding in whole]  # type: ignore[attr-defined]


def test_no_piece_reaches_from_a_word_into_the_space_after_it() -> None:
    encoder = load_encoder("wordllama")
    vocabulary = encoder._tokenizer.get_vocab()  # type: ignore[attr-defined]
    assert not [piece for piece in vocabulary if re.search("[^▁]▁", piece)]
