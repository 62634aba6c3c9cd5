"""How the project writes: counts of what blind readers found hard to read, which only go down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.test_budgets import PRODUCT, ROOT, sources

OPENING = re.compile(r"(What|Whether|Where|Which|How|Who|Whose|Whom|Of)\b(?![^.:]*\?)")
"""An opening that puts off the subject; a question may open so."""
CLUMSY = re.compile(
    r"\b(is|are) (said|told|held|asked|meant|looked at)\b|\bthat is asked for\b|\bso that it is\b"
    r"|\bwho(ever)? (has|wants|asks|knows|keeps)\b|\bas good as\b|\bthe like\b"
)
ARGUMENT = re.compile(r"\n\s*\n|\n(?=\s*[a-z][\w, ]*: )")
"""A new paragraph, or a line about an argument."""
LONGEST_SENTENCE = 30
"""Words."""
MOST = {"openings": 2, "clumsy": 0, "long": 3}
"""What is left to rewrite: the goal is 0."""
MOST_WORDS, MOST_WORDS_OF_A_PAGE = 40_000, 2_500
GENERATED = {"docs/commands.md", "docs/configuration.md", "docs/performance/table.md"}
REPRODUCTION = "docs/reproduction.md"


def docstrings() -> Iterator[str]:
    """Every docstring of the product, those of attributes too."""
    for text in sources(*PRODUCT).values():
        for node in ast.walk(ast.parse(text)):
            body = getattr(node, "body", ())
            for one in body if isinstance(body, list) else ():
                is_text = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
                if is_text and isinstance(one.value.value, str):
                    blocks = ARGUMENT.split(one.value.value)
                    yield from (" ".join(block.split()) for block in blocks)


def prose(text: str) -> str:
    """A page without its code, tables, lists of links and headings."""
    text = re.sub(r"(?ms)^```.*?^```", "", text)
    text = re.sub(r"(?m)^(\||#|    |!\[|<).*$", "", text)
    return re.sub(r"`[^`]*`", "X", re.sub(r"\]\([^)]*\)", "]", text))


def documentation() -> dict[str, str]:
    """The text of each page but the changelog, by the page's path."""
    paths = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    del texts["CHANGELOG.md"]
    return texts


def pages() -> Iterator[str]:
    """The paragraphs and list items of the pages that people write."""
    for name, text in documentation().items():
        if name not in GENERATED:
            yield from re.split(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)", prose(text))


def sentences() -> list[str]:
    """The sentences of pages and docstrings."""
    texts = [*docstrings(), *(" ".join(block.split()) for block in pages())]
    return [
        one.strip("*- ")
        for text in texts
        for one in re.split(r"(?<=[.:;?!]) (?=[A-Z*“`(]|args.me)", text)
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


def test_no_more_words_than_a_reader_bears() -> None:
    """A word has a letter or a digit; the tables of the published systems don't count."""
    texts = documentation()
    texts[REPRODUCTION] = re.sub(r"(?m)^\|.*$", "", texts[REPRODUCTION])
    words = {name: len(re.findall(r"\S*\w\S*", text)) for name, text in texts.items()}
    assert sum(words.values()) <= MOST_WORDS
    long = {name for name, count in words.items() if count > MOST_WORDS_OF_A_PAGE}
    assert long <= GENERATED | {REPRODUCTION}


@pytest.mark.parametrize("kind", MOST)
def test_no_more_hard_sentences(kind: str) -> None:
    hard = found()[kind]
    assert len(hard) <= MOST[kind], f"{len(hard)}, the last of them: " + "\n".join(hard[-5:])
