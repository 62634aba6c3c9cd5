"""Sets of documents as bits, and damaged postings; tests/engine/test_pruned.py has the search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.retrieval.bits import add_documents, members, no_documents, packed, size
from argsearch.ranking.retrieval.scoring import TABLE, Postings, Terms, score_all


@given(flags=st.lists(st.booleans(), max_size=200))
def test_a_set_of_documents_is_packed_counted_and_listed(flags: list[bool]) -> None:
    bits = packed(np.array(flags, bool))
    assert len(bits) == -(-len(flags) // 64)
    assert size(bits) == sum(flags)
    assert members(bits).tolist() == [d for d, flag in enumerate(flags) if flag]
    again = no_documents(len(flags))
    add_documents(members(bits), len(flags), again)
    assert np.array_equal(again, bits)


@given(
    docs=st.lists(st.integers(0, 299), unique=True), n=st.integers(1, 300), known=st.integers(0, 63)
)
def test_add_documents_sets_one_bit_each(docs: list[int], n: int, known: int) -> None:
    bits = np.zeros(n // 64 + 1, np.uint64)
    bits[0] = np.uint64(1) << np.uint64(known)
    add_documents(np.array(sorted(docs), np.int32), n, bits)
    found = np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))
    assert set(found.tolist()) == {known, *(doc for doc in docs if doc < n)}


def test_a_damaged_posting_writes_nowhere() -> None:
    n = 50
    docs = np.array([2**31 - 1, -7, *range(2, n)], np.int32)
    postings = Postings(docs, np.ones(n, np.uint16), np.zeros(n, np.uint8))
    one = np.ones(1)
    terms = Terms(np.array([0]), np.array([n]), one, np.ones((1, TABLE)), one, np.ones(256))
    R, matched = score_all(postings, terms, n)
    assert len(R) == n
    assert matched[2:].all()
    assert not matched[0]
    assert not matched[1]
