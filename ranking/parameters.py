"""Model parameters: dataclass fields with a default, a range and a description."""

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
    """Declare a model's dataclass field that a configuration can set.

    Args: key: the name in a configuration, if it is not the field's. Configurations may give one of
    `choices`, or a value from low to high. The model may accept other values, and checks values
    itself.
    """
    described = {"doc": doc, "choices": choices, "low": low, "high": high, "key": key}
    return field(default=default, metadata=described)
