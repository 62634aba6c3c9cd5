"""The pruned kernel against the exhaustive one, and that one against the plain expression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.building.inversion import block_row
from argsearch.ranking.combination import combine, of_document
from argsearch.ranking.retrieval.bits import add_documents, members, no_documents, packed, size
from argsearch.ranking.retrieval.blocks import (
    BLOCK,
    BlockBounds,
    factor_bounds,
    light_rows,
    search_blocks,
)
from argsearch.ranking.retrieval.scoring import (
    TABLE,
    Factors,
    Postings,
    Terms,
    score_all,
    score_listed,
)
from argsearch.ranking.retrieval.selection import select, select_listed
from argsearch.ranking.similarities.dirichlet import (
    collection_probability,
    dirichlet,
    length_norm,
    term_weight,
)
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths

MU = 2000.0


@dataclass
class Case:
    """A random corpus as a dense matrix of term frequencies, and a query's weights."""

    tf: np.ndarray  # int[terms, n]
    lengths: np.ndarray
    weights: np.ndarray
    clusters: np.ndarray
    C: np.ndarray
    quality: np.ndarray
    omega_C: float
    omega_Q: float
    k: int
    wanted: int
    """1 or 2: documents of that kind alone may be answers; 0: all."""
    kinds: np.ndarray
    ranks: np.ndarray
    x: np.ndarray | None
    """Of a column that carries the weight 3; None: none does."""
    tabled: bool
    """True: scores are read from tables by frequency and length code."""


def make_case(seed: int, n: int, terms: int, k: int, omegas: tuple[float, float]) -> Case:
    rng = np.random.default_rng(seed)
    density = rng.choice([0.002, 0.05, 0.5, 1.0], size=(terms, 1))
    most = rng.choice([1, 3, 400], size=(terms, 1))
    tf = (rng.random((terms, n)) < density) * rng.integers(1, most + 1, size=(terms, n))
    clusters = np.sort(rng.integers(0, 6, n))
    return Case(
        tf=tf,
        lengths=tf.sum(axis=0) + rng.choice([0, 5, 100, 3000, 200_000], n),
        weights=rng.integers(1, 3, terms).astype(float),
        clusters=clusters,
        C=np.append(rng.random(5).round(1), 0.0),
        quality=rng.choice([0.0, 0.25, 0.5, 1.0], n).astype(np.float32),
        omega_C=omegas[0],
        omega_Q=omegas[1],
        k=k,
        wanted=int(rng.integers(0, 3)),
        kinds=(rng.random(n) < rng.choice([0.02, 0.1, 0.5])) + (rng.random(n) < 0.01),
        ranks=rng.permutation(n).astype(np.int32),
        x=rng.random(n).round(1) if rng.random() < 0.5 else None,
        tabled=bool(rng.random() < 0.5),
    )


def arrays_of(case: Case) -> tuple[Postings, Terms, Factors]:
    docs, tfs, begins = [], [], [0]
    for row in case.tf:
        present = np.flatnonzero(row)
        docs.append(present)
        tfs.append(row[present])
        begins.append(begins[-1] + len(present))
    codes = encode_lengths(case.lengths)
    T = int(case.lengths.sum())
    P = collection_probability(case.tf.sum(axis=1), T)
    terms = Terms(
        np.array(begins[:-1]),
        np.array(begins[1:]),
        case.weights,
        term_weight(np.arange(TABLE)[None, :], P[:, None], MU),
        MU * P,
        length_norm(LENGTH_TABLE, MU),
    )
    if case.tabled:
        terms = tabled(terms, int(case.tf.max()) + 1)
    factors = Factors(
        case.clusters.astype(np.uint16),
        1.0 + case.omega_C * case.C,
        case.quality if case.x is None else product(case),
        case.omega_Q,
        case.ranks,
        packed(case.kinds == case.wanted),
        case.wanted > 0,
    )
    postings = Postings(
        np.concatenate(docs).astype(np.int32), np.concatenate(tfs).astype(np.uint16), codes
    )
    return postings, terms, factors


def tabled(terms: Terms, rows: int) -> Terms:
    """The same terms with a score for each frequency below `rows` and each length code."""
    A = np.log(1.0 + np.arange(rows)[None, :] / terms.scale[:, None])
    A[:, :TABLE] = terms.A[:, :rows]
    scores = np.maximum(0.0, A[:, :, None] + terms.B[None, None, :])
    width = len(terms.B)
    firsts = np.arange(len(scores)) * rows * width
    return terms._replace(A=firsts, scale=np.full(len(scores), width), B=scores.ravel())


def product(case: Case) -> np.ndarray:
    return of_document(case.quality, case.omega_Q, [] if case.x is None else [(3.0, case.x)])


