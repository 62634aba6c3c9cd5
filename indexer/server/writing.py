"""Writing a finished index directory to an Elasticsearch or OpenSearch server."""

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
    progress: Progress = silent,
    beside: WriteBeside | None = None,
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
            """Every row, the digests of documents summed up."""
            nonlocal digests
            yield from schema.centroid_rows(arrays.centroids)
            for row, digest in _rows(arrays, columns, groups):
                digests += digest
                yield row

        def fill() -> int:
            """Send all; how many documents they are."""
            bulk.send(rows())
            draft.said["digests"] = schema.digest_text(digests)
            return len(arrays.quality)

        draft.put(fill, progress, beside.of if beside else None)
        retried = bulk.retried + server.retried
    return WriteReport(generation, manifest["fingerprint"], len(arrays.quality), retried)


def _rows(
    arrays: Arrays, columns: Mapping[str, Values], groups: NDArray[np.int32] | None
) -> Iterator[tuple[bytes, int]]:
    """Every document as the server gets it, and its digest, in the order of the store."""
    store = DocumentStore(arrays)
    # A frame of the store holds neighbours of the corpus: in that order it is unpacked once.
    for doc in np.argsort(arrays.store_rows, kind="stable").tolist():
        values = {name: column.at(doc) for name, column in columns.items()}
        # The scoring script reads it of every hit, so `none` has a number there, too.
        values["cluster"] = int(arrays.clusters[doc])
        if groups is not None:
            values |= schema.grouped(groups[doc])
        yield schema.row(store[doc], values)


@dataclass(slots=True)
class WriteBeside:
    """`write` a directory that is to be put in its place when the name stands for it.

    That one is asked for the parts that cannot lie on a server.
    """

    address: str
    folder: Path
    """Its place."""
    layout: Layout
    progress: Progress
    of: str | None = None
    """The generation that the name stands for until then; None: any."""
    draft: Draft | None = None
    """Its generation, when it is written."""

    def __call__(self, folder: Path) -> int:
        """Write what was built in a folder aside; how much was sent again."""
        return write(folder, self.address, self.layout, self.progress, self).retried

    def belongs(self) -> bool | None:
        """Whether the name stands for the directory's index; None where it may."""
        return self.draft.stands if self.draft else False


def end_beside(generation: Generation) -> None:
    """Put the directory beside an index in its place, if it was left aside when the name moved.

    What was written to the server is told by all its parts: an equal build that was cut short lacks
    some. Raises as `put_in_place` does.
    """
    asked, folder = generation.manifest, Path(generation.beside)
    if not is_of(asked, folder, asked.get("parts", {})):
        put_in_place(folder, lambda aside: identity_of(aside) == identity(asked))


def check_place(address: str, folder: Path) -> None:
    """Raise what a write would raise for a server that does not answer or a name that is taken.

    What was left aside of the directory is put in its place, as the next build there removes it.
    """
    with closing(connect(parse(address))) as server:
        generations_of(server)
        with suppress(IndexMissing, IndexForeign, IndexDamaged, IndexFormatUnsupported):
            generation = open_generation(server)
            if generation.beside == str(folder.absolute()):
                end_beside(generation)
