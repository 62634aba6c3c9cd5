"""No two classes of the product share a name, and a constant has one value and its own line."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("api", "engine", "indexer", "lab", "ranking")


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


class Assigned(NamedTuple):
    """A name that a line of a module assigns to."""

    file: str
    name: str
    value: str
    together: bool
    """Whether the line assigns to other names too, and they do not number places from 0 on."""


def assigned() -> Iterator[Assigned]:
    """Every constant of a module, public or private, with its value as source."""
    for file, module in modules():
        for node in module.body:
            value = getattr(node, "value", None)
            if not isinstance(node, ast.Assign | ast.AnnAssign) or value is None:
                continue
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (
                    one for one in names_in(file, target, value) if one.name.strip("_").isupper()
                )


def names_in(file: str, target: ast.expr, value: ast.expr) -> Iterator[Assigned]:
    """The names of one target; those of a tuple get its parts, or their places in a range."""
    if isinstance(target, ast.Name):
        yield Assigned(file, target.id, ast.unparse(value), False)
    elif isinstance(target, ast.Tuple):
        numbered = isinstance(value, ast.Call) and ast.unparse(value.func) == "range"
        parts = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for place, (one, part) in enumerate(zip(target.elts, parts, strict=True)):
            shown = ast.unparse(part) + (f"[{place}]" if part is value else "")
            yield Assigned(file, ast.unparse(one), shown, not numbered)


@pytest.mark.thorough
def test_no_two_classes_share_a_name() -> None:
    assert {name: files for name, files in classes().items() if len(files) > 1} == {}


@pytest.mark.thorough
def test_no_constant_has_several_values() -> None:
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in assigned():
        if not one.name.startswith("_"):
            found[one.name][one.value].append(one.file)
    assert {name: dict(values) for name, values in found.items() if len(values) > 1} == {}


@pytest.mark.thorough
def test_no_private_constant_has_three_values() -> None:
    found = defaultdict(set)
    for one in assigned():
        if one.name.startswith("_"):
            found[one.name].add((one.value, one.file))
    values = {name: {value for value, _ in places} for name, places in found.items()}
    assert {name: sorted(found[name]) for name, some in values.items() if len(some) > 2} == {}


@pytest.mark.thorough
def test_every_constant_has_a_line_of_its_own() -> None:
    assert [(one.file, one.name) for one in assigned() if one.together] == []


@pytest.mark.parametrize(
    ("line", "together"),
    [
        ("A = 1", []),
        ("A, _B = 1, 2", ["A", "_B"]),
        ("A, B = range(2)", []),
        ("A, B = f()", ["A", "B"]),
    ],
)
def test_a_tuple_of_constants_is_seen(line: str, together: list[str]) -> None:
    statement = ast.parse(line).body[0]
    assert isinstance(statement, ast.Assign)
    found = list(names_in("file", statement.targets[0], statement.value))
    assert [one.name for one in found if one.together] == together
    assert len({one.value for one in found}) == len(found)
