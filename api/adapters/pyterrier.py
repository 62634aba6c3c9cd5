"""A PyTerrier transformer with the same scores as `argsearch run`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyterrier as pt

from argsearch.engine import Engine
from argsearch.engine.config import Config

HIT_COLUMNS = ["docno", "score", "rank"]
"""Columns that `transform` adds to a query frame. They replace columns of the same name."""


class ArgSearch(pt.Transformer):
    """PyTerrier transformer that ranks arguments for a data frame with columns `qid` and `query`.

    Ranks start at 0, as in PyTerrier. Raises the same errors as `Engine.open` and `Engine.config`.
    """

    # Without an address, a drawing of a pipeline needs the network to look for one.
    schematic: ClassVar[dict[str, str]] = {"label": "ArgSearch", "help_url": ""}

    def __init__(
        self,
        index: str | Path | Engine,
        config: str | Path | Config = "default",
        *,
        k: int = 1000,
        overrides: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        # PyTerrier copies a transformer from the attributes that are named like these parameters.
        self.index = index if isinstance(index, Engine) else Engine.open(index)
        self.config = self.index.config(config, overrides or ())
        # PyTerrier takes an empty sequence for a list of transformers.
        self.k, self.overrides = k, overrides or None

    def transform(self, inp: Any) -> Any:
        """Return the result frame for a query frame. An empty result has the same columns."""
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        # PyTerrier's own retrievers also drop these columns of an earlier result.
        inp = inp.drop(columns=HIT_COLUMNS, errors="ignore")
        rows = [
            (*row, hit.id, hit.score, hit.rank - 1)
            for row, text in zip(inp.itertuples(index=False, name=None), inp["query"], strict=True)
            for hit in self.index.rank(text, k=self.k, config=self.config)
        ]
        found = pd.DataFrame(rows, columns=[*inp.columns, *HIT_COLUMNS])
        return found.astype({**inp.dtypes, "docno": "object", "score": "float64", "rank": "int64"})

    def fuse_rank_cutoff(self, k: int) -> Any:
        """Return a transformer for the k best hits, which PyTerrier uses for `self % k`."""
        return pt.inspect.transformer_apply_attributes(self, k=min(k, self.k))

    def __repr__(self) -> str:
        return f"ArgSearch({self.config.name!r}, k={self.k})"
