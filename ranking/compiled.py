"""Compile numeric loops, and cache the machine code on disk if a folder is writable."""

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

# numba creates its settings on import, and its types don't have the attributes set below.
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
    """Return the files of `ranking/` and of the source's folder that a source imports.

    Word lists are included. A kernel uses only names in its own module, so it is enough to read the
    text above the first definition. Parsing a syntax tree would take as long as loading kernels.
    """
    if source.suffix != ".py":  # a word list, from which kernels read constants
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
    """Return a digest of every file from which a kernel in `source` may take code.

    A kernel's machine code includes the kernels it calls and the constants it reads. But numba only
    checks whether the kernel's own file has changed, and outdated cached code would read the wrong
    memory. The digest covers all direct and indirect imports in `ranking/` (with `__init__` files
    and word lists) and in the importing file's folder.
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
    with suppress(RuntimeError):  # the user has no home directory
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
    """Replacement for importlib that loads nothing, as cached code only needs its module's name."""

    @staticmethod
    def import_module(name: str) -> ModuleType:
        return sys.modules.get(name) or ModuleType(name)


class _Kept(Cache):  # type: ignore[misc]
    """Disk cache of machine code that is loaded without initialising the compiler.

    Before each load, numba initialises its array functions, scipy's linear algebra, and extensions
    of other packages. Initialisation takes half the time of a new process's first query. Cached
    code needs only numba's memory management. Without cached code, the compiler initialises itself.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached code for these argument types, or None."""
        target_context.refresh = lambda: rtsys.initialize(target_context)
        usual, environment.importlib = environment.importlib, _Names
        try:  # numba holds its compiler lock here
            return super().load_overload(sig, target_context)
        finally:
            environment.importlib = usual
            del target_context.refresh


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop on its first call. The compiled loop releases the GIL.

    The machine code is cached in NUMBA_CACHE_DIR if it is set, else beside the source, else in the
    user's cache folder. If no folder is writable, every process compiles the loop again. Code is
    never loaded if its sources have changed. Editing a file affects only the kernels that use it.
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
    """Compile a small kernel that is inlined into every kernel that calls it."""
    return njit(nogil=True, inline="always")(function)
