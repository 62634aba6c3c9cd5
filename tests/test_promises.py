"""Every promise in docs/reliability.md and SECURITY.md names the tests that hold it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent
PAGES = ("docs/reliability.md", "SECURITY.md")
NAMED = re.compile(r"(tests/[\w/]+\.py)(?:::(\w+))?|python -m (tests(?:\.\w+)+)")
ROOMS = ("api", "engine", "indexer", "lab", "ranking")
FIGURES = ("before",)
"""A word of the heads of tables that hold measured figures, no promises."""
NET = ("socket", "http", "urllib.request", "urllib3", "requests", "httpx", "elastic_transport")
CONNECT = {"indexer/server/client.py", "engine/stages/external.py"}
"""To a search server, and to a re-ranker that a configuration names by its address."""
LISTEN = {"api/cli/serve.py", "api/serve/workers.py"}
NAMED_ALONE = {"indexer/server/generations.py"}
"""Asks for the name of the machine."""


def promises(text: str) -> Iterator[tuple[str, str]]:
    """Each row of a table of promises, and what stands for it: itself or the line above the table.

    `the same` in a row stands for the row above it.
    """
    above, head, last, said = "", "", "", False
    for line in text.splitlines():
        if not line.startswith("|"):
            above = f"{above} {line}" if line and said else line or above
            head, said = "", bool(line)
        elif not head:
            head = line
            last = above
        elif not re.fullmatch(r"[|\s:-]+", line) and not set(FIGURES) & set(head.split()):
            last = line if NAMED.search(line) else last
            yield line, last


def rows() -> list[tuple[str, str, str]]:
    return [
        (page, row, held) for page in PAGES for row, held in promises((HOUSE / page).read_text())
    ]


def test_there_are_promises() -> None:
    assert len(rows()) > 40


@pytest.mark.parametrize(("page", "row", "held"), rows(), ids=lambda text: text[:60])
def test_a_promise_names_a_test(page: str, row: str, held: str) -> None:
    assert NAMED.search(held) or "nothing is promised" in row, f"{page}: no test is named for {row}"


@pytest.mark.parametrize("page", PAGES)
def test_what_is_named_is_there(page: str) -> None:
    found = NAMED.findall((HOUSE / page).read_text())
    assert found
    for file, name, module in found:
        path = HOUSE / (file or f"{module.replace('.', '/')}.py")
        assert path.is_file(), path
        if name:
            tree = ast.parse(path.read_text())
            assert name in {node.name for node in ast.walk(tree) if hasattr(node, "name")}, name


def imported() -> Iterator[tuple[str, str]]:
    """Each file of the product, and the modules that it imports."""
    for room in ROOMS:
        for path in sorted((HOUSE / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                yield from ((str(path.relative_to(HOUSE)), name) for name in names)


def test_none_but_the_clients_of_servers_and_re_rankers_open_a_connection() -> None:
    net = tuple(f"{name}." for name in NET)
    assert {file for file, name in imported() if f"{name}.".startswith(net)} == {
        *CONNECT, *LISTEN, *NAMED_ALONE
    }  # fmt: skip
    for file in LISTEN | NAMED_ALONE:
        assert ".connect(" not in (HOUSE / file).read_text()


def test_no_pickle_is_read() -> None:
    unsafe = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}
    # what processes of a build hand to each other, in a folder of mode 0700
    handed = [("indexer/processes.py", "pickle")]
    assert [one for one in imported() if one[1].partition(".")[0] in unsafe] == handed
    for room in ROOMS:
        for path in (HOUSE / room).rglob("*.py"):
            assert "allow_pickle=True" not in path.read_text(), path
