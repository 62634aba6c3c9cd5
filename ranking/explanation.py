"""The explanation of a score: a tree whose values follow from their details, as in Lucene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, its description, and the explanations that it follows from."""

    value: float
    description: str
    details: tuple[Explanation, ...] = ()
    symbol: str = ""
    """Symbol of the value in the formula, such as S, R, C or Q; empty if there is none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as nested dictionaries, ready for JSON."""
        return {
            "symbol": self.symbol,
            "value": self.value,
            "description": self.description,
            "details": [detail.to_dict() for detail in self.details],
        }

    def lines(self, depth: int = 0) -> list[str]:
        """Return the tree as indented lines, one per node."""
        own = f"{'  ' * depth}{self.value:.6g}  {self.description}"
        return [own, *(line for detail in self.details for line in detail.lines(depth + 1))]

    def __iter__(self) -> Iterator[Explanation]:
        """Yield every node, first this one and then each detail with its subtree."""
        yield self
        for detail in self.details:
            yield from detail

    def find(self, symbol: str) -> Explanation | None:
        """Return the first node with this symbol, or None."""
        return next((node for node in self if node.symbol == symbol), None)
