"""The map of a sweep: the mean of one measure over the grid, and the cells that were chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.experiment.drawing import new_figure
from argsearch.lab.experiment.sweep import Map, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def heat_maps(found: Map, column: int) -> Figure:
    """The mean of one column over the grid: a line for one axis, else a map a value of the others.

    The two longest axes span a map. A star marks the best cell; dots mark cells that were chosen
    without some topic, the larger the more topics.
    """
    means = found.means()[:, column].reshape([len(values) for values in found.axes.values()])
    sizes = [len(values) for values in found.axes.values()]
    if sum(size > 1 for size in sizes) <= 1:
        return _line(found, means.ravel(), column)
    up, across = sorted(np.argsort([-size for size in sizes], kind="stable")[:2].tolist())
    others = [axis for axis in range(len(sizes)) if axis not in (across, up)]
    best, held = found.best(column)
    chosen = np.bincount(held.chosen, minlength=means.size).reshape(means.shape)
    marks = np.zeros(means.size)
    marks[best] = 1
    panels = list(np.ndindex(*[sizes[axis] for axis in others]))
    wide = 1.2 + 0.48 * sizes[across]
    figure, parts = new_figure(len(panels), 1, max(4.0, wide), 0.9 + 0.34 * sizes[up])
    low, high = float(np.nanmin(means)), float(np.nanmax(means))
    for part, place in zip(parts, panels, strict=True):
        layers = [
            _panel(layer, others, place) for layer in (means, marks.reshape(means.shape), chosen)
        ]
        image = _map(part, layers, (low, high), found, (up, across))
        part.set_title(_title(found, others, place) or found.columns[column].label, loc="left")
    figure.colorbar(image, ax=parts, label=found.columns[column].label)
    return figure


def _panel(layer: NDArray[Any], others: list[int], place: tuple[int, ...]) -> NDArray[Any]:
    """The two axes of a map [up, across], the others held at `place`."""
    cut: list[Any] = [slice(None)] * layer.ndim
    for axis, i in zip(others, place, strict=True):
        cut[axis] = i
    panel: NDArray[Any] = layer[tuple(cut)]
    return panel


def _map(
    part: Axes,
    layers: list[NDArray[Any]],
    limits: tuple[float, float],
    found: Map,
    axes: tuple[int, int],
) -> Any:
    means, best, chosen = layers
    image = part.imshow(means, origin="lower", aspect="auto", vmin=limits[0], vmax=limits[1])
    middle = (limits[0] + limits[1]) / 2
    for (row, column), value in np.ndenumerate(means):
        ink = "white" if value < middle else "black"
        star = "★" if best[row, column] else ""
        text = f"{star}{value:.3f}".replace("0.", ".", 1)
        part.text(column, row, text, ha="center", va="center", fontsize=6, color=ink)
        if chosen[row, column]:
            size = 4 + 40 * chosen[row, column] / max(1, len(found.queries))
            part.scatter(column, row - 0.36, s=size, color=ink, marker="o", linewidths=0)
    values = list(found.axes.values())
    for axis, set_ticks, set_label in (
        (axes[1], part.set_xticks, part.set_xlabel),
        (axes[0], part.set_yticks, part.set_ylabel),
    ):
        set_ticks(range(len(values[axis])), [plain(v) for v in values[axis]])
        set_label(found.labels[axis])
    return image


def _title(found: Map, others: list[int], place: tuple[int, ...]) -> str:
    values = list(found.axes.values())
    return ", ".join(
        f"{found.labels[axis]} {plain(values[axis][i])}"
        for axis, i in zip(others, place, strict=True)
    )


def _line(found: Map, means: NDArray[np.float64], column: int) -> Figure:
    """One axis: the mean with its spread over seeds, and the baseline."""
    figure, (part,) = new_figure(1, 1, 5.0, 3.2)
    label, values = next(
        (label, values)
        for label, values in zip(found.labels, found.axes.values(), strict=True)
        if len(values) == len(means)
    )
    part.errorbar(range(len(means)), means, yerr=found.spread[:, column], marker="o")
    base = float(np.nanmean(found.baseline[:, column]))
    part.axhline(base, color="0.5", linestyle="--", linewidth=0.8, label="baseline")
    part.set_xticks(range(len(means)), [plain(value) for value in values])
    part.set_xlabel(label)
    part.set_ylabel(found.columns[column].label)
    part.legend(frameon=False)
    return figure
