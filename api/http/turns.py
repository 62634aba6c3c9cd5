"""Limit how many slow answers are computed at once, so that brief answers need not wait.

Threads share one interpreter with the event loop, which computes the brief answers. Each busy
thread delays the event loop and takes its own memory.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from argsearch.api.http.problems import Problem
from argsearch.engine import Engine

MANY_HITS = 100
"""Number of hits above which an answer or a batch counts as large."""
LARGE_ANSWERS = 1
"""Number of large answers that a process computes at a time."""
WAITING_ANSWERS = 16
"""Maximum number of large answers that may be queued."""
AGAIN = 10
"""Seconds to wait before a retry, about as long as the waiting requests take."""
THREADS = 4
"""Maximum number of smaller answers from index directories that a process computes at once."""
T = TypeVar("T")


class Turns:
    """A limit on concurrent work in threads. A few more calls may wait; the rest are rejected."""

    def __init__(self, at_once: int = LARGE_ANSWERS, waiting: int = WAITING_ANSWERS) -> None:
        self.most = at_once + waiting
        self._taken = 0
        self._turns = CapacityLimiter(at_once)

    async def take(self, work: Callable[..., T], *given: Any) -> T:
        """Wait for a turn and return the result. Raise a 503 problem if too many calls wait."""
        if self._taken >= self.most:
            said = f"too many large requests at once; request at most {MANY_HITS} hits"
            raise Problem(
                503, f"{said}, or retry in {AGAIN} s", {"Retry-After": str(AGAIN)}, title="Busy"
            )
        self._taken += 1
        try:
            return await to_thread.run_sync(work, *given, limiter=self._turns)
        finally:
            self._taken -= 1
            if not self._taken:
                await to_thread.run_sync(give_back, limiter=self._turns)


large_answers = Turns()
"""Limit for large answers in this process, shared by all indexes."""


few_threads = CapacityLimiter(THREADS)
"""Limits how many answers this process computes at once from index directories."""


async def in_a_thread(engine: Engine, hits: int, work: Callable[..., T], *given: Any) -> T:
    """Run the work in a thread and return its result. hits: number of hits in the answer."""
    if hits > MANY_HITS:
        return await large_answers.take(work, *given)
    # Any number of requests may wait for a search server.
    limiter = few_threads if engine.backend.is_local else None
    return await to_thread.run_sync(work, *given, limiter=limiter)


def give_back() -> None:
    """Return unused memory to the system. The C library would otherwise keep freed memory."""
    if sys.platform == "linux":
        # C libraries other than glibc lack this function and do not need it.
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
