"""Build an index on a search server; documents are sent while they are read.

No index folder is needed. If clusters must be found, the corpus is read twice, first for its
conclusions. Memory does not grow with the corpus, except for the part `near_duplicates`, which
compares all documents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.building.collect import SIZE, coded, numbered, signalled
from argsearch.indexer.building.request import BuildReport, BuildRequest, describe
from argsearch.indexer.building.standing import Standing
from argsearch.indexer.building.surveying import Survey, survey
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.corpus.ids import IdsOnDisk
from argsearch.indexer.corpus.report import CorpusError, SourceReport
from argsearch.indexer.encoders import Encoder, load_encoder
from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.format.columns import Column
from argsearch.indexer.format.manifest import INDEX_FORMAT, sealed
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import from_line, to_line
from argsearch.indexer.processes import Progress, in_order
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.bulk import Bulk
from argsearch.indexer.server.client import Server, connect
from argsearch.indexer.server.draft import Draft
from argsearch.indexer.server.generations import generations_of
from argsearch.indexer.server.schema import BESIDE, Layout
from argsearch.indexer.signals import SIGNALS, Signal, WholeCorpus, finish, signals
from argsearch.indexer.signals.base import Clusters
from argsearch.indexer.signals.cluster import Recorded, check_model, cluster_conclusions
from argsearch.indexer.staging import loading_folder

ON_SERVERS = ("near_duplicates",)
"""Parts that a search server can hold."""
QUERY_TIME_PARTS = ("vectors",)
"""Parts that a server index does not store, because each query computes their values."""
MOST_LABELS = 65_536
"""Maximum number of conclusions whose clusters are cached while documents are read."""


@dataclass(frozen=True, slots=True)
class Portion:
    """A batch of consecutive documents that is sent to a worker process."""

    lines: bytes
    """The documents as lines of the store, joined."""
    labels: NDArray[np.int32]
    """int32[n], the documents' clusters; -1 for none."""
    groups: NDArray[np.int32] | None = None
    """int32[n], groups of near-duplicates; -1 outside all groups. None: the index has no groups."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A worker's result for a batch of documents."""

    rows: list[bytes]
    """Lines of a bulk request for each document."""
    tokens: int
    digest: int
    """Sum of the documents' digests."""


def build_on_server(request: BuildRequest, progress: Progress) -> BuildReport:
    """Build the index `request.out` on its search server, as `build` does in a folder.

    If a build is killed or loses its server, the next build removes the documents that were sent
    and starts again. Raises InvalidParameter for a part that a server cannot hold, IndexForeign,
    WriteIncomplete, and the errors of `indexer.server.client`.
    """
    check_parts_on_server(request.settings.parts)
    check_signals()
    with (
        closing(connect(parse(str(request.out)))) as server,
        loading_folder("argsearch-build-") as folder,
    ):
        generations_of(server)
        return _Stream(server, request, folder, progress).build()


def check_parts_on_server(names: Sequence[str], beside: Sequence[str] = ()) -> None:
    """Raise InvalidParameter for a part that can be neither on a search server nor beside it."""
    for name in names:
        if name not in (*ON_SERVERS, *QUERY_TIME_PARTS, *beside):
            allowed = f"{either((*QUERY_TIME_PARTS, *ON_SERVERS))} on a search server"
            allowed += f"; {', '.join(BESIDE)} need --beside DIRECTORY; a directory can have all"
            raise InvalidParameter("part", name, allowed)


