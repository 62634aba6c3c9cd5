"""Near-duplicates collapsed: of each group the best hit stands, before the cutoff."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from argsearch.engine.parameters import LARGEST_PAGE
from argsearch.engine.stages import Candidates

LEAST_HITS_READ = 50
"""How many hits are looked through at first."""


def collapsed(find: Callable[[int], Candidates], page: slice) -> Candidates:
    """Return a page of the hits that stand for their groups, the order of the rest unchanged.

    find: the k best hits. As many are asked for as it takes to fill the page, so that pages
    neither overlap nor miss a group. The total counts every match, near-duplicates too.
    """
    # copies are few in most corpora, so that twice the page nearly always fills it at once
    most = min(LARGEST_PAGE, max(LEAST_HITS_READ, 2 * page.stop))
    while True:
        whole = find(most)
        groups = whole.source.groups(whole.rows)
        assert groups is not None, "checked before: the index has the part"
        places = np.sort(np.unique(groups, return_index=True)[1])  # the first of each group
        if len(places) >= page.stop or len(whole) < most:
            return whole.take(places[page])
        most = min(LARGEST_PAGE, 2 * most)
