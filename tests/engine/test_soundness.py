"""The checks that keep kernels inside damaged arrays, one value out of its range at a time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from argsearch.engine.backends.embedded.soundness import check_run, check_terms
from argsearch.indexer.format.manifest import IndexDamaged


def arrays(starts: list[int], totals: list[int]) -> Any:
    """Two terms whose runs lie in five postings."""
    return SimpleNamespace(
        text_starts=np.array(starts), text_docs=np.arange(5), text_totals=np.array(totals)
    )


def test_sound_terms_pass() -> None:
    check_terms(arrays([0, 3, 5], [3, 9]), [0, 1], tokens=12)


@pytest.mark.parametrize(
    ("starts", "totals", "file"),
    [
        ([0, 3, 6], [3, 9], "text.starts.npy"),  # a run ends beyond the postings
        ([-1, 3, 5], [4, 9], "text.starts.npy"),
        ([0, 0, 5], [3, 9], "text.starts.npy"),
        ([0, 4, 3], [4, 9], "text.starts.npy"),
        ([0, 3, 5], [2, 9], "text.totals.npy"),  # fewer occurrences than documents
        ([0, 3, 5], [3, 13], "text.totals.npy"),  # more than the index has tokens
    ],
)
def test_a_damaged_term_is_named(starts: list[int], totals: list[int], file: str) -> None:
    with pytest.raises(IndexDamaged, match=f"^index: {file} is damaged .*; build it again"):
        check_terms(arrays(starts, totals), [0, 1], tokens=12)


@pytest.mark.parametrize("docs", [[-1, 2], [0, 10]])
def test_a_run_names_documents_of_the_index(docs: list[int]) -> None:
    check_run(np.array([0, 9], np.int32), 10)
    with pytest.raises(IndexDamaged, match=r"text\.docs\.npy"):
        check_run(np.array(docs, np.int32), 10)
