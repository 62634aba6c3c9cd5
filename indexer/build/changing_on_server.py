"""Documents added to an index on a search server, changed in it and removed.

Changed is a new generation: what is new is sent to it, what stays the server copies itself, and the
name moves when all is there. Clusters stay, and what is new joins the nearest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, pairwise
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from argsearch.indexer.build import changes
from argsearch.indexer.build.collect import SIZE
from argsearch.indexer.build.regrouping import Regrouping, documents_of, next_row
from argsearch.indexer.build.request import BuildRequest, Use
from argsearch.indexer.build.standing import settings_of
from argsearch.indexer.build.streaming import Joining, Portion, Rows, columns_of_clusters, described
from argsearch.indexer.build.streaming import rows_of as made_rows
from argsearch.indexer.corpus import ReadReport
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.corpus.ids import IdsOnDisk
from argsearch.indexer.corpus.reading import read_many
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import columns_of
from argsearch.indexer.format.manifest import is_of
from argsearch.indexer.format.store import to_line
from argsearch.indexer.processes import Progress, in_order, silent
from argsearch.indexer.quality import described as model_described
from argsearch.indexer.server import schema
from argsearch.indexer.server.address import mask, parse
from argsearch.indexer.server.bulk import Bulk, BulkOptions
from argsearch.indexer.server.client import Server, ServerError, connect
from argsearch.indexer.server.draft import Draft, WriteIncomplete
from argsearch.indexer.server.generations import (
    Generation,
    IndexForeign,
    clean,
    generations_of,
    open_generation,
)
from argsearch.indexer.server.schema import GROUP, ROW, Groups, Layout
from argsearch.indexer.server.writing import Beside, WriteBeside, end_beside
from argsearch.indexer.signals import signals
from argsearch.indexer.signals.cluster import PROBED, Recorded, check_model
from argsearch.indexer.staging import loading_folder
from argsearch.version import __version__

KEPT = ("analyzer", "config", "encoder", "quality_model", "settings")
"""What the manifest of a changed index says as before."""
LONGEST_PAUSE = 2.0
"""Seconds between two questions how far a copy is."""
MANY = 10_000
"""Ids of one clause."""
MOST = 100_000
"""Ids that one copy leaves out: a request has to stay below the servers' 100 MB."""
_TEXT = """
def d = ctx._source.document;
StringBuilder text = new StringBuilder();
for (int i = 0; i < d.premises.size(); i++) {
  if (i > 0) { text.append(' ') }
  text.append(d.premises[i].text);
}
if (d.conclusion != null && d.conclusion.length() > 0) { text.append(' ').append(d.conclusion) }
ctx._source.text = text.toString();
"""
"""`Argument.text` of a document, which the server does not store."""


def change_on_server(
    request: BuildRequest,
    progress: Progress,
    leaving: changes.Leaving,
    change_directory: Callable[..., changes.ChangeReport],
) -> changes.ChangeReport:
    """Change the index of `request.out`: add what its sources have, take out what is leaving.

    change_directory: changes that beside it, which is then written to the server whole.
    Raises InvalidParameter for an index that cannot be changed, an unknown id and where none would
    stay, and else as `build_on_server` does. The name stays where something fails.
    """
    address = str(request.out)
    with (
        closing(connect(parse(address))) as server,
        loading_folder("argsearch-change-") as folder,
    ):
        generation = open_generation(server)
        generations_of(server)  # raises where the index may not be replaced
        if generation.beside:
            asked, sent = _beside(generation, request, progress)
            done = change_directory(asked, progress, leaving, use=sent)
            return replace(done, index=request.out)
        row = next_row(server, generation.index) if GROUP in generation.parts else None
        _check(generation, address, row)
        clean(server, stopped_too=False)
        return _Change(server, generation, request, folder, progress, row).make(leaving)


def _beside(
    generation: Generation, request: BuildRequest, progress: Progress
) -> tuple[BuildRequest, Use]:
    """The change of the directory beside an index, and what writes it to the server.

    Raises InvalidParameter where the directory is not that index.
    """
    folder, address = Path(generation.beside), str(request.out)
    end_beside(generation)
    if not is_of(generation.manifest, folder):
        remedy = f"build it again with: argsearch index CORPUS --out {mask(address)}"
        allowed = f"an index whose directory, {folder}, is of the same state; {remedy}"
        raise InvalidParameter("INDEX", mask(address), allowed)
    layout = Layout(generation.shards, generation.replicas, generation.mu)
    beside = Beside(folder, of=generation.index)
    return replace(request, out=folder), WriteBeside(address, beside, layout, progress)


