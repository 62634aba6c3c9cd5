"""Compiling numeric loops: once a machine where a folder can be written, else once a process."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import njit
from numba.core import config as numba_config
from numba.core import dispatcher as numba_dispatcher
from numba.core import environment as numba_environment
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

# numba's settings are made when it is imported; its types know nothing of what is set below
config: Any = numba_config
dispatcher: Any = numba_dispatcher
environment: Any = numba_environment
Cache: Any = FunctionCache

_HOUSE = Path(__file__).resolve().parent.parent
_DEFINITION = re.compile(r"^(?:@|def |class )", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:from (\S+) )?import (?:\(([^)]*)\)|(.+))", re.MULTILINE)
_NAME = re.compile(r"[\w.]+")


@lru_cache(None)
def _imported(source: Path) -> frozenset[Path]:
    """The files of `ranking/`, word lists too, and of the own folder, that a file imports.

    A kernel knows no other names than its module's, so what stands above the first definition will
    do; a syntax tree of it would take as long as loading the kernels.
    """
    if source.suffix != ".py":  # a word list, which kernels read constants from
        return frozenset()
    head = _DEFINITION.split(source.read_text(encoding="utf-8"), maxsplit=1)[0]
    found = set()
    for module, names, line in _IMPORT.findall(head):
        for name in ("", *_NAME.findall(names or line)):
            room, *inside = f"{module}.{name}".strip(".").split(".")
            if room == "argsearch":
                place = _HOUSE.joinpath(*inside)
                found |= {place.with_suffix(".py"), place / "__init__.py", *place.glob("*.txt")}
    near = (_HOUSE / "ranking", source.parent)
    return frozenset(path for path in found if path.is_relative_to(near[0]) or path.parent in near)


@lru_cache(None)
def _content(source: Path) -> bytes:
    return hashlib.sha256(source.read_bytes()).digest()


@lru_cache(None)
def _sources(source: Path) -> str:
    """A digest of every file that a kernel in `source` may take code from.

    A kernel's machine code holds that of the kernels it calls and the constants it reads, but numba
    asks only whether the kernel's own file changed; kept code of another version would read the
    wrong memory. These are the files that it imports, and they import, of `ranking/` (a package's
    `__init__` with all that it gathers) and of the folder of the file at hand.
    """
    known, new = set[Path](), {source.resolve()}
    while new:
        known |= new
        new = {path for file in new for path in _imported(file) if path.is_file()} - known
    return hashlib.sha256(b"".join(map(_content, sorted(known)))).hexdigest()[:12]


def _places(source: Path) -> list[Path]:
    if "NUMBA_CACHE_DIR" in os.environ:
        return [Path(os.environ["NUMBA_CACHE_DIR"])]
    places = [source.parent / "__pycache__"]
    with suppress(RuntimeError):  # where the user has no home
        user = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        places.append(Path(user) / "argsearch")
    return places


@lru_cache(None)
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


class _Names:
    """Of a module that kept code was made of, only the name is asked for, so it is not loaded."""

    @staticmethod
    def import_module(name: str) -> ModuleType:
        return sys.modules.get(name) or ModuleType(name)


class _Kept(Cache):  # type: ignore[misc]
    """Machine code on disk, loaded without what only compiling asks for.

    numba gets ready to compile first: its array functions, scipy's linear algebra and extensions of
    other packages take half of a cold process's first query. Kept code needs management of memory
    alone; where none is kept, the compiler gets ready by itself.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code that is kept for these types of arguments, if any."""
        target_context.refresh = lambda: rtsys.initialize(target_context)
        usual, environment.importlib = environment.importlib, _Names
        try:  # numba's lock of compiling is held
            return super().load_overload(sig, target_context)
        finally:
            environment.importlib = usual
            del target_context.refresh


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
    dispatcher.FunctionCache = _Kept
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba: no locator available
        return njit(nogil=True)(function)
    finally:
        config.CACHE_DIR = before
        dispatcher.FunctionCache = Cache


def inlined(function: Callable[..., Any]) -> Any:
    """A small kernel whose body is put into each kernel that calls it, which keeps its code."""
    return njit(nogil=True, inline="always")(function)
