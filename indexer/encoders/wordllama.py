"""The default encoder, which averages WordLlama's token vectors, without network or torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import Encoder
from argsearch.indexer.packages import PackageBroken, package_folder

if TYPE_CHECKING:
    from argsearch.indexer.encoders.pieces import KnownPieces

SPECIAL = re.compile("<(?:unk|s|/s)>")
"""Special tokens, which the tokenizer recognises before it splits a text."""
SPACE_SIGN = "▁"
"""Character that the tokenizer writes for a space, and also reads as a space."""


class WordLlamaEncoder(Encoder):
    """WordLlama l2_supercat with 256 dimensions: the normalised sum of a text's token vectors.

    The model's two files are read directly from the installed package `wordllama`. The vectors stay
    memory-mapped as float16, and the package itself (which adds an HTTP client and logging
    settings) is not imported. A row equals `WordLlama.embed(text, norm=True)` up to rounding, and
    has the same bits whatever other texts are in the call.
    """

    scheme = "wordllama"
    light = exact = True
    batch = 2048
    dimensions = 256

    def __init__(self, model: str = "") -> None:
        super().__init__(model)
        folder = package_folder("wordllama")
        tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        self._vectors = open_vectors(folder / "weights" / "l2_supercat_256.safetensors")
        self._tokenizer = open_tokenizer(tokenizer)
        self._model = self._tokenizer.model
        self._bits = self._vectors.view(np.uint16)

    def pieces(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the tokenizer's piece ids for all texts, and where each text's ids begin.

        A text has at most LONGEST_TEXT characters.
        """
        encoded = [f" {text}".replace(SPACE_SIGN, " ").encode() if text else b"" for text in texts]
        whole = np.array([SPECIAL.search(text) is not None for text in texts], np.bool_)
        return self._known.of(encoded, whole)

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Return the sum of each text's token vectors."""
        pieces, bounds = self.pieces(texts)
        if tokens is not None:
            sizes = np.diff(bounds)
            place = np.arange(len(pieces)) - np.repeat(bounds[:-1], sizes)
            pieces = pieces[place < tokens]
            bounds = np.append(0, np.cumsum(np.minimum(sizes, tokens)))
        return self.sums(pieces, bounds)

    def sums(self, pieces: NDArray[np.int32], bounds: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the sum of the vectors in each run of pieces, computed exactly, then rounded."""
        from argsearch.indexer.encoders.pieces import sums

        return sums(self._bits, pieces, bounds)  # type: ignore[no-any-return]

    def ids(self, pieces: Sequence[str]) -> list[int]:
        """Return the ids of named pieces."""
        return [self._tokenizer.token_to_id(piece) for piece in pieces]

    @cached_property
    def _known(self) -> KnownPieces:
        from argsearch.indexer.encoders.pieces import KnownPieces

        return KnownPieces(self._cut)

    def _cut(self, segment: str) -> list[int]:
        if "<" in segment and SPECIAL.search(segment):
            # This is a whole text. The tokenizer adds a space, so remove the one from `pieces`.
            ids: list[int] = self._tokenizer.encode(segment[1:], add_special_tokens=False).ids
            return ids
        return [piece.id for piece in self._model.tokenize(segment.replace(" ", SPACE_SIGN))]


def open_vectors(file: Path) -> NDArray[np.float16]:
    """Return the only tensor of a safetensors file, memory-mapped, float16[32000, 256]."""
    try:
        with file.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            tensor = orjson.loads(stream.read(size))["embedding.weight"]
        if tensor["dtype"] != "F16":
            raise ValueError(f"its vectors must be F16, not {tensor['dtype']}")
        start, shape = 8 + size + tensor["data_offsets"][0], tuple(tensor["shape"])
        return np.memmap(file, np.float16, "r", start, shape).view(np.ndarray)
    except (OSError, LookupError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise PackageBroken.lacks("wordllama", file.name, error) from error


def open_tokenizer(file: Path) -> Any:
    """Return the tokenizer in a file; raise PackageBroken if it cannot be read."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(file.read_bytes())
    except (OSError, ValueError) as error:
        raise PackageBroken.lacks("wordllama", file.name, error) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
