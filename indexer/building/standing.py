"""Reads an existing index for a build: its documents, settings and topical clusters."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from argsearch.indexer.format.arrays import Strings, open_arrays
from argsearch.indexer.format.columns import columns_of
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import Frames, from_line
from argsearch.indexer.quality import described
from argsearch.indexer.signals import signals
from argsearch.indexer.signals.cluster import Recorded
from argsearch.version import __version__

IN_TURN = 4
"""Number of decompressed frames of the store to cache."""


def settings_of(manifest: Mapping[str, Any]) -> IndexSettings:
    """Return the settings of section [index] that an index was built with."""
    known = {field.name for field in fields(IndexSettings)}
    said = {key: value for key, value in manifest["settings"].items() if key in known}
    return IndexSettings(**said | {"parts": tuple(said.get("parts", ()))})


class Standing:
    """An index directory whose documents are addressed by row, their position in the corpus."""

    def __init__(self, folder: Path) -> None:
        """Open the index; raise the same errors as `open_arrays`."""
        self.folder = folder
        self.arrays, self.manifest = open_arrays(folder)
        self.settings = settings_of(self.manifest)
        ids = Strings(self.arrays.ids_offsets, self.arrays.ids_bytes).whole()
        docs = np.argsort(self.arrays.store_rows, kind="stable").tolist()
        self.ids = [ids[doc].decode() for doc in docs]
        # Documents are read in order, so each frame is decompressed only once.
        self.frames = Frames(self.arrays, IN_TURN, sys.maxsize)

    def recorded(self) -> Recorded:
        """Return the topical clusters of the index and the conclusions in them."""
        arrays, k = self.arrays, len(self.arrays.centroids)
        firsts = arrays.conclusion_docs[:-1]
        labels, rows = arrays.clusters[firsts].tolist(), arrays.store_rows[firsts].tolist()
        texts = [from_line(self.frames.line(row)).conclusion for row in rows]
        # Documents without a conclusion share an empty conclusion.
        known = {t: label for t, label in zip(texts, labels, strict=True) if t and label < k}
        return Recorded(np.array(arrays.centroids), known, self.manifest["encoder"])

    def is_current(self) -> bool:
        """Return whether this version, with its model and signals, would build the same index."""
        return (
            self.manifest["software"] == __version__
            and self.manifest["quality_model"] == described(self.settings.quality_model)
            and {one.column.name for one in signals()} == columns_of(self.manifest).keys()
        )
