"""English word lists, a file each: what tells a claim's direction, a point, a reply, good writing.

`[a section]` is followed by its entries, which `;` or line ends keep apart; `#` begins a comment.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def lexicon(name: str) -> dict[str, tuple[str, ...]]:
    """Return the sections of a word list and the entries of each, in the order of its file."""
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            section += [entry.strip() for entry in line.split(";")]
    return {name: tuple(entries) for name, entries in found.items()}
