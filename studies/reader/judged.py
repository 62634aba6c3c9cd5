"""A shipped file of judgements, which gives labels to the items of later lists.

A line about an argument of a question applies wherever the argument is shown later. On the other
side, `right` is the opposite. The file does not contain the corpus's texts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from studies.reader.labels import COLUMNS, Labels
from studies.reader.lists import SIDES, Lists, read_rows

JUDGED = Path(__file__).with_name("judged.tsv")
OPPOSITE = {"0": "1", "1": "0", "n": "n"}


def write(path: Path, lists: Lists, labels: Labels) -> None:
    """Write every label with its argument; lines about other arguments and questions stay."""
    items = {(item.question, item.argument) for item in lists.items if item.id in labels.items}
    here = items | {(name, "") for name in labels.exists}
    old = _rows(path) if path.exists() else []
    former = [row for question, row in old if (question, row["argument"]) not in here]
    with path.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, delimiter="\t", lineterminator="\n")
        out.writerow(["item", "argument", "side", *COLUMNS[1:]])
        out.writerows(row.values() for row in former)
        for item in lists.items:
            if label := labels.items.get(item.id):
                said = [int(label.usable), label.right, int(label.snippet), ""]
                out.writerow([item.id, item.argument, item.side, *said])
        for name, exists in labels.exists.items():
            out.writerow([name, *[""] * 5, int(exists)])


def _rows(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a file, each with the question (or question's side) that it is about."""
    return [(row["item"].partition(".")[0], row) for row in read_rows(path)]


def known(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    """Return the last row about each argument of each question; the argument is "" for a side."""
    return {(question, row["argument"]): row for question, row in _rows(path)}


def carried(path: Path, lists: Lists) -> Iterator[dict[str, str]]:
    """Yield rows of labels for the items of other lists, from a file that `write` wrote."""
    rows, here = known(path), {f"{one.id}/{side}" for one in lists.questions for side in SIDES}
    for (question, _), row in rows.items():
        if question in here:
            yield {"item": question, "exists": row["exists"]}
    for item in lists.items:
        if found := rows.get((item.question, item.argument)):
            right = found["right"] if found["side"] == item.side else OPPOSITE[found["right"]]
            said = {"usable": found["usable"], "right": right, "snippet": found["snippet"]}
            yield {"item": item.id, **said}
