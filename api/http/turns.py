"""Turns of answers that take long: a few are made at once, so that brief ones need not wait.

Threads share one interpreter with the event loop, which answers what is brief: each that works
makes it wait, and each keeps memory of its own.
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
"""Hits of an answer, or of a batch, above which it is large."""
LARGE_ANSWERS = 1
"""Large answers that a process makes at a time."""
WAITING_ANSWERS = 16
"""Large answers that may wait for their turn."""
AGAIN = 10
"""Seconds after which to ask again for one that may not: about what those that wait take."""
THREADS = 4
"""Other answers that a process makes at a time in threads, from an index directory."""
T = TypeVar("T")


class Turns:
    """So many works at once, each in a thread; so many more wait, and the rest are refused."""

    def __init__(self, at_once: int = LARGE_ANSWERS, waiting: int = WAITING_ANSWERS) -> None:
        self.most = at_once + waiting
        self._taken = 0
        self._turns = CapacityLimiter(at_once)

    async def take(self, work: Callable[..., T], *given: Any) -> T:
        """Return the work's result, once it had its turn; a 503 problem where too many wait."""
        if self._taken >= self.most:
            said = f"too many large answers are asked for at once; ask for {MANY_HITS} hits at most"
            raise Problem(
                503, f"{said}, or again in {AGAIN} s", {"Retry-After": str(AGAIN)}, title="Busy"
            )
        self._taken += 1
        try:
            return await to_thread.run_sync(work, *given, limiter=self._turns)
        finally:
            self._taken -= 1
            if not self._taken:
                await to_thread.run_sync(give_back, limiter=self._turns)


large_answers = Turns()
"""The turns of a process, whatever index is asked."""


few_threads = CapacityLimiter(THREADS)
"""Of a process, for what is answered from index directories."""


async def in_a_thread(engine: Engine, hits: int, work: Callable[..., T], *given: Any) -> T:
    """Return the result of a work that makes an answer of so many hits."""
    if hits > MANY_HITS:
        return await large_answers.take(work, *given)
    # a search server is waited for, by as many as ask
    limiter = few_threads if engine.backend.is_local else None
    return await to_thread.run_sync(work, *given, limiter=limiter)


def give_back() -> None:
    """Give memory that is free back to the system, which the C library would keep for later."""
    if sys.platform == "linux":
        # Another C library than glibc has no such function, and needs no telling.
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
