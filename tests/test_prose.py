"""How the project writes: counts of what blind readers found hard to read, which only go down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_budgets import PRODUCT, ROOT, sources

OPENING = re.compile(r"(What|Whether|Where|Which|How|Who|Whose|Whom|Of)\b(?![^.:]*\?)")
"""An opening that puts off the subject; a question may open so."""
CLUMSY = re.compile(
    r"\b(is|are) (said|told|held|asked|meant|looked at)\b|\bthat is asked for\b|\bso that it is\b"
    r"|\bwho(ever)? (has|wants|asks|knows|keeps)\b|\bas good as\b|\bthe like\b"
)
LONGEST_SENTENCE = 30
"""Words."""
MOST = {"openings": 9, "clumsy": 4, "long": 29}
"""What is left to rewrite: the goal is 0."""


def docstrings() -> Iterator[str]:
    """Every docstring of the product, those of attributes too."""
    for text in sources(*PRODUCT).values():
        for node in ast.walk(ast.parse(text)):
            body = getattr(node, "body", ())
            for one in body if isinstance(body, list) else ():
                is_text = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
                if is_text and isinstance(one.value.value, str):
                    yield " ".join(one.value.value.split())


def prose(text: str) -> str:
    """A page without its code, tables, lists of links and headings."""
    text = re.sub(r"(?ms)^```.*?^```", "", text)
    text = re.sub(r"(?m)^(\||#|    |!\[|<).*$", "", text)
    return re.sub(r"`[^`]*`", "X", re.sub(r"\]\([^)]*\)", "]", text))


def pages() -> Iterator[str]:
    """The pages that people write: no generated reference, no changelog."""
    for path in [
        *sorted((ROOT / "docs").rglob("*.md")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]:
        if path.name not in ("commands.md", "configuration.md", "table.md"):
            yield from re.split(
                r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)", prose(Path(path).read_text("utf-8"))
            )


def sentences() -> list[str]:
    """The sentences of pages and docstrings."""
    texts = [*docstrings(), *(" ".join(block.split()) for block in pages())]
    return [
        one.strip("*- ")
        for text in texts
        for one in re.split(r"(?<=[.:;?!]) (?=[A-Z*“])", text)
        if one
    ]


def found() -> dict[str, list[str]]:
    """The sentences of each kind."""
    written = sentences()
    return {
        "openings": [one for one in written if OPENING.match(one)],
        "clumsy": [one for one in written if CLUMSY.search(one)],
        "long": [one for one in written if len(one.split()) > LONGEST_SENTENCE],
    }


@pytest.mark.parametrize("kind", MOST)
def test_no_more_hard_sentences(kind: str) -> None:
    hard = found()[kind]
    assert len(hard) <= MOST[kind], f"{len(hard)}, the last of them: " + "\n".join(hard[-5:])
