"""Adds, changes and removes documents in an index on a search server, by bulk requests.

The index that the name points to is changed in place. All sources are read before the first
request, so that a mistake in them changes nothing. The clusters are kept, and a new document joins
the nearest one. Groups of near-duplicates are only computed when the whole corpus is loaded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from argsearch.indexer.building import changes
from argsearch.indexer.building.collect import SIZE
from argsearch.indexer.building.request import BuildRequest
from argsearch.indexer.building.standing import settings_of
from argsearch.indexer.building.streaming import (
    Joining,
    Portion,
    columns_of_clusters,
    described,
    rows_of,
)
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.corpus.ids import IdsOnDisk
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import columns_of
from argsearch.indexer.format.manifest import is_of
from argsearch.indexer.format.store import to_line
from argsearch.indexer.processes import Progress, in_order
from argsearch.indexer.quality import described as model_described
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import mask, parse
from argsearch.indexer.server.bulk import Bulk
from argsearch.indexer.server.client import Server, connect
from argsearch.indexer.server.generations import (
    Generation,
    changed_meanwhile,
    generations_of,
    open_generation,
)
from argsearch.indexer.server.live import LiveChange
from argsearch.indexer.server.schema import Layout
from argsearch.indexer.server.writing import WriteBeside, end_beside
from argsearch.indexer.signals import signals
from argsearch.indexer.signals.cluster import JOIN_PROBES, Recorded, check_model
from argsearch.indexer.staging import loading_folder
from argsearch.version import __version__

UNCHANGED_KEYS = ("analyzer", "config", "encoder", "quality_model", "settings")
"""Keys in the manifest whose values survive a change."""


def change_on_server(
    request: BuildRequest,
    progress: Progress,
    leaving: changes.Leaving,
    change_directory: Callable[..., changes.ChangeReport],
) -> changes.ChangeReport:
    """Change the index `request.out`: add its sources' documents, and remove those in `leaving`.

    change_directory: changes the directory beside the index, which is then written to the server.
    Raises InvalidParameter if the index cannot be changed, an id is unknown or no document would be
    left. Also raises CorpusError and the errors of `LiveChange.make`.
    """
    address = str(request.out)
    with (
        closing(connect(parse(address))) as server,
        loading_folder("argsearch-change-") as folder,
    ):
        generation = open_generation(server)
        # This raises an error if the index is somebody else's or has two names.
        generations_of(server)
        if generation.beside:
            asked, sent = _beside(generation, request, progress)
            return replace(change_directory(asked, progress, leaving, use=sent), index=request.out)
        _check(generation, address)
        return _Change(server, generation, request, folder, progress).make(leaving)


def _beside(
    generation: Generation, request: BuildRequest, progress: Progress
) -> tuple[BuildRequest, WriteBeside]:
    """Return the request that changes the directory beside an index, and a writer for the server.

    Raises InvalidParameter if the directory holds another index.
    """
    folder, address = Path(generation.beside), str(request.out)
    end_beside(generation)
    if not is_of(generation.manifest, folder):
        remedy = f"build it again with: argsearch index CORPUS --out {mask(address)}"
        allowed = f"an index that matches the directory beside it, {folder}; {remedy}"
        raise InvalidParameter("INDEX", mask(address), allowed)
    layout = Layout(generation.shards, generation.replicas, generation.mu)
    use = WriteBeside(address, folder, layout, progress, of=generation.index)
    return replace(request, out=folder), use


def _check(generation: Generation, address: str) -> None:
    """Raise InvalidParameter for an index that cannot be changed in place."""
    settings, manifest = settings_of(generation.manifest), generation.manifest
    why = ""
    if not generation.digest or manifest["software"] != __version__:
        why = "that this version wrote"
    elif settings.quality_scale != "clip":
        why = "whose quality_scale is clip"
    elif manifest["quality_model"] != model_described(settings.quality_model):
        why = "whose quality model has not changed"
    elif not len(generation.centroids) and manifest["encoder"] != "none":
        why = "with clusters"
    elif {one.column.name for one in signals()} != columns_of(manifest).keys():
        why = "with the currently installed signals"
    if why:
        remedy = f"build it again with: argsearch index CORPUS --out {mask(address)}"
        raise InvalidParameter("INDEX", mask(address), f"an index {why}; {remedy}")


class _Change:
    """A change to an index on a server."""

    def __init__(
        self,
        server: Server,
        old: Generation,
        request: BuildRequest,
        folder: Path,
        progress: Progress,
    ) -> None:
        self.server, self.old, self.request, self.folder = server, old, request, folder
        self.progress = progress
        self.live = LiveChange(server, old)
        self.settings = settings_of(old.manifest)
        self.read = ReadReport()
        self.gone: list[str] = []
        """Ids of the removed documents."""
        self.added = self.changed = 0
        recorded, encoder = self._recorded(), load_encoder(self.settings.encoder)
        if request.sources:
            check_model(recorded, encoder)
        self.joining = Joining(encoder, self.settings, recorded)

    def make(self, leaving: changes.Leaving) -> changes.ChangeReport:
        """Make the change, and return a report; if nothing changes, the index stays as it is."""
        self._take_out(leaving(str(self.request.out)) if callable(leaving) else leaving)
        rows = self.folder / "documents.rows"
        # All sources are read before the first request, so that a mistake in them changes nothing.
        with rows.open("wb") as stream:
            # The action is `index`, because a changed document replaces the document with its id.
            make = partial(rows_of, self.settings, self.joining.k, None, action="index")
            for made in in_order(make, self._fresh(), self.request.workers):
                self.live.add(made.digest, made.tokens)
                stream.writelines(made.rows)
        manifest = self.old.manifest
        if self.added or self.changed or self.gone or self.live.is_left:
            done = partial(self.progress, "documents")
            bulk = Bulk(self.server, self.old.index, done)
            manifest = self.live.make(lambda: bulk.send(self._requests(rows)), self._manifest())
        counts = manifest["counts"]
        joined = manifest["corpus"].get("since_clustering", {}).get("joined", 0)
        told = self.added, self.changed, len(self.gone), joined
        return changes.ChangeReport(
            self.request.out, manifest["fingerprint"], counts, self.read, *told
        )

    def _requests(self, rows: Path) -> Iterator[bytes]:
        """Yield all requests to the server."""
        yield from map(schema.deletion, self.gone)
        with rows.open("rb") as stream:
            # A row has two lines.
            while line := stream.readline():
                yield line + stream.readline()

    def _recorded(self) -> Recorded:
        """Return the clusters to keep, with some conclusions for testing the encoder."""
        of = {"range": {"cluster": {"lt": len(self.old.centroids)}}}
        body = {"query": of, "size": 8 * JOIN_PROBES, "_source": ["document.conclusion", "cluster"]}
        hits = self.server.request("POST", f"/{self.old.index}/_search", body)["hits"]["hits"]
        found = (hit["_source"] for hit in hits)
        labels = {one["document"]["conclusion"]: int(one["cluster"]) for one in found}
        return Recorded(self.old.centroids, labels, self.old.manifest["encoder"])

    def _there(self, ids: list[str]) -> list[dict[str, Any] | None]:
        """Return the stored data of documents, without texts; None for each that is not stored."""
        body = {"ids": [schema.document_key(id) for id in ids]}
        asked = {"_source_includes": "digest,words,cluster"}
        found = self.server.request("POST", f"/{self.old.index}/_mget", body, params=asked)
        if any("error" in doc for doc in found["docs"]):
            raise changed_meanwhile(self.server)
        return [doc["_source"] if doc.get("found") else None for doc in found["docs"]]

    def _take_out(self, ids: Iterable[str]) -> None:
        left = iter(dict.fromkeys(ids))
        while some := list(islice(left, SIZE)):
            for id, known in zip(some, self._there(some), strict=True):
                if known is not None:
                    self.live.subtract(known)
                    self.gone.append(id)
                # After an interrupted change, an unknown id is no mistake, because that change may
                # have removed the document.
                elif not self.live.is_left:
                    raise InvalidParameter("ID", id, "the id of an argument in the index")
        if len(self.gone) == self.live.documents:
            problem = f"removing all {len(self.gone):,} arguments would leave the index empty"
            raise InvalidParameter("removed", len(self.gone), "fewer arguments", problem)

    def _fresh(self) -> Iterator[Portion]:
        """Yield the documents that are new or differ from those in the index."""
        if not self.request.sources:
            return
        with closing(IdsOnDisk(self.folder / "documents.ids")) as seen:
            read = self._read(seen)
            while run := list(islice(read, SIZE)):
                known = self._there([argument.id for argument, _made_by in run])
                fresh = [
                    argument
                    for (argument, made_by), of in zip(run, known, strict=True)
                    if self._is_fresh(argument, made_by, of)
                ]
                self.progress("documents", self.read.documents)
                if fresh:
                    # They have no group of near-duplicates until the whole corpus is loaded again.
                    yield Portion(b"\n".join(map(to_line, fresh)), self.joining.of(fresh))

    def _read(self, seen: IdsOnDisk) -> Iterator[tuple[Argument, str]]:
        """Yield each document and its id's source; the report keeps only the last document's."""
        for argument in self.request.read(self.read, seen):
            yield argument, self.read.made_by

    def _is_fresh(self, argument: Argument, made_by: str, known: dict[str, Any] | None) -> bool:
        if known is None:
            self.added += 1
            return True
        # Use the stored cluster; the cluster that the document would join now does not matter.
        as_it_lies = schema.digest_of(argument, int(known["cluster"]))
        if known["digest"] == schema.digest_text(as_it_lies):
            return False
        changes.check_made_id(made_by, argument.id)
        self.live.subtract(known)
        self.changed += 1
        return True

    def _manifest(self) -> dict[str, Any]:
        """Return the manifest of the changed index."""
        old, documents = self.old.manifest, self.live.documents + self.added - len(self.gone)
        corpus = changes.merged_corpus(old["corpus"], self.read, documents)
        counts = self.added, self.changed, len(self.gone)
        corpus["since_clustering"] = changes.since_clustering(old["corpus"], *counts)
        counted = {"documents": documents, "tokens": self.live.tokens, "clusters": self.joining.k}
        said = {"software": __version__, **{key: old[key] for key in UNCHANGED_KEYS}}
        columns = columns_of_clusters(self.settings, self.joining.k)
        of = columns, self.old.centroids, sorted(self.old.parts), self.live.digest
        return described({**said, "corpus": corpus, "counts": counted}, *of)