def plain(case: Case) -> list[tuple[int, float]]:
    """Eq. 1 over the dense matrix: the k best (document, score), ties by rank."""
    T = int(case.lengths.sum())
    dl = LENGTH_TABLE[encode_lengths(case.lengths)]
    R = np.zeros(len(dl))
    for row, weight in zip(case.tf, case.weights, strict=True):
        R += weight * np.where(row > 0, dirichlet(row, dl, row.sum(), T, MU), 0.0)
    if case.x is None:
        S = combine(R, case.C[case.clusters], case.quality, case.omega_C, case.omega_Q)
    else:
        S = R * (1.0 + case.omega_C * case.C[case.clusters]) * product(case)
    eligible = (case.tf > 0).any(axis=0)
    if case.wanted:
        eligible &= case.kinds == case.wanted
    docs = np.flatnonzero(eligible)
    order = np.lexsort((case.ranks[docs], -S[docs]))[: case.k]
    return [(int(d), float(S[d])) for d in docs[order]]


def ordered(scores: np.ndarray, docs: np.ndarray, ranks: np.ndarray) -> list[tuple[int, float]]:
    order = np.lexsort((ranks[docs], -scores))
    return [(int(docs[i]), float(scores[i])) for i in order]


def exhaustive(case: Case) -> list[tuple[int, float]]:
    postings, terms, factors = arrays_of(case)
    R, matched = score_all(postings, terms, case.tf.shape[1])
    return ordered(*select(R, matched, factors, case.k), case.ranks)


def listed(case: Case) -> list[tuple[int, float]]:
    postings, terms, factors = arrays_of(case)
    docs = members(factors.eligible)
    R, matched = score_listed(postings, terms, docs)
    return ordered(*select_listed(docs, R, matched, factors, case.k), case.ranks)


def pruned(case: Case, heavy_from: int) -> list[tuple[int, float]]:
    postings, terms, factors = arrays_of(case)
    n = case.tf.shape[1]
    count = (n - 1) // BLOCK + 1
    starts = np.empty((len(terms.begins), count + 1), np.int32)
    ceilings = np.empty((len(terms.begins), count))
    for t, (begin, end) in enumerate(zip(terms.begins, terms.ends, strict=True)):
        if end - begin >= heavy_from and not case.tabled:
            row = np.empty(count, np.float32)
            tables = (terms.A[t], terms.scale[t], terms.B)
            run = slice(begin, end)
            block_row(postings.docs[run], postings.tfs[run], postings.codes, tables, starts[t], row)
            ceilings[t] = row
        else:
            light_rows(postings, terms, t, starts[t], ceilings[t])
        ceilings[t] *= terms.weights[t]
    blocks = np.arange(n) // BLOCK
    keys = blocks * 100 + case.clusters
    firsts = np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1])
    spans = np.searchsorted(blocks[firsts], np.arange(count + 1)).astype(np.int32)
    highest = np.maximum.reduceat(factors.quality, firsts)
    clusters = factors.clusters[firsts]
    boosts = factor_bounds(spans, clusters, highest, factors.table, factors.omega_Q)
    found = search_blocks(postings, terms, BlockBounds(starts, ceilings, boosts), factors, case.k)
    return ordered(*found, case.ranks)[: case.k]


cases = st.builds(
    make_case,
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 127, 128, 129, 700, 3000]),
    terms=st.integers(1, 6),
    k=st.sampled_from([1, 3, 10, 100, 5000]),
    omegas=st.sampled_from([(0.0, 0.0), (0.1, 0.5), (10.0, 5.0), (0.0, 10.0), (-0.5, -0.5)]),
)


@pytest.mark.thorough
@settings(max_examples=60)
@given(case=cases)
def test_exhaustive_equals_the_plain_expression(case: Case) -> None:
    expected, found = plain(case), exhaustive(case)
    assert [d for d, _ in found] == [d for d, _ in expected]
    assert [s for _, s in found] == pytest.approx([s for _, s in expected], rel=1e-12)


@pytest.mark.thorough
@settings(max_examples=150)
@given(case=cases, heavy_from=st.sampled_from([1, 100, 10**6]))
def test_pruning_changes_no_score_and_no_order(case: Case, heavy_from: int) -> None:
    if min(case.omega_C, case.omega_Q) < 0:
        return  # bounds hold for factors that are not negative; the backend asks score_all there
    assert pruned(case, heavy_from) == exhaustive(case)


@pytest.mark.thorough
@settings(max_examples=60)
@given(case=cases)
def test_listed_documents_score_what_they_score_among_all(case: Case) -> None:
    case.wanted = max(1, case.wanted)
    assert listed(case) == exhaustive(case)


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
    case = make_case(3, 50, 1, 5, (0.0, 0.0))
    case.tf[0, :] = 1
    postings, terms, _ = arrays_of(case)
    docs = postings.docs.copy()
    docs[0], docs[1] = 2**31 - 1, -7
    R, matched = score_all(postings._replace(docs=docs), terms, 50)
    assert len(R) == 50
    assert not matched[0]
    assert not matched[1]
