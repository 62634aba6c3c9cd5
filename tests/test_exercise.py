"""The exercise: what a new thing costs, tried on a copy of the project.

Written from CONTRIBUTING.md alone. A similarity, a signal, a stage, a unit, a part, an encoder and
a reader are one new file and one line of registration each. An answer of its own, with a route, a
command, a tool and a view, is five new files and a line in three others.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.api.awkward import serving
from tests.copies import HOUSE, tree

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.processes

COOKBOOK = Path(__file__).parent / "plugin" / "argsearch_cookbook"

COMMANDS = """
from argsearch.api.cli.main import run

parts = ["--with", "vectors", "--with", "conclusions"]
index = ["--index", "index", "--quiet"]
for command in (
    ["index", "indexer/sample/arguments.json", "--out", "index", *parts, "--quiet"],
    ["info", "index"],
    ["verify", "index"],
    ["pipeline", "--set", "rerank.method=brevity"],
    ["run", "indexer/sample/topics.xml", *index, "--out", "run.txt", "--unit", "conclusions"],
    ["index", "indexer/sample/arguments.json", "--out", "lettered", "--set",
     "index.encoder=Letters:9", "--set", "index.clusters=5", "--with", "vectors", "--quiet"],
    ["conclusions", "should zoos be closed", *index, "-k", "3", "--format", "csv"],
    ["index", "dialogue.txt", "--out", "read", "--quiet"],
    ["sources", "should zoos be closed", *index[:2]],
):
    assert run(command) == 0, command
"""

CHECK = """
from argsearch.engine import Engine

engine = Engine.open("index")
hits = engine.search("should zoos be closed", k=1000, where=["questions >= 1"]).hits
assert len(hits) and all("?" in hit.argument.premise for hit in hits)
rest = engine.search("should zoos be closed", k=1000, where=["questions < 1"]).hits
assert len(rest) and not any("?" in hit.argument.premise for hit in rest)
overrides = ["rerank.stages=['brevity', 'mmr']", "rerank.brevity.half=50", "rerank.depth=30"]
weighed = engine.search("should zoos be closed", k=1000, where=["questions >= 1"],
                        overrides=["boost.premises=0", "boost.columns.questions=3"])
for hit in weighed.hits:
    tree = hit.explanation
    factor = tree.details[-1]
    assert factor.value == 1 + 3 * min(1.0, hit.argument.premise.count("?") / 20)
    assert abs(tree.value - hit.score) <= 1e-12 * hit.score
assert [h.id for h in weighed.hits] != [h.id for h in engine.search("should zoos be closed", k=1000,
    where=["questions >= 1"], overrides=["boost.premises=0"]).hits]
staged = engine.search("should zoos be closed", k=40, overrides=overrides)
plain = engine.search("should zoos be closed", k=40)
assert sorted(staged.hits.ids[:30]) == sorted(plain.hits.ids[:30])
assert staged.hits.ids[30:] == plain.hits.ids[30:]
assert staged.hits[3].explanation.find("words") is not None
assert engine.rank("should zoos be closed", unit="conclusions", k=3).hits[0].texts
first = engine.backend.part("conclusions", 1)["first"]
assert 1 < len(set(first.tolist())) < len(first)

from argsearch.indexer.encoders import SPECS, load_encoder

lettered = Engine.open("lettered")
assert lettered.info.encoder == "letters:9" and lettered.light
assert SPECS.startswith("letters, letters:COUNT, wordllama")
assert (100 * load_encoder("letters:2").encode(["bab", " "])).round().tolist() == [[45, 89], [0, 0]]
clustered = lettered.search("should zoos be closed", k=40, config="heimdall-2021").hits
assert len({hit.explanation.find("C").value for hit in clustered}) > 1
assert lettered.search("zoos", k=40, overrides=overrides).hits.ids

(con,) = Engine.open("read").search("species", k=10).hits
assert (con.argument.stance.value, con.conclusion) == ("CON", "Zoos should be closed")

from starlette.testclient import TestClient
from argsearch.api.http.app import create_app

with TestClient(create_app("index")) as client:
    answer = client.get("/api/conclusions", params={"q": "should zoos be closed", "k": 3}).json()
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2, 3], answer
    (unit,) = [one for one in client.get("/ready").json()["units"] if one["name"] == "conclusions"]
    assert unit["doc"] == "distinct conclusions, by their best argument"
    for page in ("/openapi.json", "/docs"):
        assert "/api/conclusions" in client.get(page).text
        assert "/api/sources" in client.get(page).text
    asked = {"q": "should zoos be closed"}
    counts = client.get("/api/sources", params=asked).json()["counts"]
    assert counts["for"] and counts["against"], counts
    name, number = next(iter(counts["against"].items()))
    assert f"<li>{name}: {number}</li>" in client.get("/sources", params=asked).text
