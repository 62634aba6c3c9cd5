"""Compiling numeric loops: once a machine where a folder can be written, else once a process."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import config as numba_config

config: Any = numba_config  # its settings are made when it is imported


def _load_without_blas() -> None:
    """Load numba's array functions without scipy.linalg, half of a cold process's first query.

    numba imports it only to know whether there is a BLAS (there is, scipy being installed with this
    project), and again where a function is compiled that calls one. What cannot be found where this
    looks is left to numba.
    """
    if "scipy.linalg" in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    try:
        asking: Any = import_module("numba.np.linalg")
        ensure = asking.ensure_blas
    except (ImportError, AttributeError):
        return
    asking.ensure_blas = lambda: None
    try:
        asked: Any = import_module("numba.np.arraymath")
    finally:
        asking.ensure_blas = ensure
    asked.ensure_blas = ensure


_load_without_blas()


_HOUSE = Path(__file__).resolve().parent.parent
_DEFINITION = re.compile(r"^(?:@|def |class )", re.MULTILINE)


@lru_cache(None)
def _imported(source: Path) -> frozenset[Path]:
    """The files of `ranking/`, word lists too, and of the own folder, that a file imports.

    A kernel knows no other names than its module's, so what stands above the first definition will
    do: parsing all of every file would take as long as loading the kernels.
    """
    if source.suffix != ".py":  # a word list, which kernels read constants from
        return frozenset()
    head = _DEFINITION.split(source.read_text(encoding="utf-8"), maxsplit=1)[0]
    found = set()
    for node in ast.walk(ast.parse(head)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            place = _HOUSE.joinpath(*name.removeprefix("argsearch.").split("."))
            found |= {place.with_suffix(".py"), place / "__init__.py", *place.glob("*.txt")}
    near = (_HOUSE / "ranking", source.parent)
    return frozenset(path for path in found if path.is_relative_to(near[0]) or path.parent in near)


@lru_cache(None)
def _sources(source: Path) -> str:
    """A digest of the state of every file that a kernel in `source` may take code from.

    A kernel's machine code holds that of the kernels it calls and the constants it reads, but numba
    asks only whether the kernel's own file changed; kept code of another version would read the
    wrong memory. These are the files that it imports, and they import, of `ranking/` (a package's
    `__init__` with all that it gathers) and of the folder of the file at hand.
    """
    known, new = set[Path](), {source.resolve()}
    while new:
        known |= new
        new = {path for file in new for path in _imported(file) if path.is_file()} - known
    stamps = [
        (path.name, state.st_size, state.st_mtime_ns)
        for path in sorted(known)
        if (state := path.stat())
    ]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:12]


def _places(source: Path) -> list[Path]:
    if "NUMBA_CACHE_DIR" in os.environ:
        return [Path(os.environ["NUMBA_CACHE_DIR"])]
    places = [source.parent / "__pycache__"]
    with suppress(RuntimeError):  # where the user has no home
        user = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        places.append(Path(user) / "argsearch")
    return places


def _folder(source: Path) -> Path | None:
    for place in _places(source):
        folder = place / f"kernels-{_sources(source)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop at its first call; it does not hold the GIL.

    The machine code is kept beside the source or, where that folder cannot be written (a read-only
    install), in NUMBA_CACHE_DIR or the user's cache folder; where nothing can be written it is
    compiled in every process. Code of other versions of its sources is never loaded, and a change
    of one file leaves the code of kernels that do not use it.
    """
    folder = _folder(Path(function.__code__.co_filename))
    if folder is None:
        return njit(nogil=True)(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba: no locator available
        return njit(nogil=True)(function)
    finally:
        config.CACHE_DIR = before


def inlined(function: Callable[..., Any]) -> Any:
    """A small kernel whose body is put into each kernel that calls it, which keeps its code."""
    return njit(nogil=True, inline="always")(function)
