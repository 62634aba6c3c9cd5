"""The date of an argument."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.columns import DAYS, Column
from argsearch.indexer.signals.base import Batch, Signal, WholeCorpus

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")


def date_of(argument: Argument) -> int:
    """Return the `date` in an argument's context as yyyymmdd; 0 if it is missing or invalid."""
    value = argument.context.get("date")
    found = _ISO.match(value) if isinstance(value, str) else None
    if not found:
        return 0
    year, month, day = map(int, found.groups())
    try:
        date(year, month, day)
    except ValueError:
        return 0
    return year * 10_000 + month * 100 + day


class Date(Signal):
    """The day of an argument, from its context's `date` in ISO 8601."""

    column = Column(
        name="date",
        doc="The day of the argument as yyyymmdd, from the context's `date` (ISO 8601).",
        kind="number",
        dtype="int32",
        low=DAYS[0],
        high=DAYS[1],
        missing=0,
    )

    def of(self, batch: Batch) -> NDArray[np.int32]:
        """Return the days as yyyymmdd, int32[n]."""
        return np.array([date_of(argument) for argument in batch.arguments], np.int32)

    def finish(self, raw: NDArray[Any] | None, whole: WholeCorpus) -> tuple[Column, NDArray[Any]]:
        """Return the days, and a ramp from the corpus's first day (weight 0) to its last (1)."""
        assert raw is not None
        days = np.unique(raw[raw > 0]).tolist()
        # The ends of a ramp have to differ, even for a single day.
        ramp = (days[0], max(days[-1], days[0] + 1)) if days else None
        return replace(self.column, ramp=ramp), raw
