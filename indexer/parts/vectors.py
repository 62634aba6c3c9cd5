"""The part `vectors`: sentence embeddings of premises (H21's future work) and of conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.checked import release
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource
from argsearch.indexer.parts.known import KnownVectors, known_vectors
from argsearch.indexer.processes import Progress
from argsearch.ranking.vectors import Quantised, quantise


class VectorsPart(PartMaker):
    """Vectors of premises and conclusions, int8; row · scale is the unit vector up to rounding.

    The array rows, int8[n, d], has a vector for each document's joined premises. The array
    conclusions, int8[c, d], which older indexes lack, has one row for each distinct conclusion, in
    the order of `Arrays.conclusion_docs`. The scales of both are float32, 0 for a missing text.
    """

    name = "vectors"
    doc = "Sentence embeddings of premises and of distinct conclusions, one byte per dimension."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return the index's own encoder."""
        return {"encoder": source.encoder(self.name)}

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Embed all premises and conclusions."""
        encoder = source.encoder(self.name)
        loaded, firsts = load_encoder(encoder), source.arrays.conclusion_docs[:-1]
        rows = drawer.new("rows", "int8", (source.documents, loaded.dimensions))
        claims = drawer.new("conclusions", "int8", (len(firsts), loaded.dimensions))
        scales = np.zeros(source.documents, np.float32)
        claim_scales = np.zeros(len(firsts), np.float32)
        embed = partial(_quantised, encoder)
        known = known_vectors(source, self.name, loaded, _texts, embed)
        work, done = partial(_embedded, encoder, known), partial(progress, self.name)
        for docs, ((premises, sizes), (conclusions, lengths), of) in source.mapped(
            work, done, embeds=True
        ):
            rows[docs], scales[docs] = premises, sizes
            leads = np.isin(docs, firsts)
            at = np.searchsorted(firsts, docs[leads])
            claims[at], claim_scales[at] = conclusions[of[leads]], lengths[of[leads]]
            # Written pages go to disk, so they need not stay in memory.
            release(rows)
        drawer.save("scales", scales)
        drawer.save("conclusions_scales", claim_scales)
        return {"dimensions": loaded.dimensions}


def _texts(arguments: list[Argument]) -> list[tuple[list[str], str]]:
    return [([one.premise], one.conclusion or "") for one in arguments]


def _quantised(encoder: str, texts: list[str]) -> Quantised:
    return quantise(load_encoder(encoder).encode(texts))


def _embedded(
    encoder: str, known: KnownVectors, arguments: list[Argument]
) -> tuple[Quantised, Quantised, NDArray[np.int64]]:
    """Return vectors of premises and of distinct conclusions, and each argument's conclusion."""
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(one.conclusion or "", len(numbers)) for one in arguments]
    embed = partial(_quantised, encoder)
    premises = known.embed([one.premise for one in arguments], embed)
    return premises, known.embed(list(numbers), embed), np.array(of, np.int64)
