"""Specs: what names an encoder, and what does not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from argsearch.indexer.encoders import check_encoder, load_encoder, parse_spec
from argsearch.indexer.encoders.use import mended
from argsearch.indexer.errors import InvalidParameter


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("wordllama", "wordllama"),
        ("none", "none"),
        ("minilm", "minilm"),
        ("use", "use:https://tfhub.dev/google/universal-sentence-encoder/4"),
        ("use:weights/use-lite", "use:weights/use-lite"),
        ("USE: weights/use-lite ", "use:weights/use-lite"),
        ("use:https://tfhub.dev/google/universal-sentence-encoder/4", None),
        ("sbert:sentence-transformers/all-MiniLM-L6-v2", None),
        ("sbert:C:\\models\\mine", None),
    ],
)
def test_canonical_name(spec, name):
    assert parse_spec(spec).name == (name or spec)
    assert parse_spec(parse_spec(spec).name) == parse_spec(spec)


@pytest.mark.parametrize(
    "spec", ["", "bert", "sbert", "sbert:", "onnx", "use:", "wordllama:x", "minilm:x", "none:", ":"]
)
def test_other_specs_are_refused(spec):
    for ask in (load_encoder, check_encoder):
        with pytest.raises(InvalidParameter, match="encoder must .*not '") as caught:
            ask(spec)
        assert repr(spec) in str(caught.value)


def test_an_index_of_a_removed_encoder_says_how_to_build_it_again():
    with pytest.raises(InvalidParameter, match=r"static:a@b'; .* argsearch index CORPUS --out"):
        load_encoder("static:a@b")


def test_none_embeds_nothing():
    encoder = load_encoder("none")
    rows = encoder.encode(["wind power", ""])
    assert (encoder.name, encoder.dimensions) == ("none", 0)
    assert (rows.shape, rows.dtype) == ((2, 0), np.float32)


def test_vocabulary_is_mended():
    reserved = [("�", 0), ("<s>", 0), ("</s>", 0), ("a", 0), ("b", 0), ("c", 0)]
    given = [*reserved, ("x", -1.5), (":", None), ("y", -2.0), (":30", 30), ("x", -3.0)]
    pieces, scores = zip(*mended(given), strict=True)
    assert list(pieces[7:]) == [":", "y", ":30", "x"]
    assert list(scores[6:]) == [-1.5, -1.5, -2.0, -2.0, -3.0]
    assert len(set(pieces)) == len(pieces)
    assert not set(pieces[:7]) & {piece for piece, _ in given}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("spec", "extra", "library"),
    [
        ("use", "use", "tensorflow"),
        ("use:anything", "use", "tensorflow_hub"),
        ("sbert:anything", "sbert", "sentence_transformers"),
        ("onnx:anything", "onnx", "onnxruntime"),
        ("minilm", "minilm", "blingfire"),
        ("minilm", "minilm", "onnx"),
    ],
)
def test_an_absent_extra_is_named(spec, extra, library):
    code = (
        "import sys\n"
        f"sys.modules[{library!r}] = None\n"
        "from argsearch.indexer.encoders import check_encoder, load_encoder\n"
        "from argsearch.indexer.errors import MissingExtra\n"
        "for ask in (check_encoder, load_encoder):\n"
        "    try:\n"
        f"        ask({spec!r})\n"
        "    except MissingExtra as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = f"is not installed; install it with: pip install 'argument-search[{extra}]'"
    assert [line.endswith(said) for line in done.stdout.splitlines()] == [True, True]
