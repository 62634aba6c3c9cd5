"""An engine on a search server that goes over to the generation that replaces its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from engine.backends.server.backend import ServerBackend
from engine.backends.server.session import IndexReplaced
from engine.engine import Engine
from engine.results import Results
from indexer.corpus.argument import Argument
from indexer.server.generations import behind

P = ParamSpec("P")
T = TypeVar("T")
_DERIVED = ("encoder", "columns", "examples", "_unit_centroids", "_counters", "claims")
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


class FollowingEngine(Engine):
    """An engine whose name on a search server may come to stand for another generation.

    Each search is one of an engine of one generation, so that no answer is of two. Where that
    generation is gone, the one that the name stands for now is opened and asked instead.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._newest = Engine(ServerBackend(address))
        self._turn = threading.Lock()
        super().__init__(self._newest.backend)

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

    def _asked(self, question: Callable[[Engine], T]) -> T:
        opened = self._newest
        try:
            return question(opened)
        except IndexReplaced:
            return question(self._after(opened))

    def _after(self, opened: Engine) -> Engine:
        """The engine that takes the place of `opened`, which answers no more."""
        with self._turn:
            if self._newest is opened:
                self._newest = Engine(ServerBackend(self._address))
                self.backend = self._newest.backend
                for name in _DERIVED:
                    self.__dict__.pop(name, None)
            return self._newest
