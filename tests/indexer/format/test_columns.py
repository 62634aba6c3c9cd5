"""Columns: the number in [0, 1] by which one carries a weight in the score."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import Column, check_weights

AGE = Column("age", "Years.", "number", "float64", low=10.0, high=20.0)


@pytest.mark.parametrize("missing", [None, -1.0, math.nan])
def test_a_number_is_scaled_into_its_range_and_none_is_0(missing: float | None) -> None:
    column = replace(AGE, missing=missing)
    values = np.array([10.0, 15.0, 20.0, 25.0, math.nan, -1.0])
    assert column.scaled(values).tolist() == [0.0, 0.5, 1.0, 1.0, 0.0, 0.0]


def test_a_weight_is_of_a_column_with_numbers() -> None:
    known = {"age": AGE, "source": Column("source", "Where.", "category", "int32")}
    check_weights([("age", 1.0)], known)
    for name in ("source", "nope"):
        with pytest.raises(InvalidParameter, match=rf"boost\.columns\.{name} is 1\.0.*: age"):
            check_weights([("age", 1.0), (name, 1.0)], known)
