"""Words and their forms: the mixture by hand, its limits, its explanation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.ranking.combination import explain_forms, mixed_forms
from argsearch.ranking.explanation import Explanation

scores = st.floats(0, 1e3)


@given(scores, scores, st.floats(0, 1))
def test_lies_between_its_parts(plain: float, forms: float, f: float) -> None:
    value = float(mixed_forms(plain, forms, f))
    assert min(plain, forms) - 1e-9 <= value <= max(plain, forms) + 1e-9
    tree = explain_forms(Explanation(plain, "R_plain"), Explanation(forms, "R_forms"), f)
    weight, first, second = (detail.value for detail in tree.details)
    assert tree.value == value == pytest.approx((1 - weight) * first + weight * second)


@pytest.mark.parametrize("f", [-0.1, 1.1, np.nan])
def test_a_weight_outside_its_range_is_named(f: float) -> None:
    with pytest.raises(ValueError, match="f must be a number from 0 to 1, not "):
        mixed_forms(1.0, 1.0, f)
