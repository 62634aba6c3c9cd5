"""What an import brings, by counts of modules, and what the code takes from libraries."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import argsearch
import argsearch.engine

HEAVY = {"numba", "llvmlite", "scipy", "sklearn", "fastapi", "pydantic", "ot", "tokenizers", "rich"}
HEAVY |= {"pandas", "torch"}
BUDGETS = {
    "import argsearch": (100, {"numpy", "typer", *HEAVY}),
    "from argsearch import Engine": (350, {"typer", *HEAVY}),
    "import argsearch.api.cli.main": (190, {"numpy", *HEAVY}),
    "from argsearch.api.cli.main import run; run(['--help'])": (260, {"numpy", "uvicorn", *HEAVY}),
    "from argsearch.api.cli.main import run; run(['search', 'zoos', '-k3', '--index', 'none'])": (
        810,
        {
            "pydantic",
            "fastapi",
            "scipy.linalg",
            "sklearn",
            "numba.np.arrayobj",
            "rich",
            "argsearch.ranking.counters",
        },
    ),
}
"""The most modules, a fourth above those of the day that it was set, and what is not among them."""


@pytest.mark.processes
@pytest.mark.parametrize("code", BUDGETS)
def test_an_import_stays_small(code: str) -> None:
    most, heavy = BUDGETS[code]
    command = [sys.executable, "-c", f"{code}; import json, sys; print(json.dumps([*sys.modules]))"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = json.loads(done.stdout.splitlines()[-1])
    assert heavy & set(modules) == set()
    assert len(modules) <= most


ROOT = Path(__file__).parent.parent
OWN = {"self", "cls", "other"}
"""Names by which a class reaches what is its own."""
PUBLIC = {"_asdict", "_fields", "_make", "_replace", "_repr_html_"}
"""What named tuples and notebooks call public, though it begins with an underscore."""
NEVER = {"exec", "register_error", "fork", "forkpty", "posix_spawn", "set_wakeup_fd"}
"""Functions whose work libraries do for us, and those of the family of os.execv."""
PLACES = {
    "atexit": set[str](),
    "multiprocessing": {"indexer/processes.py"},
    "signal": {
        "api/cli/serve.py",
        "api/cli/stopping.py",
        "api/serve/live.py",
        "api/serve/workers.py",
        "indexer/platform.py",
        "indexer/processes.py",
    },
}
"""The files that may use these modules (docs/decisions/0015)."""


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _is_own(node: ast.expr) -> bool:
    """Whether an object is that of the class at hand, by itself or as its parent."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in OWN


def _taken(source: str) -> Iterator[str]:
    """What a file takes from others' insides, and functions and modules that are ours to avoid."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            if _is_private(node.attr) and node.attr not in PUBLIC and not _is_own(node.value):
                yield node.attr
            if node.attr in NEVER or node.attr.startswith("execv"):
                yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in NEVER:
                yield node.func.id
        elif isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names if one.name in PLACES)
            yield from (
                one.name for one in node.names if any(map(_is_private, one.name.split(".")))
            )
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("argsearch"):
            module = node.module or ""
            if module.partition(".")[0] in PLACES:
                yield module.partition(".")[0]
            names = [*module.split("."), *(one.name for one in node.names)]
            yield from filter(_is_private, names)


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos._exit(1)",
        "import atexit",
        "from multiprocessing.util import Finalize",
        "from numba.core._x import y",
        "made._cache = None",
        "exec('')",
        "os.execve('', [], {})",
        "codecs.register_error('a', print)",
        "os.fork()",
    ],
)
def test_what_is_taken_is_seen(source: str) -> None:
    assert list(_taken(source))


def test_nothing_private_is_taken_from_a_library() -> None:
    found = set()
    for room in ("api", "argsearch", "engine", "indexer", "lab", "ranking"):
        for path in (ROOT / room).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            taken = set(_taken(path.read_text(encoding="utf-8")))
            found |= {(name, one) for one in taken if name not in PLACES.get(one, ())}
    assert found == set()


def test_public_names_are_where_the_types_say():
    tree = ast.parse((ROOT / "argsearch" / "__init__.py").read_text(encoding="utf-8"))
    typed = {
        name.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("argsearch.")
        for name in node.names
    }
    assert sorted(typed) == sorted(argsearch.__all__)
    for name, module in typed.items():
        assert getattr(argsearch, name) is getattr(import_module(module), name)
    for package in (argsearch, argsearch.engine):
        with pytest.raises(AttributeError, match=f"'{package.__name__}' has no attribute 'Hot'"):
            _ = package.Hot
