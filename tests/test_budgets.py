"""How many lines the project has, and how many comments say why: a change that adds takes away."""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = "engine", "indexer", "ranking", "lab", "api"
# Where a budget is not reached yet, the number is what was reached: it only goes down.
MOST = {
    "product": 52_190,  # 44,000 is the budget
    "code": 30_431,  # 26,500
    "tests": 46_307,  # 38,000
    "studies": 2_496,
    "benchmarks": 2_090,  # 2,000
}
FEWEST_COMMENTS = 400


@cache
def sources(*folders: str) -> dict[Path, str]:
    """The Python files of some folders."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path: path.read_text(encoding="utf-8") for path in paths}


def lines(*folders: str) -> int:
    """All lines, as they are."""
    return sum(len(text.splitlines()) for text in sources(*folders).values())


def code(text: str) -> int:
    """Lines that are not blank, nor a comment, a docstring or an import."""
    tree = ast.parse(text)
    left: set[int] = set()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or is_text:
            left.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    held = enumerate(text.splitlines(), 1)
    kept = ((number, line.strip()) for number, line in held if number not in left)
    return sum(bool(line) and not line.startswith("#") for _, line in kept)


def comments(text: str) -> int:
    """Comments on lines of their own: runs of such lines count once each line."""
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    own = (token for token in found if token.type == tokenize.COMMENT)
    return sum(not token.line[: token.start[1]].strip() for token in own)


@pytest.mark.parametrize("what", MOST)
def test_no_more_lines_than_the_budget(what: str) -> None:
    folders = PRODUCT if what in ("product", "code") else (what,)
    counted = sum(map(code, sources(*folders).values())) if what == "code" else lines(*folders)
    assert counted <= MOST[what], f"{what}: {counted:,} lines; find as many to remove as you add"


def test_comments_say_why() -> None:
    counted = sum(map(comments, sources(*PRODUCT).values()))
    assert counted >= FEWEST_COMMENTS, f"{counted} comments on lines of their own"


def test_the_counts_are_right() -> None:
    text = '"""A text."""\n\nimport os\n\n# why\nx = 1  # one\n\n\ndef f():\n'
    text += '    """Doc."""\n    # so\n    return os\n'
    assert (code(text), comments(text)) == (3, 2)
