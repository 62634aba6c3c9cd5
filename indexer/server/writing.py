"""Writing a finished index directory to an Elasticsearch or OpenSearch server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from secrets import token_hex

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import Arrays, open_arrays, open_columns
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.parts import VERSIONS, open_part
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.bulk import Bulk, BulkOptions
from argsearch.indexer.server.client import connect
from argsearch.indexer.server.draft import Draft
from argsearch.indexer.server.generations import clean, generations_of
from argsearch.indexer.server.schema import Layout


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written."""

    generation: str
    fingerprint: str
    documents: int
    retried: int
    """Requests and documents that had to be sent again."""


def write(
    folder: Path,
    address: str,
    layout: Layout = Layout(),  # noqa: B008 - frozen
    options: BulkOptions = BulkOptions(),  # noqa: B008 - frozen
    progress: Progress = silent,
    beside: Path | None = None,
) -> WriteReport:
    """Write the index directory `folder` to `http(s)://host:port/name`, and move the name to it.

    beside: where the directory will be asked for the parts that cannot lie on a server.
    Raises what opening the directory raises, IndexForeign when the name belongs to something that
    this software did not write, WriteIncomplete, and the errors of `indexer.server.client`.
    """
    arrays, manifest = open_arrays(folder)
    columns = open_columns(folder, arrays, manifest)
    groups, name = None, schema.GROUP
    if name in manifest.get("parts", {}):
        groups = schema.shared(open_part(folder, manifest, name, VERSIONS[name])["groups"])
    digest = schema.Digest()
    with closing(connect(parse(address))) as server:
        generations_of(server)
        clean(server)
        generation = f"{server.address.name}-{manifest['fingerprint'][:8]}-{token_hex(4)}"
        described = [values.column for values in columns.values()]
        parts = [] if groups is None else [schema.GROUP]
        draft = Draft(server, generation, layout, arrays.centroids, described, manifest)
        draft.said = {"parts": parts, **({"beside": str(beside.absolute())} if beside else {})}
        bulk = Bulk(server, generation, options, partial(progress, "documents"))
        centroids = schema.centroid_rows(arrays.centroids)

        def fill() -> int:
            """Send all; how many documents they are."""
            bulk.send(chain(centroids, _rows(arrays, columns, groups, digest)))
            draft.said["digest"] = digest.text
            return len(arrays.quality)

        draft.put(fill, progress)
        retried = bulk.retried + server.retried
    return WriteReport(generation, manifest["fingerprint"], len(arrays.quality), retried)


def _rows(
    arrays: Arrays,
    columns: Mapping[str, Values],
    groups: NDArray[np.int32] | None,
    digest: schema.Digest,
) -> Iterator[bytes]:
    """Every document as the server gets it, in the order of the store."""
    store = DocumentStore(arrays)
    for doc in np.argsort(arrays.store_rows, kind="stable").tolist():
        values = {name: column.at(doc) for name, column in columns.items()}
        values["cluster"] = int(arrays.clusters[doc])  # the script reads it of every hit
        if groups is not None and groups[doc] >= 0:
            values[schema.GROUP] = int(groups[doc])
        yield schema.row(store[doc], values, digest)


def check_name(address: str) -> None:
    """Raise what a write would raise for a server that does not answer or a name that is taken."""
    with closing(connect(parse(address))) as server:
        generations_of(server)
