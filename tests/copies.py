"""Copies of the project in other folders, with the machine code of its kernels."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("api", "configs", "engine", "indexer", "lab", "ranking")


def _place(folder: Path) -> str:
    """Return what numba calls the folder of a source file."""
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"


def warm(package: Path) -> None:
    """Give a package that holds the rooms the kernels that are compiled here.

    They are found by the folder, size and time of their sources: without this a copy compiles
    everything anew, which takes a minute.
    """
    for room in ROOMS:
        for source in (ROOT / room).rglob("*.py"):
            copy = package / source.relative_to(ROOT)
            if copy.exists():
                state = source.stat()
                os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))
        for kernels in (ROOT / room).rglob("__pycache__/kernels-*"):
            folder = kernels.parent.parent
            copied = package / folder.relative_to(ROOT)
            for compiled in kernels.glob(_place(folder)):
                to = copied / "__pycache__" / kernels.name / _place(copied)
                shutil.copytree(compiled, to, dirs_exist_ok=True)


HOUSE = ".house"
"""The folder of links in which the rooms are one package, as the Makefile makes it."""


def tree(folder: Path) -> Path:
    """Copy the project into a folder, its rooms as one package in HOUSE; return the folder."""
    made = shutil.ignore_patterns("__pycache__", ".*", "index", "*.egg-info")
    shutil.copytree(ROOT, folder, ignore=made)
    package = folder / HOUSE / "argsearch"
    package.mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", "version.py", "py.typed"):
        (package / name).symlink_to(folder / "argsearch" / name)
    for room in ROOMS:
        (package / room).symlink_to(folder / room)
    warm(package)
    return folder
