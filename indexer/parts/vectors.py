"""The part `vectors`: premises (H21's future work) and conclusions as sentence embeddings."""

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
from argsearch.ranking.vectors import Quantised, quantise


class VectorsPart(PartMaker):
    """int8 vectors of premises and conclusions: row · scale is the unit vector, all but rounding.

    rows int8[n, d] of each document's joined premises; conclusions int8[c, d] of each distinct
    conclusion, in the order of `Arrays.conclusion_docs` (an index of before has none); their scales
    float32, 0 for a text that is not there.
    """

    name = "vectors"
    doc = "Sentence embeddings of premises and of distinct conclusions, one byte a dimension."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """The encoder, which is the index's own."""
        return {"encoder": source.encoder(self.name)}

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Embed all premises and conclusions; an exact encoder's rows are taken over.

        Where one of them, embedded again, is another, the encoder of that name is: all are made.
        """
        encoder = source.encoder(self.name)
        loaded, carried = load_encoder(encoder), source.carried
        dimensions, firsts = loaded.dimensions, source.arrays.conclusion_docs[:-1]
        rows = drawer.new("rows", "int8", (source.documents, dimensions))
        claims = drawer.new("conclusions", "int8", (len(firsts), dimensions))
        scales = np.zeros(source.documents, np.float32)
        claim_scales = np.zeros(len(firsts), np.float32)
        new = np.ones(source.documents, np.bool_)
        if carried and loaded.exact and _is_of(carried, encoder, source.store):
            new = carried.docs < 0
            docs, held = carried.docs[~new], carried.part
            rows[~new], scales[~new] = held["rows"][docs], held["scales"][docs]
            if "conclusions" in held.arrays:
                stay, of = ~new[firsts], carried.conclusions(carried.docs[firsts])
                claims[stay] = held["conclusions"][of[stay]]
                claim_scales[stay] = held["conclusions_scales"][of[stay]]
            else:
                new[firsts] = True
        work, done = partial(_quantised, encoder), partial(progress, self.name)
        for docs, ((premises, sizes), (conclusions, lengths), of) in source.mapped(
            work, done, embeds=True, of=new
        ):
            rows[docs], scales[docs] = premises, sizes
            leads = np.isin(docs, firsts)
            at = np.searchsorted(firsts, docs[leads])
            claims[at], claim_scales[at] = conclusions[of[leads]], lengths[of[leads]]
            release(rows)
        drawer.save("scales", scales)
        drawer.save("conclusions_scales", claim_scales)
        return {"dimensions": dimensions}


def _is_of(carried: Carried, encoder: str, store: DocumentStore) -> bool:
    """Whether the encoder gives a text that stays the row that is held."""
    stay = np.flatnonzero(carried.docs >= 0)
    stay = stay[carried.part["scales"][carried.docs[stay]] > 0][:1]
    held = carried.part["rows"][carried.docs[stay]]
    (made, _), *_ = _quantised(encoder, [store[int(doc)] for doc in stay])
    return len(stay) > 0 and np.array_equal(made, held)


def _quantised(
    encoder: str, arguments: list[Argument]
) -> tuple[Quantised, Quantised, NDArray[np.int64]]:
    """The rows of all premises, those of their distinct conclusions, and whose each of these is."""
    loaded = load_encoder(encoder)
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(one.conclusion or "", len(numbers)) for one in arguments]
    premises = quantise(loaded.encode([one.premise for one in arguments]))
    return premises, quantise(loaded.encode(list(numbers))), np.array(of, np.int64)
