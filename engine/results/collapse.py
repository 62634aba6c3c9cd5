"""Near-copies folded: of each group the best hit stands, before the cutoff."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Ranking
from argsearch.engine.results.views import Picked

LEAST = 50
"""How many hits are looked through at first."""


def folded(ranked: Callable[[int], Ranking], page: slice) -> Picked:
    """A page of the hits that stand for their groups, the order of the rest unchanged.

    ranked: the k best hits. As many are asked for as it takes to fill the page, so that pages
    neither overlap nor miss a group. The total counts every match, near-copies too.
    """
    most = max(LEAST, 2 * page.stop)
    while True:
        whole = ranked(most)
        rows = heads(whole.groups())
        if len(rows) >= page.stop or len(whole.scores) < most:
            return Picked(whole, rows[page], whole.total)
        most *= 2


def heads(groups: NDArray[np.int32] | None) -> NDArray[np.int64]:
    """The first place of each group, ascending, int64[n groups]."""
    assert groups is not None
    return np.sort(np.unique(groups, return_index=True)[1])
