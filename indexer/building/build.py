"""Builds an index from a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from argsearch.indexer.building.collect import SIZE, Collected, ForwardWriter, digest_lines
from argsearch.indexer.building.request import BuildReport, BuildRequest, describe
from argsearch.indexer.building.standing import Standing
from argsearch.indexer.building.writing import DirectoryWriter
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.encoders import check_encoder, load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.store import to_line
from argsearch.indexer.memory import check_memory
from argsearch.indexer.parts.adding import PARTS, check_parts, make_part, with_needs
from argsearch.indexer.parts.base import Before
from argsearch.indexer.platform import cores
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.server.address import is_address
from argsearch.indexer.signals import WholeCorpus, finish
from argsearch.indexer.signals.cluster import Recorded, cluster_conclusions
from argsearch.indexer.staging import never, staged

if TYPE_CHECKING:
    from argsearch.indexer.server.writing import WriteBeside

SMALL_INPUT = 20_000_000
"""Size of the input in bytes below which a single process is fastest."""
MOST_BUILD_WORKERS = 8
__all__ = ["BuildReport", "BuildRequest", "build", "workers_for", "write_index"]


def workers_for(corpus: Sequence[str]) -> int:
    """Return 1 for an input of small or unknown size, else one worker per core."""
    size = _size(corpus)
    packed = any(source.endswith((".gz", ".xz", ".zst", ".zip")) for source in corpus)
    # Compressed text counts five times, which is about its uncompressed size.
    if size * (5 if packed else 1) < SMALL_INPUT:
        return 1
    return max(1, min(MOST_BUILD_WORKERS, cores()))


def _size(corpus: Sequence[str]) -> int:
    """Return the total size of the sources that are files, as stored, in bytes."""
    return sum(Path(source).stat().st_size for source in corpus if Path(source).is_file())


def build(request: BuildRequest, progress: Progress = silent) -> BuildReport:
    """Build an index with its signals and parts in a temporary folder, and move it into place.

    Raises CorpusError (bad input), InvalidParameter, BuildInProgress, TargetNotAnIndex,
    BuildFailed, ModelError or, for a search server, the errors of `build_on_server` in
    `indexer.building.streaming`. After an error, an older index at `request.out` is unchanged.
    """
    if request.workers < 1:
        raise InvalidParameter("workers", request.workers, "a whole number of at least 1")
    check_encoder(request.settings.encoder)
    check_parts(request.settings.parts, request.settings)
    check_memory()
    if is_address(request.out):
        from argsearch.indexer.building.streaming import build_on_server

        if request.beside is not None:
            return _build_beside(request, Path(request.beside), progress)
        return build_on_server(request, progress)
    if request.beside is not None:
        raise InvalidParameter("beside", request.beside, problem="beside needs a search server")
    return _build_directory(request, Path(request.out), progress)


def _build_beside(request: BuildRequest, folder: Path, progress: Progress) -> BuildReport:
    """Build the directory in a temporary folder, write it to the server, then move it into place.

    If the server rejects the index, both the server and the directory stay unchanged.
    """
    from argsearch.indexer.building.streaming import check_parts_on_server
    from argsearch.indexer.server.schema import BESIDE, Layout
    from argsearch.indexer.server.writing import WriteBeside, check_place

    check_parts_on_server(request.settings.parts, BESIDE)
    check_place(str(request.out), folder)
    use = WriteBeside(str(request.out), folder, request.layout or Layout(), progress)
    return replace(_build_directory(request, folder, progress, use), out=request.out)


def _build_directory(
    request: BuildRequest,
    out: Path,
    progress: Progress,
    use: WriteBeside | None = None,
) -> BuildReport:
    """Build in a temporary folder and pass the folder to `use` before it is moved into place."""
    report = ReadReport()

    def share() -> float:
        """Return the fraction of the corpus that has been read; 1 if the size is unknown."""
        read = sum(source.bytes for source in report.sources)
        return min(1.0, read / (_size(request.sources) or read)) if read else 1.0

    given = request.clusters_from
    recorded, before = None, None
    if given is not None:
        old = Standing(Path(given))
        recorded = old.recorded()
        before = Before(old.folder, old.manifest, old.arrays)
    with staged(out, share=share, belongs=use.belongs if use else never) as folder:
        runs = request.batches(SIZE, report)
        lines = (b"\n".join(map(to_line, run)) for run in runs)
        collected = collect(request, folder, lines, progress)
        write_index(folder, collected, request, report.describe(), recorded, progress)
        del collected  # parts are made without it
        make_parts(request, folder, request.settings.parts, before, progress)
        written = manifest.read(folder)
        sent_again = use(folder) if use else 0
    return BuildReport(out, written["fingerprint"], report, written["counts"], sent_again)


def write_index(
    folder: Path,
    collected: Collected,
    request: BuildRequest,
    corpus: Mapping[str, Any],
    recorded: Recorded | None,
    progress: Progress,
) -> None:
    """Write an index without its parts from the collected data.

    corpus: the corpus's description for the manifest. recorded: clusters to keep; None: compute new
    clusters.
    """
    progress("clusters", 0)
    settings = request.settings
    texts, text_of = collected.conclusions, collected.conclusion_of
    encoder = load_encoder(settings.encoder)
    clusters = cluster_conclusions(texts, text_of, encoder, settings, recorded)
    whole = WholeCorpus(settings, collected.lengths, clusters)
    columns = finish(collected.signals, collected.labels, whole)
    progress("postings", 0)
    files = DirectoryWriter(folder, collected, clusters.centroids, columns).write()
    content = {
        "corpus": corpus,
        "columns": [asdict(values.column) for values in columns.values()],
        **describe(request, clusters.encoder),
        "counts": _counts(collected, clusters.k),
    }
    manifest.write(folder, content, files)


def collect(
    request: BuildRequest, folder: Path, lines: Iterable[bytes], progress: Progress
) -> Collected:
    """Read a corpus, and collect the data for its index in the building folder.

    lines: the documents as lines of the store, joined in chunks of SIZE.
    """
    with ForwardWriter(folder) as collector:
        done = 0
        for chunk in digest_lines(lines, request.settings.quality_model, request.workers):
            collector.add(chunk)
            done += len(chunk.ids)
            progress("documents", done)
        return collector.finish()


def make_parts(
    request: BuildRequest,
    folder: Path,
    names: Sequence[str],
    before: Before | None,
    progress: Progress,
    changed: Mapping[str, Any] | None = None,
) -> None:
    """Make the named parts, and the parts that they need, for the index in the building folder.

    before: the index whose clusters and vectors are reused. changed: as in `make_part`.
    """
    for name in with_needs(names):
        make_part(folder, folder, PARTS[name], progress, request.workers, changed, before)


def _counts(collected: Collected, clusters: int) -> dict[str, int]:
    return {
        "documents": len(collected.ids),
        "terms": len(collected.terms),
        "postings": int(collected.starts[-1]),
        "tokens": int(collected.lengths.sum(dtype=np.int64)),
        "conclusions": len(collected.conclusions),
        "clusters": clusters,
    }
