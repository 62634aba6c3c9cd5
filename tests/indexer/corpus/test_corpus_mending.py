"""Lone surrogates and NUL: what replaces them, how they are counted, wherever blocks end."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.corpus.mending import (
    MendedBlocks,
    mend_json,
    mend_raw,
    mend_text,
    mend_value,
)

ANY = st.text(st.characters(codec=None, categories=None) | st.sampled_from('\ud83d\ude00\\u\0"'))


def well_formed(text: str) -> str:
    """The text as UTF-16 units read it: pairs joined, lone surrogates U+FFFD (the referee)."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return re.sub("[\ud800-\udfff]", "\ufffd", joined)


@given(ANY)
def test_mended_json_holds_the_text_with_replacement_characters(text: str) -> None:
    mended, _ = mend_json(json.dumps(text).encode())
    assert orjson.loads(mended) == well_formed(text)


@pytest.mark.thorough
@given(ANY)
def test_well_formed_json_is_left_alone(text: str) -> None:
    for ascii_only in (True, False):
        written = json.dumps(well_formed(text), ensure_ascii=ascii_only).encode()
        assert mend_json(written) == (written, 0)


@pytest.mark.thorough
@given(ANY)
def test_surrogates_written_as_bytes_are_replaced_one_by_one(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    mended, replaced = mend_json(written)
    lone = re.findall("[\ud800-\udfff]", text)
    assert orjson.loads(mended) == re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert (replaced, len(mended)) == (len(lone), len(written))


@given(st.lists(ANY, min_size=1), st.lists(st.integers(0, 200)), st.booleans())
def test_blocks_may_end_anywhere(texts: list[str], cuts: list[int], ascii_only: bool) -> None:
    whole = json.dumps(texts, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    blocks = [whole[a:b] for a, b in pairwise(places)]
    mended = MendedBlocks(blocks)
    assert b"".join(mended) == mend_json(whole)[0]
    assert mended.replaced == mend_json(whole)[1]


@pytest.mark.parametrize(
    ("text", "mended", "replaced"),
    [
        ("a\0b", "a b", 1),
        ("\ud800", "\ufffd", 1),
        ("\0\0\udc00x", "  \ufffdx", 3),
        ("plain é", "plain é", 0),
    ],
)
def test_text(text: str, mended: str, replaced: int) -> None:
    assert mend_text(text) == (mended, replaced)
    raw = text.encode("utf-8", "surrogatepass")
    assert mend_raw(raw) == (mended.encode(), replaced)
    assert mend_value({"a": [text, (text,)], text: 5}) == (
        {"a": [mended, [mended]], mended: 5},
        3 * replaced,
    )