overlap = engine.search("should zoos be closed", config="dirichlet",
                        overrides=["retrieval.model=overlap", "retrieval.worth=3"])
assert overlap.hits[0].score == 3 * len(overlap.hits[0].explanation.find("R").details)
"""

FORMULA = """
### `overlap`: coordination level matching

`worth` for each term of the question that a document has.
"""

PART = '''
"""The part `conclusions`: which documents say the same conclusion."""

from __future__ import annotations

import numpy as np

from argsearch.indexer.parts.base import PartMaker


class ConclusionsPart(PartMaker):
    """Of each document the first that says its conclusion."""

    name = "conclusions"
    doc = "The first document that says the conclusion of each."

    def settings(self, source):
        """None."""
        return {}

    def make(self, source, drawer, progress):
        """Number them."""
        first, said = np.zeros(source.documents, np.uint32), {}
        for doc in range(source.documents):
            first[doc] = said.setdefault(source.store[doc].conclusion, doc)
        drawer.save("first", first)
        return {"conclusions": len(said)}
'''

READER = '''
"""Dialogues: a line `CON Zoos teach children: They teach captivity.` is an argument."""

from __future__ import annotations

from argsearch.indexer.corpus.ids import file_name
from argsearch.indexer.corpus.mending import whole_text

HEADS = (b"# Dialogue",)


def records(blocks, report):
    """The line and the document of each argument."""
    name = file_name(report.sources[-1].name)
    for number, line in enumerate(whole_text(blocks, report).split("\\n")[1:], 2):
        stance, _, said = line.partition(" ")
        conclusion, _, premise = said.partition(": ")
        if premise:
            yield number, {"id": f"{name}-{number}", "conclusion": conclusion,
                           "premises": [{"text": premise, "stance": stance}]}
'''

DIALOGUE = """# Dialogue
PRO Zoos should be closed: Zoos keep animals in cages.
CON Zoos should be closed: Zoos save species that would die out.
"""

SOURCES = '''
"""Sources: where the best arguments of each side of a question come from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from argsearch.engine.text.citation import cite


@dataclass(frozen=True)
class Sources:
    """How many of the best arguments come from each source, by side."""

    counts: dict[str, dict[str, int]]
    fingerprint: str


def sources(engine, question, k=10):
    """Count the sources of the first k arguments for and against a question."""
    results = engine.search(question, k=1, sides=True)
    counts = {}
    for side in ("for", "against"):
        hits = results.on(side, k=k).hits
        counts[side] = dict(Counter(cite(hit.argument).line for hit in hits))
    return Sources(counts, results.fingerprint)
