"""Static encoders of a corpus' own: the default one's pieces with vectors that it was taught."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.wordllama import WordLlamaEncoder
from argsearch.indexer.model_files import STATIC_ENCODER
from argsearch.indexer.model_places import model_path

PINNED = re.compile(r"(?P<file>.+)@(?P<digest>[0-9a-f]{16})")
"""A model with the beginning of its file's SHA-256, as an index names it."""
LIMIT = 16.0
"""Numbers are below it: sums of many are then exact (`pieces.sums`)."""


class StaticEncoder(WordLlamaEncoder):
    """A file of `argsearch train encoder`: the sum of a text's piece vectors, normalised.

    As fast and as exact as `wordllama`. The name has the beginning of the file's SHA-256, so that
    an index that was made with a file refuses another in its place.
    """

    scheme = "static"
    models = "FILE"
    default = None

    def __init__(self, model: str) -> None:
        """Raises ModelError for a file that is missing, damaged, of another kind or another one."""
        vectors, digest = opened(model)
        super().__init__(f"{_file(model)}@{digest}")
        self._bits = vectors.view(np.uint16)

    @classmethod
    def find(cls, model: str) -> str:
        """Where its file is, read and checked; raises ModelError."""
        opened(model)
        return str(model_path(_file(model)))


def opened(model: str) -> tuple[NDArray[np.float16], str]:
    """A file's vectors, float16[32000, 256], and the beginning of its SHA-256; raises ModelError.

    model: FILE, or FILE@DIGEST for that very file.
    """
    found = STATIC_ENCODER.read(model_path(_file(model)))
    pinned = PINNED.fullmatch(model)
    if pinned and found.sha256[:16] != pinned["digest"]:
        what = f"has the SHA-256 {found.sha256[:16]}…, not the {pinned['digest']}… asked for"
        raise STATIC_ENCODER.error(pinned["file"], what)
    with STATIC_ENCODER.unpacking(model):
        vectors = found.arrays["vectors"]
        if vectors.dtype != np.float16 or vectors.shape != (32_000, StaticEncoder.dimensions):
            raise ValueError(f"vectors are {vectors.dtype}{vectors.shape}")
        if not (np.abs(vectors) < LIMIT).all():
            raise ValueError(f"vectors hold a number that is not below {LIMIT:g}")
    return vectors, found.sha256[:16]


def _file(model: str) -> str:
    pinned = PINNED.fullmatch(model)
    return pinned["file"] if pinned else model
