"""Signals: one number or label per document, computed when an index is built.

A signal is either a module here, listed in SIGNALS, or a plug-in. Its `Column` determines how it
appears in files, manifest, `argsearch info`, filters, sorting, counts, servers and documentation.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from numpy.typing import NDArray

from argsearch.indexer.format.columns import Values
from argsearch.indexer.signals.base import Batch, Signal, WholeCorpus
from argsearch.indexer.signals.cluster import Cluster
from argsearch.indexer.signals.date import Date
from argsearch.indexer.signals.quality import Quality
from argsearch.indexer.signals.source import Source
from argsearch.indexer.signals.stance import StanceSignal
from argsearch.indexer.signals.words import Words
from argsearch.ranking import plugins

SIGNALS: tuple[Signal, ...] = (Quality(), StanceSignal(), Cluster(), Words(), Source(), Date())
"""Built-in signals, in the order in which the documentation describes them."""


@cache
def signals() -> tuple[Signal, ...]:
    """Return all signals: the built-in ones, then those of plug-ins, sorted by name."""
    own = {signal.column.name for signal in SIGNALS}
    return (*SIGNALS, *(signal() for signal in plugins.loaded("signals", own).values()))


def finish(
    raw: Mapping[str, NDArray[Any]], labels: Mapping[str, list[str]], whole: WholeCorpus
) -> dict[str, Values]:
    """Return every column of a corpus, with documents in the order read.

    raw: each signal's values for all documents, by column name. labels: labels by code, likewise.
    """
    columns = {}
    for signal in signals():
        name = signal.column.name
        column, array = signal.finish(raw.get(name), whole)
        own = column.labels if column.labels is not None else tuple(labels.get(name, ()))
        columns[name] = Values(column, array.astype(column.dtype, copy=False), own)
    return columns


__all__ = ["Batch", "Signal", "WholeCorpus", "finish", "signals"]
