"""From documents to the arrays of claims and premises, over corpora small enough to read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.parts.premises import part as building
from argsearch.indexer.parts.premises.part import ClaimReading, Document, build_claims
from argsearch.ranking.premises.claim_premise import Method, p_claim, rank, weigh
from argsearch.ranking.premises.counts import CON, PRO


class Letters:
    """An encoder of twenty-six letters: words of the same letters are the same."""

    name = "letters"
    dimensions = 26

    def encode(self, texts):
        rows = [np.bincount([ord(c) % 26 for c in t.lower()], minlength=26) for t in texts]
        out = np.array(rows, np.float32).reshape(-1, 26)
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1)


class Length:
    """A model by which the longer premise wins, and the one with more `e`."""

    dimensions = ("long", "e")

    def scores(self, texts):
        return np.array([[len(t), t.count("e")] for t in texts], np.float32).reshape(-1, 2)


def build(*documents, **how):
    reading = ClaimReading(Letters(), Length(), (0.01, 0.01), **how)
    return build_claims([Document(*d) for d in documents], reading)


def test_clusters_count_what_means_the_same():
    documents = [("ab", [("cd", "PRO"), ("dc", "PRO")]), ("ba", [("cd", "PRO"), ("x", "CON")])]
    a = build(*documents).arrays
    assert a.claim_cluster.tolist() == [0, 0]
    assert a.premise_cluster.tolist() == [0, 0, 1]
    assert a.pf.tolist() == [3, 3, 3, 1]
    assert a.served.tolist() == [[1, 0], [0, 1]]
    assert a.representative.tolist() == [0, 2]
    assert a.member_starts.tolist() == [0, 2, 3]
    assert a.members.tolist() == [0, 1, 2]


def test_every_occurrence_is_a_premise_of_its_own():
    """The paper's counts: what three arguments say supports a claim three times."""
    said = [("ab", [("i accept", "PRO")])] * 3 + [("ba", [("i accept", "PRO"), ("x", "PRO")])]
    once, each = (build(*said, distinct=distinct).arrays for distinct in (True, False))
    assert (once.premise.tolist(), each.premise.tolist()) == ([0, 0, 1], [0, 1, 2, 3, 4])
    assert (once.pf.tolist(), each.pf.tolist()) == ([2, 2, 1], [4, 4, 4, 4, 1])
    assert each.premise_cluster.tolist() == [0, 0, 0, 0, 1]
    assert each.served.tolist() == once.served.tolist() == [[1, 1], [0, 0]]
    assert each.premise_document.tolist() == [0, 1, 2, 3, 3]
    assert each.occurrences.tolist() == [0, 1, 2, 3, 3]


@pytest.mark.parametrize("documents", [(), ((None, [("text", "PRO")]),)])
def test_no_claim_at_all(documents):
    a = build(*documents).arrays
    assert a.claims == a.claim_clusters == 0
    assert a.starts.tolist() == [0]
    assert a.dcf.shape == (2, 0)
    ranked = rank(weigh(a.scoring(), np.zeros(0, np.int64), p_claim([]), Method("pficf")))
    assert len(ranked.cluster) == 0


texts = st.sampled_from(["a", "b", "aab", "baa", "eel", "lee", "long one", " ", "é", "\ud800"])
stances = st.sampled_from(["PRO", "CON", None])
claims = st.sampled_from(["c", "d", "dc", "cd", None])
corpora = st.lists(st.tuples(claims, st.lists(st.tuples(texts, stances), max_size=4)), max_size=9)


@pytest.mark.thorough
@settings(max_examples=60)
@given(documents=corpora, batch=st.sampled_from([1, 3, 8192]))
def test_the_arrays_hold_the_documents(documents, batch):
    before, building.WAITING_TEXTS = building.WAITING_TEXTS, batch
    try:
        a = build(*documents).arrays
    finally:
        building.WAITING_TEXTS = before
    expected = {
        (c, CON if s == "CON" else PRO, t, row)
        for row, (c, premises) in enumerate(documents)
        if c is not None
        for t, s in premises
        if t.strip()
    }
    claim = [documents[row][0] for row in a.claim_document]
    premise = [
        documents[row][1][slot][0]
        for row, slot in zip(a.premise_document, a.premise_slot, strict=True)
    ]
    found = {
        (claim[g // 2], g % 2, premise[a.premise[at]], int(row))
        for g in range(2 * a.claims)
        for at in range(a.starts[g], a.starts[g + 1])
        for row in a.occurrences[a.occurrence_starts[at] : a.occurrence_starts[at + 1]]
    }
    assert found == expected
    assert len(a.occurrences) == len(expected)
    assert len(set(claim)) == len(claim)
    assert len(set(premise)) == len(premise)
    assert a.premise_length.tolist() == [len(t) for t in premise]
