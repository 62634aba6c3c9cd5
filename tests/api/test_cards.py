"""Debate cards: what is underlined, how long it takes, and that hostile texts stay texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.api.cards import points_cards, reading_time, to_cards, underlined
from argsearch.api.cli.main import run
from argsearch.api.serialise import Answer
from argsearch.engine import Engine
from tests.api.awkward import build_index

SERVED = "sample_index"

QUESTION = "Should homework be abolished?"


class Tags(HTMLParser):
    """The elements of a file, and all of its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


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
def test_all_ways_of_asking_give_the_same_cards(client, engine, sample_index, capsys) -> None:
    asked = {"q": QUESTION, "k": "2", "side": "both", "format": "cards"}
    answered = client.get("/api/search", params=asked)
    results = engine.search(QUESTION, k=2, side="both")
    assert answered.text == to_cards(Answer(engine, results))
    points = points_cards(engine.key_points(QUESTION))
    hits = [hit for one in results.lists.values() for hit in one.hits]
    assert answered.headers["content-type"] == "text/html; charset=utf-8"
    assert re.findall("<h2>(.*)</h2>", answered.text) == ["For", "Against"]
    assert re.findall("Id <code>(.*)</code>", answered.text) == [hit.id for hit in hits]
    policy = answered.headers["content-security-policy"]
    assert policy.replace("'", "&#39;") in answered.text
    assert "unsafe" not in policy
    assert {"script", "link", "img"}.isdisjoint(Tags(answered.text).tags)
    said = ["search", QUESTION, "--index", str(sample_index), "-k", "2", "--side", "both"]
    assert run([*said, "--no-spread", "--no-discriminative", "--format", "cards"]) == 0
    assert capsys.readouterr().out == answered.text
    assert client.get("/api/points", params={"q": QUESTION, "format": "cards"}).text == points
    told = client.get("/api/points", params={"q": QUESTION}).json()
    many = [point["arguments"] for side in told["sides"] for point in side["points"]]
    assert [int(n) for n in re.findall(r"At least (\d+) arguments say so", points)] == many


def test_hostile_texts_are_texts(built, tmp_path) -> None:
    with Engine.open(build_index(built, tmp_path)) as engine:
        plain = Tags(to_cards(Answer(engine, engine.search("school uniforms", k=20))))
        text = to_cards(Answer(engine, engine.search("zoos </style><script>", k=20)))
    found = Tags(text)
    assert {*found.tags} <= {*plain.tags, "a"}
    assert not [name for name in found.attributes if name.startswith("on")]
    assert "&lt;/style&gt;" in text
    assert "&lt;img" in text
    assert "javascript:" not in text
