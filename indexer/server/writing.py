"""Writes a finished index directory to an Elasticsearch or OpenSearch server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import Arrays, open_arrays, open_columns
from argsearch.indexer.format.columns import Values
from argsearch.indexer.format.manifest import (
    IndexDamaged,
    IndexFormatUnsupported,
    IndexMissing,
    identity,
    identity_of,
    is_of,
)
from argsearch.indexer.format.parts import VERSIONS, open_part
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.processes import Progress, silent
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import parse
from argsearch.indexer.server.bulk import Bulk
from argsearch.indexer.server.client import connect
from argsearch.indexer.server.draft import Draft
from argsearch.indexer.server.generations import (
    Generation,
    IndexForeign,
    generations_of,
    open_generation,
)
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.staging import put_in_place


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Summary of what `write` sent to the server."""

    generation: str
    fingerprint: str
    documents: int
    retried: int
    """Number of requests and documents that had to be sent again."""


def write(
    folder: Path,
    address: str,
    layout: Layout = Layout(),  # noqa: B008 - frozen
    progress: Progress = silent,
    beside: WriteBeside | None = None,
) -> WriteReport:
    """Write the index directory `folder` to `http(s)://host:port/name`, and point the name at it.

    beside: the directory for parts that the server cannot store, if any. Raises IndexForeign if the
    name belongs to an index that this software did not write, WriteIncomplete, the errors of
    `open_arrays`, and the errors of `indexer.server.client`.
    """
    arrays, manifest = open_arrays(folder)
    columns = open_columns(folder, arrays, manifest)
    groups, name = None, schema.GROUP
    if name in manifest.get("parts", {}):
        groups = schema.shared(open_part(folder, manifest, name, VERSIONS[name])["groups"])
    digests = 0
    with closing(connect(parse(address))) as server:
        generation = f"{server.address.name}-{manifest['fingerprint'][:8]}-{token_hex(4)}"
        described = [values.column for values in columns.values()]
        parts = [] if groups is None else [schema.GROUP]
        draft = Draft(server, generation, layout, arrays.centroids, described, manifest)
        draft.said = {"parts": parts}
        if beside:
            draft.said["beside"] = str(beside.folder.absolute())
            beside.draft = draft
        bulk = Bulk(server, generation, partial(progress, "documents"))

        def rows() -> Iterator[bytes]:
            """Yield every row and add up the documents' digests."""
            nonlocal digests
            yield from schema.centroid_rows(arrays.centroids)
            for row, digest in _rows(arrays, columns, groups):
                digests += digest
                yield row

        def fill() -> int:
            """Send all rows; return the number of documents."""
            bulk.send(rows())
            draft.said["digests"] = schema.digest_text(digests)
            return len(arrays.quality)

        draft.put(fill, progress, beside.of if beside else None)
        retried = bulk.retried + server.retried
    return WriteReport(generation, manifest["fingerprint"], len(arrays.quality), retried)


def _rows(
    arrays: Arrays, columns: Mapping[str, Values], groups: NDArray[np.int32] | None
) -> Iterator[tuple[bytes, int]]:
    """Yield each document as lines for the server, with its digest, in the order of the store."""
    store = DocumentStore(arrays)
    # A frame of the store holds neighbours in the corpus, so this order unpacks each frame once.
    for doc in np.argsort(arrays.store_rows, kind="stable").tolist():
        values = {name: column.at(doc) for name, column in columns.items()}
        # The scoring script reads it for every hit, so even `none` has a number.
        values["cluster"] = int(arrays.clusters[doc])
        if groups is not None:
            values |= schema.grouped(groups[doc])
        yield schema.row(store[doc], values)


@dataclass(slots=True)
class WriteBeside:
    """Calls `write` for a directory that moves into place once the name points to its index.

    The directory has the parts that cannot be stored on a server.
    """

    address: str
    folder: Path
    """Final location of the directory."""
    layout: Layout
    progress: Progress
    of: str | None = None
    """The generation that the name must still point to before the move; None: any generation."""
    draft: Draft | None = None
    """The new generation, once `write` has begun."""

    def __call__(self, folder: Path) -> int:
        """Write the index in `folder` to the server; return `retried` of the `WriteReport`."""
        return write(folder, self.address, self.layout, self.progress, self).retried

    def belongs(self) -> bool | None:
        """Return True if the name points to the directory's index; None if this is unknown."""
        return self.draft.stands if self.draft else False


def end_beside(generation: Generation) -> None:
    """Move the directory beside an index into place, if an interrupted build did not.

    All parts are compared with the server's manifest, because an interrupted build of an identical
    index lacks some parts. Raises the same errors as `put_in_place`.
    """
    asked, folder = generation.manifest, Path(generation.beside)
    if not is_of(asked, folder, asked.get("parts", {})):
        put_in_place(folder, lambda aside: identity_of(aside) == identity(asked))


def check_place(address: str, folder: Path) -> None:
    """Raise the errors that `write` would raise for an absent server or a name in use.

    Also completes an unfinished move of the directory, because the next build would remove it.
    """
    with closing(connect(parse(address))) as server:
        generations_of(server)
        with suppress(IndexMissing, IndexForeign, IndexDamaged, IndexFormatUnsupported):
            generation = open_generation(server)
            if generation.beside == str(folder.absolute()):
                end_beside(generation)
