"""The limit of threads of linear algebra: it holds while anybody is inside, and then no more."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from argsearch.engine.one_thread import one_thread

np.ones((2, 2)) @ np.ones((2, 2))  # loads what is limited


def threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_who_leaves_first_does_not_lift_the_limit_and_who_leaves_last_does():
    with threadpool_limits(2):
        before = threads()
        first, second = one_thread(), one_thread()
        first.__enter__()
        assert threads() == {1}
        second.__enter__()
        first.__exit__(None, None, None)
        assert threads() == {1}
        second.__exit__(None, None, None)
        assert threads() == before
