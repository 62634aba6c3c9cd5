"""Going over to what replaces an open index on a search server: a generation, or a change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from argsearch.engine.backends.server.session import IndexReplaced
from argsearch.indexer.server.generations import current

STALE = 1.0
"""Seconds for which what is open is taken for what the name stands for."""
P = ParamSpec("P")
T = TypeVar("T")


def again(work: Callable[P, T]) -> Callable[P, T]:
    """The work, done a second time where the index was replaced in the middle of it.

    For what reads the texts of hits: these lie in the generation that was searched.
    """

    @wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        """The work's result."""
        try:
            return work(*args, **kwargs)
        except IndexReplaced:
            return work(*args, **kwargs)

    return done


class Newest:
    """An engine of one generation, and after it the engine of the next; shared by threads.

    Each question is asked of one of them, so that no answer is of two.
    """

    def __init__(self, open: Callable[[], Any]) -> None:
        self._open = open
        self.value = open()
        self._turn = threading.Lock()
        self._looked = monotonic()

    def asking(self, name: str) -> Callable[..., Any]:
        """Return what asks a method of the engine or, where its generation is gone, the next's."""

        def asked(*args: Any, **given: Any) -> Any:
            """The method's answer."""
            # to ask the server at every search would cost each a request
            if monotonic() - self._looked > STALE:
                self.look()
            opened = self.value
            try:
                return getattr(opened, name)(*args, **given)
            except IndexReplaced:
                return getattr(self._after(opened), name)(*args, **given)

        return asked

    def look(self) -> bool:
        """Go over to what the name stands for by now, if it is another; whether it was.

        Another is a new generation, or the same one after a change.
        """
        engine, self._looked = self.value, monotonic()
        session = engine.backend.session
        if current(session.server) == (session.generation.index, engine.info.fingerprint):
            return False
        return self._after(engine) is not engine

    def _after(self, opened: Any) -> Any:
        # many threads notice at once that a generation is gone; one of them opens the next
        with self._turn:
            if self.value is opened:
                self.value = self._open()
            return self.value
