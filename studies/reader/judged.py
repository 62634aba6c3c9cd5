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
    """Write every label, with the argument and its place in each system's list for that side.

    Lines about arguments that are in no list now stay, without a number.
    """
    former = _former(path, lists)
    with path.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, delimiter="\t", lineterminator="\n")
        out.writerow(["item", "argument", "side", *lists.places, *COLUMNS[1:]])
        for item in lists.items:
            if (label := labels.items.get(item.id)) is None:
                continue
            of = [places[item.question][item.side] for places in lists.places.values()]
            places = [places.index(item.id) + 1 if item.id in places else "" for places in of]
            said = [int(label.usable), label.right, int(label.snippet), ""]
            out.writerow([item.id, item.argument, item.side, *places, *said])
        for question, row in former:
            said = [row[column] for column in COLUMNS[1:]]
            blank = [""] * len(lists.places)
            out.writerow([f"{question}.", row["argument"], row["side"], *blank, *said])
        for name, exists in labels.exists.items():
            out.writerow([name, *[""] * (5 + len(lists.places)), int(exists)])


def _former(path: Path, lists: Lists) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a file about arguments that are not in the lists, with their questions."""
    if not path.exists():
        return []
    here = {(item.question, item.argument) for item in lists.items}
    found = [(question, row) for question, row in _rows(path) if row["argument"]]
    return [(question, row) for question, row in found if (question, row["argument"]) not in here]


def _rows(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a file, each with the question (or question's side) that it is about."""
    return [(row["item"].partition(".")[0], row) for row in read_rows(path)]


def carried(path: Path, lists: Lists) -> Iterator[dict[str, str]]:
    """Yield rows of labels for the items of other lists, from a file that `write` wrote."""
    known: dict[tuple[str, str], dict[str, str]] = {}
    for question, row in _rows(path):
        known[question, row["argument"]] = row
        if "/" in question and question.partition("/")[2] in SIDES:
            yield {"item": question, "exists": row["exists"]}
    for item in lists.items:
        if row := known.get((item.question, item.argument)):
            right = row["right"] if row["side"] == item.side else OPPOSITE[row["right"]]
            said = {"usable": row["usable"], "right": right, "snippet": row["snippet"]}
            yield {"item": item.id, **said}
