"""Count what systems show by the labels that ship, without new judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from argsearch.engine import Engine
from studies.reader.judged import OPPOSITE
from studies.reader.lists import FIRST, SIDES, Question, shown

Known = Mapping[tuple[str, str], Mapping[str, str]]
"""The row of `judged.tsv` about an argument of a question."""
HEAD = ("list", "places", "unlabelled", "usable", "right", "right, of fillable", "empty lists")


def table(engine: Engine, asked: Sequence[Question], systems: Sequence[str], known: Known) -> str:
    """Return a Markdown table per system, with a row per list of questions and one for all.

    Shares are of the places that have a label. A place is right if its argument is usable and on
    the side where it is shown. A list is empty if it shows nothing though an argument is known.
    """
    lines = []
    for system in systems:
        rows: dict[str, Counter[str]] = {}
        for one in asked:
            for side in SIDES:
                counts = counted(engine, one, side, system, known)
                for name in (one.list, "all"):
                    rows.setdefault(name, Counter()).update(counts)
        rows["all"] = rows.pop("all")
        lines += [f"\n{system}\n", f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
        lines += [f"| {name} | {' | '.join(_cells(row))} |" for name, row in rows.items()]
    return "\n".join(lines)


def counted(engine: Engine, asked: Question, side: str, system: str, known: Known) -> Counter[str]:
    """Return the counts of the first places on a side of a question."""
    rows = {argument: row for (question, argument), row in known.items() if question == asked.id}
    good = set[str]()
    for argument, row in rows.items():
        right = row["right"] if row["side"] == side else OPPOSITE.get(row["right"])
        if row["usable"] == "1" and right == "1":
            good.add(argument)
    ids = [hit.hit.id for hit in shown(engine, asked.text, side, system).hits]
    labelled = [one for one in ids if one in rows]
    return Counter(
        places=len(ids),
        labelled=len(labelled),
        usable=sum(rows[one]["usable"] == "1" for one in labelled),
        right=sum(one in good for one in labelled),
        fillable=min(FIRST, len(good)),
        empty=bool(good) and not ids,
    )


def _cells(row: Counter[str]) -> list[str]:
    """Return the cells of a table row after its name."""
    pairs = (("usable", "labelled"), ("right", "labelled"), ("right", "fillable"))
    shares = [f"{row[part] / row[whole]:.2f}" if row[whole] else "–" for part, whole in pairs]
    return [str(row["places"]), str(row["places"] - row["labelled"]), *shares, str(row["empty"])]
