"""A PyTerrier transformer with the same scores as `argsearch run`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from argsearch.engine import Engine
from argsearch.engine.config import Config

HIT_COLUMNS = ["docno", "score", "rank"]
"""Columns that `transform` adds to a query frame. They replace columns of the same name."""


class ArgSearch(pt.Transformer):
    """PyTerrier transformer that ranks an index for a frame with columns `qid` and `query`.

    Ranks start at 0, as in PyTerrier. Raises the errors of `Engine.open` and `Engine.config`.
    """

    def __init__(
        self,
        index: str | Path | Engine,
        config: str | Path | Config = "default",
        *,
        k: int = 1000,
        overrides: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.index = index
        self.k = k
        self._engine = index if isinstance(index, Engine) else Engine.open(index)
        self.config = (
            config if isinstance(config, Config) else self._engine.config(config, overrides)
        )

    def transform(self, inp: Any) -> Any:
        """Return the result frame for a query frame. An empty result has the same columns."""
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        # PyTerrier's own retrievers also drop these columns of an earlier result.
        inp = inp.drop(columns=HIT_COLUMNS, errors="ignore")
        frames = [self._ranked(row) for _, row in inp.iterrows()]
        columns = [*inp.columns, *HIT_COLUMNS]
        if not frames:
            kinds = {"docno": "object", "score": "float64", "rank": "int64"}
            empty = pd.DataFrame(columns=columns)
            return empty.astype({**dict(inp.dtypes), **kinds})
        return pd.concat(frames, ignore_index=True)[columns]

    def _ranked(self, row: Any) -> Any:
        results = self._engine.rank(row["query"], k=self.k, config=self.config)
        hits = results.hits
        found = pd.DataFrame(
            {
                "docno": pd.Series([hit.id for hit in hits], dtype="object"),
                "score": pd.Series([hit.score for hit in hits], dtype="float64"),
                "rank": pd.Series(range(len(hits)), dtype="int64"),
            }
        )
        return found.assign(**{name: row[name] for name in row.index})

    def __repr__(self) -> str:
        return f"ArgSearch({self.config.name!r}, k={self.k})"
