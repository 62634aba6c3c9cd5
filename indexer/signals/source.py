"""The source of an argument."""

from __future__ import annotations

from collections.abc import Mapping

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Batch, Signal

LONGEST_LABEL = 1000
"""Maximum number of characters in a source's name, as for keywords on servers."""


def source_of(argument: Argument) -> str | None:
    """Return the source named in an argument's context, or None."""
    for key in ("sourceDomain", "sourceTitle"):
        value = argument.context.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            return value.strip()[:LONGEST_LABEL]
    return None


class Source(Signal):
    """The portal of an argument or, if the context names no portal, the title of its debate."""

    column = Column(
        name="source",
        doc="Where the argument comes from: the portal or, if there is none, the debate.",
        kind="category",
        dtype="int32",
    )

    def of(self, batch: Batch) -> list[str | None]:
        """Return the sources of some documents."""
        return [source_of(argument) for argument in batch.arguments]
