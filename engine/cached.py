"""What an object works out once, without a lock that the other objects of its class wait for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class _Cached:
        """As `functools.cached_property` of Python 3.12.

        That of 3.11 lets one thread at a time work, for all objects of a class: a small answer
        would wait for a large one.
        """

        def __init__(self, work: Callable[[Any], Any]) -> None:
            self._work, self.__doc__ = work, work.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, one: Any, owner: type | None = None) -> Any:
            if one is None:
                return self
            found = one.__dict__[self._name] = self._work(one)
            return found

    cached_property = _Cached
