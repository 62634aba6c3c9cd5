"""The official client of the Model Context Protocol drives `argsearch mcp`."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

mcp = pytest.importorskip("mcp", reason="install the extra mcp: pip install -e '.[mcp]'")

import anyio  # noqa: E402
import httpx  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters  # noqa: E402

from argsearch.api.mcp import shapes  # noqa: E402
from argsearch.api.mcp.budget import MIN_BYTES  # noqa: E402
from argsearch.api.mcp.hosts import HOSTS, place  # noqa: E402
from argsearch.api.mcp.server import server  # noqa: E402
from argsearch.engine import Engine  # noqa: E402
from tests.processes import in_a_thread  # noqa: E402

QUESTION = "should zoos be abolished"
SAID = "Zoos should be abolished."


def driven(to, conversation) -> None:
    """Run a conversation with a client of `to`."""

    async def run() -> None:
        async with Client(to) as client:
            await conversation(client)

    in_a_thread(partial(anyio.run, run))


async def everything(client: Client) -> None:
    """Every tool, as a model would go from one to the next."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"search", "argument", "counter", "explain", "points", "challenge"}
    assert all(tool.output_schema and tool.description for tool in tools.values())
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    asked = {"question": QUESTION, "limit": 3}
    answer = await client.call_tool("search", asked)
    found = shapes.Found.model_validate(answer.structured_content)
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert found.claim  # sides are read always, not only where one is asked for
    assert {one.side for one in found.arguments} <= {"for", "against", "unclear"}
    assert all(one.probability is not None for one in found.arguments)
    assert len(answer.model_dump_json().encode()) <= 8000
    more = await client.call_tool("search", {**asked, "cursor": found.cursor})
    assert shapes.Found.model_validate(more.structured_content).arguments[0].rank == 4
    id = found.arguments[0].id
    whole = await client.call_tool("argument", {"id": id, "max_bytes": MIN_BYTES})
    assert len(whole.model_dump_json().encode()) <= MIN_BYTES
    assert shapes.Whole.model_validate(whole.structured_content).text
    why = await client.call_tool("explain", {"question": QUESTION, "id": id})
    assert shapes.Explained.model_validate(why.structured_content).rank == 1
    against = await client.call_tool("counter", {"id_or_text": id, "limit": 2})
    assert len(shapes.Countered.model_validate(against.structured_content).arguments) == 2
    asked = {"text": f"{SAID} Animals suffer there.", "about": SAID, "side": "for"}
    met = await client.call_tool("challenge", {**asked, "max_bytes": MIN_BYTES})
    assert len(met.model_dump_json().encode()) <= MIN_BYTES
    challenged = shapes.Challenged.model_validate(met.structured_content)
    assert (challenged.about, challenged.opposite) == (SAID, "against")
    assert challenged.sections[0].heading.startswith("Against the text: arguments against")
    wrong = await client.call_tool("challenge", {**asked, "side": "unclear"})
    assert "side must be for or against, not 'unclear'" in wrong.content[0].text
    wrong = await client.call_tool("argument", {"id": "nope"})
    assert wrong.is_error
    assert "no argument has the id 'nope'" in wrong.content[0].text


