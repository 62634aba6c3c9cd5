"""The Universal Sentence Encoder, which H21 used, through TensorFlow Hub."""

from __future__ import annotations

import os
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import Encoder, loading, located, require
from argsearch.indexer.errors import InvalidParameter

HANDLE = "https://tfhub.dev/google/universal-sentence-encoder/4"
"""Model meant by `use` alone: H21's encoder on TensorFlow Hub."""

MAX_PIECES = 256
"""Maximum number of pieces of a text that the lite model reads; time grows with its square."""

RESERVED_IDS = 6
"""Number of reserved ids in the lite vocabulary: unknown, <s>, </s> and three spare ids."""

Embed = Callable[[list[str], int | None], NDArray[np.float32]]


class UseEncoder(Encoder):
    """A Universal Sentence Encoder from a folder or a TensorFlow Hub handle.

    A SavedModel has one of two forms. The ordinary form (versions 4, 5 and similar models) takes
    strings. The lite form has a signature over SentencePiece ids and a `vocab.json` in its folder.
    Either form gives nearly normalised rows, which this encoder normalises.
    """

    scheme = "use"
    models = "FOLDER-OR-HANDLE"
    default = HANDLE
    batch = 128

    def __init__(self, model: str) -> None:
        super().__init__(model)
        place = self.find(model)
        with loading(self.name, "give the folder of a downloaded, unpacked model: use:FOLDER"):
            self._embed = _embedder(_load(place), place)
            self.dimensions = int(self.rows(["one"]).shape[1])

    @classmethod
    def find(cls, model: str) -> str:
        """Return a model's location; raise MissingExtra or EncoderUnavailable."""
        require("tensorflow", "TensorFlow", "use")
        require("tensorflow_hub", "tensorflow-hub", "use")
        return located(f"use:{model}", model, named_elsewhere="://" in model)

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Return the model's rows, float32[n, d]."""
        return self._embed(texts, tokens)


def _load(model: str) -> Any:
    """Load the SavedModel in a single-threaded TensorFlow, so that results are reproducible.

    If the process has used TensorFlow before, the number of threads stays as it was.
    """
    # TensorFlow logs a screenful when it starts.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    with warnings.catch_warnings():
        # tensorflow_hub imports the deprecated pkg_resources.
        warnings.simplefilter("ignore")
        import tensorflow
        import tensorflow_hub

        with suppress(RuntimeError):
            tensorflow.config.threading.set_intra_op_parallelism_threads(1)
            tensorflow.config.threading.set_inter_op_parallelism_threads(1)
        return tensorflow_hub.load(model)


def _embedder(loaded: Any, model: str) -> Embed:
    """Return a function that turns texts into the model's rows, float32[n, d]."""
    signature = getattr(loaded, "signatures", {}).get("default")
    if signature is not None:
        _, inputs = signature.structured_input_signature
        if set(inputs) == {"indices", "values"}:
            return partial(_lite, signature, _pieces(Path(model) / "vocab.json"))
    if callable(loaded):
        return partial(_strings, loaded)
    raise ValueError(
        "it is not a Universal Sentence Encoder: it cannot be called with strings, and it has no "
        "signature `default` over indices and values"
    )


def _strings(
    loaded: Callable[[Any], Any], texts: list[str], tokens: int | None
) -> NDArray[np.float32]:
    """Embed strings with the ordinary form, which returns one row per string."""
    import tensorflow

    if tokens is not None:
        allowed = "None; this model reads whole texts, but its lite version accepts a limit"
        raise InvalidParameter("tokens", tokens, allowed)

    rows = np.asarray(loaded(tensorflow.constant(texts)), np.float32)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise ValueError(f"the model gave an array of shape {rows.shape} for {len(texts)} texts")
    return rows


def _lite(
    signature: Callable[..., Any], tokenizer: Any, texts: list[str], tokens: int | None
) -> NDArray[np.float32]:
    """Embed texts with the lite form, which takes (row, position) indices and SentencePiece ids."""
    import tensorflow

    ids = [piece_ids(tokenizer, text)[:tokens] for text in texts]
    indices = [(row, position) for row, of in enumerate(ids) for position in range(len(of))]
    values = [piece for of in ids for piece in of]
    result = signature(
        indices=tensorflow.constant(indices, tensorflow.int64),
        values=tensorflow.constant(values, tensorflow.int64),
    )
    return np.asarray(result["embeddings"], np.float32)


def piece_ids(tokenizer: Any, text: str) -> list[int]:
    """Return the SentencePiece ids of a text; runs of spaces become one, as in SentencePiece."""
    normal = " ".join(unicodedata.normalize("NFKC", text).split())
    found: list[int] = tokenizer.encode(normal).ids[:MAX_PIECES]
    return found


def _pieces(file: Path) -> Any:
    """Return SentencePiece's unigram tokenizer for `vocab.json`, [[piece, log probability], …]."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    if not file.is_file():
        raise ValueError(f"its folder has no {file.name} (the lite model's vocabulary)")
    vocabulary = mended(orjson.loads(file.read_bytes()))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=False)
    return tokenizer


def mended(vocabulary: Sequence[tuple[str, float | None]]) -> list[tuple[str, float]]:
    """Return the lite vocabulary, after repairing the damage from its conversion to JSON.

    Pieces are sorted by descending log probability. If a score is missing or higher than the one
    before it (pieces with a colon in the published file), it is set to that one. Reserved pieces,
    and all but the last of a repeated piece, get a name that occurs in no text.
    """
    last = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    highest = 0.0
    found: list[tuple[str, float]] = []
    for number, (piece, score) in enumerate(vocabulary):
        highest = highest if score is None else min(highest, float(score))
        matchable = number >= RESERVED_IDS and last[piece] == number
        found.append((piece if matchable else f"\uffff{number}", highest))
    return found
