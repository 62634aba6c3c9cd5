"""The kernels that score postings beside the plain expressions, and on damaged postings."""

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
    Table,
    frequency_rows,
    looked_up,
    saturated,
)


@pytest.mark.thorough
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
    values, row_of = frequency_rows(tfs)
    table = Table(values, row_of, model.score(values[:, None], dl[None, :], term))
    found = looked_up(docs, tfs, table, columns)
    wanted = [float(model.score(tf, dl[columns[d]], term)) for d, tf in zip(docs, tfs, strict=True)]
    assert found.tolist() == pytest.approx(wanted, rel=1e-12)


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


def shares(case: Shared, run: FieldRun) -> np.ndarray:
    conclusion, premise = MODEL.fields
    norms = FieldNorms(conclusion.norm(case.lengths), premise.norm(np.arange(50)), case.dl_p)
    tfs = case.tf[case.docs].astype(np.uint8)
    return np.asarray(saturated(case.docs, tfs, run, norms, MODEL.k1))


@pytest.mark.thorough
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_fields_are_combined_before_saturation(seed: int) -> None:
    case = Shared(seed)
    term = Statistics(7, 50, 300, 10_000)
    dl = (case.lengths[case.of], case.dl_p)
    wanted = MODEL.score((case.tf_c, case.tf_p), dl, term)[case.docs]
    assert pytest.approx(wanted, rel=1e-12) == idf(7, 300) * shares(case, case.run)


def test_damaged_conclusions_are_read_nowhere() -> None:
    case = Shared(5)
    for rows in (case.run.rows + 2**30, -case.run.rows - 1):
        assert np.isfinite(shares(case, case.run._replace(rows=rows.astype(np.int32)))).all()
