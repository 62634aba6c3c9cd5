"""Hostile words for every command, route and tool: none may end in a message of "unexpected".

`python -m tests.fuzz.messages COUNT [SEED]` asks each command, each operation of the HTTP API and
each tool COUNT times, with values by chance from FOR_ALL and what lies in a folder. Commands that
listen (`serve`, `mcp`) are asked with options that are refused alone.
"""

from __future__ import annotations

import asyncio
import io
import json
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from argsearch.api.cli.main import run
from argsearch.api.http.app import create_app
from argsearch.engine import Engine
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from docs.reference import leaves
from tests.api.awkward import write_corpus
from tests.fuzz.running import SECONDS, TooSlow, _late
from tests.processes import in_a_thread

FOR_ALL = (
    "", " ", "\0", "a\0b", "\ud800", "é\u202e", "\x1b[31m", "a" * 5000, "9" * 5000, "-1", "0", "1",
    "1_0", "1.5", "1e999", "inf", "nan", "true", "[", "[" * 3000, "{}", "null", "zoos", "x=1", "=",
    "boost.quality=" + "9" * 5000, "boost.quality=" + "[" * 3000, "rerank.stages=['mmr']", "stance",
    "date >= 2020-13-45", "words = 5..1", "quality >= inf", "stance = pro", "-date", "default",
    "http://[::1", "http://127.0.0.1:9/none", "..", "/", "/dev/null", "no.toml", "csv", "../" * 999,
)  # fmt: skip
LISTEN = ("serve", "mcp")
LINES = ("", "a b c d e f\n", "1 0 doc 3\n", '{"id": 1}\n', "a,b,c\n1,2,3\n", "\xff\0", "[[[[")
LONGEST = 3000
"""Characters of a message."""


def files(folder: Path) -> list[str]:
    """Files that are nearly something, a corpus and its index."""
    names = []
    for number, content in enumerate(LINES):
        for suffix in ("json", "csv", "toml", "txt"):
            path = folder / f"file{number}.{suffix}"
            path.write_text(content, encoding="latin-1")
            names.append(path.name)
    corpus = write_corpus(folder)
    parts = ("vectors", "near_duplicates", "counter", "pairs", "premises")
    build(BuildRequest([str(corpus)], folder / "index", IndexSettings(parts=parts)))
    return [*names, corpus.name, "index", "index", "index"]


def words(name: str, command: Any, pool: tuple[str, ...], random: Random) -> list[str]:
    """A command line: every argument, and some of the options."""
    found = name.split()
    for one in command.params:
        if one.name == "help":
            continue
        value = random.choice(pool).replace("\0", "").replace("\ud800", "\udcff")  # as a shell can
        if one.param_type_name == "argument":
            found.append(value)
        elif one.name == "index" and random.random() < 0.7:
            found += [one.opts[0], "index"]
        elif one.required or random.random() < 0.3:
            found += [one.opts[0]] if getattr(one, "is_flag", False) else [one.opts[0], value]
    if name in LISTEN:
        found += ["--port", random.choice(("", "x", "-1", "1_0", "65536", "9" * 5000))]
    return found


def by_command(given: list[str]) -> str:
    """What a command line ends in."""
    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(io.StringIO()):
        code = run(given)
    message = said.getvalue()
    return message if code else ""


def by_route(client: TestClient, path: str, post: bool, random: Random) -> str:
    """What a request ends in."""
    pool = [*FOR_ALL, "Czoos", "should zoos be abolished"]
    known = ("q", "k", "page", "where", "sort", "facet", "config", "side", "stance", "explain")
    names = (*known, "query", "pageSize", "fields", "format", "rerank", "w_quality", "cursor")
    asked = [(random.choice(names), random.choice(pool)) for _ in range(random.randrange(4))]
    asked = [(name, value.encode(errors="replace").decode()) for name, value in asked]
    path = path.replace("{id}", quote(random.choice(pool).encode(errors="replace")[:900], safe=""))
    if post:
        values = [*FOR_ALL, 1, -1, 1.5, True, None, [], {}, ["zoos"], 10**30, [[]]]
        body: Any = {"questions": ["zoos"]}
        body |= {random.choice(("questions", *known)): random.choice(values) for _ in range(2)}
        answer = client.post(path, content=json.dumps(body))
    else:
        asked = [("q", "zoos"), ("query", "zoos"), *asked][random.randrange(3) :]
        answer = client.get(path, params=asked)
    if answer.status_code >= 500:
        return f"unexpected status {answer.status_code}: {answer.text}"
    return answer.text if answer.status_code >= 400 else ""


def by_tool(server: Any, name: str, random: Random) -> str:
    """What a tool's call ends in."""
    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

    values = [*FOR_ALL, 1, -1, 1.5, True, None, [], {}, 10**30]
    names = ("question", "id", "id_or_text", "limit", "side", "cursor", "max_bytes", "other")
    given = {random.choice(names): random.choice(values) for _ in range(3)}
    try:
        asked = {"question": "zoos", **given}
        in_a_thread(lambda: asyncio.run(server.call_tool(name, asked)))
    except UnexpectedToolError as error:
        return f"unexpected {error.__cause__!r}"
    except ToolError as error:
        return str(error)
    return ""


def wrong(said: str) -> str | None:
    """What is wrong with a message, if anything."""
    for line in said.splitlines():
        if "unexpected" in line.lower() or "Traceback" in line or "validation error" in line:
            return line[:500]
    return f"{len(said)} characters: {said[:300]!r}" if len(said) > LONGEST else None


Case = tuple[str, Callable[[], str]]


def cases(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Each command, route and tool, `count` times."""
    pool = (*FOR_ALL, *files(folder))
    index = folder / "index"
    for name, command in leaves():
        for number in range(count):
            given = words(name, command, pool, Random(f"{seed} {name} {number}"))
            yield repr(given)[:2000], lambda given=given: by_command(given)
    with (
        Engine.open(index) as engine,
        TestClient(create_app(index), raise_server_exceptions=False) as client,
    ):
        paths = client.app.openapi()["paths"]  # type: ignore[attr-defined]
        for path, operations in paths.items():
            for method in operations:
                for number in range(count):
                    random = Random(f"{seed} {method} {path} {number}")
                    asked = path, method == "post", random
                    yield f"{method} {path} {number}", lambda asked=asked: by_route(client, *asked)
        try:
            from argsearch.api.mcp.server import server
        except ModuleNotFoundError:
            return
        made = server(engine)
        for name in made.offered:
            for number in range(count):
                random = Random(f"{seed} {name} {number}")
                given = name, random
                yield f"{name} {number}", lambda given=given: by_tool(made, *given)


def fuzz(count: int, seed: int) -> list[str]:
    """What was wrong, each with the case."""
    found = []
    with tempfile.TemporaryDirectory(prefix="argsearch-fuzz-") as name, chdir(name):
        signal.signal(signal.SIGALRM, _late)
        for case, ask in cases(Path(name), count, seed):
            signal.alarm(SECONDS)
            try:
                problem = wrong(ask())
            except (Exception, TooSlow) as error:
                problem = repr(error)[:500]
            finally:
                signal.alarm(0)
            if problem is not None:
                found.append(f"{case}\n    {problem}")
    return found


def main(count: int, seed: int = 0) -> int:
    """1 where a message was wrong."""
    warnings.simplefilter("ignore")
    found = fuzz(count, seed)
    print("\n".join(found))
    print(f"{len(found)} wrong messages of {count} a command, route and tool")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
