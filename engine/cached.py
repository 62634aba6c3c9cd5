"""A cached property whose computation does not block other objects of the same class."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class _Cached:
        """Backport of `functools.cached_property` from Python 3.12.

        In Python 3.11, `cached_property` has one lock for all objects of a class, so a quick
        computation would wait for a slow one.
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
