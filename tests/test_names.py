"""No two classes of the product share a name, and no constant stands for several things."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("api", "engine", "indexer", "lab", "ranking")
MANY = 4
"""From so many files on a constant's name must stand for one thing."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def classes() -> dict[str, list[str]]:
    """The files of each public class of a module."""
    found = defaultdict(list)
    for file, module in modules():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(file)
    return found


def constants() -> dict[str, dict[str, list[str]]]:
    """The files of each value of each public constant of a module."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file, module in modules():
        for node in module.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", 0)]
            value = getattr(node, "value", None)
            for target in targets:
                name = target.id if isinstance(target, ast.Name) else "_"
                if name.isupper() and not name.startswith("_") and value is not None:
                    found[name][ast.dump(value)].append(file)
    return found


@pytest.mark.thorough
def test_no_two_classes_share_a_name() -> None:
    assert {name: files for name, files in classes().items() if len(files) > 1} == {}


@pytest.mark.thorough
def test_no_constant_has_many_meanings() -> None:
    many = {
        name: [file for files in values.values() for file in files]
        for name, values in constants().items()
        if len(values) > 1 and sum(map(len, values.values())) >= MANY
    }
    assert many == {}
