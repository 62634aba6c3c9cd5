"""Argdown: a map holds arguments without loss, and every way of asking writes the same map."""

from __future__ import annotations

import json
import re
import tracemalloc
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argsearch.api.argdown import _data, _Titles, points_argdown, to_argdown
from argsearch.api.formats import TEXTS
from argsearch.api.quotes import TEXTS_OF_POINTS
from argsearch.api.serialise import Answer
from argsearch.engine.text.citation import cite
from argsearch.engine.text.snippet import Snippet
from argsearch.indexer.corpus import Argument, Premise, Stance
from argsearch.indexer.errors import InvalidParameter

SERVED = "sample_index"

QUESTION = "Should homework be abolished?"
SIGNS = "[a]: <b>: {c} \\d #e @[f] *g* _h_ // i /* j */ <!-- k --> === + - .A. :l: (1) ---- ] } >"
ODD = ["\n", "\n\n", " ", "\t", "\r", "}\n", "zoo", "\u2028", "\x85", "\x1b", "é", "😀"]
PIECES = st.sampled_from([*SIGNS.split(), *ODD])
WRITTEN = st.lists(PIECES, max_size=12).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40
)
STANCES = st.sampled_from([None, *Stance])
STATEMENT = re.compile(r"\[[^\[\]<>{}]+\]: (?P<text>.*)")
ELEMENT = re.compile(
    r"(?P<sign>  [+-] |    \+ |)(?:<[^\[\]<>{}]+>|\[[^\[\]<>{}]+\]): "
    r"(?P<text>(?:\\.|[^\\{}])*?)(?P<tag> #unclear| #ungrouped|) (?P<data>\{.*\})"
)
"""Lines of a map: a statement, and what stands below one or alone, with its metadata."""
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
RELATION = {"+": "PRO", "-": "CON", "": None}


@st.composite
def arguments(draw: st.DrawFn, id: str) -> Argument:
    premises = draw(st.lists(st.builds(Premise, WRITTEN, STANCES), max_size=3))
    context = draw(st.dictionaries(WRITTEN, WRITTEN | st.lists(WRITTEN, max_size=2), max_size=2))
    return Argument(id, draw(st.none() | WRITTEN), tuple(premises), context)


def answer(question: str, found: list[tuple[Argument, str | None]]) -> Answer:
    """What is written of an answer."""
    hits = [
        SimpleNamespace(
            argument=one,
            side=side,
            source=cite(one),
            sentence=Snippet(one.premise[:9]),
            hit=SimpleNamespace(id=one.id, stance=one.stance),
        )
        for one, side in found
    ]
    config = SimpleNamespace(name="default")
    results = SimpleNamespace(
        query=question, total=9, unit="arguments", config=config, fingerprint="f" * 64, balance=None
    )
    return cast(Answer, SimpleNamespace(results=results, hits=hits, whole=True))


def elements(text: str) -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """Parse a map: what each element is below, its sign, text, tag and metadata.

    Every line after the front matter is a statement, an element or blank, no sign of Argdown stands
    in a text without a backslash, and no brace in a string of the metadata.
    """
    head, _, body = text.removeprefix("===\n").partition("\n===\n\n")
    assert [line.partition(": ")[0] for line in head.split("\n")] == ["title", "answer", "index"]
    found, above = [], ["", ""]
    for line in body.removesuffix("\n").split("\n"):
        if element := ELEMENT.fullmatch(line):
            sign, data = element["sign"], json.loads(element["data"])
            assert not re.search(r"[{}]", "".join(STRING.findall(element["data"])))
            said = plain(element["text"])
            deep = sign == "    + "
            found.append((above[deep] if sign else "", sign.strip(), said, element["tag"], data))
            above[1] = above[1] if deep else said
        elif statement := STATEMENT.fullmatch(line):
            above[0] = plain(statement["text"])
        else:
            assert line == "" or line.startswith("# "), line
    return found


def plain(text: str) -> str:
    """A text without the backslashes that its signs have to have."""
    assert not re.search(r"[\[\]<>{}#@*_/=]", re.sub(r"\\.", "", text)), text
    return re.sub(r"\\(.)", r"\1", text)


def line(text: str) -> str:
    return " ".join(text.split())


def documents(text: str) -> dict[str, dict[str, Any]]:
    """The arguments that a map holds, as JSON, by id."""
    return {
        data["id"]: {
            "id": data["id"],
            "conclusion": data.get("conclusion", above or None),
            "premises": data.get("premises", [{"text": said, "stance": RELATION[sign]}]),
            "context": data["context"],
        }
        for above, sign, said, _, data in elements(text)
    }


SIDES = st.sampled_from([None, "for", "against", "unclear", "supports"])


