"""The part `vectors`: each argument's premises as a sentence embedding (H21's future work)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder, parse_spec
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.parts import VERSIONS
from argsearch.indexer.parts.base import Drawer, PartSource, Progress
from argsearch.ranking.vectors import quantise


class VectorsPart:
    """int8 vectors and one scale a document: row · scale is the unit vector, all but rounding."""

    name = "vectors"
    unit = "argument"
    version = VERSIONS["vectors"]
    doc = "Sentence embeddings of the premises, one byte a dimension."
    needs: tuple[str, ...] = ()

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """The encoder, which is the index's own.

        Raises InvalidParameter for an index that was built without one.
        """
        encoder = source.manifest["encoder"]
        if encoder == "none":
            raise InvalidParameter("part", self.name, "an index built with an encoder")
        return {"encoder": encoder}

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Embed every document's joined premises."""
        encoder = load_encoder(source.manifest["encoder"])
        light = parse_spec(source.manifest["encoder"]).light
        rows = drawer.new("rows", "int8", (source.documents, encoder.dimensions))
        scales, done = np.zeros(source.documents, np.float32), 0
        worked = source if light else replace(source, workers=1)  # a neural one has its threads
        for docs, made in worked.mapped(partial(_quantised, source.manifest["encoder"])):
            rows[docs], scales[docs] = made
            done += len(docs)
            progress(self.name, done)
        drawer.save("scales", scales)
        return {"dimensions": encoder.dimensions}


def _quantised(
    encoder: str, arguments: list[Argument]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    return quantise(load_encoder(encoder).encode([one.premise for one in arguments]))
