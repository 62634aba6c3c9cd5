"""What every picture shares: matplotlib's settings, a figure without a window, its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.indexer.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _style() -> Any:
    """Fixed ids in SVG, text as text, a white ground."""
    try:
        from matplotlib import rc_context
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the pictures,", "plots") from error
    return rc_context(
        {
            "svg.hashsalt": "argsearch",
            "svg.fonttype": "none",
            "font.family": "DejaVu Sans",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )


def available() -> bool:
    """Whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def new_figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of rows × columns parts, each of a size in inches, without any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    parts = figure.subplots(rows, columns, squeeze=False)
    return figure, list(parts.ravel())


def draw(make: Callable[[], Figure], path: Path) -> None:
    """Make a figure and write it as its name says (`.svg` or `.png`), without a date.

    Raises MissingExtra without matplotlib.
    """
    with _style():
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        aside = path.with_name(f".{os.getpid()}-{path.name}")
        make().savefig(aside, metadata=metadata, bbox_inches="tight", dpi=150)
        aside.replace(path)
