"""Output folder of an experiment, with a record of the files that were written to it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.output import writing
from argsearch.lab.runs.text import replacing

RECORD = ".argsearch-experiment.json"
"""File that lists the files that experiments wrote to a folder, as relative paths."""


class OutputFolder:
    """A folder whose files are only replaced if an experiment wrote them."""

    def __init__(self, folder: Path) -> None:
        """Create the folder if it does not exist. Raises OSError on failure."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._written = set(_recorded(folder / RECORD))

    def claim(self, *names: str) -> None:
        """Record files that will be written, as paths relative to the folder.

        Raises InvalidParameter if such a file exists and no experiment wrote it.
        """
        new = [name for name in names if name not in self._written]
        for name in new:
            if os.path.lexists(self.folder / name):
                problem = f"--out {self.folder} has a {name} of another program; use another folder"
                raise InvalidParameter("--out", str(self.folder), problem=problem)
        # Record the names before writing, so that an interrupted run leaves no unknown file.
        if new:
            self._written.update(new)
            with replacing(self.folder / RECORD) as stream:
                stream.write(json.dumps(sorted(self._written), indent=1).encode())

    def place(self, name: str) -> Path:
        """Claim a file, create its folder, and return its path. Raises like `claim`."""
        self.claim(name)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, text: str) -> Path:
        """Write a text and return its path; raise as `claim` does."""
        path = self.place(name)
        with replacing(path) as stream:
            stream.write(text.encode())
        return path

    def copy(self, source: Path, name: str) -> None:
        """Write a copy of a file. Raises like `claim`."""
        with writing(self.place(name)) as stream, source.open("rb") as original:
            shutil.copyfileobj(original, stream)


def _recorded(path: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads(path.read_bytes())] if path.is_file() else []
    except (OSError, ValueError, TypeError, RecursionError):
        return []
