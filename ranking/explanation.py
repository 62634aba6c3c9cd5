"""A score's explanation: a tree of values, each following from its details (as Lucene's)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, what it is, and the explanations it follows from."""

    value: float
    description: str
    details: tuple[Explanation, ...] = ()
    symbol: str = ""
    """The formula's name for it: S, R, C, Q …; empty for what has none."""

    def to_dict(self) -> dict[str, Any]:
        """The tree as nested dictionaries, ready for JSON."""
        return {
            "symbol": self.symbol,
            "value": self.value,
            "description": self.description,
            "details": [detail.to_dict() for detail in self.details],
        }

    def lines(self, depth: int = 0) -> list[str]:
        """The tree as indented lines, one a node."""
        own = f"{'  ' * depth}{self.value:.6g}  {self.description}"
        return [own, *(line for detail in self.details for line in detail.lines(depth + 1))]

    def __iter__(self) -> Iterator[Explanation]:
        """Every node, this one first, then each detail with all below it."""
        yield self
        for detail in self.details:
            yield from detail

    def find(self, symbol: str) -> Explanation | None:
        """The first node of that symbol."""
        return next((node for node in self if node.symbol == symbol), None)
