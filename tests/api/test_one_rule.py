"""One rule for a parameter: Python, command line, HTTP and MCP decide alike."""

from __future__ import annotations

import asyncio
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from argsearch import FormatName, HitSide, SideFilter, SideName, Stance, StanceName, UnitName
from argsearch.api.cli.main import run
from argsearch.api.formats import TEXTS
from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import QUERIES, CounterQuery, SearchQuery, SuggestQuery
from argsearch.engine import Engine
from argsearch.engine.parameters import Parameter
from argsearch.engine.stance.opposition import STANDINGS
from argsearch.engine.units import UNITS
from argsearch.indexer.errors import ArgsearchError
from tests.processes import in_a_thread

ANSWERED = ""
LINE = re.compile(r"(\S+) must be .+, not .+|there is no .+")
FEW = settings(max_examples=60)
HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 10, 1000, 1001, 10**9 + 1, 2**63, 10**30, 1.5, 3.0, 1e300, -0.0,
    math.inf, math.nan, "", " ", "10", "010", "1_0", "1e1", " 10", "+10", "-1", "٣", "3.0", "inf",
    "nan", "true", "True", "yes", "on", "0x10", "9" * 5000, "a" * 5000, "\0", "a\0b", "\ud800",
    "\n", "a\nb", "zoos\u2028",
    "pro", "CON", "both", "default", "words", "-date", "quality >= inf", "quality >= .5",
    "date >= 2020-13-45", "date >= 2020-02-30", "date >= 2020-02-29", "date > 2010",
    "date >= 20190531.5", "date = 20190531.5", "date = 20190531",
    "words = 5..1", "words = 5..5", "words = 1..5", "words >= 1_0", "words = nan", "words = ,",
    [], [1], ["a"], [[]], {}, {"a": 1},
]  # fmt: skip
values = st.sampled_from(HOSTILE) | st.integers() | st.floats() | st.text(max_size=6)
SEVERAL = ("where", "facet", "only")


def line(said: str) -> str:
    """What is said, which is one line: nothing in it ends a line or turns its direction."""
    assert said.isprintable(), said
    return said


def refused(call: Callable[[], object]) -> str:
    """The line by which a call is refused, or ANSWERED."""
    try:
        call()
    except ArgsearchError as error:
        return line(str(error))
    return ANSWERED


@pytest.fixture(scope="module")
def client(awkward_index: Path) -> Iterator[TestClient]:
    with TestClient(create_app(awkward_index), raise_server_exceptions=False) as opened:
        yield opened


def told(answer: Any) -> str:
    if answer.status_code == 200:
        return ANSWERED
    assert answer.status_code in (409, 422), answer.text
    return line(str(answer.json()["detail"]))


def over_get(client: TestClient, **asked: Any) -> str:
    written = {
        name: [str(one) for one in value] if isinstance(value, list) else str(value)
        for name, value in asked.items()
    }
    return told(client.get("/api/search", params={"q": "zoos", **written}))


def over_post(client: TestClient, **asked: Any) -> str:
    return told(client.post("/api/search", content=json.dumps({"questions": ["zoos"], **asked})))


def by_command(index: Path, *words: str) -> str:
    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(io.StringIO()):
        code = run(["search", "zoos", "--index", str(index), "--format", "csv", *words])
    assert code in (0, 2), said.getvalue()
    return said.getvalue().partition("error: ")[2].strip() if code else ANSWERED


def by_tool(engine: Engine, **asked: Any) -> str:
    pytest.importorskip("mcp", reason="install the extra mcp: pip install -e '.[mcp]'")
    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

    from argsearch.api.mcp.server import server

    try:
        given = {"question": "zoos", **asked}
        in_a_thread(lambda: asyncio.run(server(engine).call_tool("search", given)))
    except UnexpectedToolError:
        raise
    except ToolError as error:
        return line(str(error))
    return ANSWERED


def is_whole(value: object, most: int) -> bool:
    """The rule, as it is documented."""
    whole = isinstance(value, float) and value.is_integer()  # JSON does not tell 3.0 from 3
    return (type(value) is int or whole) and 1 <= value <= most


def is_written_whole(text: str, most: int) -> bool:
    found = re.fullmatch(r"([0-9]{1,18})(\.0+)?", text)
    return found is not None and 1 <= int(found[1]) <= most


@FEW
@given(value=values)
def test_a_whole_number_is_one_everywhere(engine, client, value):
    everywhere = {
        "k of Python": (refused(lambda: engine.search("zoos", k=value)), 10**9),
        "k of HTTP, JSON": (over_post(client, k=value), 1000),
        "limit of MCP": (by_tool(engine, limit=value), 50),
    }
    for where, (said, most) in everywhere.items():
        assert (said == ANSWERED) == is_whole(value, most), where
        assert not said or said.startswith("body ") or f"from 1 to {most}, not" in said


