"""Run linear algebra on one thread, so that results are bit-identical on any number of cores."""

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
    """Limit linear algebra libraries to one thread while any caller is inside this context.

    The limit applies to the whole process. So the first caller to leave the context must not lift
    the limit while others are still inside. The last caller to leave restores the original limits.
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