@pytest.mark.thorough
@given(WRITTEN, st.tuples(*(st.tuples(arguments(f"a{n}"), SIDES) for n in range(4))))
@example(SIGNS, ((Argument("a", SIGNS, (Premise(SIGNS, Stance.CON),), {SIGNS: SIGNS}), "for"),))
@example("", ((Argument("a", None, (), {}), None), (Argument("b", " ", (), {}), "against")))
@example("zoos", ((Argument("a", "Zoos", (Premise("x " * 400, Stance.PRO),), {}), None),))
def test_a_map_holds_arguments_without_loss(question, found):
    made = documents(to_argdown(answer(question, list(found))))
    assert made == {one.id: json.loads(json.dumps(one.to_json())) for one, _ in found}


def test_a_map_is_for_people_too():
    text = "Zoos <hurt> animals."
    one = Argument("x", "Zoos", (Premise(text, Stance.CON),), {"sourceTitle": "On [zoos]"})
    assert to_argdown(answer("close zoos", [(one, "for")])).splitlines()[6:] == [
        "[close zoos]: close zoos",
        r'  + <1. On zoos>: Zoos \<hurt\> animals. {"id":"x","conclusion":"Zoos",'
        '"premises":[{"text":"Zoos <hurt> animals.","stance":"CON"}],'
        '"context":{"sourceTitle":"On [zoos]"}}',
    ]
    assert to_argdown(answer("close zoos", [(one, None)])).splitlines()[6:] == [
        "[Zoos]: Zoos",
        r"  - <1. On zoos>: Zoos \<hurt\> animals. "
        '{"id":"x","context":{"sourceTitle":"On [zoos]"}}',
    ]


def test_long_strings_and_like_titles_cost_no_more_than_themselves():
    tracemalloc.start()
    data = _data("a" * 1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(data)
    tracemalloc.stop()
    titles = _Titles()
    asked = [titles.of(f"{'x' * 60} {n}") for n in range(3_000)]
    assert asked[::2_999] == [f"[{'x' * 59}…]", f"[{'x' * 59}… (3000)]"]
    assert len({*asked}) == 3_000


@pytest.mark.thorough
@pytest.mark.parametrize("form", TEXTS_OF_POINTS)
def test_all_ways_of_asking_write_the_same(form, client, engine, sample_index, argsearch):
    results = engine.search(QUESTION, k=4, side="both")
    media, write = TEXTS[form]
    text = write(Answer(engine, results))
    asked = {"q": QUESTION, "k": "4", "side": "both", "format": form}
    answered = client.get("/api/search", params=asked)
    assert (answered.text, answered.headers["content-type"]) == (text, media)
    usual = ("--index", sample_index, "--format", form, "--quiet")
    said = ("-k", "4", "--side", "both", "--no-spread", "--no-discriminative")
    assert argsearch("search", QUESTION, *usual, *said) == (0, text, "")
    media, write = TEXTS_OF_POINTS[form]
    points = write(engine.key_points(QUESTION))
    answered = client.get("/api/points", params={"q": QUESTION, "format": form})
    assert (answered.text, answered.headers["content-type"]) == (points, media)
    assert argsearch("points", QUESTION, *usual) == (0, points, "")
    if form == "argdown":
        wanted = {hit.id: hit.argument for one in results.lists.values() for hit in one.hits}
        assert documents(text) == {id: one.to_json() for id, one in wanted.items()}
        assert len(wanted) == 8


def test_key_points_are_a_map_of_all_that_was_grouped_and_was_not(client, engine):
    told = client.get("/api/points", params={"q": QUESTION}).json()
    made = elements(points_argdown(engine.key_points(QUESTION)))
    wanted: list[tuple[str, str, str, str, str | None]] = []
    for side in told["sides"]:
        sign = {"for": "+", "against": "-"}[side["side"]]
        for point in side["points"]:
            text = line(point["heading"])
            wanted.append((QUESTION, sign, text, "", None))
            quotes = point["quotes"]
            wanted += [(text, "+", line(one["text"]), "", one["id"]) for one in quotes]
        for one in side["ungrouped"]:
            wanted.append((QUESTION, sign, line(one["conclusion"]), " #ungrouped", one["id"]))
    found = [
        (above, sign, text, tag, data.get("argument")) for above, sign, text, tag, data in made
    ]
    assert found == wanted


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["json", "csv", "markdown", "bibtex", "argdown"])
def test_only_the_chosen_hits_are_written(form, client, engine, sample_index, argsearch):
    asked = {"q": QUESTION, "k": "3", "side": "both"}
    ids = [hit["id"] for hit in client.get("/api/search", params=asked).json()["hits"]]
    chosen = [ids[1], ids[4]]
    text = client.get("/api/search", params={**asked, "only": chosen, "format": form}).text
    assert [id in text for id in ids] == [False, True, False, False, True, False]
    said = ("search", QUESTION, "--index", sample_index, "-k", "3", "--side", "both")
    _, typed, _ = argsearch(*said, "--format", form, "--only", ids[1], "--only", ids[4])
    assert [id in typed for id in ids] == [False, True, False, False, True, False]
    wrong = client.get("/api/search", params={**asked, "only": "nobody"})
    assert (wrong.status_code, wrong.json()["parameter"]) == (422, "only")
    with pytest.raises(InvalidParameter, match="of the 1 hit"):
        Answer(engine, engine.search(QUESTION, k=1), only=("nobody",))
