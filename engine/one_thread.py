"""Linear algebra on one thread: the same bits on any number of cores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits

_lock = Lock()
_inside = 0
_limits: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit libraries of linear algebra to one thread while anybody is inside.

    The limit is the process's: who leaves first must not lift it from the others, and who leaves
    last has to find what was before the first.
    """
    global _inside, _limits
    with _lock:
        _inside += 1
        if _inside == 1:
            _limits = threadpool_limits(1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limits.restore_original_limits()
