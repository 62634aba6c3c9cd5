"""Changes to an index (adding, changing or removing documents), by building the changed corpus.

The unchanged documents are read from the index itself, and its topical clusters, cells and pieces
are reused. The result therefore equals a build of the changed corpus with these clusters. A changed
document keeps its position. New documents follow in the order in which they were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.indexer.building.build import BuildRequest, collect, make_parts, write_index
from argsearch.indexer.building.changes import (
    ChangeReport,
    Leaving,
    merged_corpus,
    since_clustering,
)
from argsearch.indexer.building.collect import SIZE
from argsearch.indexer.building.edited import EditedCorpus
from argsearch.indexer.building.request import recorded_settings
from argsearch.indexer.building.standing import Standing
from argsearch.indexer.corpus import OnError, ReadReport
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.ownership import standing_place
from argsearch.indexer.memory import check_memory
from argsearch.indexer.parts.adding import check_parts, with_needs
from argsearch.indexer.parts.base import Before
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.server.address import is_address, mask
from argsearch.indexer.staging import never, staged

if TYPE_CHECKING:
    from argsearch.indexer.server.writing import WriteBeside

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
    """Add the documents of a corpus to an index; a document with a known id replaces the old one.

    A document whose id was made from its file's name and row never replaces another document.
    sources, on_error and columns: as in `argsearch.indexer.corpus.reading.read_many`. The old index
    stays at `index` until the new index is complete, and is kept if an error occurs. Raises
    IndexMissing, IndexDamaged, the errors of `build`, and OldFilesLeft if only the removal of old
    files failed. For a search server, raises the errors of `changing_on_server.change_on_server`.
    """
    return _change(_asked(index, sources, on_error, columns, workers), progress)


def update(
    index: str | Path,
    sources: Iterable[str | Path],
    *,
    on_error: OnError = "stop",
    columns: Mapping[str, str] | None = None,
    workers: int = 1,
    progress: Progress = silent,
) -> ChangeReport:
    """Add, change and remove documents so that an index directory matches its corpus again.

    The result is that of `build` with the same topical clusters. If unchanged documents are in the
    minority, the clusters are recomputed. sources: the whole corpus. Settings and parts are kept.
    Raises the same errors as `add`, and IndexDamaged even if nothing changes.
    """
    return update_by(_asked(index, sources, on_error, columns, workers), progress)


def update_by(request: BuildRequest, progress: Progress = silent) -> ChangeReport:
    """Update the index at `request.out` from its sources, with the index's settings and parts."""
    return _change(request, progress, whole=True)


def _asked(
    index: str | Path,
    sources: Iterable[str | Path],
    on_error: OnError,
    columns: Mapping[str, str] | None,
    workers: int,
) -> BuildRequest:
    """Return the request for a change; raise InvalidParameter if there is no source."""
    if not (named := [str(source) for source in sources]):
        raise InvalidParameter("sources", [], "a list of at least one source")
    return BuildRequest(named, index, on_error=on_error, workers=workers, columns=columns or {})


def is_made_by(request: BuildRequest, manifest: Mapping[str, Any]) -> bool:
    """Return whether an index was built with a request's settings, parts and configuration."""
    asked = recorded_settings(request.settings)
    made = manifest["config"], {**manifest["settings"], "parts": asked["parts"]}
    parts = set(manifest.get("parts", {}))
    return made == (request.config, asked) and parts == set(with_needs(asked["parts"]))


def parts_dropped(request: BuildRequest, manifest: Mapping[str, Any]) -> list[str]:
    """Return the parts of an index that a build by the request does not make, sorted."""
    made = with_needs(recorded_settings(request.settings)["parts"])
    return sorted(set(manifest.get("parts", {})).difference(made))


def remove(
    index: str | Path, ids: Leaving, *, workers: int = 1, progress: Progress = silent
) -> ChangeReport:
    """Remove documents from an index; none of their text stays in it.

    ids: a list, or a function that finds ids in the index while its directory is locked. Raises
    InvalidParameter for a single string, for an unknown id, and if no document would be left. Also
    raises the errors of `add`.
    """
    if isinstance(ids, str):
        raise InvalidParameter("ids", ids, "a list of ids, such as [ID]")
    return _change(BuildRequest([], index, workers=workers), progress, ids)


