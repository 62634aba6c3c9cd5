"""Writing a finished index directory to an Elasticsearch or OpenSearch server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from secrets import token_hex

import numpy as np

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.arrays import Arrays, open_arrays, open_columns
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.manifest import is_of
from argsearch.indexer.format.parts import VERSIONS, open_part
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.bulk import Bulk, BulkOptions
from argsearch.indexer.server.client import connect
from argsearch.indexer.server.draft import Draft
from argsearch.indexer.server.generations import clean, generations_of, open_generation
from argsearch.indexer.server.schema import Layout


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written."""

    generation: str
    fingerprint: str
    documents: int
    retried: int
    """Requests and documents that had to be sent again."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The directory that will be asked for the parts that cannot lie on a server."""

    folder: Path
    of: str | None = None
    """The generation that the name stands for until then; None: any."""


def write(
    folder: Path,
    address: str,
    layout: Layout = Layout(),  # noqa: B008 - frozen
    options: BulkOptions = BulkOptions(),  # noqa: B008 - frozen
    progress: Progress = silent,
    beside: Beside | None = None,
) -> WriteReport:
    """Write the index directory `folder` to `http(s)://host:port/name`, and move the name to it.

    beside: where the directory will lie, which is asked for what the server has not.
    Raises what opening the directory raises, IndexForeign when the name belongs to something that
    this software did not write, WriteIncomplete, and the errors of `indexer.server.client`.
    """
    arrays, manifest = open_arrays(folder)
    columns = open_columns(folder, arrays, manifest)
    groups, name = None, schema.GROUP
    if name in manifest.get("parts", {}):
        of = schema.shared(open_part(folder, manifest, name, VERSIONS[name])["groups"])
        rows = np.asarray(arrays.store_rows, np.int32)
        groups = schema.Groups(rows, np.where(of >= 0, rows[of], np.int32(-1)))
    digest = schema.Digest()
    with closing(connect(parse(address))) as server:
        generations_of(server)
        replaced = beside.of if beside else None
        clean(server, stopped_too=replaced is None)
        generation = f"{server.address.name}-{manifest['fingerprint'][:8]}-{token_hex(4)}"
        described = [values.column for values in columns.values()]
        parts = [] if groups is None else [schema.GROUP]
        draft = Draft(server, generation, layout, arrays.centroids, described, manifest)
        draft.said = {"parts": parts}
        if beside:
            draft.said["beside"] = str(beside.folder.absolute())
        bulk = Bulk(server, generation, options, partial(progress, "documents"))
        centroids = schema.centroid_rows(arrays.centroids)

        def fill() -> int:
            """Send all; how many documents they are."""
            bulk.send(chain(centroids, _rows(arrays, columns, groups, digest)))
            draft.said["digest"] = digest.text
            return len(arrays.quality)

        draft.put(fill, progress, replaced)
        retried = bulk.retried + server.retried
    return WriteReport(generation, manifest["fingerprint"], len(arrays.quality), retried)


def _rows(
    arrays: Arrays,
    columns: Mapping[str, Values],
    groups: schema.Groups | None,
    digest: schema.Digest,
) -> Iterator[bytes]:
    """Every document as the server gets it, in the order of the store."""
    store = DocumentStore(arrays)
    for doc in np.argsort(arrays.store_rows, kind="stable").tolist():
        values = {name: column.at(doc) for name, column in columns.items()}
        values["cluster"] = int(arrays.clusters[doc])  # the script reads it of every hit
        if groups is not None:
            values |= groups.said(doc)
        yield schema.row(store[doc], values, digest)


def write_beside(
    folder: Path, address: str, beside: Beside, layout: Layout, progress: Progress
) -> tuple[int, BaseException | None]:
    """`write` a directory that is to be put in its place when the name stands for it.

    Returns how much was sent again, and an error that came when the name had moved: to be raised
    when the directory is in its place.
    """
    try:
        return write(folder, address, layout, progress=progress, beside=beside).retried, None
    except BaseException as error:
        with suppress(ArgsearchError), closing(connect(parse(address), attempts=1)) as server:
            if is_of(open_generation(server).manifest, folder):
                return 0, error
        raise


def check_name(address: str) -> None:
    """Raise what a write would raise for a server that does not answer or a name that is taken."""
    with closing(connect(parse(address))) as server:
        generations_of(server)
