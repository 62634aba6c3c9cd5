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
        """Group the documents anew, but where no group may have changed."""
        order = np.argsort(source.arrays.store_rows, kind="stable")
        held = _held(source.carried, order) if source.carried else None
        if held is None or (held < 0).any():
            groups = _found(source, drawer.folder, order, held, progress)
        else:
            groups = np.empty(len(order), np.int32)
            groups[order] = order[held]
        drawer.save("groups", groups)
        drawer.save("members", np.argsort(groups, kind="stable").astype(np.int32))
        counts = np.bincount(groups, minlength=source.documents)
        return {"groups": int((counts > 1).sum()), "collapsed": int((counts[counts > 1] - 1).sum())}


def _found(
    source: PartSource,
    folder: Path,
    order: NDArray[np.int64],
    before: NDArray[np.int32] | None,
    progress: Progress,
) -> NDArray[np.int32]:
    """Sketch every document's premises in the workers, then group them all as `grouped` does."""
    path, sizes = folder / SHINGLES, []
    try:
        with path.open("wb") as stream:
            for _, made in source.mapped(sketched, partial(progress, NearDuplicatesPart.name)):
                stream.write(made.shingles.data)
                sizes.append(made.sizes)
        progress("grouping", 0)
        return grouped(path, np.concatenate(sizes), order, before)
    finally:
        path.unlink(missing_ok=True)


def sketched(arguments: list[Argument]) -> Sketch:
    """The shingles of documents' premises."""
    from argsearch.indexer.analysis.batch import tokenize

    batch = tokenize([argument.premise for argument in arguments])
    return sketch(batch.terms, batch.ids, batch.offsets)


def _held(carried: Carried, order: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """`regroup`'s `before` by rows of the store; None where their order is another than then.

    order: the documents by their rows.
    """
    docs, groups, rows = carried.docs[order], carried.part["groups"], carried.arrays.store_rows
    kept = np.flatnonzero(docs >= 0)
    if (np.diff(rows[docs[kept]]) < 0).any():
        return None
    row, before = np.full(len(groups), -1, np.int32), np.full(len(docs), -1, np.int32)
    row[docs[kept]] = kept
    gone, since = np.flatnonzero(row < 0), np.full(len(groups), len(groups))
    np.minimum.at(since, groups[gone], rows[gone])
    after = (rows > since[groups]) & (groups != np.arange(len(groups)))  # may have equalled it
    before[kept] = np.where(after, -1, row[groups])[docs[kept]]
    return before


def grouped(
    path: Path, sizes: NDArray[Any], order: NDArray[Any], before: NDArray[Any] | None = None
) -> NDArray[np.int32]:
    """The group of each document, int32[n], by documents' numbers in the index.

    before: as `regroup` has it; None: nothing is known.
    """
    empty = not path.stat().st_size  # nothing can be mapped then
    shingles = np.zeros(0, np.uint64) if empty else np.memmap(path, np.uint64, "r")
    sketched, groups = Sketch(np.asarray(shingles), sizes), np.empty(len(order), np.int32)
    of = group(sketched) if before is None else regroup(sketched, before)
    groups[order] = order[of]
    return groups
