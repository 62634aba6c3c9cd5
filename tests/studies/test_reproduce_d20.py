"""D20's tables: the configurations of their rows, and α-nDCG by hand."""

from __future__ import annotations

import math

import pytest

from argsearch.engine.config import load_config
from studies.reproduce.d20 import alpha_ndcg, config_of
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
