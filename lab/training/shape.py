"""Helpers shared by all trainings: checks of output files, versions, and Markdown tables."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.processes import silent as silent
from argsearch.version import __version__

Progress = Callable[[str], None]
"""Callback that receives a description of the current step."""


def check_file(out: Path) -> None:
    """Raise InvalidParameter if no model file can be written to this path."""
    if out.is_dir() or not out.parent.is_dir():
        raise InvalidParameter("--out", str(out), "a file in a folder that exists")


def software(*libraries: str) -> dict[str, str]:
    """Return the versions of Python, argsearch, and the libraries used in training."""
    found = {name: version(name) for name in ("numpy", *libraries)}
    return {"python": platform.python_version(), "argsearch": __version__, **found}


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a Markdown table; columns after the first `texts` are right-aligned."""
    first, *lines = (
        "|" + "".join(f" {cell} |" if cell else " |" for cell in cells) for cells in (header, *rows)
    )
    rule = "|" + "---|" * texts + "---:|" * (len(header) - texts)
    return "\n".join([first, rule, *lines])
