"""Sides of a question: which of the best arguments are for it, against it, or unclear.

An argument's own stance is towards its own conclusion; its side is towards what was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Ranking
from engine.picking import Picked
from indexer.corpus.argument import Argument
from indexer.errors import InvalidParameter
from indexer.stance.claims import Claim
from indexer.stance.model import SIDES, Side, StanceModel

DEPTH = 100
"""How many of the best hits are read for their side; a list of one side ends there."""


def check_side(side: str | None) -> str | None:
    """The side, if it is one; raises InvalidParameter."""
    if side is not None and side not in SIDES:
        raise InvalidParameter("side", side, ", ".join(SIDES))
    return side


@dataclass(frozen=True)
class Balance:
    """How the best arguments stand to the question, and what "for" means there."""

    claim: Claim
    sides: tuple[Side, ...]
    """Of each hit that was read, best first."""

    @property
    def counts(self) -> dict[str, int]:
        """Arguments of each side among those that were read, never more."""
        values = [side.value for side in self.sides]
        return {side: values.count(side) for side in SIDES}

    def of(self, side: str) -> NDArray[np.int64]:
        """The places of the hits on a side, ascending."""
        return np.array([i for i, one in enumerate(self.sides) if one.value == side], np.int64)


def sides_of(question: str, arguments: Sequence[Argument]) -> list[Side]:
    """The side of each argument, by the model that ships with the package."""
    return StanceModel.load().sides(question, arguments)


class Sided:
    """How a ranking's hits stand to a question; each is read when it is first asked for."""

    def __init__(self, question: str, whole: Ranking) -> None:
        self.question, self.whole = question, whole
        self._read: tuple[Side, ...] = ()

    def first(self, n: int) -> Balance:
        """The sides of the first n hits, or of all if there are fewer."""
        model, read = StanceModel.load(), self._read
        more = range(len(read), min(n, len(self.whole.scores)))
        if more:
            read += tuple(model.sides(self.question, [self.whole.argument(i) for i in more]))
            self._read = read
        return Balance(model.claim(self.question), read[:n])

    @property
    def balance(self) -> Balance:
        """The sides of the best hits, down to DEPTH."""
        return self.first(DEPTH)

    @property
    def so_far(self) -> Balance:
        """The sides of those that were read for what was asked until now."""
        return self.first(len(self._read))

    def page(self, side: str | None, page: slice) -> Picked:
        """A page of all hits, or of one side's among the first DEPTH; folded, each is a group."""
        if side is None:
            return Picked(self.whole, np.arange(len(self.whole.scores))[page], self.whole.total)
        rows = self.balance.of(side)
        return Picked(self.whole, rows[page], len(rows), len(rows))
