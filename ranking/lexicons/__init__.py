"""English word lists, with one file per topic in this folder, and functions that read them.

A line `[name]` begins a list; commas separate its entries. Lines that start with `#` are comments.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def lines(file: str) -> dict[str, list[str]]:
    """Return the lines of each list in a file, in file order."""
    lists: dict[str, list[str]] = {}
    text = Path(__file__).with_name(f"{file}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            lists[line[1:-1]] = []
        elif line and not line.startswith("#"):
            lists[next(reversed(lists))].append(line)
    return lists


@cache
def lexicon(file: str) -> dict[str, tuple[str, ...]]:
    """Return the entries of each list in a file, in file order."""
    return {
        name: tuple(entry for line in listed for entry in map(str.strip, line.split(",")) if entry)
        for name, listed in lines(file).items()
    }


@cache
def stop_words() -> frozenset[str]:
    """Return the English stop words."""
    return frozenset(lexicon("stop_words")["english"])
