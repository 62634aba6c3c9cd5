"""Requests and reports of builds, and the manifest's description of a build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.indexer.corpus import Argument, OnError, ReadReport, read_many
from argsearch.indexer.corpus.ids import IdSet
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.quality import described
from argsearch.version import __version__

if TYPE_CHECKING:
    from argsearch.indexer.server.schema import Layout


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Sources, target and options of a build."""

    sources: Sequence[str]
    out: str | Path
    """A directory, or `http(s)://host:port/name` for a search server."""
    settings: IndexSettings = field(default_factory=IndexSettings)
    config: str = "default"
    """Name of the configuration, which the manifest records."""
    on_error: OnError = "stop"
    workers: int = 1
    layout: Layout | None = None
    """Layout of an index on a search server; None: one shard and the default prior."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Maps each field to its CSV column if the names differ, such as premise: text."""
    clusters_from: str | Path | None = None
    """Index directory whose topical clusters are kept, with new texts added; None: run k-means."""
    beside: str | Path | None = None
    """Directory for the parts of a search server's index that the server cannot store."""

    @property
    def is_read_once(self) -> bool:
        """True if a source cannot be read again because it is standard input or a pipe."""
        paths = [Path(source) for source in self.sources]
        return "-" in self.sources or any(p.exists() and not p.is_file() for p in paths)

    def read(self, report: ReadReport, seen: IdSet | None = None) -> Iterator[Argument]:
        """Yield the arguments of the sources, as `read_many` does."""
        return read_many(
            self.sources, on_error=self.on_error, report=report, columns=self.columns, seen=seen
        )

    def batches(
        self, size: int, report: ReadReport, seen: IdSet | None = None
    ) -> Iterator[list[Argument]]:
        """Yield the arguments of the sources in lists of `size` (the last may be shorter)."""
        arguments = self.read(report, seen)
        return iter(lambda: list(islice(arguments, size)), [])


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Summary of a build: the corpus that was read and the index that was written."""

    out: str | Path
    fingerprint: str
    read: ReadReport
    counts: dict[str, int]
    sent_again: int = 0
    """Number of requests and documents that were sent again because a server deferred them."""


def describe(request: BuildRequest, encoder: str) -> dict[str, Any]:
    """Return the manifest's description of how an index was built."""
    return {
        "software": __version__,
        "analyzer": "standard",
        "encoder": encoder,
        "quality_model": described(request.settings.quality_model),
        "config": request.config,
        "settings": recorded_settings(request.settings),
    }


def recorded_settings(settings: IndexSettings) -> dict[str, Any]:
    """Return the settings that the manifest records.

    Settings added in later versions are omitted at their defaults, to keep fingerprints the same.
    """
    found, usual = asdict(settings), asdict(IndexSettings())
    if found["scale_clusters"] == usual["scale_clusters"]:
        del found["scale_clusters"]
    return found
