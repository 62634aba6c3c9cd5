"""Parameters of models: fields of their classes that know their default, range and sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, field
from typing import Any, TypeVar

Class = TypeVar("Class")


def parameter(
    default: Any,
    doc: str,
    *,
    key: str = "",
    choices: Collection[Any] = (),
    low: float | None = None,
    high: float | None = None,
) -> Any:
    """A dataclass field of a model that a configuration may set.

    key: its name in a configuration, where that is not the field's own; choices, or low and high:
    the values that a configuration may give it (a model may take more, and checks them itself).
    """
    described = {"doc": doc, "choices": choices, "low": low, "high": high, "key": key}
    return field(default=default, metadata=described)


def with_fields(
    added: Mapping[str, Field[Any]], before: str
) -> Callable[[type[Class]], type[Class]]:
    """Give a class, before it becomes a dataclass, further fields in front of its field `before`.

    Raises ValueError for a field that it has already.
    """

    def decorate(cls: type[Class]) -> type[Class]:
        """The class with the further fields."""
        own = dict(cls.__annotations__)
        if twice := own.keys() & added.keys():
            raise ValueError(f"{cls.__name__} has the fields {sorted(twice)} already")
        at = list(own).index(before)
        types = {key: one.type for key, one in added.items()}
        cls.__annotations__ = dict([*own.items()][:at]) | types | dict([*own.items()][at:])
        for key, one in added.items():
            setattr(cls, key, field(default=one.default, metadata=one.metadata))
        return cls

    return decorate
