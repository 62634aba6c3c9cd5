"""When two rankings are the same: ids, order and scores, up to the server's single precision.

And what lies on a server under one name.
"""

from __future__ import annotations

import numpy as np

from argsearch.engine.results.results import Results
from argsearch.indexer.server.client import Server

TOLERANCE = 1e-4
"""Relative difference of scores that is allowed."""
TIED = 1e-6
"""Scores that differ by less are one and the same in the server's single precision."""


def assert_same(found: Results, wanted: Results) -> None:
    """The same ids in the same order, the same scores, totals and fingerprint."""
    assert found.total == wanted.total
    assert found.fingerprint == wanted.fingerprint
    scores = np.array([hit.score for hit in found.hits])
    expected = np.array([hit.score for hit in wanted.hits])
    largest = float(np.abs(expected).max(initial=0.0))  # what is a difference is as exact as that
    np.testing.assert_allclose(scores, expected, rtol=TOLERANCE, atol=max(1e-9, 1e-7 * largest))
    ids, reference = found.hits.ids, wanted.hits.ids
    for i, (one, other) in enumerate(zip(ids, reference, strict=True)):
        if one != other:
            assert_tied(i, other, ids, expected)


def assert_tied(i: int, id: str, ids: list[str], scores: np.ndarray) -> None:
    """A document may stand elsewhere only among scores that single precision cannot tell apart."""
    allowed = np.flatnonzero(np.abs(scores - scores[i]) <= TIED * max(abs(scores[i]), 1e-3))
    at_end = allowed[-1] == len(scores) - 1  # its place may lie beyond the last hit
    assert at_end or id in {ids[j] for j in allowed}, f"{id} is not at rank {i + 1}"


def indices(server: Server) -> list[str]:
    """The indices whose names begin with the address's."""
    return sorted(server.request("GET", f"/{server.address.name}*/_settings"))