'''

SOURCES_ROUTE = '''
"""`GET /api/sources` and the page `/sources`."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from argsearch.api.http.opened import Opened
from argsearch.api.http.pages import Asked
from argsearch.api.http.turns import in_a_thread
from argsearch.api.templates import page
from argsearch.engine.sources import sources


class SourcesModel(BaseModel):
    """How many of the best arguments come from each source, by side."""

    counts: dict[str, dict[str, int]]
    fingerprint: str


routes = APIRouter()


@routes.get("/api/sources", response_model=SourcesModel)
async def answer(engine: Opened, q: str):
    """Where the best arguments of each side come from."""
    return vars(await in_a_thread(engine, 1, sources, engine, q))


@routes.get("/sources", include_in_schema=False)
async def view(request: Request, engine: Opened, q: str, index: str = ""):
    """The same as a page."""
    found = await in_a_thread(engine, 1, sources, engine, q)
    return HTMLResponse(page("sources.html", asked=Asked(q, index), found=found))
'''

SOURCES_COMMAND = '''
"""`argsearch sources`: where the best arguments of each side come from."""

from __future__ import annotations

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Index, argument


def sources(
    query: str = argument("QUERY", "The question."),
    index: Index = ...,
) -> None:
    """Show where the best arguments of each side come from.

    Example: argsearch sources 'should zoos be closed' --index my-index
    """
    from argsearch.engine import Engine, sources as answers

    with Engine.open(index) as engine:
        terminal.write_json(answers.sources(engine, query).counts)
'''

SOURCES_TOOL = '''
"""The tool `sources`."""

from __future__ import annotations

from argsearch.api.mcp.shapes import ToolAnswer
from argsearch.engine.sources import sources

SOURCES = "Where the best arguments of each side of a question come from."


class ToolSources(ToolAnswer):
    """How many arguments come from each source, by side."""

    counts: dict[str, dict[str, int]]


def answer(engine):
    """The tool on an open engine."""
    return lambda question: ToolSources(**vars(sources(engine, question)))
'''

SOURCES_PAGE = """
{% extends "frame.html" %}
{% block title %}Sources{% endblock %}
{% block main %}
<h1>Where the arguments come from</h1>
{% for side, sources in found.counts.items() %}
<h2>{{ side | capitalize }}</h2>
<ul>{% for name, number in sources.items() %}<li>{{ name }}: {{ number }}</li>{% endfor %}</ul>
{% endfor %}
{% endblock %}
"""


def _add(project: Path, file: str, content: str, line: tuple[str, str, str], name: str) -> None:
    """One new file, one line of registration (and the import that it needs, if any)."""
    path = project / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(content.lstrip(), encoding="utf-8")
    registry, old, new = line
    path = project / registry
    text = path.read_text(encoding="utf-8")
    package, module = file.removesuffix(".py").replace("/", ".").rsplit(".", 1)
    assert text.count(old) == 1, f"{registry} has no one place to register {name}"
    text = text.replace(old, new)
    first = text.index("\nfrom argsearch.") + 1
    # a name after a colon is that of the module itself
    imported = f"from argsearch.{package}.{module} import {name}\n" if name else ""
    if name == f":{module}":
        imported = f"from argsearch.{package} import {module}\n"
    path.write_text(text[:first] + imported + text[first:], encoding="utf-8")


def _cooked(module: str, name: str) -> str:
    """One class of the cookbook as a file of its own: its docstring, what it imports, itself."""
    text = (COOKBOOK / f"{module}.py").read_text("utf-8")
    body = ast.parse(text).body
    (found,) = (node for node in body if isinstance(node, ast.ClassDef) and node.name == name)
    own = ast.unparse(found)
    needed = [
        node
        for node in body
        if isinstance(node, ast.Import | ast.ImportFrom)
        and (
            "__future__" in ast.unparse(node)
            or any((n.asname or n.name) in own for n in node.names)
        )
    ]
    doc = f'"""{ast.get_docstring(found)}"""'
    return "\n".join([doc, *map(ast.unparse, needed), own, ""])


NEW = (
    ("ranking/similarities/overlap.py", _cooked("similarity", "Overlap"), (
        "ranking/similarities/registry.py", '"dph": DPH,', '"dph": DPH, "overlap": Overlap,'),
        "Overlap"),
    ("indexer/signals/questions.py", _cooked("indexing", "Questions"), (
        "indexer/signals/__init__.py", "(Quality()", "(Questions(), Quality()"), "Questions"),
    ("engine/stages/brevity.py", _cooked("ranking", "Brevity"), (
        "engine/stages/__init__.py", "(MMR,", "(Brevity, MMR,"), "Brevity"),
    ("engine/units/conclusions/unit.py", _cooked("ranking", "Conclusions"), (
        "engine/units/__init__.py", '    {\n',
        '    {\n        "conclusions": '
        '"argsearch.engine.units.conclusions.unit:Conclusions",\n'), ""),
    ("indexer/parts/conclusions.py", PART, (
        "indexer/parts/adding.py", "    VectorsPart(),\n",
        "    VectorsPart(),\n    ConclusionsPart(),\n"), "ConclusionsPart"),
    ("indexer/encoders/letters.py", _cooked("indexing", "Letters"), (
        "indexer/encoders/__init__.py",
        "(\n    WordLlamaEncoder,", "(\n    Letters,\n    WordLlamaEncoder,"),
        "Letters"),
    ("indexer/corpus/dialogue.py", READER, (
        "indexer/corpus/forms.py",
        "    first = blocks.head.lstrip()[:1]\n",
        "    if blocks.head.startswith(dialogue.HEADS):\n"
        '        return CorpusForm("Dialogue", "line", dialogue.records)\n'
        "    first = blocks.head.lstrip()[:1]\n"), ":dialogue"),
)  # fmt: skip
"""Each new thing: its file, what is in it, its line, and the name that the line
needs."""
ANSWER = {
    "engine/sources.py": SOURCES,
    "api/http/sources.py": SOURCES_ROUTE,
    "api/cli/sources.py": SOURCES_COMMAND,
    "api/mcp/sources.py": SOURCES_TOOL,
    "api/web/sources.html": SOURCES_PAGE,
}
"""The new files of an answer of its own."""
REGISTERED = (
    ("api/http/app.py", "    search,\n", "    search,\n    sources,\n"),
    ("api/http/app.py", "in (search, quotes,", "in (search, sources, quotes,"),
    ("api/cli/main.py", '"challenge": "quotes",', '"challenge": "quotes", "sources": "sources",'),
    ("api/mcp/server.py", "import shapes\n", "import shapes, sources\n"),
    ("api/mcp/server.py", "    one = (question,",
     '    offered = sources.SOURCES, (question,), sources.ToolSources, sources.answer(engine)\n'
     '    made.offer("sources", *offered)\n    one = (question,'),
)  # fmt: skip
"""Where it is registered: a file, what stands there, and what is to stand there."""
MOST_FILES = 8
"""Files that an answer of its own may touch (DESIGN: "A feature is few files")."""


TOOLS = """
import asyncio

