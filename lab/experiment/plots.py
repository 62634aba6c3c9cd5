"""Draw an experiment's plots with matplotlib. Equal results give equal files."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Contents
from argsearch.lab.evaluation import Evaluation, Score
from argsearch.lab.experiment.cache import Cache, digest, software
from argsearch.lab.experiment.evaluating import MODES, ResultGroup
from argsearch.lab.experiment.output import OutputFolder
from argsearch.lab.experiment.plan import slug
from argsearch.lab.experiment.sweep import Map, plain
from argsearch.lab.runs import read_run
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


def new_figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Create a figure of rows × columns axes without a display. width, height: inches of each."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Do not use pyplot: it looks for a display and keeps every figure open.
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).ravel())


def draw(make: Callable[[], Figure], path: Path) -> None:
    """Draw a figure and write it without a date, as `.svg` or `.png` (by file name)."""
    from matplotlib import rc_context

    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    form = path.suffix.removeprefix(".")
    with rc_context(_STYLE), replacing(path) as stream:
        make().savefig(stream, format=form, metadata=metadata, bbox_inches="tight", dpi=150)


PLOT_DEPTH = 20
"""Number of documents of each topic in a plot."""
_GRADES = {"unjudged": "0.75", "grade 0": "tab:red", "grade above 0": "tab:blue"}


class Spot(NamedTuple):
    """A retrieved document: score divided by its topic's best, quality in [0, 1], and grade."""

    score: float
    quality: float
    grade: str


def spots(contents: Contents, run: Path, grades: Mapping[str, Mapping[str, int]]) -> list[Spot]:
    """Return the first `PLOT_DEPTH` documents of every topic of a run."""
    found = []
    for query, ranking in read_run(run).rankings.items():
        # Do not divide by a best score of 0.
        best, judged = ranking.scores[0] or 1.0, grades.get(query, {})
        for doc, score in zip(ranking.ids[:PLOT_DEPTH], ranking.scores[:PLOT_DEPTH], strict=True):
            quality = float(contents.arrays.quality[contents.ids.find(doc)])
            grade = "grade above 0" if judged.get(doc, 0) > 0 else "grade 0"
            found.append(Spot(score / best, quality, grade if doc in judged else "unjudged"))
    return found


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
    figure, parts = new_figure(len(layers[0]), 1, max(4.0, wide), 0.9 + 0.34 * sizes[up])
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
    figure, (part,) = new_figure(1, 1, 5.0, 3.2)
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
    """Draws plots as `svg` or `png` into `out`/plots, or copies them there from the cache."""

    out: OutputFolder
    form: str
    cache: Cache

    def group(self, group: ResultGroup, spots: Mapping[str, Sequence[Spot]]) -> Iterator[Picture]:
        """Draw each topic's gain over the first run, and each run's relevance against its quality.

        Then draw the scores of the runs' documents (`spots`) against their predicted quality.
        """
        name = "-".join(slug(part) for part in (group.corpus, group.topics) if part)
        for mode, found in group.evaluations.items():
            ending, measure = slug(MODES[mode]), found.measures[0]
            shown = [asdict(score) for score in found.scores if score.measure == measure]
            for judgements in found.judgements:
                title = f"{judgements}, {measure}, {MODES[mode]}: each topic"
                stem = f"topics-{name}-{slug(judgements)}-{ending}"
                yield self._draw(title, stem, partial(topic_bars, found, judgements), shown)
            if len(found.judgements) > 1:
                title = f"{' against '.join(found.judgements[:2])}, {MODES[mode]}"
                yield self._draw(title, f"runs-{name}-{ending}", partial(run_map, found), shown)
        if spots:
            title = "Score against predicted quality"
            yield self._draw(title, f"quality-{name}", partial(score_quality, spots), spots)

    def sweep(self, found: Map) -> Iterator[Picture]:
        """Draw one plot per column."""
        for i, column in enumerate(found.columns):
            stem = f"sweep-{slug(found.corpus)}-{slug(found.topics)}-{slug(column.label)}"
            numbers = (found.scores[:, :, i], found.spread[:, i], found.baseline[:, i], found.fold)
            shown = [list(found.axes.items()), *(some.tolist() for some in numbers)]
            yield self._draw(column.label, stem, partial(heat_maps, found, i), shown)

    def _draw(self, title: str, stem: str, make: Callable[[], Figure], shown: Any) -> Picture:
        """Draw a plot of `shown` (plain values), or copy it from the cache."""
        name = f"plots/{stem}.{self.form}"
        self.out.claim(name)
        key = digest({"title": title, "shown": shown, "software": software("lab/experiment")})
        place = self.cache.place("pictures", f"{key}.{self.form}")
        if not self.cache.has(place):
            draw(make, place)
            self.cache.keep(place)
        self.out.copy(place, name)
        return title, name


def topic_bars(evaluation: Evaluation, judgements: str) -> Figure:
    """Draw each run's gain over the first run by topic, largest first, or a single run's values."""
    measure = evaluation.measures[0]
    values = {run: evaluation.score(run, measure, judgements).topics for run in evaluation.runs}
    first, *others = evaluation.runs
    shown = (others or [first])[:_BARS]
    figure, parts = new_figure(len(shown), 1, 8.0, 1.7)
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


def run_map(evaluation: Evaluation) -> Figure:
    """Draw a point for each run: its values on the first two judgements, with intervals."""
    across, up = evaluation.judgements[:2]
    measure = evaluation.measures[0]
    figure, (part,) = new_figure(1, 1, 5.0, 4.2)
    for run in evaluation.runs:
        x, y = (evaluation.score(run, measure, name) for name in (across, up))
        bars = {"xerr": _bars(x), "yerr": _bars(y)}
        part.errorbar(x.value, y.value, **bars, fmt="o", elinewidth=0.5, label=run)
    part.set_xlabel(f"{across}, {measure}")
    part.set_ylabel(f"{up}, {measure}")
    part.legend(fontsize=7, frameon=False)
    return figure


def _bars(score: Score) -> Any:
    if score.low is None or score.high is None:
        return None
    return [[score.value - score.low], [score.high - score.value]]


def score_quality(spots: Mapping[str, Sequence[Spot]]) -> Figure:
    """Draw relative scores against predicted quality, coloured by grade, with one part per run."""
    columns = min(3, len(spots))
    figure, parts = new_figure(-(-len(spots) // columns), columns, 3.4, 3.0)
    for part in parts[len(spots) :]:
        part.set_axis_off()
    for part, (run, found) in zip(parts, spots.items(), strict=False):
        for name, colour in _GRADES.items():
            some = [spot for spot in found if spot.grade == name]
            x, y = [s.quality for s in some], [s.score for s in some]
            part.scatter(x, y, s=5, color=colour, alpha=0.6, lw=0, label=name, rasterized=True)
        part.set_title(run, loc="left")
        part.set_xlabel("predicted quality Q")
        part.set_ylabel("score / best of topic")
        part.set_xlim(-0.03, 1.03)
        part.set_ylim(-0.03, 1.05)
    parts[0].legend(fontsize=6, frameon=False, loc="lower left")
    return figure
