"""An engine on a search server that goes over to the generation that replaces its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from engine.backends.base import Backend
from engine.backends.server.backend import ServerBackend
from engine.backends.server.session import IndexReplaced
from engine.results import Results
from indexer.corpus.argument import Argument
from indexer.server.generations import behind

P = ParamSpec("P")
T = TypeVar("T")
_DERIVED = ("encoder", "columns", "examples", "_unit_centroids", "_counters", "claims", "known")
"""What an engine keeps of its generation."""


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


class Asked(Protocol):
    """An engine of one generation."""

    backend: Backend

    def search(self, text: str, **asked: Any) -> Results:
        """The best arguments for a question."""

    def argument(self, id: str) -> Argument | None:
        """The argument with that id."""


class Following:
    """What an engine does whose name on a search server may come to stand for another generation.

    Each search is one of an engine of one generation, so that no answer is of two. Where that
    generation is gone, the one that the name stands for now is opened and asked instead.
    """

    backend: Backend

    def __init__(self, address: str, make: Callable[[Backend], Any]) -> None:
        self._address, self._make = address, make
        self._newest: Asked = make(ServerBackend(address))
        self._turn = threading.Lock()

    def search(self, text: str, **asked: Any) -> Results:
        """As `Engine.search`."""
        return self._asked(lambda engine: engine.search(text, **asked))

    def argument(self, id: str) -> Argument | None:
        """As `Engine.argument`."""
        return self._asked(lambda engine: engine.argument(id))

    def look(self) -> bool:
        """Go over to the generation that the name stands for, if it is another; whether it was."""
        opened = self._newest
        session = cast(ServerBackend, opened.backend).session
        if behind(session.server) == [session.generation.index]:
            return False
        return self._after(opened) is not opened

    def _asked(self, question: Callable[[Asked], T]) -> T:
        opened = self._newest
        try:
            return question(opened)
        except IndexReplaced:
            return question(self._after(opened))

    def _after(self, opened: Asked) -> Asked:
        """The engine that takes the place of `opened`, which answers no more."""
        with self._turn:
            if self._newest is opened:
                self._newest = self._make(ServerBackend(self._address))
                self.backend = self._newest.backend
                for name in _DERIVED:
                    self.__dict__.pop(name, None)
            return self._newest
