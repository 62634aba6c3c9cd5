"""Documents added to an index, changed in it and removed: a build of the changed corpus.

The documents that stay are read from the index itself, and the topical clusters, cells and pieces
that it records are used again. So the result is the directory that a build of the changed corpus
gives with these: a changed document is in its old place, new ones follow in the order in which they
came.
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
from argsearch.indexer.corpus.reading import read_many
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
    """Add the documents of a corpus to an index; one of a known id takes its place.

    An id that was made of a file's name and a row takes no other document's place. sources,
    on_error, columns: as `argsearch.indexer.corpus.reading.read_many` has them. Until the
    changed index is whole, the old one lies at `index`, and stays there where something fails.
    Raises IndexMissing, IndexDamaged and what `build` raises; OldFilesLeft where it is changed; for
    an index on a search server what `changing_on_server.change_on_server` raises.
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
    """Make an index directory that of its corpus as this is now: add, change and remove documents.

    The result is that of `build` with these topical clusters; where more is new, changed or gone
    than stays, and so of another corpus, they are found anew. sources: the whole corpus. Settings
    and parts are the index's own. Raises as `add` does, and IndexDamaged also where nothing
    changes.
    """
    return update_by(_asked(index, sources, on_error, columns, workers), progress)


def update_by(request: BuildRequest, progress: Progress = silent) -> ChangeReport:
    """`update` of the index at `request.out` by its sources; settings and parts are its own."""
    return _change(request, progress, whole=True)


def _asked(
    index: str | Path,
    sources: Iterable[str | Path],
    on_error: OnError,
    columns: Mapping[str, str] | None,
    workers: int,
) -> BuildRequest:
    """What is asked of an index; raises InvalidParameter without a source."""
    if not (named := [str(source) for source in sources]):
        raise InvalidParameter("sources", [], "one source or more")
    return BuildRequest(named, index, on_error=on_error, workers=workers, columns=columns or {})


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
    from argsearch.indexer.building.changing_on_server import change_on_server

    if recluster:
        raise InvalidParameter("INDEX", mask(str(request.out)), "a directory to cluster anew")
    return change_on_server(request, progress, leaving, _change_directory)


def _change_directory(
    request: BuildRequest,
    progress: Progress,
    leaving: Leaving,
    recluster: bool = False,
    whole: bool = False,
    use: WriteBeside | None = None,
) -> ChangeReport:
    """Change an index directory aside; `use` is given it before it is put in its place."""
    index, report = Path(request.out), ReadReport()
    if not (standing_place(index) / manifests.NAME).is_file():
        # It raises, and says what there is instead of an index.
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
    """The index holds all that was read, as it is."""


def _write(
    request: BuildRequest, edited: EditedCorpus, folder: Path, progress: Progress, recluster: bool
) -> None:
    """Write the changed index into the building folder; raises _Unchanged."""
    old, whole = edited.old, edited.whole
    parts = sorted(old.manifest.get("parts", {}))
    check_parts(parts)
    asked: dict[str, Any] = {"on_error": request.on_error, "columns": request.columns}
    if request.sources:
        for count in edited.take_in(read_many(request.sources, report=edited.read, **asked)):
            if count % SIZE == 0:
                progress("reading", count)
    edited.end()
    recorded = old.recorded()
    # another model of the encoder's name has no such clusters
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
    # it may have been added with an encoder that section [index] of then does not name
    encoder = old.manifest.get("parts", {}).get("meaning", {}).get("settings", {}).get("encoder")
    changed = {"meaning_encoder": encoder} if encoder else None
    make_parts(request, folder, parts, before, progress, changed)


def _name_sources(edited: EditedCorpus, folder: Path) -> None:
    """Let the manifest name the files that were read, where it names others of the same texts.

    folder: the building folder.
    """
    old = edited.old
    manifest = manifests.read(old.folder)
    since = {k: v for k, v in manifest["corpus"].items() if k == "since_clustering"}
    corpus = {**merged_corpus({}, edited.read, len(old.ids)), **since}
    if corpus != manifest["corpus"]:
        content = {**manifest, "corpus": corpus}
        manifests.write(old.folder, content, manifest["files"], folder)
