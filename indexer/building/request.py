"""What is asked of a build and what it reports, and how an index says that it was built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.indexer.corpus import OnError, ReadReport
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.quality import described
from argsearch.version import __version__

if TYPE_CHECKING:
    from argsearch.indexer.server.schema import Layout


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What to index, where to, and how."""

    sources: Sequence[str]
    out: str | Path
    """A directory, or `http(s)://host:port/name` for a search server."""
    settings: IndexSettings = field(default_factory=IndexSettings)
    config: str = "default"
    """Name of the configuration, kept in the manifest."""
    on_error: OnError = "stop"
    workers: int = 1
    layout: Layout | None = None
    """How an index on a search server is spread; None: one shard, the default prior."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Which columns of CSV hold what, such as premise: text, where their names do not say it."""
    clusters_from: str | Path | None = None
    """An index directory whose topical clusters stay, what is new in the nearest; None: k-means."""
    beside: str | Path | None = None
    """A directory for the parts of an index on a search server that cannot lie there."""

    @property
    def is_read_once(self) -> bool:
        """Whether a source cannot be read again: standard input, or a pipe."""
        paths = [Path(source) for source in self.sources]
        return "-" in self.sources or any(p.exists() and not p.is_file() for p in paths)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build read and wrote."""

    out: str | Path
    fingerprint: str
    read: ReadReport
    counts: dict[str, int]
    sent_again: int = 0
    """Requests and documents that a search server had put off."""


def describe(request: BuildRequest, encoder: str) -> dict[str, Any]:
    """What a manifest says of how an index was built."""
    return {
        "software": __version__,
        "analyzer": "standard",
        "encoder": encoder,
        "quality_model": described(request.settings.quality_model),
        "config": request.config,
        "settings": recorded_settings(request.settings),
    }


def recorded_settings(settings: IndexSettings) -> dict[str, Any]:
    """The settings as a manifest has them.

    A later key with its default is left out: indexes without it keep their fingerprints.
    """
    found, usual = asdict(settings), asdict(IndexSettings())
    if found["scale_clusters"] == usual["scale_clusters"]:
        del found["scale_clusters"]
    return found
