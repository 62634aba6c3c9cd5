"""What a TOML text may hold: no key, nesting or length that takes tomllib long."""

from __future__ import annotations

import pytest

from argsearch.indexer.format.settings import DEEPEST_KEY, LONGEST_TOML, parse_toml

DOTTED = ".".join("a" * 40_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{DOTTED} = 1", "a dotted key must have at most 32 parts, but one has more"),
        (f"[{DOTTED}]", "a dotted key"),
        (f"[[{DOTTED}]]", "a dotted key"),
        (f"a = {{{DOTTED} = 1}}", "a dotted key"),
        (" . ".join(['"a"', "'b'", "c-d"] * 20_000) + " = 1", "a dotted key"),
        ("\t.\t".join(["e", *("a" * DEEPEST_KEY), "b"]) + " = 1", "a dotted key"),
        ("a = 1\n" * (LONGEST_TOML // 6 + 1), "must have at most 1,048,576 characters"),
        ("a = " + "[" * 100_000, "nested levels"),
    ],
)
def test_what_takes_long_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        parse_toml(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_comment_and_a_text_may_have_more_parts() -> None:
    parts = ".".join("a" * 64)
    assert parse_toml(f'# {parts}\nx = "http://{parts}"') == {"x": f"http://{parts}"}


def test_ordinary_keys_and_texts_are_read() -> None:
    key = ".".join("a" * DEEPEST_KEY)
    assert parse_toml(f"{key} = 'x'\nother = 'Wait... {'.' * 100} a.b.c'")["other"].endswith("c")