class _Stream:
    """A build of an index on a server."""

    def __init__(
        self, server: Server, request: BuildRequest, folder: Path, progress: Progress
    ) -> None:
        self.server, self.request, self.folder = server, request, folder
        self.progress, self.layout = progress, request.layout or Layout()
        self.report = ReadReport()

    def build(self) -> BuildReport:
        """Survey the corpus, send it, and move the name to the new index."""
        encoder = load_encoder(self.request.settings.encoder)
        recorded = self._recorded(encoder)
        found = survey(self.request, self.folder, recorded is None, self.progress)
        if recorded is None:
            recorded = Recorded(found.centroids, {}, encoder.name)
        clusters = Joining(encoder, self.request.settings, recorded)
        index = f"{self.server.address.name}-{token_hex(4)}-{token_hex(4)}"
        columns = columns_of_clusters(self.request.settings, len(recorded.centroids))
        draft = Draft(self.server, index, self.layout, recorded.centroids, columns, {})
        draft.said = {"parts": [n for n in self.request.settings.parts if n in ON_SERVERS]}
        bulk = Bulk(self.server, index, partial(self.progress, "documents"))
        draft.put(lambda: self._fill(draft, bulk, clusters, found), self.progress)
        return BuildReport(
            self.request.out,
            draft.manifest["fingerprint"],
            self.report,
            draft.manifest["counts"],
            bulk.retried + self.server.retried,
        )

    def _recorded(self, encoder: Encoder) -> Recorded | None:
        """Return the clusters to keep, or None to compute new clusters."""
        if self.request.clusters_from is None:
            return None
        recorded = Standing(Path(self.request.clusters_from)).recorded()
        check_model(recorded, encoder)
        return None if recorded.has_none else recorded

    def _fill(self, draft: Draft, bulk: Bulk, clusters: Joining, found: Survey) -> int:
        """Send all documents, complete the draft's metadata, and return the number of documents."""
        digest = tokens = documents = 0
        make = partial(rows_of, self.request.settings, clusters.k, found.bounds)

        def rows() -> Iterator[bytes]:
            """Yield every row of the generation, and count what was yielded."""
            nonlocal digest, tokens, documents
            yield from schema.centroid_rows(draft.centroids)
            portions = self._portions(clusters, found)
            for made in in_order(make, portions, self.request.workers):
                digest += made.digest
                tokens += made.tokens
                documents += len(made.rows)
                yield from made.rows

        bulk.send(rows())
        self._check_same(found)
        corpus = self.report.describe()
        counts = {"documents": documents, "tokens": tokens, "clusters": len(draft.centroids)}
        said = describe(self.request, clusters.encoder.name)
        draft.said["digests"] = schema.digest_text(digest)
        draft.manifest = described(
            {**said, "corpus": corpus, "counts": counts},
            draft.columns,
            draft.centroids,
            draft.said["parts"],
            digest,
        )
        return documents

    def _portions(self, clusters: Joining, found: Survey) -> Iterator[Portion]:
        """Yield the documents as they are read, with their clusters and groups."""
        done = 0
        for run in self._read(found):
            end = done + len(run)
            # A file that grew after the survey has documents whose group is unknown.
            if found.groups is not None and end > len(found.groups):
                raise _changed(self.report.sources[-1])
            groups = None if found.groups is None else found.groups[done:end]
            yield Portion(b"\n".join(map(to_line, run)), clusters.of(run), groups)
            done = end

    def _check_same(self, found: Survey) -> None:
        """Raise CorpusError if a source changed between the survey and sending it."""
        for surveyed, sent in zip(found.report.sources, self.report.sources, strict=False):
            if surveyed != sent:
                raise _changed(sent)

    def _read(self, found: Survey) -> Iterator[list[Argument]]:
        if found.spool is not None:
            self.report = found.report
            yield from found.spooled()
            return
        with closing(IdsOnDisk(self.folder / "documents.ids")) as seen:
            yield from self.request.batches(SIZE, self.report, seen)


def _changed(source: SourceReport) -> CorpusError:
    return CorpusError(
        source.name,
        "",
        "it changed while the index was being built from it; run the same command again",
    )