@pytest.mark.thorough
def test_a_unit_is_a_tool_where_the_index_has_its_part(premises_index: Path):
    async def asking(client: Client) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        usual = {"search", "argument", "counter", "explain", "points", "challenge"}
        assert tools == {*usual, "premises"}
        answer = await client.call_tool("premises", {"question": QUESTION, "limit": 2})
        found = shapes.Found.model_validate(answer.structured_content)
        assert [one.rank for one in found.arguments] == [1, 2]
        more = {"question": QUESTION, "limit": 2, "cursor": found.cursor}
        answer = await client.call_tool("premises", more)
        found = shapes.Found.model_validate(answer.structured_content)
        assert [one.rank for one in found.arguments] == [3, 4]
        with Engine.open(premises_index) as engine:
            hits = engine.premises(QUESTION, k=4).hits[2:]
        assert [(one.id, one.stance) for one in found.arguments] == [(h.id, h.stance) for h in hits]

    with Engine.open(premises_index) as engine:
        driven(server(engine), asking)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"question": " "}, "question must be a text with at least one word, at most"),
        ({"question": "a" * 2001}, "at most 2,000 characters"),
        ({}, "question is missing; it must be "),
        ({"question": QUESTION, "max_bytes": MIN_BYTES - 1}, "not 1999"),
        ({"question": QUESTION, "cursor": "[1]"}, "cursor must be copied from an answer"),
        ({"question": QUESTION, "cursor": 1}, "cursor must be a text"),
        ({"question": QUESTION, "limit": "five"}, "limit must be a whole number"),
        ({"question": QUESTION, "side": 1}, "side must be "),
        ({"question": QUESTION, "limti": 5}, "there is no parameter limti; the"),
    ],
)
def test_what_cannot_be_asked_is_one_line_of_ours(counter_index: Path, asked: dict, said: str):
    async def asking(client: Client) -> None:
        wrong = await client.call_tool("search", asked)
        assert wrong.is_error
        assert said in wrong.content[0].text
        assert wrong.content[0].text.isprintable()
        assert "validation" not in wrong.content[0].text

    with Engine.open(counter_index) as engine:
        driven(server(engine), asking)


def test_in_this_process(counter_index: Path):
    with Engine.open(counter_index) as engine:
        driven(server(engine), everything)


@pytest.mark.processes
def test_over_standard_input_and_output(counter_index: Path):
    words = ["-m", "argsearch", "mcp", "--index", str(counter_index), "--quiet"]
    here = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    driven(StdioServerParameters(command=sys.executable, args=words, env=here), everything)


@pytest.mark.slow
@pytest.mark.processes
def test_a_host_starts_what_was_installed_for_it(
    counter_index: Path, tmp_path: Path, monkeypatch, argsearch
):
    """Other entries stay, ours is replaced; a file that is not JSON is left as it is."""

    async def offered(client: Client) -> None:
        assert "counter" in {tool.name for tool in (await client.list_tools()).tools}

    for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    install = ("mcp", "--index", counter_index, "--install")
    others = {"theme": "día", "mcpServers": {"other": {"command": "x"}, "argsearch": {"args": []}}}
    for host, (_, member) in HOSTS.items():
        path = place(host)
        assert tmp_path in path.parents
        if host == "cursor":
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(others), encoding="utf-8-sig")
        code, printed, _ = argsearch(*install, host)
        assert (code, printed) == (0, f"{path}\n")
        document = json.loads(path.read_text("utf-8"))
        started = document[member].pop("argsearch")
        assert document == (
            {**others, member: {"other": {"command": "x"}}} if host == "cursor" else {member: {}}
        )
        here = {"PYTHONPATH": ":".join(one for one in sys.path if one)}
        driven(StdioServerParameters(**started, env=here, cwd="/"), offered)
    refused = ["--http"], ["--port", "1"], ["--token-file", path], ["--root-path", "/"]
    for option, *value in refused:
        code, printed, messages = argsearch(*install, host, option, *value)
        assert (code, printed) == (2, "")
        assert f"{option} works only without --install" in messages
    for wrong, said in (
        ("{ // ours\n}", "is not JSON (Expecting property name"),
        ("[]", "does not contain a JSON object"),
        ("[" * 100_000, "is not JSON"),
        ('{"b": "\\ud800"}', "is not JSON"),
    ):
        path.write_text(wrong)
        code, printed, messages = argsearch(*install, host)
        assert (code, printed, messages.count("\n"), path.read_text()) == (1, "", 1, wrong)
        assert f"error: {path} {said}" in messages


@pytest.mark.slow
@pytest.mark.processes
def test_over_streamable_http(counter_index: Path, tmp_path: Path):
    tokens = tmp_path / "tokens"
    for words in ([], ["--token-file", str(tokens)]):
        tokens.write_text("correct-horse-battery\n")
        command = ["-m", "argsearch", "mcp", "--index", str(counter_index), "--http"]
        with subprocess.Popen(
            [sys.executable, *command, "--port", "0", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                address = process.stdout.readline().strip()
                if words:
                    assert httpx.post(address, json={}, timeout=60).status_code == 401
                else:
                    driven(address, everything)
            finally:
                process.terminate()
                _, messages = process.communicate(timeout=60)
        assert "Traceback" not in messages
