"""Identity of an index, and the report and records of its changes (directory or search server)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.report import CorpusError, SourceReport
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.manifest import identity_of
from argsearch.indexer.server.address import is_address, parse

MOST_SOURCES = 50
"""Maximum number of sources in a manifest (the first and the latest), because an index may change
every day. An index built from more sources lists all of them."""
UNFINISHED = "unfinished"
"""Last item in the `identity` of a search server's index that has an unfinished change."""
Leaving = Iterable[str] | Callable[[str | Path], Iterable[str]]
"""Ids of documents, or a function that finds them in the index."""


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Summary of a change: the corpus that was read and the documents that changed."""

    index: str | Path
    fingerprint: str
    counts: dict[str, int]
    read: ReadReport
    added: int
    changed: int
    removed: int
    joined: int
    """Number of documents that were added or changed since the clusters were computed."""


def identity(index: str | Path) -> tuple[str, ...] | None:
    """Return a tuple that identifies an index, or None if there is no readable index.

    On a search server, the tuple also shows an unfinished change, and is empty without an index.
    """
    from argsearch.indexer.server.client import connect
    from argsearch.indexer.server.generations import current
    from argsearch.indexer.server.live import is_under_way

    if not is_address(index):
        return identity_of(Path(index))
    try:
        with closing(connect(parse(str(index)), attempts=1)) as server:
            found = current(server) or ()
            return found and (*found, *([UNFINISHED] if is_under_way(server, found[0]) else []))
    except (ArgsearchError, OSError):
        return None


def check_made_id(made_by: str, id: str) -> None:
    """Raise CorpusError if an existing id was made from a source's name and row (`made_by`)."""
    if made_by:
        raise CorpusError(
            made_by,
            f"document {id!r}",
            "its id was made from the source's name and its row, and another document in the "
            "index has that id; give a column with ids, or another file name",
        )


def merged_corpus(old: Mapping[str, Any], read: ReadReport, documents: int) -> dict[str, Any]:
    """Return the manifest's description of the corpus after a change, with sources in order."""
    known = [SourceReport(**source) for source in old.get("sources", [])]
    sources = [*known, *(source for source in read.sources if source not in known)]
    most = max(MOST_SOURCES, len(known))
    if known and len(sources) > most:  # an update with a whole corpus names all its sources again
        sources = [*sources[:1], *sources[1 - most :]]
    both = replace(read, sources=sources).describe()
    counts = {key: value for key, value in both.items() if type(value) is int}
    both |= _sum({key: old.get(key, 0) for key in counts}, counts)
    return {**both, "documents": documents, "reasons": _sum(old.get("reasons"), both["reasons"])}


def since_clustering(
    corpus: Mapping[str, Any], new: int, changed: int, gone: int
) -> dict[str, int]:
    """Return how many documents have joined and left the clusters since the last clustering."""
    since = {"joined": new + changed, "left": gone + changed}
    return _sum(corpus.get("since_clustering"), since)


def _sum(one: Mapping[str, int] | None, other: Mapping[str, int]) -> dict[str, int]:
    total = Counter(other)
    total.update(one or {})
    return dict(sorted(total.items()))