def _check(generation: Generation, address: str, next_row: int | None) -> None:
    """Raise InvalidParameter for an index that cannot be changed where it lies."""
    settings, manifest = settings_of(generation.manifest), generation.manifest
    why = ""
    if not generation.digest or manifest["software"] != __version__ or next_row == 0:
        why = "that this version wrote"
    elif settings.quality_scale != "clip":
        why = "whose quality_scale is clip"
    elif manifest["quality_model"] != model_described(settings.quality_model):
        why = "whose quality model is still the same"
    elif not len(generation.centroids) and manifest["encoder"] != "none":
        why = "with clusters"
    elif {one.column.name for one in signals()} != columns_of(manifest).keys():
        why = "with the signals that are installed now"
    if why:
        remedy = f"build it again with: argsearch index CORPUS --out {mask(address)}"
        raise InvalidParameter("INDEX", mask(address), f"an index {why}; {remedy}")


@dataclass
class _Change:
    """One change."""

    server: Server
    old: Generation
    request: BuildRequest
    folder: Path
    progress: Progress
    next_row: int | None
    """The place of a new document, where there are groups."""
    read: ReadReport = field(default_factory=ReadReport)
    gone: list[str] = field(default_factory=list)
    """The ids of removed documents."""
    added: int = 0
    changed: int = 0
    left: set[int] = field(default_factory=set)
    """The places of removed and changed documents, where there are groups."""

    def __post_init__(self) -> None:
        self.settings = settings_of(self.old.manifest)
        self.digest = schema.Digest(int(self.old.digest, 16))
        self.tokens = int(self.old.manifest["counts"]["tokens"])
        recorded, encoder = self._recorded(), load_encoder(self.settings.encoder)
        if self.request.sources:
            check_model(recorded, list(recorded.labels)[:PROBED], encoder)
        self.joining = Joining(encoder, self.settings, recorded)

    def make(self, leaving: changes.Leaving) -> changes.ChangeReport:
        """Make the change; where it is none, the index stays."""
        self._take_out(leaving(str(self.request.out)) if callable(leaving) else leaving)
        fresh, moved = self._regrouped(self._fresh())
        runs = self._made(fresh)
        first = next(runs, None)
        manifest = self.old.manifest
        if first is not None or self.gone:
            manifest = self._write(chain([] if first is None else [first], runs), moved)
        counts = manifest["counts"]
        joined = manifest["corpus"].get("since_clustering", {}).get("joined", 0)
        told = self.added, self.changed, len(self.gone), joined
        return changes.ChangeReport(
            self.request.out, manifest["fingerprint"], counts, self.read, *told
        )

    def _recorded(self) -> Recorded:
        """The clusters that stay, and those of some conclusions, which the encoder is tried by."""
        of = {"range": {"cluster": {"lt": len(self.old.centroids)}}}
        body = {"query": of, "size": 8 * PROBED, "_source": ["document.conclusion", "cluster"]}
        hits = self.server.request("POST", f"/{self.old.index}/_search", body)["hits"]["hits"]
        found = (hit["_source"] for hit in hits)
        labels = {one["document"]["conclusion"]: int(one["cluster"]) for one in found}
        return Recorded(self.old.centroids, labels, self.old.manifest["encoder"])

    def _there(self, ids: list[str]) -> list[dict[str, Any] | None]:
        """What the index has of some documents, but their texts; None for each that it lacks."""
        body = {"ids": [schema.document_key(id) for id in ids]}
        asked = {"_source_includes": f"digest,words,cluster,{ROW}"}
        found = self.server.request("POST", f"/{self.old.index}/_mget", body, params=asked)
        if any("error" in doc for doc in found["docs"]):
            raise IndexForeign(
                f"{self.server.address} was changed by someone else meanwhile; run the same "
                "command again"
            )
        return [doc["_source"] if doc.get("found") else None for doc in found["docs"]]

    def _subtract(self, known: dict[str, Any]) -> None:
        """Leave a document of the index out of its sums, and its groups."""
        self.digest.add(-int(known["digest"], 16))
        self.tokens -= int(known["words"])
        if ROW in known:
            self.left.add(int(known[ROW]))

    def _take_out(self, ids: Iterable[str]) -> None:
        left = iter(dict.fromkeys(ids))
        while some := list(islice(left, SIZE)):
            for id, known in zip(some, self._there(some), strict=True):
                if known is None:
                    raise InvalidParameter("ID", id, "the id of an argument of the index")
                self._subtract(known)
            self.gone += some
        if len(self.gone) == self.old.manifest["counts"]["documents"]:
            allowed = "fewer: an index has an argument at least"
            raise InvalidParameter("removed", f"all {len(self.gone):,} arguments", allowed)

    def _fresh(self) -> Iterator[Portion]:
        """The documents read that the index does not hold as they are."""
        if not self.request.sources:
            return
        with closing(IdsOnDisk(self.folder / "documents.ids")) as seen:
            read = self._read(seen)
            while run := list(islice(read, SIZE)):
                known = self._there([argument.id for argument, _made_by in run])
                fresh = [
                    (a, of)
                    for (a, by), of in zip(run, known, strict=True)
                    if self._is_fresh(a, by, of)
                ]
                self.progress("documents", self.read.documents)
                if fresh:
                    arguments = [argument for argument, _ in fresh]
                    lines = b"\n".join(map(to_line, arguments))
                    groups = self._alone([of for _, of in fresh])
                    yield Portion(lines, self.joining.of(arguments), groups)

    def _alone(self, known: list[dict[str, Any] | None]) -> Groups | None:
        """The places of documents read, by what the index has of each; as if each were alone."""
        if self.next_row is None:
            return None
        rows = np.array([-1 if of is None else of[ROW] for of in known], np.int32)
        new = np.flatnonzero(rows < 0)
        rows[new] = self.next_row + np.arange(len(new))
        self.next_row += len(new)
        return Groups(rows, np.full(len(rows), -1, np.int32))

    def _regrouped(self, fresh: Iterator[Portion]) -> tuple[Iterator[Portion], Iterator[Portion]]:
        """The documents read, with their groups, and those that stay with another group."""
        if self.next_row is None:
            return fresh, iter(())
        found = Regrouping(self.folder)
        if not (found.take(fresh) or self.gone):
            return iter(()), iter(())
        kept = documents_of(self.server, self.old.index, self.left, self.progress)
        return found.regrouped(kept, self.request.workers)

    def _made(self, portions: Iterable[Portion]) -> Iterator[Rows]:
        rows = partial(made_rows, self.settings, self.joining.k, None)
        return in_order(rows, portions, self.request.workers)

    def _read(self, seen: IdsOnDisk) -> Iterator[tuple[Argument, str]]:
        """Each document, and the source that its id was made of, which is known only now."""
        request = self.request
        asked: dict[str, Any] = {"on_error": request.on_error, "columns": request.columns}
        for argument in read_many(request.sources, report=self.read, seen=seen, **asked):
            yield argument, self.read.made_by

    def _is_fresh(self, argument: Argument, made_by: str, known: dict[str, Any] | None) -> bool:
        if known is None:
            self.added += 1
            return True
        # in the cluster that it is in: where it would be now is not asked
        as_it_lies = schema.digest_of(argument, int(known["cluster"]))
        if known["digest"] == schema.digest_text(as_it_lies):
            return False
        changes.check_made_id(made_by, argument.id)
        self._subtract(known)
        self.changed += 1
        return True

    def _write(self, runs: Iterable[Rows], moved: Iterable[Portion]) -> dict[str, Any]:
        """Write the changed generation and move the name to it; returns its manifest."""
        old = self.old
        index = f"{self.server.address.name}-{token_hex(4)}-{token_hex(4)}"
        layout = Layout(old.shards, old.replicas, old.mu)
        columns = columns_of_clusters(self.settings, self.joining.k)
        said = {"parts": sorted(old.parts)}
        draft = Draft(self.server, index, layout, old.centroids, columns, {}, said)
        bulk = Bulk(self.server, index, BulkOptions(), lambda _done: None)

        def fill() -> int:
            """Send what is new or moved, let the rest be copied; how many documents they are."""
            bulk.send(self._rows(runs, moved))
            copy(self.server, (old.index, index), self.gone, self.progress)
            documents = int(old.manifest["counts"]["documents"]) + self.added - len(self.gone)
            draft.manifest = described(draft, self._content(documents), self.digest)
            return documents

        draft.put(fill, self.progress, old.index)
        return draft.manifest

    def _rows(self, runs: Iterable[Rows], moved: Iterable[Portion]) -> Iterator[bytes]:
        yield from schema.centroid_rows(self.old.centroids)
        for made in runs:
            self.digest.add(made.digest)
            self.tokens += made.tokens
            yield from made.rows
        for made in self._made(moved):  # whose digests and tokens are counted
            yield from made.rows

    def _content(self, documents: int) -> dict[str, Any]:
        manifest = self.old.manifest
        corpus = changes.merged_corpus(manifest["corpus"], self.read, documents)
        counts = self.added, self.changed, len(self.gone)
        corpus["since_clustering"] = changes.since_clustering(manifest["corpus"], *counts)
        counted = {"documents": documents, "tokens": self.tokens, "clusters": self.joining.k}
        said = {"software": __version__, **{key: manifest[key] for key in KEPT}}
        return {**said, "corpus": corpus, "counts": counted}


