"""D20's and W22's tables: α-nDCG by hand, and a cell of each by independent code."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.encoders import load_encoder
from argsearch.lab.judgements.pairs import read_dagstuhl
from studies.judgements import grades, titles
from studies.pairs import MEASURES, measured
from studies.reproduce.d20 import accuracy, alpha_ndcg, config_of
from studies.reproduce.table import published


def test_every_row_of_the_published_tables_names_a_configuration() -> None:
    for file in ("d20-table4-noisy.tsv", "d20-table5-curated.tsv", "d20-table6-energy.tsv"):
        names = {config_of(family, dimensions) for family, dimensions, *_ in published(file)[1:]}
        assert len({load_config(name).premises for name in names}) == 13


def test_alpha_ndcg_by_hand() -> None:
    """The second premise of a cluster gains nothing, whatever its grade."""
    discount = 1 / math.log2(3), 1 / math.log2(4)
    ideal = 2 + 1 * discount[0]
    assert alpha_ndcg([7, 7, 3], [2, 2, 1], [2, 1, 0]) == pytest.approx((2 + discount[1]) / ideal)
    assert alpha_ndcg([7, 3], [2, 1], [2, 1]) == 1.0
    assert math.isnan(alpha_ndcg([1], [0], [0, 0]))


@pytest.mark.data
@pytest.mark.slow
def test_a_cell_of_table_1_by_independent_code(data_dir: Path) -> None:
    """Gaussian naive Bayes on cogency, a query at a time: loops over pairs, densities in full."""
    ratings, encoder = read_dagstuhl(data_dir / "dagstuhl-15512"), load_encoder("wordllama")
    p, q = (encoder.encode(texts).astype(float) for texts in (ratings.texts, ratings.queries))
    votes, rows, wins, query = ratings.ratings["cogency"].sum(axis=1), [], [], []
    for a in range(len(p)):
        for b in range(len(p)):
            same = ratings.query[a] == ratings.query[b]
            if same and votes[a] != votes[b]:
                c = q[ratings.query[a]]
                sides = [f for one in (p[a], p[b]) for f in (one + c, one - c, one * c)]
                rows.append(np.concatenate(sides))
                wins.append(votes[a] > votes[b])
                query.append(ratings.query[a])
    X, y, fold = np.array(rows), np.array(wins), np.array(query)
    assert len(X) == 2046
    right = 0
    for left_out in set(query):
        known, asked = fold != left_out, fold == left_out
        scores = []
        for label in (False, True):
            mine = X[known & (y == label)]
            variance = mine.var(axis=0) + 1e-9 * X[known].var(axis=0).max()
            density = -0.5 * ((X[asked] - mine.mean(axis=0)) ** 2 / variance + np.log(variance))
            scores.append(density.sum(axis=1) + math.log(len(mine)))
        right += int(((scores[1] > scores[0]) == y[asked]).sum())
    cell, folds = accuracy(ratings, "cogency", "NB", "query")
    assert (f"{right / len(y):.3f}"[1:], folds) == (cell, "32 of 32")


@pytest.mark.data
@pytest.mark.slow
def test_a_cell_of_the_runs_by_independent_code(data_dir: Path, real_parts: Path) -> None:
    """The mean grade of the baseline's premises, from the ids of its pairs alone."""
    topics, known = titles(data_dir), grades(data_dir)
    some = dict(list(topics.items())[:5])
    with Engine.open(real_parts) as engine:
        config = load_config("hit-girl-2022-baseline")
        found = measured(engine, some, known, config)[:, list(MEASURES).index("grade, unjudged 0")]
        for value, (number, text) in zip(found, some.items(), strict=True):
            ids = [hit.id for hit in engine.pairs(text, k=10, config=config).hits]
            behind = [pair.split(",")[1].split("__")[0] for pair in ids]
            assert value == sum(known[number].get(one, 0) for one in behind) / len(behind)
