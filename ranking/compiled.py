"""Compiling numeric loops: once a machine where a folder can be written, else once a process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop at its first call; it does not hold the GIL.

    The machine code is kept beside the source or, where that folder cannot be written (a read-only
    install), in NUMBA_CACHE_DIR or numba's folder in the user's cache; where nothing can be
    written it is compiled in every process.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba: no locator available
        return njit(nogil=True)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A small kernel whose body is put into each kernel that calls it, which keeps its code."""
    return njit(nogil=True, inline="always")(function)
