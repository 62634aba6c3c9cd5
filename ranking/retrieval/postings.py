"""What a query is answered from: a field's postings, and the query's terms with their tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TABLE = 64
"""Term frequencies below this have their score in a table."""


class Postings(NamedTuple):
    """A field's postings: documents and term frequencies, each term's run sorted by document."""

    docs: NDArray[np.int32]
    tfs: NDArray[np.unsignedinteger] | NDArray[np.float64]
    """Or, float64, the scores that a model gives them (`scoring.term_score`)."""
    codes: NDArray[np.integer]
    """Each document's length code: an index into `Terms.B`."""


class Terms(NamedTuple):
    """A query's distinct terms: their runs in the postings and their score tables."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]
    """How often the query has the term."""
    A: NDArray[np.float64]
    """ln(1 + tf/(μP)) for tf < TABLE, float64[terms, TABLE]."""
    scale: NDArray[np.float64]
    """μP of each term, for the frequencies beyond the table."""
    B: NDArray[np.float64]
    """ln(μ/(dl + μ)) by length code."""
