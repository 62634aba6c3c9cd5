"""The part `near_duplicates`: groups of near-duplicate arguments (docs/near-duplicates.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking.near_duplicates.grouping import Rule, group
from argsearch.ranking.near_duplicates.shingles import Sketch, sketch

SHINGLES = "forward.shingles"
"""Temporary file that holds every document's shingles while the part is made."""


class NearDuplicatesPart(PartMaker):
    """Each document's group: the number of its representative, or its own if it is alone."""

    name = "near_duplicates"
    doc = "Groups of near-duplicates: arguments that share most of their five-word sequences."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return the rule for near-duplicates."""
        return asdict(Rule())

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Compute the shingles of each document in the workers, then group all documents."""
        order = np.argsort(source.arrays.store_rows, kind="stable")
        path, sizes = drawer.folder / SHINGLES, []
        try:
            with path.open("wb") as stream:
                for _, made in source.mapped(sketched, partial(progress, self.name)):
                    stream.write(made.shingles.data)
                    sizes.append(made.sizes)
            progress("grouping", 0)
            groups = grouped(path, np.concatenate(sizes), order)
        finally:
            path.unlink(missing_ok=True)
        drawer.save("groups", groups)
        drawer.save("members", np.argsort(groups, kind="stable").astype(np.int32))
        counts = np.bincount(groups, minlength=source.documents)
        return {"groups": int((counts > 1).sum()), "collapsed": int((counts[counts > 1] - 1).sum())}


def sketched(arguments: list[Argument]) -> Sketch:
    """Return the shingles of the documents' premises."""
    from argsearch.indexer.analysis.batch import tokenize

    batch = tokenize([argument.premise for argument in arguments])
    return sketch(batch.terms, batch.ids, batch.offsets)


def grouped(path: Path, sizes: NDArray[Any], order: NDArray[Any]) -> NDArray[np.int32]:
    """Return the group of each document, int32[n], in the order of the index."""
    # An empty file cannot be memory-mapped.
    empty = not path.stat().st_size
    shingles = np.zeros(0, np.uint64) if empty else np.memmap(path, np.uint64, "r")
    groups = np.empty(len(order), np.int32)
    groups[order] = order[group(Sketch(np.asarray(shingles), sizes))]
    return groups