@FEW
@given(text=st.sampled_from([str(one) for one in HOSTILE]) | st.text(max_size=6))
@example("7")
def test_a_written_whole_number_is_one_everywhere(client, awkward_index, text):
    printable = "".join(c for c in text if c.isprintable())  # as a shell passes it
    got, typed = over_get(client, k=printable), by_command(awkward_index, f"-k{printable}")
    assert (got == ANSWERED) == is_written_whole(printable, 1000)
    assert (typed == ANSWERED) == is_written_whole(printable, 10**9) or not printable
    assert not got or got.startswith("k must be a whole number from 1 to 1000, not ")


SHARED = (
    "k", "stance", "side", "sides", "collapse", "spread", "discriminative", "where", "sort",
    "facet", "config",
)  # fmt: skip


@pytest.mark.parametrize("name", SHARED)
def test_python_and_json_decide_alike(engine, client, name):
    for value in HOSTILE:
        if name in SEVERAL and not isinstance(value, list):
            value = [value]
        if (name, value) == ("config", None) or (name == "k" and is_whole(value, 10**9)):
            continue  # the unit's own; Python has no limit that protects others
        asked = {"facets" if name == "facet" else name: value}
        python, posted = refused(partial(engine.search, "zoos", **asked)), ""
        if value == value and value != math.inf and "\ud800" not in str(value):  # JSON has these
            posted = over_post(client, **{name: value})
            assert bool(python) == bool(posted), (value, python, posted)
        for said in filter(None, (python, posted)):
            assert LINE.fullmatch(said) or "has no part" in said, said


@pytest.mark.parametrize("name", SHARED)
def test_address_and_command_line_decide_alike(client, awkward_index, name):
    options = {"k": "-k", "facet": "--facet"}
    for value in HOSTILE:
        if (
            not isinstance(value, str)
            or not value.isprintable()
            or name in ("sides", "collapse", "spread", "discriminative")
        ):
            continue
        got = over_get(client, **{name: [value] if name in SEVERAL else value})
        word = options.get(name, f"--{name}")
        typed = by_command(awkward_index, *([f"-k{value}"] if name == "k" else [f"{word}={value}"]))
        assert bool(got) == bool(typed), (value, got, typed)
        assert not typed or LINE.fullmatch(typed) or not value, typed


@pytest.mark.parametrize("value", ["1", "0", "yes", "on", "", "truee"])
def test_a_truth_value_is_true_or_false(client, value):
    said = over_get(client, explain=value)
    assert said.startswith("explain must be true or false, not ")
    assert over_get(client, explain="true") == over_get(client, explain="false") == ANSWERED


@pytest.mark.parametrize("weight", ["1_0", "inf", "nan", "1e999", "1e", "", "٣", "1001", "0x1"])
def test_a_number_is_a_finite_decimal(client, weight):
    assert over_get(client, w_quality=weight).startswith("w_quality must be ")
    assert over_get(client, w_quality="1e1") == over_get(client, w_quality="-.5") == ANSWERED
    if weight in ("inf", "nan"):
        assert over_post(client, w_quality=float(weight))


@pytest.mark.parametrize("query", [*QUERIES.values(), CounterQuery, SuggestQuery])
def test_what_is_said_is_what_is_allowed(query):
    """Schema, sentence and error are of one definition."""
    for name, one in query.known.items():
        described = query.model_fields[name]
        assert described.description.endswith(f"Allowed: {one.said}.")
        shape = query.model_json_schema()["properties"][name]
        if one.kind is int:
            assert (shape["minimum"], shape["maximum"]) == (one.low, one.high)
            with pytest.raises(
                ArgsearchError, match=f"a whole number from {one.low} to {one.high}"
            ):
                one.read(one.high + 1)


@given(st.text(max_size=8), st.sampled_from([int, float]))
def test_only_decimals_in_ascii_are_numbers(text, kind):
    one = Parameter("x", kind, "", low=-1e300, high=1e300)
    try:
        read = one.read(text, text=True)
    except ArgsearchError:
        return
    assert text.isascii()
    assert not set(text) & {"_", " ", "n", "i"}
    assert read == kind(text)


def test_a_question_is_a_text_that_utf_8_can_write(engine, client):
    for question in ("zoos \ud800", " \ufeff", "", None, 5, b"zoos"):
        python = refused(partial(engine.search, question))
        assert "query must be a text with at least one word" in python
        assert by_tool(engine, question=question).startswith("question must be ")
    assert told(client.post("/api/search", content='{"questions": ["zoos \\ud800"]}'))


def test_everything_else_in_python_is_a_line_too(engine):
    for name in ("unit", "overrides", "once", "offset", "where", "facets", "config", "sort"):
        for value in HOSTILE:
            if said := refused(partial(engine.search, "zoos", **{name: value})):
                assert "unexpected" not in said
                assert LINE.fullmatch(said) or "no configuration file" in said, said
    assert SearchQuery.known.keys() >= {"q", *SHARED}


def test_the_types_name_what_is_taken() -> None:
    """Somebody who annotates a program with them is told what is allowed."""
    assert get_args(UnitName) == tuple(name for name in UNITS if name in get_args(UnitName))
    assert get_args(FormatName) == ("json", *TEXTS)
    assert {*get_args(HitSide)} == {*get_args(SideName), *STANDINGS}
    assert get_args(SideFilter) == (*get_args(SideName), "both")
    assert [name.upper() for name in get_args(StanceName)] == [*Stance]
