"""Count how many of the places that a reader looks at have a usable argument on the right side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.evaluation.agreement import cohen_kappa
from studies.reader.labels import Labels
from studies.reader.lists import FIRST, SIDES, Lists

SAMPLES, SEED = 10_000, 0
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Counted:
    """Counts of one system's lists, each int64[questions]."""

    good: Counts
    """Places with a usable argument that is on this side."""
    fillable: Counts
    """Places that known arguments could fill, at most five on each side."""
    shown: Counts
    """Places with any argument."""
    usable: Counts
    """Places with a usable argument, on the right side or not."""
    snippet: Counts
    """Places whose snippet carries the argument's point."""
    usable_snippet: Counts
    """Places among `usable` whose snippet carries the point."""


SHARES: dict[str, Callable[[Counted], tuple[Counts, Counts]]] = {
    "usable and right, of places known arguments can fill": lambda c: (c.good, c.fillable),
    "… of places shown": lambda c: (c.good, c.shown),
    "usable, of places shown": lambda c: (c.usable, c.shown),
    "snippet carries the point, of places shown": lambda c: (c.snippet, c.shown),
    "… of usable": lambda c: (c.usable_snippet, c.usable),
}


def count(lists: Lists, labels: Labels, system: str, asked: Sequence[str]) -> Counted:
    """Return the counts of a system for some questions, which must be judged completely."""
    rows = [_of_question(lists, labels, system, question) for question in asked]
    return Counted(*np.array(rows, np.int64).reshape(len(rows), 6).T)


def _of_question(lists: Lists, labels: Labels, system: str, question: str) -> list[int]:
    places = lists.places[system][question]
    known = {side: known_of(lists, labels, question, side) for side in SIDES}
    here = [labels.items[id] for side in SIDES for id in places[side]]
    return [
        sum(label.good for label in here),
        sum(min(FIRST, n) for n in known.values()),
        len(here),
        sum(label.usable for label in here),
        sum(label.snippet for label in here),
        sum(label.snippet and label.usable for label in here),
    ]


def known_of(lists: Lists, labels: Labels, question: str, side: str) -> int:
    """Return the number of known arguments, or 1 if none was shown but a judge knows of one."""
    return labels.found(question, side, lists) or int(labels.exists.get(f"{question}/{side}", 0))


def draws(questions: int) -> Counts:
    """Draw questions with replacement, int64[SAMPLES, questions], the same for every system."""
    return np.random.default_rng(SEED).integers(0, questions, (SAMPLES, questions))


def shares(parts: Counts, wholes: Counts, drawn: Counts) -> NDArray[np.float64]:
    """Return the ratio of sums in each drawing, without drawings that have no places."""
    above, below = parts[drawn].sum(axis=1), wholes[drawn].sum(axis=1)
    ratio: NDArray[np.float64] = above[below > 0] / below[below > 0]
    return ratio


def interval(values: NDArray[np.float64]) -> str:
    """Return the middle 95 % of drawings, formatted for a table."""
    low, high = np.quantile(values, [0.025, 0.975])
    return f"[{low:.2f}, {high:.2f}]"


def table(lists: Lists, labels: Labels) -> str:
    """Return as Markdown all systems' shares, with bootstrap intervals over judged questions."""
    asked = labels.complete(lists)
    if not asked:
        return "No question is judged completely."
    drawn = draws(len(asked))
    counted = {system: count(lists, labels, system, asked) for system in lists.places}
    lines = [
        f"{len(asked)} of {len(lists.questions)} questions judged, {len(labels.items)} arguments.",
        "",
        f"| | {' | '.join(counted)} |",
        f"|---|{'---|' * len(counted)}",
    ]
    for name, share in SHARES.items():
        cells = [_cell(*share(one), drawn) for one in counted.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_differences(counted, drawn)])


def _cell(parts: Counts, wholes: Counts, drawn: Counts) -> str:
    if not wholes.sum():
        return "–"
    share = parts.sum() / wholes.sum()
    of = f"{parts.sum()}/{wholes.sum()}"
    return f"**{share:.2f}** {interval(shares(parts, wholes, drawn))} {of}"


def _differences(counted: dict[str, Counted], drawn: Counts) -> list[str]:
    """Return lines that compare the last system with the others, on the same drawings."""
    *others, last = counted
    lines = [f"| {last} minus | {' | '.join(others)} |", f"|---|{'---|' * len(others)}"]
    for name, share in SHARES.items():
        ours = share(counted[last])
        cells = [_difference(ours, share(counted[other]), drawn) for other in others]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _difference(a: tuple[Counts, Counts], b: tuple[Counts, Counts], drawn: Counts) -> str:
    if not (a[1].sum() and b[1].sum()):
        return "–"
    below = [whole[drawn].sum(axis=1) for _, whole in (a, b)]
    kept = drawn[(below[0] > 0) & (below[1] > 0)]
    difference = a[0].sum() / a[1].sum() - b[0].sum() / b[1].sum()
    return f"{difference:+.2f} {interval(shares(*a, kept) - shares(*b, kept))}"


def merged(files: Sequence[Labels]) -> Labels:
    """Merge the labels of several judges. If two judged an item, the first judge's label counts."""
    labels = Labels()
    for one in reversed(files):
        labels.items |= one.items
        labels.exists |= one.exists
    return labels


def agreement(files: Sequence[Labels]) -> str:
    """Return Cohen's κ for items labelled in several files, or an empty text if there are none."""
    pairs = [
        (files[i].items[id], files[j].items[id])
        for i in range(len(files))
        for j in range(i + 1, len(files))
        for id in files[i].items.keys() & files[j].items.keys()
    ]
    if not pairs:
        return ""
    lines = [f"{len(pairs)} pairs of labels about the same item:"]
    for column in ("usable", "right", "snippet"):
        first, second = (
            [getattr(label, column) for label in labels] for labels in zip(*pairs, strict=True)
        )
        equal = sum(a == b for a, b in zip(first, second, strict=True))
        lines.append(f"{column}: {equal} equal, kappa {cohen_kappa(first, second):.2f}")
    return "\n".join(lines)
