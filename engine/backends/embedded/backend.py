"""The embedded backend: a memory-mapped index directory with exact answers and no server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.directory import IndexDirectory
from argsearch.engine.query.query import Query

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.hits import EmbeddedRanking
    from argsearch.engine.config import Retrieval


class EmbeddedBackend(IndexDirectory):
    """An index directory that answers queries; safe to share between threads."""

    is_local = True
    beside: None = None
    """Always None, since the directory contains all of its parts."""

    @property
    def contents(self) -> IndexDirectory:
        """The directory itself."""
        return self

    def documents_with(self, words: Sequence[str], asked: Retrieval) -> NDArray[np.int64]:
        """Return how many documents have each word, or another form of it, int64[w]."""
        from argsearch.engine.backends.embedded.hits import documents_with

        return documents_with(self.searcher, words, asked)

    def search(self, query: Query) -> EmbeddedRanking:
        """Return the exact answer, using block bounds if they hold and all postings otherwise.

        With `query.near`, also add arguments found by meaning. Raises the same errors as `meaning`.
        """
        from argsearch.engine.backends.embedded.hits import EmbeddedRanking
        from argsearch.engine.backends.embedded.searching import Search

        search = Search(self.searcher, query)
        numbers, scores = search.found()
        found = EmbeddedRanking(scores, self, search, numbers)
        if not query.near:
            return found
        # The vectors and their encoder are loaded only for queries that need them.
        from argsearch.engine.backends.embedded.fused import with_nearest

        return with_nearest(found)
