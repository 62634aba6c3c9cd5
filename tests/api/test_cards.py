"""Debate cards: what is underlined, how long it takes, and that hostile texts stay texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.api.cards import points_cards, reading_time, to_cards, underlined
from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from tests.api.awkward import build_index
from tests.api.test_argument_page import Elements

SERVED = "sample_index"

QUESTION = "Should homework be abolished?"


@pytest.mark.parametrize(
    ("words", "said"),
    [(0, "0 s"), (1, "0 s"), (119, "30 s"), (238, "1 min 0 s"), (500, "2 min 6 s")],
)
def test_a_time_is_told_in_minutes_and_seconds(words: int, said: str) -> None:
    assert reading_time(words) == said


def under(texts: list[str], gist: str) -> list[str]:
    return [text for pieces in underlined(texts, gist) for text, is_under in pieces if is_under]


def test_the_gist_is_underlined_where_it_stands() -> None:
    texts = ["One.  Two\nthree. Four.", "Five … six. One."]
    assert under(texts, "Two three. … Five … six.") == ["Two", "three.", "Five", "six."]
    assert under(texts, "…three. Four…") == ["three. Four"]
    assert under(texts, "") == under(texts, "Seven.") == []


@pytest.mark.thorough
@given(st.lists(st.text(max_size=60), max_size=3), st.text(max_size=20))
def test_underlining_changes_no_word(texts: list[str], gist: str) -> None:
    pieces = underlined(texts, gist)
    words = [word for one in pieces for word in "".join(text for text, _ in one).split()]
    assert words == " ".join(texts).split()


@pytest.mark.thorough
def test_cards_name_their_hits_and_load_nothing(client, engine) -> None:
    asked = {"q": QUESTION, "k": "2", "side": "both", "format": "cards"}
    answered = client.get("/api/search", params=asked)
    lists = engine.search(QUESTION, k=2, side="both").lists.values()
    assert re.findall("<h2>(.*)</h2>", answered.text) == ["For", "Against"]
    ids = [hit.id for one in lists for hit in one.hits]
    assert re.findall("Id <code>(.*)</code>", answered.text) == ids
    policy = answered.headers["content-security-policy"]
    assert policy.replace("'", "&#39;") in answered.text
    assert "unsafe" not in policy
    assert {"script", "link", "img"}.isdisjoint(tag for tag, *_ in Elements(answered.text).found)
    points = engine.key_points(QUESTION)
    many = [point.arguments for side in points.sides.values() for point in side.points]
    said = re.findall(r"At least (\d+) arguments say so", points_cards(points))
    assert list(map(int, said)) == many


def test_hostile_texts_are_texts(built, tmp_path) -> None:
    with Engine.open(build_index(built, tmp_path)) as engine:
        plain = to_cards(Answer(engine, engine.search("school uniforms", k=20)))
        text = to_cards(Answer(engine, engine.search("zoos </style><script>", k=20)))
    found = Elements(text).found
    assert {tag for tag, *_ in found} <= {"a", *(tag for tag, *_ in Elements(plain).found)}
    assert not [name for _, *names in found for name in names if name.startswith("on")]
    assert "&lt;/style&gt;" in text
    assert "&lt;img" in text
    assert "javascript:" not in text
