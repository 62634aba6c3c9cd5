"""Encoder for sentence-transformers models, such as W22's all-MiniLM-L6-v2."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import (
    HUB_NAME,
    LONGEST_TEXT,
    Encoder,
    loading,
    located,
    require,
)


class SbertEncoder(Encoder):
    """A sentence-transformers model, given by its name on a model hub or its folder.

    The model truncates texts longer than its own limit (256 word pieces for MiniLM).
    """

    scheme = "sbert"
    models = "NAME-OR-FOLDER"
    default = None

    def __init__(self, model: str) -> None:
        super().__init__(model)
        place = self.find(model)
        with loading(self.name, "give a sentence-transformers model's name, or its folder"):
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
            self._model = SentenceTransformer(place)
            self._longest = self._model.max_seq_length or LONGEST_TEXT
            # The token limit belongs to the model and not to a call, so calls with different limits
            # take turns.
            self._turn = Lock()
            self.dimensions = int(self.rows(["one"]).shape[1])

    @classmethod
    def find(cls, model: str) -> str:
        """Return a model's location; raise MissingExtra or EncoderUnavailable."""
        require("sentence_transformers", "sentence-transformers", "sbert")
        return located(f"sbert:{model}", model, named_elsewhere=bool(HUB_NAME.fullmatch(model)))

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Return the model's rows, float32[n, d]."""
        with self._turn:
            self._model.max_seq_length = min(self._longest, tokens or self._longest)
            rows = self._model.encode(
                texts, batch_size=self.batch, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(rows, np.float32)
