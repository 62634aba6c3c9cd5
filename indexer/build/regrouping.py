"""Near-duplicates of a changed index on a search server, found anew among all of its documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.build.collect import SIZE
from argsearch.indexer.build.streaming import Portion
from argsearch.indexer.build.surveying import groups_of
from argsearch.indexer.format.store import from_json, to_line
from argsearch.indexer.processes import Progress
from argsearch.indexer.server.client import Server
from argsearch.indexer.server.schema import GROUP, ROW, Groups


class Regrouping:
    """The documents of the changed index on the disk, first those read, then those that stay."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / "documents.lines"
        self._taken: list[Portion] = []
        self._sizes: list[int] = []
        self._fresh = 0

    def take(self, fresh: Iterable[Portion]) -> int:
        """Keep the documents read, whose groups are not known yet; returns how many they are."""
        self._keep(fresh)
        self._fresh = len(self._sizes)
        return self._fresh

    def regrouped(
        self, kept: Iterable[Portion], workers: int
    ) -> tuple[Iterator[Portion], Iterator[Portion]]:
        """The documents read, and those that stay but for their groups, with the new ones.

        kept: all that stay, with their groups until now.
        """
        self._keep(kept)
        rows, before = (
            np.concatenate([getattr(some.groups, name) for some in self._taken])
            for name in ("rows", "groups")
        )
        order, after = np.argsort(rows), np.empty(len(rows), np.int32)
        lines = (some.lines for some in self._portions(order, Groups(rows, before)))
        found = groups_of(lines, self._folder, workers)
        after[order] = np.where(found >= 0, rows[order][found], np.int32(-1))
        numbers, groups = np.arange(len(rows)), Groups(rows, after)
        moved = numbers[(numbers >= self._fresh) & (after != before)]
        return self._portions(numbers[: self._fresh], groups), self._portions(moved, groups)

    def _keep(self, portions: Iterable[Portion]) -> None:
        with self._path.open("ab") as stream:
            for some in portions:
                stream.write(some.lines + b"\n")
                self._sizes += [len(line) + 1 for line in some.lines.split(b"\n")]
                self._taken.append(Portion(b"", some.labels, some.groups))

    def _portions(self, numbers: NDArray[np.int64], groups: Groups) -> Iterator[Portion]:
        ends, held = np.cumsum([0, *self._sizes]), np.memmap(self._path, np.uint8, "r")
        labels = np.concatenate([some.labels for some in self._taken])
        for begin in range(0, len(numbers), SIZE):
            some = numbers[begin : begin + SIZE]
            lines = [held[ends[i] : ends[i + 1] - 1].tobytes() for i in some.tolist()]
            yield Portion(b"\n".join(lines), labels[some], groups[some])


def next_row(server: Server, index: str) -> int:
    """The place of a new document in the corpus of an index; 0 where it has none of any."""
    body = {"size": 0, "aggs": {"last": {"max": {"field": ROW}}}}
    found = server.request("POST", f"/{index}/_search", body)["aggregations"]["last"]["value"]
    return 0 if found is None else int(found) + 1


def documents_of(
    server: Server, index: str, but: set[int], progress: Progress
) -> Iterator[Portion]:
    """The documents of an index with groups, in the order of its corpus, but those at some places.

    Their texts come back from the server.
    """
    whole = {"allow_partial_search_results": "false"}
    body: dict[str, Any] = {
        "query": {"exists": {"field": ROW}},
        "size": SIZE,
        "sort": [{ROW: "asc"}],
        "_source": ["document", "cluster", ROW, GROUP],
    }
    done = 0
    while True:
        answer = server.request("POST", f"/{index}/_search", body, params=whole)["hits"]["hits"]
        found = [hit["_source"] for hit in answer if hit["_source"][ROW] not in but]
        if found:
            labels, rows, groups = (
                np.array([one.get(name, -1) for one in found], np.int32)
                for name in ("cluster", ROW, GROUP)
            )
            lines = b"\n".join(to_line(from_json(one["document"])) for one in found)
            yield Portion(lines, labels, Groups(rows, groups))
        done += len(answer)
        progress("near_duplicates", done)
        if len(answer) < SIZE:
            return
        body["search_after"] = answer[-1]["sort"]
