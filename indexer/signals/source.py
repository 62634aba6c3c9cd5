"""Where an argument comes from."""

from __future__ import annotations

from collections.abc import Mapping

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Batch, Signal

LONGEST_LABEL = 1000
"""Characters of a source's name that are kept (a search server's keywords end there too)."""


def source_of(argument: Argument) -> str | None:
    """Where an argument comes from, as its context says."""
    for key in ("sourceDomain", "sourceTitle"):
        value = argument.context.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            return value.strip()[:LONGEST_LABEL]
    return None


class Source(Signal):
    """The portal; where the context names none, the debate's title."""

    column = Column(
        name="source",
        doc="Where the argument comes from: the portal or, without one, the debate.",
        kind="category",
        dtype="int32",
    )

    def of(self, batch: Batch) -> list[str | None]:
        """The sources of a run of documents."""
        return [source_of(argument) for argument in batch.arguments]
