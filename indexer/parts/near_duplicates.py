"""The part `near_duplicates`: which arguments say the same (docs/near-duplicates.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.parts.base import Carried, Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking.near_duplicates.grouping import Rule, group
from argsearch.ranking.near_duplicates.regrouping import regroup
from argsearch.ranking.near_duplicates.shingles import Sketch, sketch

SHINGLES = "forward.shingles"
"""The file that holds every document's runs of words while the part is made."""


class NearDuplicatesPart(PartMaker):
    """A group for each document: the number of the one that stands for it, itself where alone."""

    name = "near_duplicates"
    doc = "Groups of near-duplicates: arguments that share most of their runs of five words."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """The rule that decides."""
        return asdict(Rule())

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Sketch every document's premises in the workers, then group them all."""
        path, sizes, order = drawer.folder / SHINGLES, [], []
        try:
            with path.open("wb") as stream:
                for docs, made in source.mapped(sketched, partial(progress, self.name)):
                    stream.write(made.shingles.data)
                    sizes.append(made.sizes)
                    order.append(docs)
            progress("grouping", 0)
            rows = np.concatenate(order)
            held = _held(source.carried, rows) if source.carried else None
            groups = grouped(path, np.concatenate(sizes), rows, held)
        finally:
            path.unlink(missing_ok=True)
        drawer.save("groups", groups)
        drawer.save("members", np.argsort(groups, kind="stable").astype(np.int32))
        counts = np.bincount(groups, minlength=source.documents)
        return {"groups": int((counts > 1).sum()), "collapsed": int((counts[counts > 1] - 1).sum())}


def sketched(arguments: list[Argument]) -> Sketch:
    """The shingles of documents' premises."""
    from argsearch.indexer.analysis.batch import tokenize

    batch = tokenize([argument.premise for argument in arguments])
    return sketch(batch.terms, batch.ids, batch.offsets)


def _held(carried: Carried, order: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """The group that each document had, by numbers of now, int32[n]; -1 for one that is new and
    where the group has lost one. None where the order of the documents is another.

    order: the documents by their rows in the store.
    """
    docs, groups = carried.docs, carried.part["groups"]
    kept = np.flatnonzero(docs >= 0)
    then = carried.arrays.store_rows[docs[order][docs[order] >= 0]]
    if (np.diff(then) < 0).any():
        return None
    number = np.full(len(groups), -1, np.int32)
    number[docs[kept]] = kept
    number[np.isin(groups, groups[number < 0])] = -1
    held = np.full(len(docs), -1, np.int32)
    held[kept] = number[groups[docs[kept]]]
    return held


def grouped(
    path: Path,
    sizes: NDArray[Any],
    order: NDArray[Any],
    held: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """The group of each document, int32[n], by documents' numbers in the index.

    held: what `_held` gives, where groups may be taken over.
    """
    empty = not path.stat().st_size  # nothing can be mapped then
    shingles = np.zeros(0, np.uint64) if empty else np.memmap(path, np.uint64, "r")
    sketched, groups = Sketch(np.asarray(shingles), sizes), np.empty(len(order), np.int32)
    if held is None:
        of = group(sketched)
    else:
        number = np.full(len(order) + 1, -1, np.int32)  # one more for -1
        number[order] = np.arange(len(order))
        of = regroup(sketched, number[held[order]])
    groups[order] = order[of]
    return groups
