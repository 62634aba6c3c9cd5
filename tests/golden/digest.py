"""One digest of many rankings: SHA-256 over ids, scores and the numbers of explanations.

Equal digests mean the same hits in the same order with the same numbers, bit for bit.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol


class Node(Protocol):
    """A node of an explanation."""

    @property
    def value(self) -> float:
        """Its number."""

    @property
    def details(self) -> Sequence[Node]:
        """What the number follows from."""


def values(node: Node) -> Iterator[float]:
    """The numbers of an explanation, each before those that it follows from."""
    yield node.value
    for detail in node.details:
        yield from values(detail)


class RankingDigest:
    """Takes rankings in, one after another; their order counts."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(
        self,
        name: str,
        ids: Sequence[str],
        scores: Sequence[float],
        explained: Iterable[Sequence[float]] = (),
    ) -> None:
        """One ranking: its name (a topic's number), its hits, the values of some explanations."""
        self._texts((name, *ids))
        self._numbers(scores)
        for numbers in explained:
            self._numbers(numbers)

    def hexdigest(self) -> str:
        """Of all rankings so far."""
        return self._sha256.hexdigest()

    def _texts(self, texts: Sequence[str]) -> None:
        self._sha256.update(struct.pack("<q", len(texts)))
        for text in texts:
            data = text.encode()
            self._sha256.update(struct.pack("<q", len(data)) + data)

    def _numbers(self, numbers: Sequence[float]) -> None:
        self._sha256.update(struct.pack(f"<q{len(numbers)}d", len(numbers), *numbers))