from argsearch.api.mcp.server import server
from argsearch.engine import Engine

(tool,) = [one for one in asyncio.run(server(Engine.open("index")).list_tools())
           if one.name == "conclusions"]
assert "distinct conclusions, by their best argument" in tool.description
told = asyncio.run(server(Engine.open("index")).call_tool("sources", {"question": "close zoos"}))
assert set(told.structured_content["counts"]) == {"for", "against"}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the whole tree, docs too, with the new things, and its reference written anew."""
    folder = tree(tmp_path_factory.mktemp("exercise") / "project")
    for file, content, line, name in NEW:
        _add(folder, file, content, line, name)
    (folder / "engine/units/conclusions/__init__.py").touch()
    for file, content in ANSWER.items():
        (folder / file).write_text(content.lstrip(), encoding="utf-8")
    for file, old, new in REGISTERED:
        text = (folder / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has no one place to register an answer"
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    with (folder / "docs/formulas.md").open("a", encoding="utf-8") as page:
        page.write(FORMULA)
    (folder / "dialogue.txt").write_text(DIALOGUE)
    _run(folder, "-m", "docs.reference")
    return folder


@pytest.fixture(scope="module")
def said(project: Path) -> str:
    """What the commands say that build an index in the copy and ask it."""
    return _run(project, "-c", COMMANDS + CHECK)


def _paths(project: Path) -> str:
    return f"{project / HOUSE}{os.pathsep}{project}"


def _run(project: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": _paths(project)}
    done = subprocess.run(
        [sys.executable, "-P", *command],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_each_new_thing_is_one_file_and_one_line(project: Path, said: str) -> None:
    assert "Question marks of the premises, 20 at most." in said
    assert "The first document that says the conclusion of each." in said
    assert "the shorter a text, the higher" in said
    assert {line.split()[1] for line in (project / "run.txt").read_text().splitlines()} == {"Q0"}


def test_an_answer_touches_few_files() -> None:
    assert len({*ANSWER, *(file for file, *_ in REGISTERED)}) <= MOST_FILES


@pytest.mark.usefixtures("said")
def test_a_unit_and_an_answer_are_tools(project: Path) -> None:
    pytest.importorskip("mcp", reason="install the extra mcp: pip install -e '.[mcp]'")
    _run(project, "-c", TOOLS)


@pytest.mark.browser
@pytest.mark.usefixtures("said")
def test_a_unit_is_a_view_of_the_page(
    project: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", _paths(project))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    with serving(project / "index") as address:
        page = chromium.new_page()
        page.goto(f"{address}/?q=should+zoos+be+closed&view=conclusions")
        page.locator("article.hit").first.wait_for()
        assert page.locator("#views [aria-current=page]").inner_text() == "Conclusions"
        assert page.locator("#status").inner_text().startswith("10 conclusions of ")
        hits = page.request.get(f"{address}/api/conclusions?q=should+zoos+be+closed").json()["hits"]
        first = page.locator("article[data-rank='1']")
        assert first.locator("h3").inner_text() == hits[0]["texts"][0]
        first.get_by_text("Why here?").click()
        first.locator(".tree").wait_for()
        page.close()


def test_the_pages_follow(project: Path) -> None:
    """The reference that the program writes, and a model's section on the page of formulas."""
    page = (project / "docs" / "configuration.md").read_text("utf-8")
    for word in ("rerank.brevity", "overlap", "what a term counts", "letters:COUNT"):
        assert word in page
    commands = (project / "docs" / "commands.md").read_text("utf-8")
    assert "## `argsearch conclusions`" in commands
    assert "Show distinct conclusions, by their best argument." in commands
    _run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
         "tests/engine/test_formulas_page.py",
         "tests/api/test_documentation.py::test_the_reference_is_that_of_the_program",
         "tests/api/test_documentation.py::test_every_command_and_option_has_help",
         "tests/api/test_documentation.py::test_every_shipped_configuration_is_described",
    )  # fmt: skip
