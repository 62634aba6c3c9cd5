"""Vectors of single words, for word mover's distance: the default ones, or a file of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.wordllama import WordLlamaEncoder, open_model
from argsearch.indexer.errors import InvalidParameter

SPECS = "wordllama, a word2vec file (text or binary), or a GloVe file (text)"
"""What `load_word_vectors` reads, in words."""

KNOWN_WORDS = 100_000
"""Words whose pieces are remembered."""


class WordVectorSource(Protocol):
    """Gives words their vectors."""

    @property
    def name(self) -> str:
        """The spec that `load_word_vectors` reads."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which words are known, bool[n], and the vectors of these, float32[known, dimensions]."""


def load_word_vectors(spec: str) -> WordVectorSource:
    """`wordllama` (the default), or the path of a file in word2vec's or GloVe's form.

    One object for a spec and process. Raises InvalidParameter when there is no such file,
    PackageBroken when the package wordllama is broken, and FaultyVectors for a file that is
    not what it should be.
    """
    if spec.strip().lower() == "wordllama":
        return _pieces()
    path = Path(spec.strip()).expanduser()
    if not spec.strip() or not path.is_file():
        raise InvalidParameter("word vectors", spec, SPECS)
    return _file(str(path.resolve()), path.stat().st_mtime_ns)


@lru_cache(1)
def _pieces() -> WordVectorSource:
    return PieceVectors()


@lru_cache(2)
def _file(path: str, _modified: int) -> WordVectorSource:
    from argsearch.indexer.encoders.vector_files import FileVectors

    return FileVectors(Path(path))


class PieceVectors:
    """WordLlama's vectors: a word's is the mean of the vectors of the pieces it is written in.

    Every word of the piece vocabulary's letters is known; one that can only be written byte by
    byte is not.
    """

    name = WordLlamaEncoder.name
    dimensions = WordLlamaEncoder.dimensions

    def __init__(self) -> None:
        self._vectors, self._tokenizer = open_model()
        ids = (self._tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in range(256))
        self._bytes = frozenset(id_ for id_ in ids if id_ is not None)
        self._remembered: dict[str, tuple[int, ...]] = {}

    def vectors(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which words are known, bool[n], and the vectors of these, float32[known, 256]."""
        rows = self._rows(words)
        known = np.array([bool(row) for row in rows], np.bool_)
        written = [row for row in rows if row]
        if not written:
            return known, np.zeros((0, self.dimensions), np.float32)
        sizes = np.array([len(row) for row in written])
        flat = np.fromiter((piece for row in written for piece in row), np.int64)
        starts = np.cumsum(sizes) - sizes
        sums = np.add.reduceat(self._vectors[flat].astype(np.float32), starts, axis=0)
        return known, np.asarray(sums / sizes[:, None], np.float32)

    def _rows(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The pieces of each word; none for a word that is not known."""
        remembered = self._remembered
        new = list(dict.fromkeys(word for word in words if word not in remembered))
        found = dict(zip(new, self._pieces_of(new), strict=True))
        rows = [found[word] if word in found else remembered[word] for word in words]
        if len(remembered) + len(found) > KNOWN_WORDS:
            self._remembered = found if len(found) <= KNOWN_WORDS else {}
        else:
            remembered.update(found)
        return rows

    def _pieces_of(self, words: list[str]) -> list[tuple[int, ...]]:
        clean = [word.encode("utf-8", "replace").decode("utf-8") for word in words]
        encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [() if self._bytes & set(e.ids) else tuple(e.ids) for e in encodings]
