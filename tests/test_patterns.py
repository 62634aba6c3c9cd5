"""No regular expression of the product takes more than linear steps, whatever it is fed.

`re` counts no steps, so a small matcher that goes back as `re` does counts them here.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

parser: Any = importlib.import_module("re._parser")
ENDLESS = parser.MAXREPEAT
SHORT, GROWN = 24, 4
"""Characters of the first text, and how many times as long the second one is."""
LINEAR = 2 * GROWN
"""Linear steps grow by GROWN, quadratic ones by its square."""
MOST = 400_000
"""Steps after which no more are counted."""
FEW = 200
"""Steps below which nothing is told of the growth."""
WHOLE = ("match", "fullmatch")
HOUSE = Path(__file__).parent.parent


class Steps:
    """A pattern, matched by going back as `re` does; counts the characters that are looked at."""

    def __init__(self, pattern: re.Pattern[Any], most: int) -> None:
        source = pattern.pattern
        source = source.decode("latin-1") if isinstance(source, bytes) else source
        self.tree = parser.parse(
            source,
            pattern.flags & ~re.DEBUG & ~(0 if isinstance(pattern.pattern, str) else re.UNICODE),
        )
        self.cased = not pattern.flags & re.IGNORECASE
        self.all = bool(pattern.flags & re.DOTALL)
        self.taken, self.most = 0, most
        self.groups: dict[int, str] = {}

    def ends(self, items: list[Any], text: str, at: int) -> Iterator[int]:
        """Yield where the items can end, in the order in which they are tried."""
        if not items:
            yield at
            return
        for end in self.one(*items[0], text, at):
            yield from self.ends(items[1:], text, end)

    def one(self, op: Any, arg: Any, text: str, at: int) -> Iterator[int]:
        """Yield where one item can end."""
        self.taken += 1
        if self.taken > self.most:
            raise OverflowError
        name = str(op)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE"):
            if at < len(text) and self.takes(name, arg, text[at]):
                yield at + 1
        elif name == "BRANCH":
            for branch in arg[1]:
                yield from self.ends(list(branch), text, at)
        elif name == "SUBPATTERN":
            for end in self.ends(list(arg[3]), text, at):
                if arg[0] is not None:
                    self.groups[arg[0]] = text[at:end]
                yield end
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = arg
            if name == "POSSESSIVE_REPEAT":
                yield from [*self.repeat(list(inner), least, most, False, text, at)][:1]
            else:
                yield from self.repeat(list(inner), least, most, name == "MIN_REPEAT", text, at)
        elif name == "ATOMIC_GROUP":
            yield from [*self.ends(list(arg), text, at)][:1]
        elif name in ("ASSERT", "ASSERT_NOT"):
            ahead, inner = arg
            found = self.looks(list(inner), ahead, text, at)
            if found == (name == "ASSERT"):
                yield at
        elif name == "AT":
            if self.stands(str(arg), text, at):
                yield at
        elif name == "GROUPREF":
            group = self.groups.get(arg, "")
            if text.startswith(group, at):
                yield at + len(group)
        else:
            raise NotImplementedError(name)

    def repeat(
        self, inner: list[Any], least: int, most: Any, lazy: bool, text: str, at: int
    ) -> Iterator[int]:
        """Yield where a repetition can end."""
        if lazy and not least:
            yield at
        if most:
            further = most if most is ENDLESS else most - 1
            for end in self.ends(inner, text, at):
                if end > at or least:
                    yield from self.repeat(inner, max(0, least - 1), further, lazy, text, end)
        if not lazy and not least:
            yield at

    def looks(self, inner: list[Any], ahead: int, text: str, at: int) -> bool:
        """Whether a look ahead or behind finds what it looks for."""
        if ahead > 0:
            return next(self.ends(inner, text, at), None) is not None
        begin = at - parser.SubPattern(self.tree.state, inner).getwidth()[0]
        return begin >= 0 and at in self.ends(inner, text, begin)

    def stands(self, where: str, text: str, at: int) -> bool:
        """Whether a place is one of an anchor."""
        if "BOUNDARY" in where:
            sides = [
                0 <= i < len(text) and (text[i].isalnum() or text[i] == "_") for i in (at - 1, at)
            ]
            return (sides[0] != sides[1]) != ("NON" in where)
        if "BEGINNING" in where:
            return at == 0 or ("LINE" in where and text[at - 1] == "\n")
        return at == len(text) or (
            at == len(text) - 1 and text[at] == "\n" and "STRING" not in where
        )

    def takes(self, name: str, arg: Any, character: str) -> bool:
        """Whether an item takes a character."""
        if not self.cased:
            return any(
                self._takes(name, arg, c) for c in {character, character.lower(), character.upper()}
            )
        return self._takes(name, arg, character)

    def _takes(self, name: str, arg: Any, c: str) -> bool:
        code = ord(c[0])
        if name == "LITERAL":
            return code == arg
        if name == "NOT_LITERAL":
            return code != arg
        if name == "ANY":
            return self.all or c != "\n"
        if name == "RANGE":
            return bool(arg[0] <= code <= arg[1])
        if name == "CATEGORY":
            kind = str(arg)
            found = (
                c.isspace()
                if "SPACE" in kind
                else c.isdigit()
                if "DIGIT" in kind
                else c.isalnum() or c == "_"
            )
            return found != ("NOT" in kind)
        negated = str(arg[0][0]) == "NEGATE"
        found = any(self._takes(str(op), one, c) for op, one in arg[negated:])
        return found != negated

    def search(self, text: str, method: str) -> int:
        """Return the steps of a search (of all matches), or of a match at the beginning."""
        items, at = list(self.tree), 0
        if method == "fullmatch":
            _ = len(text) in self.ends(items, text, 0)
            return self.taken
        while at <= len(text):
            end = next(self.ends(items, text, at), None)
            if method == "match" or (method == "search" and end is not None):
                break
            at = max(at + 1, end or 0)
        return self.taken


def steps(pattern: re.Pattern[Any], text: str, method: str, most: int = MOST) -> int:
    """Return the steps of a pattern on a text, at most about so many."""
    counted = Steps(pattern, most)
    with suppress(OverflowError):
        counted.search(text, method)
    return counted.taken


def patterns() -> dict[str, tuple[re.Pattern[Any], str]]:
    """Return all patterns that modules keep, and the method by which each is used."""
    found: dict[str, tuple[re.Pattern[Any], str]] = {}
    for module in _modules():
        path = HOUSE / Path(*module.__name__.split(".")[1:]).with_suffix(".py")
        for name, value in vars(module).items():
            several = value if isinstance(value, tuple | list) else [value]
            for number, one in enumerate(several):
                # What is imported from elsewhere is tried where it is made.
                if isinstance(one, re.Pattern) and re.search(rf"(?m)^{name} = ", SOURCES[path]):
                    place = f"{module.__name__.removeprefix('argsearch.')}.{name}"
                    place += f"[{number}]" if value is not one else ""
                    found[place] = one, _method(path, name)
    return found


def _modules() -> Iterator[ModuleType]:
    for room in ("engine", "indexer", "ranking", "lab", "api"):
        package = importlib.import_module(f"argsearch.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with suppress(ImportError):
                yield importlib.import_module(module.name)


SOURCES = {
    path: path.read_text() for path in HOUSE.glob("[aeilr]*/**/*.py") if "tests" not in path.parts
}


def _method(path: Path, name: str) -> str:
    """Return how a pattern is used; `finditer` is the dearest way."""
    inside = [SOURCES[path]] if name.startswith("_") else SOURCES.values()
    ways = {way for text in inside for way in re.findall(rf"\b{name}\.(\w+)\(", text)}
    return ways.pop() if len(ways) == 1 and ways <= {*WHOLE, "search"} else "finditer"


def chunks(pattern: re.Pattern[Any]) -> list[str]:
    """Return what hostile texts repeat: signs, letters and short words of the pattern."""
    source = pattern.pattern
    source = source.decode("latin-1") if isinstance(source, bytes) else source
    words = re.findall(r"[a-z]{2,8}", source)[:3]
    signs = {c for c in source if not c.isalnum() and c.isprintable()}
    own = sorted(
        signs
        | {" ", "a", "A", "1", "_", "\n", '"', "é" if isinstance(pattern.pattern, str) else "b"}
    )
    return [
        *own,
        *(f"{a}{b}" for a in "aA1 " for b in own),
        *(f"{w} " for w in words),
        *(f" {w}" for w in words),
    ]


PATTERNS = patterns()


@pytest.fixture(autouse=True)
def deep() -> Iterator[None]:
    """Let the matcher go back as far as it must; the limit that other tests rely on comes back."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20_000))
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_steps_grow_with_the_text(name: str) -> None:
    pattern, method = PATTERNS[name]
    for chunk in chunks(pattern):
        for end in ("", "\x00"):
            few, many = (
                steps(pattern, (chunk * size)[:size] + end, method)
                for size in (SHORT, SHORT * GROWN)
            )
            assert few < MOST, (chunk, end)
            assert many <= LINEAR * max(few, FEW), (chunk, end, few, many)


def test_the_steps_tell_a_quadratic_pattern() -> None:
    """The patterns of the faults that this stands for."""
    for source, method, chunk in [
        (r"\s*(?!\")([^,]*)(?:,|\Z)x", "match", " "),
        (r"[\s,]+(?![^(]*\))", "finditer", "a "),
        (r"(https?://)\S*@", "finditer", "http://"),
        (r"(a+)+b", "match", "a"),
        (r"\s+$", "search", " "),
    ]:
        pattern = re.compile(source)
        few, many = (
            steps(pattern, (chunk * size)[:size] + "y", method) for size in (SHORT * 2, SHORT * 8)
        )
        assert many > LINEAR * few or many > MOST, source
