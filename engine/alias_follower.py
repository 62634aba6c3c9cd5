"""Follow a search server's alias to the newest generation of an index after every change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from argsearch.engine.backends.server.session import IndexReplaced
from argsearch.indexer.server.generations import current

STALE = 1.0
"""Seconds before the engine checks the alias again."""
P = ParamSpec("P")
T = TypeVar("T")


def again(work: Callable[P, T]) -> Callable[P, T]:
    """Return a function that repeats its work once if the index is replaced in the meantime.

    Wrap functions that read texts of hits, which must come from the index generation searched.
    """

    @wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of the work."""
        try:
            return work(*args, **kwargs)
        except IndexReplaced:
            return work(*args, **kwargs)

    return done


class Newest:
    """The open engine for the current generation of an index, which all threads share.

    Each query uses a single engine, so that no answer mixes two generations.
    """

    def __init__(self, open: Callable[[], Any]) -> None:
        self._open = open
        self.value = open()
        self._turn = threading.Lock()
        self._looked = monotonic()

    def asking(self, name: str) -> Callable[..., Any]:
        """Return a function that calls a method of the current engine, or of its successor."""

        def asked(*args: Any, **given: Any) -> Any:
            """Return the method's result."""
            # Checking before every search would cost one more request to the server each time.
            if monotonic() - self._looked > STALE:
                self.look()
            opened = self.value
            try:
                return getattr(opened, name)(*args, **given)
            except IndexReplaced:
                return getattr(self._after(opened), name)(*args, **given)

        return asked

    def look(self) -> bool:
        """Switch to the current generation if it has changed, and return True if so.

        A change to the documents of a generation counts as a new generation.
        """
        engine, self._looked = self.value, monotonic()
        session = engine.backend.session
        if current(session.server) == (session.generation.index, engine.info.fingerprint):
            return False
        return self._after(engine) is not engine

    def _after(self, opened: Any) -> Any:
        # Many threads notice at once that a generation is gone; one of them opens the next.
        with self._turn:
            if self.value is opened:
                self.value = self._open()
            return self.value
