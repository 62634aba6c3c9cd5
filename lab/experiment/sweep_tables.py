"""The tables of a sweep: what each choice of weights gives, seen and unseen, and every cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.evaluation.tables import Grid
from argsearch.lab.experiment.sweep import Map, plain
from argsearch.ranking.evaluation.choice import HeldOut
from argsearch.ranking.evaluation.significance import bootstrap_interval, paired_t

TOP = 12
"""Cells in the table of the best."""
_HEADER = ("judgements, measure", "baseline", "best cell", "score", "± seeds", "held-out score")
_GAIN = ("held-out gain [95 %]", "p (t)")


def sweep_grids(found: Map) -> list[Grid]:
    """Three tables: each column's own choice, one choice for all columns, the best cells."""
    title = f"{found.corpus} · {found.topics}: sweep"
    count = len(np.unique(found.fold))
    folds = f"{count} folds" if count < len(found.queries) else "leaving one topic out"
    own = [_row(found, i, *found.best(i)) for i in range(len(found.columns))]
    grids = [Grid(f"{title}, chosen on each measure ({folds})", (*_HEADER, *_GAIN), own)]
    if len(found.columns) > 1:
        cell, held = found.joint()
        scores = HeldOut(held.values + found.baseline, held.chosen)
        rows = [
            _row(found, i, cell, HeldOut(scores.values[:, i], held.chosen))
            for i in range(len(found.columns))
        ]
        caption = f"{title}, one choice that loses on no measure ({folds})"
        grids.append(Grid(caption, (*_HEADER, *_GAIN), rows))
    return [*grids, _best_cells(found, title)]


def _row(found: Map, column: int, cell: int, held: HeldOut) -> tuple[str, ...]:
    base = found.baseline[:, column]
    mean, spread = found.means()[cell, column], found.spread[cell, column]
    return (
        found.columns[column].label,
        f"{np.nanmean(base):.4f}",
        found.describe(cell),
        f"{mean:.4f}",
        f"{spread:.4f}",
        f"{np.nanmean(held.values):.4f}",
        *_gain(held.values, base),
    )


def _gain(values: NDArray[np.float64], base: NDArray[np.float64]) -> tuple[str, str]:
    """The mean gain with its interval, and the paired t test's p."""
    gains = values - base
    defined = ~np.isnan(gains)
    if not defined.any():
        return ("–", "–")
    interval = bootstrap_interval(gains[defined])
    p = paired_t(values[defined], base[defined]).p
    text = f"{gains[defined].mean():+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]"
    return text, "–" if np.isnan(p) else f"{p:.2g}"


def _best_cells(found: Map, title: str) -> Grid:
    gains = np.nanmean(found.gains, axis=1)
    order = np.argsort(-gains.mean(axis=1), kind="stable")[:TOP]
    rows = [
        (
            found.describe(i),
            f"{gains[i].mean():+.4f}",
            f"{gains[i].min():+.4f}",
            *(f"{value:+.4f}" for value in gains[i]),
        )
        for i in order.tolist()
    ]
    header = ("cell", "mean gain", "smallest", *(column.label for column in found.columns))
    caption = f"{title}, the {len(rows)} best of {len(found.cells)} cells (gain over the baseline)"
    return Grid(caption, header, rows)


def sweep_csv(maps: Sequence[Map]) -> str:
    """Every cell: its value on each axis, then mean, gain and spread over seeds of each column."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for number, found in enumerate(maps):
        if number == 0:
            head = ("judgements", "measure", "documents", "mean", "gain", "seeds_sd")
            writer.writerow(["corpus", "topics", *found.axes, *head])
        means, gains = found.means(), np.nanmean(found.gains, axis=1)
        for c, cell in enumerate(found.cells):
            for i, column in enumerate(found.columns):
                documents = "judged only" if column.judged_only else "all"
                values = (means[c, i], gains[c, i], found.spread[c, i])
                writer.writerow(
                    [found.corpus, found.topics, *map(plain, cell)]
                    + [column.judgements, column.measure, documents]
                    + [repr(float(value)) for value in values]
                )
    return stream.getvalue()
