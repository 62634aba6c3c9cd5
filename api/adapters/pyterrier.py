"""A PyTerrier transformer: queries in, arguments out, with the numbers of `argsearch run`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config

HIT_COLUMNS = ["docno", "score", "rank"]
"""What is added to each query's own columns, or takes the place of those so named."""


class ArgSearch(pt.Transformer):
    """Retrieves by a configuration from an index; `qid` and `query` in, a result frame out.

    Ranks are from 0, as PyTerrier's are. Raises what `Engine.open` and `load_config` raise.
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
        self.config = (
            config if isinstance(config, Config) else load_config(config, tuple(overrides))
        )
        self.k = k
        self._engine = index if isinstance(index, Engine) else Engine.open(index)

    def transform(self, inp: Any) -> Any:
        """The result frame of a query frame; an empty one has its columns too."""
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        # As PyTerrier's own retrievers do, of a frame that another one made.
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
