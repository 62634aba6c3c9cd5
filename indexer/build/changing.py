"""Documents added to an index, changed in it and removed; of the others all is taken over.

The result is the directory that a build of the merged corpus gives by the recorded clusters: a
changed document is in its old place, new ones follow in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.build.build import BuildRequest, workers_for, write_index
from argsearch.indexer.build.changes import (
    ChangeReport,
    Leaving,
    check_made_id,
    merged_corpus,
    since_clustering,
)
from argsearch.indexer.build.collect import (
    HEADER,
    SIZE,
    ForwardWriter,
    digest_all,
    digest_lines,
    write_header,
)
from argsearch.indexer.build.standing import Standing
from argsearch.indexer.corpus import OnError, ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.corpus.reading import read_many
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.arrays import file_name
from argsearch.indexer.format.store import FRAME, Frames, pack, to_line
from argsearch.indexer.memory import check_memory
from argsearch.indexer.parts.adding import PARTS, check_parts, make_part, with_needs
from argsearch.indexer.parts.base import Before
from argsearch.indexer.processes import Progress
from argsearch.indexer.server.address import is_address, mask
from argsearch.indexer.staging import staged

__all__ = ["ChangeReport", "Leaving", "add", "rebuild", "remove"]


def _silent(_stage: str, _done: int) -> None:
    """Tell nobody."""


def add(
    index: str | Path,
    sources: Iterable[str | Path],
    *,
    on_error: OnError = "stop",
    columns: Mapping[str, str] | None = None,
    workers: int = 1,
    progress: Progress = _silent,
) -> ChangeReport:
    """Add the documents of a corpus to an index; one of a known id takes its place.

    An id that was made of a file's name and a row takes no other document's place. sources,
    on_error, columns: as `argsearch.indexer.corpus.reading.read_many` has them. Until the
    changed index is whole, the old one lies at `index`, and stays there where something fails.
    Raises IndexMissing, IndexDamaged and what `build` raises; OldFilesLeft where it is changed; for
    an index on a search server what `changing_on_server.change_on_server` raises.
    """
    request = BuildRequest(
        [str(source) for source in sources],
        index,
        on_error=on_error,
        workers=workers,
        columns=columns or {},
    )
    if not request.sources:
        raise InvalidParameter("sources", [], "one source or more")
    return _change(request, progress)


def remove(
    index: str | Path, ids: Leaving, *, workers: int = 1, progress: Progress = _silent
) -> ChangeReport:
    """Remove documents from an index: nothing of their texts stays in it.

    ids: theirs, or a function that finds them in the index; no other change can meet a directory.
    Raises InvalidParameter for one id that stands alone, an id that the index does not have and
    where none would stay, and else as `add` does.
    """
    if isinstance(ids, str):
        raise InvalidParameter("ids", ids, "a list of ids, such as [ID]")
    return _change(BuildRequest([], index, workers=workers), progress, ids)


def rebuild(index: str | Path, *, workers: int = 1, progress: Progress = _silent) -> ChangeReport:
    """Find the topical clusters of an index directory anew; its documents are its own.

    The result is that of `build` from the corpus. Raises as `add` does.
    """
    return _change(BuildRequest([], index, workers=workers), progress, recluster=True)


def _change(
    request: BuildRequest, progress: Progress, leaving: Leaving = (), recluster: bool = False
) -> ChangeReport:
    if request.workers < 1:
        raise InvalidParameter("workers", request.workers, "a whole number from 1")
    if is_address(request.out):
        from argsearch.indexer.build.changing_on_server import change_on_server

        if recluster:
            raise InvalidParameter("INDEX", mask(str(request.out)), "a directory to cluster anew")
        return change_on_server(request, progress, leaving)
    index, report = Path(request.out), ReadReport()
    if not (index / manifests.NAME).is_file():
        manifests.read(index)  # which says what there is
    check_memory()
    try:
        with staged(index, old_may_stay=False) as folder:
            old = Standing(index)
            merged = _Merged(old, report)
            merged.take_out(leaving(index) if callable(leaving) else leaving)
            _write(
                replace(request, settings=old.settings), merged, report, folder, progress, recluster
            )
            written = manifests.read(folder)
    except _Unchanged:
        written = old.manifest
    counts = len(merged.new), len(merged.changed), len(merged.gone)
    joined = written["corpus"].get("since_clustering", {}).get("joined", 0)
    return ChangeReport(index, written["fingerprint"], written["counts"], report, *counts, joined)


class _Unchanged(Exception):
    """The index holds all that was read, as it is."""


def _write(
    request: BuildRequest,
    merged: _Merged,
    report: ReadReport,
    folder: Path,
    progress: Progress,
    recluster: bool,
) -> None:
    """Write the changed index into the building folder; raises _Unchanged."""
    old = merged.old
    parts = sorted(old.manifest.get("parts", {}))
    check_parts(parts)
    request = replace(request, config=old.manifest["config"])
    with ForwardWriter(folder) as collector:
        _gather_fresh(request, merged, report, collector, progress)
        if merged.is_same and not recluster:
            raise _Unchanged
        _gather_kept(request, merged, folder, collector, progress)
        gathered = collector.finish()
    recorded = old.recorded()
    recluster = recluster or recorded.has_none
    numbers, places = merged.order()
    collected = gathered.ordered(numbers, _store(folder, old, gathered.frames, places))
    corpus = merged_corpus(old.manifest["corpus"], report, len(numbers))
    if not recluster:
        counts = len(merged.new), len(merged.changed), len(merged.gone)
        corpus["since_clustering"] = since_clustering(old.manifest["corpus"], *counts)
    write_index(folder, collected, request, corpus, None if recluster else recorded, progress)
    _make_parts(folder, merged, parts, progress, request.workers)


def _make_parts(
    folder: Path, merged: _Merged, parts: list[str], progress: Progress, workers: int
) -> None:
    """Make the parts that the index had: of unchanged documents by what they held."""
    manifest, place = merged.old.manifest, np.load(folder / file_name("store_rows"))
    docs, shared = merged.documents_before()[place], merged.old.arrays.conclusion_docs
    before = Before(merged.old.folder, manifest, docs, shared)
    for name in with_needs(parts):
        encoder = manifest["parts"].get("meaning", {}).get("settings", {}).get("encoder")
        changed = {"meaning_encoder": encoder} if encoder else None
        make_part(folder, folder, PARTS[name], progress, workers, changed, before)


def _gather_fresh(
    request: BuildRequest,
    merged: _Merged,
    report: ReadReport,
    collector: ForwardWriter,
    progress: Progress,
) -> None:
    """Read the sources; digest what is new or changed."""
    if not request.sources:
        return
    asked: dict[str, Any] = {"on_error": request.on_error, "columns": request.columns}
    read = read_many(request.sources, report=report, **asked)
    few = min(request.workers, workers_for(request.sources))
    for chunk in digest_all(merged.fresh(read), request.settings.quality_model, few):
        collector.add(chunk)
        progress("documents", report.documents)


def _gather_kept(
    request: BuildRequest,
    merged: _Merged,
    folder: Path,
    collector: ForwardWriter,
    progress: Progress,
) -> None:
    """Take over what the index holds of the others; where that was made otherwise, digest them."""
    kept, old, done = merged.kept(), merged.old, 0
    if old.is_current():
        chunks = old.chunks(kept, folder, collector.number)
    else:
        made = digest_lines(old.lines(kept), request.settings.quality_model, request.workers)
        chunks = (replace(chunk, frames=[]) for chunk in made)
    for chunk in chunks:
        collector.add(chunk)
        done += len(chunk.ids)
        progress("taking over", done)


@dataclass
class _Merged:
    """Which documents of an index stay, and which are new.

    Gathered are first the new and the changed ones, as they are read, then those that stay.
    """

    old: Standing
    read: ReadReport
    changed: dict[int, int] = field(default_factory=dict)
    """The rows of changed documents, and the number of each among those read."""
    gone: set[int] = field(default_factory=set)
    """The rows of removed documents."""
    new: list[int] = field(default_factory=list)
    """The numbers of new documents."""

    def __post_init__(self) -> None:
        self._rows = {id: row for row, id in enumerate(self.old.ids)}

    def take_out(self, ids: Iterable[str]) -> None:
        """Leave documents out; raises InvalidParameter for an unknown id, or for all of them."""
        for id in ids:
            if id not in self._rows:
                raise InvalidParameter("ID", id, "the id of an argument of the index")
            self.gone.add(self._rows[id])
        if len(self.gone) == len(self._rows):
            allowed = "fewer: an index has an argument at least (remove its directory instead)"
            raise InvalidParameter("removed", f"all {len(self.gone):,} arguments", allowed)

    def fresh(self, read: Iterable[Argument]) -> Iterator[list[Argument]]:
        """The documents that the index does not hold as they are, SIZE at a time."""
        fresh = filter(self._is_fresh, read)
        return iter(lambda: list(islice(fresh, SIZE)), [])

    def _is_fresh(self, argument: Argument) -> bool:
        """Whether the index lacks the document as it is; a row's number tells no document again."""
        row, number = self._rows.get(argument.id), len(self.new) + len(self.changed)
        if row is None:
            self.new.append(number)
        elif self.old.frames.line(row) == to_line(argument):
            return False
        else:
            check_made_id(self.read.made_by, argument.id)
            self.changed[row] = number
        return True

    @property
    def is_same(self) -> bool:
        """Whether nothing changes."""
        return not (self.new or self.changed or self.gone)

    def kept(self) -> NDArray[np.int64]:
        """The rows of the documents that stay as they are, int64[kept]."""
        stays = np.ones(len(self._rows), np.bool_)
        stays[[*self.changed, *self.gone]] = False
        return np.flatnonzero(stays)

    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each document's number among those gathered, and its place in frames, in corpus order.

        Places in the frames of the index, and behind them in those of the documents read.
        """
        kept, read = self.kept(), len(self.new) + len(self.changed)
        first = FRAME * len(self.old.frames)
        numbers, places = np.full((2, len(self._rows)), -1, np.int64)
        numbers[kept], places[kept] = read + np.arange(len(kept)), kept
        for row, number in self.changed.items():
            numbers[row], places[row] = number, first + number
        stays, new = numbers >= 0, np.array(self.new, np.int64)
        return (
            np.concatenate([numbers[stays], new]),
            np.concatenate([places[stays], first + new]),
        )

    def documents_before(self) -> NDArray[np.int64]:
        """The number that each document, in corpus order, has in the index; -1 where not so."""
        _, places = self.order()
        there = places < len(self._rows)
        return np.where(there, self.old.docs[np.where(there, places, 0)], -1)


def _store(folder: Path, old: Standing, fresh: list[int], places: NDArray[np.int64]) -> list[int]:
    """Write the store of documents, by their places in old frames and those read; frames' sizes.

    Frames whose documents stay together are copied.
    """
    store, aside = folder / file_name("store_bytes"), folder / "forward.store"
    store.rename(aside)
    ends = np.concatenate([[0], np.cumsum(fresh)]).astype(np.int64)
    read = (
        np.memmap(aside, np.uint8, "r", HEADER, (int(ends[-1]),))
        if fresh
        else np.zeros(0, np.uint8)
    )
    frames = Frames((old.arrays.store_frames, old.arrays.store_bytes), (ends, read))
    sizes: list[int] = []
    with store.open("wb") as stream:
        stream.write(bytes(HEADER))
        for frame in _merged_frames(frames, places):
            stream.write(frame)
            sizes.append(len(frame))
        write_header(stream, sum(sizes))
    aside.unlink()
    return sizes


def _merged_frames(frames: Frames, places: NDArray[np.int64]) -> Iterator[bytes]:
    """The frames of documents by their places; whole ones are copied."""
    full = places[: len(places) // FRAME * FRAME].reshape(-1, FRAME)
    whole = (full[:, 0] % FRAME == 0) & (np.diff(full, axis=1) == 1).all(axis=1)
    for run in np.split(np.arange(len(full)), np.flatnonzero(np.diff(whole)) + 1):
        if whole[run].any():
            yield from map(frames.packed, (full[run, 0] // FRAME).tolist())
            continue
        for begin in range(0, len(run), SIZE // FRAME):
            yield from _packed_anew(frames, full[run[begin : begin + SIZE // FRAME]])
    yield from _packed_anew(frames, places[full.size :])


def _packed_anew(frames: Frames, places: NDArray[np.int64]) -> list[bytes]:
    return pack([frames.line(place) for place in places.ravel().tolist()])
