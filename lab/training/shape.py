"""Result of a training run, with the checks, versions and Markdown tables that all runs share."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.processes import silent as silent
from argsearch.version import __version__

Progress = Callable[[str], None]
"""Callback that receives a description of the current step."""


@dataclass(frozen=True)
class TrainedModel:
    """A saved model, and how well models of this kind predict unseen data."""

    path: Path
    sha256: str
    """SHA-256 of the file or, for a folder, of its `model.json`."""
    told: str
    """Description of the training data, and of figures that have no table."""
    rows: tuple[Any, ...] = ()
    """Figures, one row per model, as in `tables`."""
    tables: tuple[str, ...] = ()
    """The figures as Markdown tables."""


def check_file(out: Path) -> None:
    """Raise InvalidParameter if no model file can be written to this path."""
    if out.is_dir() or not out.parent.is_dir():
        raise InvalidParameter("--out", str(out), "a file in a folder that exists")


def software(*libraries: str) -> dict[str, str]:
    """Return the versions of Python, argsearch, and the libraries used in training."""
    found = {name: version(name) for name in ("numpy", *libraries)}
    return {"python": platform.python_version(), "argsearch": __version__, **found}


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a Markdown table; all but the first `texts` columns are right-aligned."""
    first, *lines = (
        "|" + "".join(f" {cell} |" if cell else " |" for cell in cells) for cells in (header, *rows)
    )
    rule = "|" + "---|" * texts + "---:|" * (len(header) - texts)
    return "\n".join([first, rule, *lines])
