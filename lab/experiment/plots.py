"""Draw an experiment's plots with matplotlib. Equal results give equal files."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.evaluation import Evaluation
from argsearch.lab.experiment.evaluating import MODES, ResultGroup
from argsearch.lab.experiment.output import OutputFolder
from argsearch.lab.experiment.plan import slug
from argsearch.lab.experiment.sweep import Map, plain
from argsearch.lab.runs.text import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE: Any = {
    "svg.hashsalt": "argsearch",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
"""Style with reproducible SVG ids, text stored as text, and no frame at the top and right."""


def new_figure(rows: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Create a figure of axes below each other, each of a size in inches, without a display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Not with pyplot, which looks for a display and keeps every figure open.
    figure = Figure(figsize=(width, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, squeeze=False).ravel())


def draw(make: Callable[[], Figure], path: Path) -> None:
    """Draw a figure and write it without a date, as `.svg` or `.png` (by file name)."""
    from matplotlib import rc_context

    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    form = path.suffix.removeprefix(".")
    with rc_context(_STYLE), replacing(path) as stream:
        make().savefig(stream, format=form, metadata=metadata, bbox_inches="tight", dpi=150)


def heat_maps(found: Map, column: int) -> Figure:
    """Draw a column's means over the grid, as a line for one axis or else as heat maps.

    The two longest axes span a map. Each combination of the other axes has its own map. A star
    marks the best cell. Dots mark cells chosen in cross-validation, larger for more topics.
    """
    labels, values = found.labels, list(found.axes.values())
    sizes = [len(some) for some in values]
    means, title = found.means()[:, column], found.columns[column].label
    if sum(size > 1 for size in sizes) <= 1:
        return _line(found, means, column)
    up, across = sorted(np.argsort([-size for size in sizes], kind="stable")[:2].tolist())
    others = [axis for axis in range(len(sizes)) if axis not in (across, up)]
    best, held = found.best(column)
    chosen = np.bincount(held.chosen, minlength=means.size)
    layers = [
        layer.reshape(sizes).transpose(*others, up, across).reshape(-1, sizes[up], sizes[across])
        for layer in (means, chosen, np.arange(means.size) == best)
    ]
    wide, limits = 1.2 + 0.48 * sizes[across], (float(np.nanmin(means)), float(np.nanmax(means)))
    figure, parts = new_figure(len(layers[0]), max(4.0, wide), 0.9 + 0.34 * sizes[up])
    places = itertools.product(*(values[axis] for axis in others))
    for part, place, *panel in zip(parts, places, *layers, strict=True):
        image = _map(part, panel, limits, max(1, len(found.queries)))
        part.set_xticks(range(sizes[across]), [*map(plain, values[across])])
        part.set_xlabel(labels[across])
        part.set_yticks(range(sizes[up]), [*map(plain, values[up])])
        part.set_ylabel(labels[up])
        held_at = [f"{labels[axis]} {plain(v)}" for axis, v in zip(others, place, strict=True)]
        part.set_title(", ".join(held_at) or title, loc="left")
    figure.colorbar(image, ax=parts, label=title)
    return figure


def _map(
    part: Axes, panel: Sequence[NDArray[Any]], limits: tuple[float, float], topics: int
) -> Any:
    """Draw means, numbers of topics that chose a cell, and the best cell, each [up, across]."""
    means, chosen, best = panel
    image = part.imshow(means, origin="lower", aspect="auto", vmin=limits[0], vmax=limits[1])
    for (row, column), value in np.ndenumerate(means):
        ink = "white" if value < sum(limits) / 2 else "black"
        text = f"{'★' if best[row, column] else ''}{value:.3f}".replace("0.", ".", 1)
        part.text(column, row, text, ha="center", va="center", fontsize=6, color=ink)
        if chosen[row, column]:
            size = 4 + 40 * chosen[row, column] / topics
            part.scatter(column, row - 0.36, s=size, color=ink, marker="o", linewidths=0)
    return image


def _line(found: Map, means: NDArray[np.float64], column: int) -> Figure:
    """Draw the mean over one axis with its spread over seeds, and the baseline."""
    figure, (part,) = new_figure(1, 5.0, 3.2)
    axes = zip(found.labels, found.axes.values(), strict=True)
    label, values = next((label, some) for label, some in axes if len(some) == len(means))
    part.errorbar(range(len(means)), means, yerr=found.spread[:, column], marker="o")
    base = float(np.nanmean(found.baseline[:, column]))
    part.axhline(base, color="0.5", linestyle="--", linewidth=0.8, label="baseline")
    part.set_xticks(range(len(means)), [plain(value) for value in values])
    part.set_xlabel(label)
    part.set_ylabel(found.columns[column].label)
    part.legend(frameon=False)
    return figure


Picture = tuple[str, str]
"""Title, and file name relative to the report's folder."""
_BARS = 8


@dataclass(frozen=True)
class Album:
    """Draws plots into `out`/plots, as `svg` or `png`."""

    out: OutputFolder
    form: str

    def group(self, group: ResultGroup) -> Iterator[Picture]:
        """Draw bars per topic against the first run."""
        name = "-".join(slug(part) for part in (group.corpus, group.topics) if part)
        for mode, found in group.evaluations.items():
            ending, measure = slug(MODES[mode]), found.measures[0]
            for judgements in found.judgements:
                title = f"{judgements}, {measure}, {MODES[mode]}: each topic"
                stem = f"topics-{name}-{slug(judgements)}-{ending}"
                yield self._draw(title, stem, partial(topic_bars, found, judgements))

    def sweep(self, found: Map) -> Iterator[Picture]:
        """Draw one plot per column."""
        for i, column in enumerate(found.columns):
            stem = f"sweep-{slug(found.corpus)}-{slug(found.topics)}-{slug(column.label)}"
            yield self._draw(column.label, stem, partial(heat_maps, found, i))

    def _draw(self, title: str, stem: str, make: Callable[[], Figure]) -> Picture:
        name = f"plots/{stem}.{self.form}"
        draw(make, self.out.place(name))
        return title, name


def topic_bars(evaluation: Evaluation, judgements: str) -> Figure:
    """Draw each run's gain over the first run by topic, largest first, or a single run's values."""
    measure = evaluation.measures[0]
    values = {run: evaluation.score(run, measure, judgements).topics for run in evaluation.runs}
    first, *others = evaluation.runs
    shown = (others or [first])[:_BARS]
    figure, parts = new_figure(len(shown), 8.0, 1.7)
    for part, run in zip(parts, shown, strict=True):
        base = values[first] if others else {}
        gains = {q: value - base.get(q, 0.0) for q, value in values[run].items()}
        order = sorted((q for q in gains if not math.isnan(gains[q])), key=lambda q: -gains[q])
        colours = ["tab:blue" if gains[q] >= 0 else "tab:red" for q in order]
        part.bar(range(len(order)), [gains[q] for q in order], color=colours)
        part.axhline(0.0, color="black", linewidth=0.6)
        part.set_xticks(range(len(order)), order, rotation=90, fontsize=6)
        part.set_xlim(-0.7, len(order) - 0.3)
        part.set_title(f"{run} − {first}" if others else run, loc="left")
        part.set_ylabel(measure)
    parts[-1].set_xlabel("topic")
    return figure
