"""Sentence-transformers models, such as W22's all-MiniLM-L6-v2."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.heavy import loading, located, require
from argsearch.indexer.encoders.texts import batches, unit_rows

EMBEDDED_AT_ONCE = 64
"""Texts embedded together; they are of like length."""

HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
"""A model's name on the hub: `model` or `owner/model`."""


class SbertEncoder:
    """A sentence-transformers model by its name on a model hub or by its folder.

    Texts longer than the model's own limit are cut by it (256 word pieces for MiniLM).
    """

    def __init__(self, model: str) -> None:
        """Raises MissingExtra, or EncoderUnavailable when no such model can be loaded."""
        self.name = f"sbert:{model}"
        place = find(model)
        with loading(self.name, "give a sentence-transformers model's name, or its folder"):
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
            self._model = SentenceTransformer(place)
            self.dimensions = int(self._rows(["one"]).shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings, float32[n, dimensions]: unit rows, zeros for blank texts."""
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for rows, batch in batches(texts, EMBEDDED_AT_ONCE):
            out[rows] = unit_rows(self._rows(batch))
        return out

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        rows = self._model.encode(
            texts, batch_size=EMBEDDED_AT_ONCE, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(rows, np.float32)


def find(model: str) -> str:
    """Where a model is, its library being installed; raises MissingExtra or EncoderUnavailable."""
    require("sentence_transformers", "sentence-transformers", "sbert")
    return located(f"sbert:{model}", model, named_elsewhere=bool(HUB_NAME.fullmatch(model)))