class Joining:
    """Finds the clusters of documents by their conclusions."""

    def __init__(self, encoder: Encoder, settings: IndexSettings, recorded: Recorded) -> None:
        self.encoder, self.settings, self.recorded = encoder, settings, recorded
        self._known = dict(recorded.labels)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.recorded.centroids)

    def of(self, arguments: Sequence[Argument]) -> NDArray[np.int32]:
        """Return the cluster of each document, int32[n]; -1 for a document without a conclusion."""
        distinct: dict[str, int] = {}
        of = numbered([argument.conclusion for argument in arguments], distinct)
        if not self.k:
            return np.full(len(of), -1, np.int32)
        texts = list(distinct)
        recorded = replace(self.recorded, labels=self._known)
        labels = cluster_conclusions(texts, of, self.encoder, self.settings, recorded).labels
        # Forget them, or they would fill the memory; a debate's equal conclusions are adjacent.
        if len(self._known) > len(self.recorded.labels) + MOST_LABELS:
            self._known = dict(self.recorded.labels)
        self._known |= {texts[t]: int(x) for t, x in zip(of, labels, strict=True) if t >= 0}
        return labels


def rows_of(
    settings: IndexSettings,
    k: int,
    bounds: NDArray[np.float32] | None,
    some: Portion,
    action: str = "create",
) -> Rows:
    """Make the rows of some documents.

    bounds: lowest and highest raw quality in the corpus, for scaling. action: as in `schema.row`.
    """
    from argsearch.indexer.analysis.batch import tokenize

    arguments = [from_line(line) for line in some.lines.split(b"\n")]
    lengths = np.diff(tokenize([argument.text for argument in arguments]).offsets).astype(np.int32)
    raw, labels = {}, {}
    for name, values in signalled(arguments, lengths, settings.quality_model).items():
        known: dict[str, int] = {}
        raw[name] = coded(values, known) if isinstance(values, list) else values
        labels[name] = list(known)
    if bounds is not None:
        # Append the bounds, so that quality is scaled by the whole corpus's lowest and highest.
        raw["quality"] = np.append(raw["quality"], bounds)
    columns = finish(raw, labels, _whole(settings, k, some.labels, lengths))
    rows = []
    for doc, argument in enumerate(arguments):
        said = {name: column.at(doc) for name, column in columns.items()}
        # The scoring script reads the cluster of every hit, so `none` needs a number, too.
        said["cluster"] = int(columns["cluster"].array[doc])
        if some.groups is not None:
            said |= schema.grouped(some.groups[doc])
        rows.append(schema.row(argument, said, action))
    digest = sum(digest for _, digest in rows)
    return Rows([row for row, _ in rows], int(lengths.sum(dtype=np.int64)), digest)


def _whole(
    settings: IndexSettings, k: int, labels: NDArray[np.int32], lengths: NDArray[np.int32]
) -> WholeCorpus:
    return WholeCorpus(settings, lengths, Clusters(np.zeros((k, 0), np.float32), labels, ""))


def check_signals() -> None:
    """Raise InvalidParameter for a plug-in's signal that needs the whole corpus.

    Documents are sent as they are read, so a signal never sees all of them.
    """
    for signal in signals()[len(SIGNALS) :]:
        if type(signal).finish is not Signal.finish:
            name = signal.column.name
            problem = f"the signal {name} needs all documents at once; build a directory instead"
            raise InvalidParameter("signal", name, "one computed document by document", problem)


def columns_of_clusters(settings: IndexSettings, k: int) -> list[Column]:
    """Return the columns of an index with k clusters."""
    none = np.zeros(0, np.int32)
    whole = _whole(settings, k, none, none)
    return [
        signal.finish(none, whole)[0] if signal.column.name == "cluster" else signal.column
        for signal in signals()
    ]


def described(
    content: dict[str, Any],
    columns: Sequence[Column],
    centroids: NDArray[np.float32],
    parts: Sequence[str],
    digest: int,
) -> dict[str, Any]:
    """Return the manifest of a generation; `digest` is the sum of its documents' digests."""
    data = np.ascontiguousarray(centroids, "<f4").tobytes()
    made_of = {
        "format": INDEX_FORMAT,
        "columns": [asdict(column) for column in columns],
        "centroids_sha256": hashlib.sha256(data).hexdigest(),
        "documents_digest": schema.digest_text(digest),
        "on_server": list(parts),
    }
    return sealed({**made_of, **content})
