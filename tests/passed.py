"""Which tests passed on this very tree, so that `make test-all` need not run them once more."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KEPT = frozenset({".ci", ".dockerignore", ".gitignore"})
"""What of the hidden is the project's."""
MADE = frozenset({"__pycache__", "target"})
"""Folders of what is made, beside those whose names begin with a dot."""
MADE_AT_TOP = MADE | {"index", "dist", "build", "experiments"}


def _files(folder: Path, made: frozenset[str]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.name not in KEPT
        if hidden or path.name in made or path.suffix == ".egg-info":
            continue
        if path.is_dir():
            yield from _files(path, MADE)
        elif path.suffix != ".log":
            yield path


def tree(root: Path = ROOT) -> str:
    """Return a digest of every file of the project, and of the Python that runs it."""
    digest = hashlib.sha256(sys.version.encode())
    for path in _files(root, MADE_AT_TOP):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def add_options(parser: pytest.Parser) -> None:
    parser.addoption("--write-passed", metavar="FILE", help="note there which tests passed")
    parser.addoption("--but-passed", metavar="FILE", help="leave out what passed on this very tree")


class Passed:
    """The tests of a run that passed: none where the run failed or the tree changed meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path, self.before = path, tree()
        self.states: dict[str, bool] = {}
        path.unlink(missing_ok=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        passed = report.passed and not hasattr(report, "wasxfail")
        self.states[report.nodeid] = self.states.get(report.nodeid, True) and passed

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == 0 and tree() == self.before:
            tests = sorted(test for test, passed in self.states.items() if passed)
            self.path.write_text(json.dumps({"tree": self.before, "tests": tests}), "utf-8")


def known(path: Path) -> frozenset[str]:
    """Return the tests that passed on this very tree."""
    if not path.is_file():
        return frozenset()
    noted = json.loads(path.read_text("utf-8"))
    return frozenset(noted["tests"] if noted["tree"] == tree() else ())


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.write_passed and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(Path(config.option.write_passed)))


def pytest_report_header(config: pytest.Config) -> str | None:
    if not config.option.but_passed:
        return None
    number = len(known(Path(config.option.but_passed)))
    if not number:
        return "no tests are left out: none is known to have passed on this very tree"
    return f"{number:,} tests are left out: `make test` passed them on this very tree"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.option.but_passed:
        return
    passed = known(Path(config.option.but_passed))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]
