"""Show, store and compare tables of published and measured values."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Row = tuple[str, ...]
PUBLISHED = Path(__file__).parent / "published"
KEPT = Path(__file__).parents[2] / ".cache" / "reproduce"
"""Results that take long to make, in a folder per system. `--resume` reuses them."""
NUMBER = re.compile(r"[−-]?(?:\d+(?:,\d{3})*\.?\d*|\.\d+)(?:e[−-]?\d+)?")


@dataclass(frozen=True)
class Table:
    """A table of docs/reproduction.md. Nothing is computed before `rows` is called."""

    name: str
    """Name for `--only`, unique within the system."""
    caption: str
    columns: Row
    make: Callable[[], Iterable[Row]]
    """Function that returns the rows as text. The first `keys` cells identify a row."""
    command: str = ""
    """Command that gives these values without this study, if there is one."""
    published: Sequence[str] = ()
    """Names of the files in `published/` with the published values."""
    note: str = ""
    """Note on the differences and their reasons, in Markdown."""
    tolerance: float = 0.005
    """Allowed difference of a number from the page. Other libraries round differently."""
    keys: int = 1
    needs: str = ""
    """Module that the table needs. Without it the table is left out."""
    folded: bool = False
    """True if the page shows the table only after a click on its caption."""

    def rows(self) -> list[Row]:
        """Compute the rows. Raises ValueError if a row has a wrong length or another row's name."""
        rows = list(self.make())
        for row in rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: {len(row)} cells for {len(self.columns)} columns")
        if len({row[: self.keys] for row in rows}) < len(rows):
            raise ValueError(f"{self.name}: two rows of one name")
        return rows

    def block(self, system: str, rows: Sequence[Row]) -> str:
        """Return the table for the page: mark, caption, rows, commands, note."""
        made = f"{system} --only {self.name}"
        commands = [made, self.command] if self.keys < len(self.columns) else []
        said = ", ".join(f"`{command}`" for command in commands if command)
        files = ", ".join(f"`{name}`" for name in self.published)
        said += f"; published: {files}" if said and files else files
        ruled = ("---",) * self.keys + ("---:",) * (len(self.columns) - self.keys)
        lines = ["| " + " | ".join(row) + " |" for row in (self.columns, *rows)]
        lines.insert(1, f"|{'|'.join(ruled)}|")
        parts = [f"**{self.caption}**", "\n".join(lines), said, self.note]
        if self.folded:
            parts[0] = f"<details markdown><summary>{self.caption}</summary>"
            parts.append("</details>")
        return mark(system, self.name) + "\n" + "\n\n".join(part for part in parts if part)


def mark(system: str, name: str) -> str:
    """Return the comment that precedes a table on the page."""
    return f"<!-- {system}: {name} -->"


def published(name: str) -> list[list[str]]:
    """Return the rows of a published table, with stripped cells. The first row is the header."""
    text = (PUBLISHED / name).read_text(encoding="utf-8")
    return [[cell.strip() for cell in row] for row in csv.reader(text.splitlines(), delimiter="\t")]


def as_printed(name: str, file: str, caption: str, note: str = "") -> Table:
    """Return a table with the published values alone, for a table that cannot be made here."""
    width = max(map(len, published(file)))
    padded = ([cell or "–" for cell in row] + ["–"] * width for row in published(file))
    columns, *rows = (tuple(row[:width]) for row in padded)
    return Table(
        name, caption, columns, lambda: rows, published=(file,), note=note, keys=width, folded=True
    )


def short(value: float, digits: int = 3) -> str:
    """Format a number as papers print it, such as .530 or −.18."""
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)


class Page:
    """The page with all tables. Each system's tables are between two marks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")

    def _region(self, system: str) -> tuple[int, int]:
        start, end = f"<!-- {system} -->\n", f"<!-- end {system} -->"
        if start not in self.text or end not in self.text:
            raise ValueError(f"{self.path.name} lacks {start.strip()} or {end}")
        return self.text.index(start) + len(start), self.text.index(end)

    def blocks(self, system: str) -> dict[str, str]:
        """Return the tables of a system on the page, by name."""
        first, last = self._region(system)
        found = re.split(rf"^<!-- {system}: (\S+) -->$", self.text[first:last], flags=re.MULTILINE)
        named = zip(found[1::2], found[2::2], strict=True)
        return {name: mark(system, name) + block.rstrip() for name, block in named}

    def rows(self, system: str, name: str) -> list[Row]:
        """Return the rows of a table on the page without its header, or none if it is missing."""
        lines = self.blocks(system).get(name, "").splitlines()
        ruled = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
        return [tuple(row) for row in ruled[1:]]

    def write(self, system: str, table: Table, rows: Sequence[Row]) -> None:
        """Replace the table of this name, or add a new one after the system's tables, and save."""
        blocks = self.blocks(system) | {table.name: table.block(system, rows)}
        self._save(system, blocks)

    def keep(self, system: str, names: Sequence[str]) -> None:
        """Keep only these tables of a system on the page, in this order, and save."""
        blocks = self.blocks(system)
        self._save(system, {name: blocks[name] for name in names})

    def _save(self, system: str, blocks: Mapping[str, str]) -> None:
        first, last = self._region(system)
        between = "\n\n".join(blocks.values()) + "\n"
        self.text = self.text[:first] + between + self.text[last:]
        self.path.write_text(self.text, encoding="utf-8")


def moved(table: Table, before: Sequence[Row], now: Sequence[Row], whole: bool) -> list[str]:
    """Return a line for each difference from the page: table, cell, old and new value.

    Numbers may differ by the table's tolerance; words may not differ. With `whole`, the lines also
    name rows of the page that were not made.
    """
    was = {row[: table.keys]: row for row in before}
    found = []
    for row in now:
        key = row[: table.keys]
        if key not in was:
            found.append(f"{table.name}: {' '.join(key)}: not on the page")
            continue
        for column, old, new in zip(table.columns, was.pop(key), row, strict=True):
            if not alike(old, new, table.tolerance):
                found.append(f"{table.name}: {' '.join(key)}, {column}: before {old}, now {new}")
    if whole:
        found += [f"{table.name}: {' '.join(key)}: on the page, but not made" for key in was]
    return found


def alike(old: str, new: str, tolerance: float) -> bool:
    """Return whether two cells have the same words, and numbers within the tolerance."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(_numbers(old), _numbers(new), strict=True)
    return all(abs(a - b) <= tolerance * (1 + 1e-9) for a, b in pairs)


def _numbers(cell: str) -> list[float]:
    found = NUMBER.findall(cell)
    return [float(number.replace("−", "-").replace(",", "")) for number in found]