def copy(server: Server, between: tuple[str, str], without: list[str], progress: Progress) -> None:
    """Let the server copy documents from one index to another, but those that are there.

    without: the ids of documents that stay behind. Raises WriteIncomplete where it fails.
    """
    done, told = 0, sorted(without)  # by code point, as the server has them

    def of_all(stage: str, copied: int, of: int | None = None) -> None:
        """Pass on how many documents all copies have copied."""
        progress(stage, done + copied, of)

    ends = [None, *told[MOST::MOST], None]
    for begin, (low, high) in enumerate(pairwise(ends)):
        bounds = {name: end for name, end in (("gte", low), ("lt", high)) if end is not None}
        within = {"range": {"id": bounds}} if bounds else {"exists": {"field": "id"}}
        left = told[begin * MOST : (begin + 1) * MOST]
        done += _copied(server, between, (within, left), of_all)


def _copied(
    server: Server,
    between: tuple[str, str],
    which: tuple[dict[str, Any], list[str]],
    progress: Progress,
) -> int:
    """Copy those that a query finds, but some ids; returns how many."""
    (source, target), (within, without) = between, which
    keys = [schema.document_key(id) for id in without]
    clauses = [{"ids": {"values": keys[i : i + MANY]}} for i in range(0, len(keys), MANY)]
    body = {
        "conflicts": "proceed",
        "source": {
            "index": source,
            "query": {"bool": {"filter": within, "must_not": clauses}},
        },
        "dest": {"index": target, "op_type": "create"},
        "script": {"source": _TEXT},
    }
    asked = {"wait_for_completion": "false", "slices": "auto"}
    task = f"/_tasks/{server.request('POST', '/_reindex', body, params=asked)['task']}"
    try:
        found = _followed(server, task, progress)
    except BaseException:
        with suppress(ServerError):  # else it would make the index again that is removed
            server.request("POST", f"{task}/_cancel")
            _followed(server, task, silent)
        raise
    failed = found.get("error") or found.get("response", {}).get("failures")
    if failed:
        raise WriteIncomplete(
            f"{server.address}: the server could not copy the documents ({str(failed)[:300]}); the "
            "name was not moved, run the same command again"
        )
    return int(found["task"]["status"].get("created", 0))


def _followed(server: Server, task: str, progress: Progress) -> dict[str, Any]:
    """What a task answers when it has ended."""
    pause = 0.05
    while True:
        found: dict[str, Any] | None = server.request("GET", task, missing=True)
        if found is None:
            raise WriteIncomplete(
                f"{server.address}: the server lost the copy that it was making; the name was not "
                "moved, run the same command again"
            )
        progress("taking over", int(found["task"]["status"].get("created", 0)))
        if found["completed"]:
            return found
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, 1.5 * pause)
