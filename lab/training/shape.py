"""What every training shares: where it writes, whom it tells, what it records and shows."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.processes import silent as silent
from argsearch.version import __version__

Progress = Callable[[str], None]
"""Is told, now and then, what is being done."""


def check_file(out: Path) -> None:
    """Raise InvalidParameter for a place where no model file can be written."""
    if out.is_dir() or not out.parent.is_dir():
        raise InvalidParameter("--out", str(out), "a file in a folder that exists")


def software(*libraries: str) -> dict[str, str]:
    """The versions of Python, this software and what a model was trained with."""
    found = {name: version(name) for name in ("numpy", *libraries)}
    return {"python": platform.python_version(), "argsearch": __version__, **found}


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a Markdown table, the columns after the first `texts` set to the right."""
    first, *lines = (
        "|" + "".join(f" {cell} |" if cell else " |" for cell in cells) for cells in (header, *rows)
    )
    rule = "|" + "---|" * texts + "---:|" * (len(header) - texts)
    return "\n".join([first, rule, *lines])
