"""Specs: what names an encoder, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.encoders import load_encoder
from indexer.encoders.protocol import parse_spec
from indexer.errors import InvalidParameter


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("wordllama", "wordllama"),
        ("none", "none"),
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
    "spec", ["", "bert", "sbert", "sbert:", "use:", "wordllama:x", "none:", ":"]
)
def test_other_specs_are_refused(spec):
    with pytest.raises(InvalidParameter, match=r"encoder is .*allowed: wordllama, use") as caught:
        load_encoder(spec)
    assert repr(spec) in str(caught.value)


def test_none_embeds_nothing():
    encoder = load_encoder("none")
    rows = encoder.encode(["wind power", ""])
    assert (encoder.name, encoder.dimensions, rows.shape, rows.dtype) == (
        "none",
        0,
        (2, 0),
        np.float32,
    )
