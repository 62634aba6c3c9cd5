"""The part `vectors`: each argument's premises as a sentence embedding (H21's future work)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.encoders import load_encoder
from indexer.errors import InvalidParameter
from indexer.parts.base import Drawer, Progress, Source
from ranking.quantising import quantise

BATCH = 2048
"""Documents embedded together."""


class Vectors:
    """int8 vectors and one scale a document: row · scale is the unit vector, all but rounding."""

    name = "vectors"
    unit = "argument"
    version = 1
    doc = "Sentence embeddings of the premises, one byte a dimension."
    needs: tuple[str, ...] = ()

    def settings(self, source: Source) -> Mapping[str, Any]:
        """The encoder, which is the index's own.

        Raises InvalidParameter for an index that was built without one.
        """
        encoder = source.manifest["encoder"]
        if encoder == "none":
            raise InvalidParameter("part", self.name, "an index built with an encoder")
        return {"encoder": encoder}

    def make(self, source: Source, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Embed every document's joined premises."""
        encoder = load_encoder(source.manifest["encoder"])
        rows = drawer.new("rows", "int8", (source.documents, encoder.dimensions))
        scales = np.zeros(source.documents, np.float32)
        done, docs, texts = 0, [], []
        for doc, argument in source.stored():
            docs.append(doc)
            texts.append(argument.premise)
            if len(docs) == BATCH or done + len(docs) == source.documents:
                _put(encoder.encode(texts), docs, rows, scales)
                done += len(docs)
                progress(self.name, done)
                docs, texts = [], []
        drawer.save("scales", scales)
        return {"dimensions": encoder.dimensions}


def _put(
    vectors: NDArray[np.float32], docs: list[int], rows: NDArray[Any], scales: NDArray[Any]
) -> None:
    rows[docs], scales[docs] = quantise(vectors)
