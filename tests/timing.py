"""How long something takes where nothing else delays it."""

from __future__ import annotations

import time
from collections.abc import Callable


def fastest(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)
