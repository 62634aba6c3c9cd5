"""The part `vectors`: each argument's premises as a sentence embedding (H21's future work)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.checked import release
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts.base import Carried, Drawer, PartMaker, PartSource
from argsearch.indexer.processes import Progress
from argsearch.ranking.vectors import quantise


class VectorsPart(PartMaker):
    """int8 vectors and one scale a document: row · scale is the unit vector, all but rounding."""

    name = "vectors"
    doc = "Sentence embeddings of the premises, one byte a dimension."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """The encoder, which is the index's own."""
        return {"encoder": source.encoder(self.name)}

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Embed every document's joined premises; an exact encoder's rows are taken over.

        Where one of them, embedded again, is another, the encoder of that name is: all are made.
        """
        encoder = source.encoder(self.name)
        loaded, carried = load_encoder(encoder), source.carried
        dimensions = loaded.dimensions
        rows = drawer.new("rows", "int8", (source.documents, dimensions))
        scales = np.zeros(source.documents, np.float32)
        new = np.ones(source.documents, np.bool_)
        if carried and loaded.exact and _is_of(carried, encoder, source.store):
            new = carried.docs < 0
            docs = carried.docs[~new]
            rows[~new], scales[~new] = carried.part["rows"][docs], carried.part["scales"][docs]
        work, done = partial(_quantised, encoder), partial(progress, self.name)
        for docs, made in source.mapped(work, done, embeds=True, of=new):
            rows[docs], scales[docs] = made
            release(rows)
        drawer.save("scales", scales)
        return {"dimensions": dimensions}


def _is_of(carried: Carried, encoder: str, store: DocumentStore) -> bool:
    """Whether the encoder gives a text that stays the row that is held."""
    stay = np.flatnonzero(carried.docs >= 0)
    stay = stay[carried.part["scales"][carried.docs[stay]] > 0][:1]
    held = carried.part["rows"][carried.docs[stay]]
    return len(stay) > 0 and np.array_equal(
        _quantised(encoder, [store[int(doc)] for doc in stay])[0], held
    )


def _quantised(
    encoder: str, arguments: list[Argument]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    return quantise(load_encoder(encoder).encode([one.premise for one in arguments]))
