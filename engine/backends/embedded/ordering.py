"""All matches in the order of a column: scores are computed of those alone that can be shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.query.sort import Sort, first, keys
from argsearch.indexer.format.columns import Values

Docs = NDArray[np.int32]
Best = Callable[[Docs, int], tuple[NDArray[np.float64], Docs]]
"""The scores and numbers of the k best of some matching documents, ascending ones, in no order."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """A sort, the column's values, and each document's place in the order of ids."""

    sort: Sort
    values: Values
    ranks: NDArray[np.int32]

    def page(self, docs: Docs, best: Best, page: slice) -> tuple[Docs, NDArray[np.float64]]:
        """A page of some documents in that order, and their scores.

        Equal ones stand by score, then id; those without a value come last.
        """
        order = keys(self.values.array[docs], self.values.column, self.sort.falling)
        sure, tied = first(order, page.stop)
        found = [(docs[sure], len(sure)), (docs[tied], min(len(tied), page.stop - len(sure)))]
        parts = [best(some, k) for some, k in found if k]
        if not parts:
            return docs[:0], np.zeros(0)
        scores, chosen = (np.concatenate(several) for several in zip(*parts, strict=True))
        key = order[np.searchsorted(docs, chosen)]
        shown = np.lexsort((self.ranks[chosen], -scores, key))[page]
        return chosen[shown], scores[shown]
