"""Documents added to an index, changed in it and removed; of the others all is taken over.

The result is the directory that a build of the merged corpus gives by the recorded clusters: a
changed document is in its old place, new ones follow in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from argsearch.indexer.build.build import BuildRequest, workers_for, write_index
from argsearch.indexer.build.changes import (
    ChangeReport,
    Leaving,
    merged_corpus,
    since_clustering,
)
from argsearch.indexer.build.collect import (
    ForwardWriter,
    digest_all,
    digest_lines,
)
from argsearch.indexer.build.merging import MergedCorpus, merged_store
from argsearch.indexer.build.request import Use, recorded_settings
from argsearch.indexer.build.standing import Standing
from argsearch.indexer.corpus import OnError, ReadReport
from argsearch.indexer.corpus.reading import read_many
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.arrays import file_name
from argsearch.indexer.format.ownership import standing_place
from argsearch.indexer.memory import check_memory
from argsearch.indexer.parts.adding import PARTS, check_parts, make_part, with_needs
from argsearch.indexer.parts.base import Before
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.server.address import is_address, mask
from argsearch.indexer.signals.cluster import Recorded
from argsearch.indexer.staging import never, staged

__all__ = ["ChangeReport", "Leaving", "add", "rebuild", "remove", "update", "update_by"]


def add(
    index: str | Path,
    sources: Iterable[str | Path],
    *,
    on_error: OnError = "stop",
    columns: Mapping[str, str] | None = None,
    workers: int = 1,
    progress: Progress = silent,
) -> ChangeReport:
    """Add the documents of a corpus to an index; one of a known id takes its place.

    An id that was made of a file's name and a row takes no other document's place. sources,
    on_error, columns: as `argsearch.indexer.corpus.reading.read_many` has them. Until the
    changed index is whole, the old one lies at `index`, and stays there where something fails.
    Raises IndexMissing, IndexDamaged and what `build` raises; OldFilesLeft where it is changed; for
    an index on a search server what `changing_on_server.change_on_server` raises.
    """
    return _change(_with_sources(_asked(index, sources, on_error, columns, workers)), progress)


def update(
    index: str | Path,
    sources: Iterable[str | Path],
    *,
    on_error: OnError = "stop",
    columns: Mapping[str, str] | None = None,
    workers: int = 1,
    progress: Progress = silent,
) -> ChangeReport:
    """Make an index directory that of its corpus as this is now: add, change and remove documents.

    The result is that of `build` with these topical clusters; where more is new, changed or gone
    than stays, and so of another corpus, they are found anew. sources: the whole corpus. Settings
    and parts are the index's own. Raises as `add` does, and IndexDamaged also where nothing
    changes.
    """
    return update_by(_asked(index, sources, on_error, columns, workers), progress)


def update_by(request: BuildRequest, progress: Progress = silent) -> ChangeReport:
    """`update` of the index at `request.out` by its sources; settings and parts are its own."""
    return _change(_with_sources(request), progress, whole=True)


def _asked(
    index: str | Path,
    sources: Iterable[str | Path],
    on_error: OnError,
    columns: Mapping[str, str] | None,
    workers: int,
) -> BuildRequest:
    """What is asked of an index."""
    named = [str(source) for source in sources]
    return BuildRequest(named, index, on_error=on_error, workers=workers, columns=columns or {})


def _with_sources(request: BuildRequest) -> BuildRequest:
    """The request; raises InvalidParameter without a source."""
    if not request.sources:
        raise InvalidParameter("sources", [], "one source or more")
    return request


def is_made_by(request: BuildRequest, manifest: Mapping[str, Any]) -> bool:
    """Whether an index was made with the settings, parts and configuration of a request."""
    asked = recorded_settings(request.settings)
    made = manifest["config"], {**manifest["settings"], "parts": asked["parts"]}
    parts = set(manifest.get("parts", {}))
    return made == (request.config, asked) and parts == set(with_needs(asked["parts"]))


def remove(
    index: str | Path, ids: Leaving, *, workers: int = 1, progress: Progress = silent
) -> ChangeReport:
    """Remove documents from an index: nothing of their texts stays in it.

    ids: theirs, or a function that finds them in the index; no other change can meet a directory.
    Raises InvalidParameter for one id that stands alone, an id that the index does not have and
    where none would stay, and else as `add` does.
    """
    if isinstance(ids, str):
        raise InvalidParameter("ids", ids, "a list of ids, such as [ID]")
    return _change(BuildRequest([], index, workers=workers), progress, ids)


def rebuild(index: str | Path, *, workers: int = 1, progress: Progress = silent) -> ChangeReport:
    """Find the topical clusters of an index directory anew; its documents are its own.

    The result is that of `build` from the corpus. Raises as `add` does.
    """
    return _change(BuildRequest([], index, workers=workers), progress, recluster=True)


def _change(
    request: BuildRequest,
    progress: Progress,
    leaving: Leaving = (),
    recluster: bool = False,
    whole: bool = False,
) -> ChangeReport:
    if request.workers < 1:
        raise InvalidParameter("workers", request.workers, "a whole number from 1")
    if not is_address(request.out):
        return _change_directory(request, progress, leaving, recluster, whole)
    from argsearch.indexer.build.changing_on_server import change_on_server

    if recluster:
        raise InvalidParameter("INDEX", mask(str(request.out)), "a directory to cluster anew")
    return change_on_server(request, progress, leaving, _change_directory)


def _change_directory(
    request: BuildRequest,
    progress: Progress,
    leaving: Leaving,
    recluster: bool = False,
    whole: bool = False,
    use: Use | None = None,
) -> ChangeReport:
    """Change an index directory aside; `use` is given it before it is put in its place."""
    index, report = Path(request.out), ReadReport()
    if not (standing_place(index) / manifests.NAME).is_file():
        manifests.read(index)  # which says what there is
    check_memory()
    try:
        stays = use.stays if use else never
        with staged(index, old_may_stay=False, stays=stays) as folder:
            old = Standing(index)
            merged = MergedCorpus(old, report, whole=whole)
            merged.take_out(leaving(index) if callable(leaving) else leaving)
            _write(
                replace(request, settings=old.settings), merged, report, folder, progress, recluster
            )
            written = manifests.read(folder)
            _, late = use(folder) if use else (0, None)
        if late is not None:
            raise late
    except _Unchanged:
        written = manifests.verify(index) if whole else old.manifest
    counts = len(merged.new), len(merged.changed), len(merged.gone)
    joined = written["corpus"].get("since_clustering", {}).get("joined", 0)
    return ChangeReport(index, written["fingerprint"], written["counts"], report, *counts, joined)


class _Unchanged(Exception):
    """The index holds all that was read, as it is."""


def _write(
    request: BuildRequest,
    merged: MergedCorpus,
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
        merged.end()
        recorded = old.recorded()
        if merged.is_same and not recluster and (not merged.whole or _stands(old, recorded)):
            if merged.whole:
                _name_sources(old, report, folder)
            raise _Unchanged
        recluster = recluster or merged.is_other or recorded.has_none
        if merged.whole and not recluster:  # another model of that name has no such clusters
            recluster = not recorded.is_of(load_encoder(old.settings.encoder))
        _gather_kept(request, merged, folder, collector, progress)
        gathered = collector.finish()
    numbers, places = merged.order()
    collected = gathered.ordered(numbers, merged_store(folder, old, gathered.frames, places))
    corpus = merged_corpus({} if merged.whole else old.manifest["corpus"], report, len(numbers))
    if not recluster:
        counts = len(merged.new), len(merged.changed), len(merged.gone)
        corpus["since_clustering"] = since_clustering(old.manifest["corpus"], *counts)
    write_index(folder, collected, request, corpus, None if recluster else recorded, progress)
    _make_parts(folder, merged, request.workers, not recluster, progress)


def _stands(old: Standing, recorded: Recorded) -> bool:
    """Whether a build of the same documents would make the same of them now."""
    return old.is_current() and recorded.is_of(load_encoder(old.settings.encoder))


def _name_sources(old: Standing, report: ReadReport, folder: Path) -> None:
    """Let the manifest name the files that were read, where it names others of the same texts.

    folder: the building folder.
    """
    manifest = manifests.read(old.folder)
    since = {k: v for k, v in manifest["corpus"].items() if k == "since_clustering"}
    corpus = {**merged_corpus({}, report, len(old.docs)), **since}
    if corpus != manifest["corpus"]:
        content = {**manifest, "corpus": corpus}
        manifests.write(old.folder, content, manifest["files"], folder)


def _make_parts(
    folder: Path, merged: MergedCorpus, workers: int, clusters_stay: bool, progress: Progress
) -> None:
    """Make the parts that the index had: of unchanged documents by what they held."""
    manifest, place = merged.old.manifest, np.load(folder / file_name("store_rows"))
    docs = merged.documents_before()[place]
    before = Before(merged.old.folder, manifest, merged.old.arrays, docs, clusters_stay)
    for name in with_needs(sorted(manifest.get("parts", {}))):
        encoder = manifest["parts"].get("meaning", {}).get("settings", {}).get("encoder")
        changed = {"meaning_encoder": encoder} if encoder else None
        make_part(folder, folder, PARTS[name], progress, workers, changed, before)


def _gather_fresh(
    request: BuildRequest,
    merged: MergedCorpus,
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
    merged: MergedCorpus,
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
        progress("taking over", done, len(kept))
