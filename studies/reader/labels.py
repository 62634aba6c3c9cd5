"""A judge's labels of items, in a file of tab-separated values that only grows.

Columns: item, usable, right, snippet, exists. A line about an item ("Q07.3") leaves `exists` blank.
A line about a question's side ("Q07/for") only has `exists`. Later lines replace earlier lines.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

from argsearch.indexer.errors import ArgsearchError
from studies.reader.lists import SIDES, Lists

COLUMNS = ("item", "usable", "right", "snippet", "exists")
ALLOWED = {
    "usable": ("0", "1"),
    "right": ("0", "1", "n"),
    "snippet": ("0", "1"),
    "exists": ("0", "1"),
}
"""right: 1 on the side where it is shown, 0 on the other side, n on neither side or both."""


class WrongLabel(ArgsearchError):
    """Raised for an invalid line in a file of labels."""


@dataclass(frozen=True, slots=True)
class Label:
    """A judge's label of an item."""

    usable: bool
    right: str
    snippet: bool

    @property
    def good(self) -> bool:
        """True if the item is usable and on the side where it is shown."""
        return self.usable and self.right == "1"


@dataclass
class Labels:
    """A judge's labels, by item and by question and side."""

    items: dict[str, Label] = field(default_factory=dict)
    exists: dict[str, bool] = field(default_factory=dict)

    def add(self, row: dict[str, str], lists: Lists) -> None:
        """Add the label of a row. Raises WrongLabel."""
        name = row.get("item") or ""
        about_side = name in sides(lists)
        if not about_side and name not in {item.id for item in lists.items}:
            raise WrongLabel(
                f"item is {name!r}; allowed: an id of these lists, or one such as Q07/for"
            )
        wanted = ("exists",) if about_side else ("usable", "right", "snippet")
        for column in wanted:
            if row.get(column) not in ALLOWED[column]:
                allowed = ", ".join(ALLOWED[column])
                raise WrongLabel(f"{column} of {name} is {row.get(column)!r}; allowed: {allowed}")
        if about_side:
            self.exists[name] = row["exists"] == "1"
        else:
            self.items[name] = Label(row["usable"] == "1", row["right"], row["snippet"] == "1")

    def found(self, question: str, side: str, lists: Lists) -> int:
        """Return the number of known arguments of a side, even if shown on the wrong side."""
        known = {
            item.argument
            for item in lists.of(question)
            if (label := self.items.get(item.id))
            if label.usable and label.right == ("1" if item.side == side else "0")
        }
        return len(known)

    def complete(self, lists: Lists) -> list[str]:
        """Return the questions that are judged completely.

        Every item must have a label, and every side without a known argument must have `exists`.
        """
        waiting = {item.question for item in lists.items if item.id not in self.items}
        for name in sides(lists):
            question, side = name.split("/")
            if name not in self.exists and not self.found(question, side, lists):
                waiting.add(question)
        return [question.id for question in lists.questions if question.id not in waiting]


def sides(lists: Lists) -> list[str]:
    """Return the names of the questions' sides, such as Q07/for."""
    return [f"{question.id}/{side}" for question in lists.questions for side in SIDES]


def read(path: Path, lists: Lists) -> Labels:
    """Return the labels in a file, or none if it is missing. Raises WrongLabel with the line."""
    labels = Labels()
    if not path.exists():
        return labels
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise WrongLabel(f"{path} begins with {rows.fieldnames}; allowed: {', '.join(COLUMNS)}")
        for row in rows:
            try:
                labels.add(row, lists)
            except WrongLabel as error:
                raise WrongLabel(f"{path}:{rows.line_num}: {error}") from None
    return labels


def append(path: Path, row: dict[str, str]) -> None:
    """Append a row to the file at once, after a header in a new file."""
    new = not path.exists() or not path.stat().st_size
    with path.open("a", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n", restval="")
        if new:
            out.writeheader()
        out.writerow(row)
