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


def balance(question: str, ranking: Ranking) -> Balance:
    """The sides of a ranking's hits, down to DEPTH."""
    model = StanceModel.load()
    read = range(min(DEPTH, len(ranking.scores)))
    sides = model.sides(question, [ranking.argument(i) for i in read])
    return Balance(model.claim(question), tuple(sides))


def on_side(ranking: Ranking, balanced: Balance, side: str, page: slice) -> Picked:
    """The hits of one side, a page of them; where near-copies are folded, each is a group."""
    rows = balanced.of(side)
    return Picked(ranking, rows[page], len(rows), len(rows))
