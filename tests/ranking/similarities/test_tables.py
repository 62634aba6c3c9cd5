"""The kernels that add up R beside the plain expressions, and on damaged postings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.ranking.similarities.bm25 import BM25, idf
from argsearch.ranking.similarities.bm25f import BM25F, WeightedField
from argsearch.ranking.similarities.dph import DPH
from argsearch.ranking.similarities.statistics import Similarity, Statistics
from argsearch.ranking.similarities.tables import (
    FieldNorms,
    FieldRun,
    add_fields,
    add_looked_up,
    add_values,
    frequency_rows,
)


def sums(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(n), np.zeros(n, np.bool_)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    most=st.sampled_from([1, 30, 255, 256, 70_000]),
    model=st.sampled_from([BM25(), DPH()]),
)
def test_a_looked_up_score_is_the_plain_one(seed: int, most: int, model: Similarity) -> None:
    rng = np.random.default_rng(seed)
    n = 500
    docs = np.flatnonzero(rng.random(n) < 0.6).astype(np.int32)
    tfs = rng.integers(1, most + 1, len(docs)).astype(np.min_scalar_type(most))
    dl = np.array([3.0, 40.0, 280.0, 90_000.0])
    columns = rng.integers(0, len(dl), n).astype(np.uint8)
    ttf = int(tfs.sum(dtype=np.int64)) or 1
    term = Statistics(max(1, len(docs)), max(ttf, len(docs)), n, ttf + 10 * n)
    rows = frequency_rows(tfs)
    table = model.score(rows.values[:, None], dl[None, :], term)
    found, direct = sums(n), sums(n)
    add_looked_up(docs, tfs, (rows.row_of, columns, table), 2.0, found)
    add_values(docs, model.score(tfs, dl[columns[docs]], term), 2.0, direct)
    wanted = np.zeros(n)
    wanted[docs] = [
        2.0 * float(model.score(tf, dl[columns[d]], term)) for d, tf in zip(docs, tfs, strict=True)
    ]
    for R, matched in (found, direct):
        assert pytest.approx(wanted, rel=1e-12) == R
        assert np.flatnonzero(matched).tolist() == docs.tolist()


def test_rows_are_every_small_frequency_or_those_that_occur() -> None:
    small = frequency_rows(np.array([1, 7], np.uint8))
    assert (small.values.tolist(), small.row_of[[1, 7]].tolist()) == ([1, 2, 3, 4, 5, 6, 7], [0, 6])
    large = frequency_rows(np.array([9, 1, 60_000], np.uint16))
    assert large.values.tolist() == [1, 9, 60_000]
    assert large.row_of[[1, 9, 60_000]].tolist() == [0, 1, 2]


class Shared:
    """Documents with tokens of one term in a conclusion that runs of them share."""

    def __init__(self, seed: int, n: int = 300) -> None:
        rng = np.random.default_rng(seed)
        self.starts = np.unique(np.concatenate([[0], rng.integers(0, n, 40), [n]])).astype(np.int32)
        c = len(self.starts) - 1
        self.of = np.repeat(np.arange(c), np.diff(self.starts))
        self.lengths = rng.integers(0, 9, c)
        by_row = np.minimum(self.lengths, rng.integers(0, 3, c))
        self.tf_c = by_row[self.of]
        self.dl_p = rng.integers(0, 50, n)
        self.tf_p = np.minimum(self.dl_p, rng.integers(0, 4, n))
        self.tf = self.tf_c + self.tf_p
        self.docs = np.flatnonzero(self.tf).astype(np.int32)
        rows = np.flatnonzero(by_row).astype(np.int32)
        self.run = FieldRun(rows, by_row[rows].astype(np.uint8), self.starts)


MODEL = BM25F(
    (WeightedField("conclusion", 3.0, 0.5, 4.0), WeightedField("premise", 0.5, 0.75, 20.0)), k1=0.9
)


def add(case: Shared, docs: np.ndarray, run: FieldRun) -> tuple[np.ndarray, np.ndarray]:
    conclusion, premise = MODEL.fields
    norms = FieldNorms(conclusion.norm(case.lengths), premise.norm(np.arange(50)), case.dl_p)
    R, matched = sums(len(case.tf))
    tfs = case.tf[case.docs].astype(np.uint8)
    add_fields(docs, tfs, run, norms, (float(idf(7, 300)), MODEL.k1), (R, matched))
    return R, matched


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_fields_are_combined_before_saturation(seed: int) -> None:
    case = Shared(seed)
    R, matched = add(case, case.docs, case.run)
    term = Statistics(7, 50, 300, 10_000)
    dl = (case.lengths[case.of], case.dl_p)
    assert pytest.approx(MODEL.score((case.tf_c, case.tf_p), dl, term), rel=1e-12) == R
    assert np.flatnonzero(matched).tolist() == case.docs.tolist()


def test_damaged_postings_read_and_write_nowhere() -> None:
    case = Shared(5)
    docs = case.docs.copy()
    docs[0], docs[-1] = -3, 2**31 - 1
    for rows in (case.run.rows + 2**30, -case.run.rows - 1):
        R, matched = add(case, docs, case.run._replace(rows=rows.astype(np.int32)))
        assert matched.sum() == len(docs) - 2
        assert np.isfinite(R).all()
    R, matched = sums(300)
    table = np.ones((2, 1))
    look_up = (np.array([-1, 0, 1], np.int32), np.zeros(300, np.uint8), table)
    add_looked_up(docs, np.full(len(docs), 200, np.uint8), look_up, 1.0, (R, matched))
    add_values(docs[[0, -1]], np.ones(2), 1.0, (R, matched))
    assert not matched.any()
    assert not R.any()
