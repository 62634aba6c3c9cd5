"""What passed is known by the tree: any change of a file that counts makes it unknown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.passed import Passed, known, tree


class Report:
    def __init__(self, nodeid: str, passed: bool) -> None:
        self.nodeid, self.passed = nodeid, passed


def test_any_change_of_the_project_changes_its_digest(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    file = tmp_path / "engine" / "a.py"
    found = []
    for content in ("a", "b"):
        file.write_text(content)
        found.append(tree(tmp_path))
    file.rename(file.with_name("b.py"))
    found.append(tree(tmp_path))
    assert len(set(found)) == 3
    (tmp_path / "engine" / "build").mkdir()
    (tmp_path / "engine" / "build" / "c.py").write_text("a room of the product")
    found.append(tree(tmp_path))
    assert found[-1] != found[-2]
    for made in (".venv", "build", "__pycache__", "index", "argsearch.egg-info"):
        (tmp_path / made).mkdir()
        (tmp_path / made / "x").write_text("made")
    assert tree(tmp_path) == found[-1]


@pytest.mark.thorough
def test_only_what_passed_whole_on_this_tree_is_known(tmp_path: Path) -> None:
    path = tmp_path / "passed.json"
    for status, tests in ((0, {"good"}), (1, set())):
        noting = Passed(path)
        for name, passed in (("good", True), ("good", True), ("bad", True), ("bad", False)):
            noting.pytest_runtest_logreport(Report(name, passed))  # type: ignore[arg-type]
        noting.pytest_sessionfinish(status)
        assert known(path) == tests
    path.write_text(json.dumps({"tree": "another", "tests": ["good"]}))
    assert known(path) == set()
