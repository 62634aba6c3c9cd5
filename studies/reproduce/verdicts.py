"""What a system states of its method, what is done here, and why where it differs."""

from __future__ import annotations

from pathlib import Path

from studies.reproduce.table import Row, Table

FOLDER = Path(__file__).parent / "verdicts"
VERDICTS = ("same", "differs because", "cannot be had because")
"""What a verdict begins with."""


def verdicts(system: str) -> list[Row]:
    """(ingredient, as published, here, verdict) of each ingredient of a system."""
    lines = (FOLDER / f"{system}.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]


def method(system: str) -> Table:
    """The table of them."""
    columns = ("ingredient", "as published", "here", "verdict")
    return Table("method", "Every ingredient of the method", columns, lambda: verdicts(system))