def rebuild(index: str | Path, *, workers: int = 1, progress: Progress = silent) -> ChangeReport:
    """Recompute the topical clusters of an index directory from its own documents.

    The result is that of `build` from the corpus. Raises the same errors as `add`.
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
        raise InvalidParameter("workers", request.workers, "a whole number of at least 1")
    if not is_address(request.out):
        return _change_directory(request, progress, leaving, recluster, whole)
    from argsearch.indexer.building.changing_on_server import change_on_server

    if recluster:
        raise InvalidParameter("INDEX", mask(str(request.out)), "a directory to cluster again")
    return change_on_server(request, progress, leaving, _change_directory)


def _change_directory(
    request: BuildRequest,
    progress: Progress,
    leaving: Leaving,
    recluster: bool = False,
    whole: bool = False,
    use: WriteBeside | None = None,
) -> ChangeReport:
    """Make the changed index in a temporary folder, pass it to `use`, then move it into place."""
    index, report = Path(request.out), ReadReport()
    if not (standing_place(index) / manifests.NAME).is_file():
        # This call raises the error, which says what is there instead of an index.
        manifests.read(index)
    check_memory()
    try:
        belongs = use.belongs if use else never
        with staged(index, old_may_stay=False, belongs=belongs) as folder:
            old = Standing(index)
            edited = EditedCorpus(old, folder, report, whole)
            edited.take_out(leaving(index) if callable(leaving) else leaving)
            asked = replace(request, settings=old.settings, config=old.manifest["config"])
            _write(asked, edited, folder, progress, recluster)
            written = manifests.read(folder)
            if use:
                use(folder)
    except _Unchanged:
        written = manifests.verify(index) if whole else old.manifest
    counts = len(edited.new), len(edited.changed), len(edited.gone)
    joined = written["corpus"].get("since_clustering", {}).get("joined", 0)
    return ChangeReport(index, written["fingerprint"], written["counts"], report, *counts, joined)


class _Unchanged(Exception):
    """The index already matches all documents that were read."""


def _write(
    request: BuildRequest, edited: EditedCorpus, folder: Path, progress: Progress, recluster: bool
) -> None:
    """Write the changed index into the building folder; raise _Unchanged if nothing changes."""
    old, whole = edited.old, edited.whole
    parts = sorted(old.manifest.get("parts", {}))
    check_parts(parts)
    if request.sources:
        for count in edited.take_in(request.read(edited.read)):
            if count % SIZE == 0:
                progress("reading", count)
    edited.end()
    recorded = old.recorded()
    # Clusters from another model with the same encoder name cannot be reused.
    is_of = not whole or recorded.is_of(load_encoder(old.settings.encoder))
    if edited.is_same and not recluster and (not whole or (is_of and old.is_current())):
        if whole:
            _name_sources(edited, folder)
        raise _Unchanged
    recluster = recluster or edited.is_other or recorded.has_none or not is_of
    collected = collect(request, folder, edited.lines(), progress)
    edited.close()
    documents = len(collected.ids)
    corpus = merged_corpus({} if whole else old.manifest["corpus"], edited.read, documents)
    if not recluster:
        counts = len(edited.new), len(edited.changed), len(edited.gone)
        corpus["since_clustering"] = since_clustering(old.manifest["corpus"], *counts)
    write_index(folder, collected, request, corpus, None if recluster else recorded, progress)
    before = Before(old.folder, old.manifest, old.arrays, clusters_stay=not recluster)
    del collected  # parts are made without it
    # The part may have been added with another encoder than section [index] names.
    encoder = old.manifest.get("parts", {}).get("meaning", {}).get("settings", {}).get("encoder")
    changed = {"meaning_encoder": encoder} if encoder else None
    make_parts(request, folder, parts, before, progress, changed)


def _name_sources(edited: EditedCorpus, folder: Path) -> None:
    """Update the source file names in the manifest if the same texts came from other files.

    folder: the building folder.
    """
    old = edited.old
    manifest = manifests.read(old.folder)
    since = {k: v for k, v in manifest["corpus"].items() if k == "since_clustering"}
    corpus = {**merged_corpus({}, edited.read, len(old.ids)), **since}
    if corpus != manifest["corpus"]:
        content = {**manifest, "corpus": corpus}
        manifests.write(old.folder, content, manifest["files"], folder)
