"""Collapse near-duplicates before the cutoff, so that only the best hit of each group remains."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from argsearch.engine.parameters import LARGEST_PAGE
from argsearch.engine.stages import Candidates

LEAST_HITS_READ = 50
"""Smallest number of hits to read."""


def collapsed(find: Callable[[int], Candidates], page: slice) -> Candidates:
    """Return a page of the best hits of each group, without changing their order.

    find: returns the k best hits. It is called for as many hits as the page needs, so pages neither
    overlap nor miss a group. The total still counts every match and its near-duplicates.
    """
    # Most corpora have few duplicates, so hits for two pages nearly always fill the page.
    most = min(LARGEST_PAGE, max(LEAST_HITS_READ, 2 * page.stop))
    while True:
        whole = find(most)
        groups = whole.source.groups(whole.rows)
        assert groups is not None, "the caller checked that the index has this part"
        places = np.sort(np.unique(groups, return_index=True)[1])  # the first of each group
        if len(places) >= page.stop or len(whole) < most:
            return whole.take(places[page])
        most = min(LARGEST_PAGE, 2 * most)
