"""Parameters of models: fields of their classes that know their default, range and sentence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import Any


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
