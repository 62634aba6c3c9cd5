"""The fields of an index: which documents have a term there, how often, and how long they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.arrays import Arrays
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths
from argsearch.ranking.similarities.statistics import Statistics
from argsearch.ranking.similarities.tables import Lengths

Run = tuple[NDArray[np.int32], NDArray[np.integer]]
"""A term's documents, ascending, and its frequency in each."""


def read_lengths(lengths: NDArray[np.int32], reading: str) -> NDArray[np.int32]:
    """Lengths as they are read: `lucene` rounds them to Lucene's byte, `exact` does not."""
    return LENGTH_TABLE[encode_lengths(lengths)] if reading == "lucene" else lengths


class Field(ABC):
    """One field; what it needs by document is made once."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.columns = lru_cache(2)(self._columns)

    @abstractmethod
    def run(self, row: int) -> Run:
        """The documents that have a term, by its row in the dictionary."""

    def counts(self, row: int) -> tuple[int, int]:
        """A term's df and ttf here."""
        docs, tfs = self.run(row)
        return len(docs), int(tfs.sum(dtype=np.int64))

    @cached_property
    @abstractmethod
    def lengths(self) -> NDArray[np.int32]:
        """int32[n], tokens of each document here."""

    @cached_property
    def documents(self) -> int:
        """N, documents that have any token here."""
        return int(np.count_nonzero(self.lengths))

    @cached_property
    def tokens(self) -> int:
        """T, tokens of all documents here."""
        return int(self.lengths.sum(dtype=np.int64))

    def statistics(self, row: int) -> Statistics:
        """The counts of a term that occurs here."""
        return Statistics(*self.counts(row), self.documents, self.tokens)

    def frequency(self, row: int, doc: int) -> int:
        """How often a document has a term here."""
        docs, tfs = self.run(row)
        at = int(np.searchsorted(docs, docs.dtype.type(doc)))  # of another type: docs is copied
        return int(tfs[at]) if at < len(docs) and docs[at] == doc else 0

    def _columns(self, reading: str) -> Lengths:
        """The lengths as columns of a table: Lucene's bytes, or the lengths that occur."""
        if reading == "lucene":
            columns: NDArray[np.integer] = encode_lengths(self.lengths)
            values = LENGTH_TABLE[: int(columns.max(initial=0)) + 1]
        else:
            values, inverse = np.unique(self.lengths, return_inverse=True)
            columns = inverse.astype(np.int32)
        return Lengths(columns, np.maximum(values, 1).astype(np.float64))


class Text(Field):
    """The whole text: premises and conclusion."""

    def run(self, row: int) -> Run:
        """The documents that have a term."""
        begin, end = self.arrays.text_starts[row], self.arrays.text_starts[row + 1]
        return self.arrays.text_docs[begin:end], self.arrays.text_tfs[begin:end]

    def counts(self, row: int) -> tuple[int, int]:
        """A term's df and ttf."""
        df = int(self.arrays.text_starts[row + 1] - self.arrays.text_starts[row])
        return df, int(self.arrays.text_totals[row])

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n], tokens of each text."""
        return self.arrays.text_lengths


class Conclusion(Field):
    """The conclusions, which documents share."""

    def shared(self, row: int) -> Run:
        """The distinct conclusions that have a term, ascending, and its frequency in each."""
        begin, end = self.arrays.conclusion_starts[row], self.arrays.conclusion_starts[row + 1]
        return self.arrays.conclusion_rows[begin:end], self.arrays.conclusion_tfs[begin:end]

    def run(self, row: int) -> Run:
        """The documents whose conclusions have a term."""
        rows, tfs = self.shared(row)
        firsts = self.arrays.conclusion_docs[rows]
        sizes = self.arrays.conclusion_docs[rows + 1] - firsts
        within = np.arange(sizes.sum(), dtype=np.int32)
        within -= np.repeat(np.cumsum(sizes) - sizes, sizes).astype(np.int32)
        return np.repeat(firsts, sizes) + within, np.repeat(tfs, sizes)

    def counts(self, row: int) -> tuple[int, int]:
        """A term's df and ttf, over documents."""
        rows, tfs = self.shared(row)
        sizes = np.diff(self.arrays.conclusion_docs)[rows]
        return int(sizes.sum()), int((sizes * tfs.astype(np.int64)).sum())

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n], tokens of each document's conclusion."""
        arrays = self.arrays
        return np.repeat(arrays.conclusion_lengths, np.diff(arrays.conclusion_docs))


class PremiseField(Field):
    """The joined premises: what the text has beside the conclusion."""

    def __init__(self, arrays: Arrays, text: Text, conclusion: Conclusion) -> None:
        super().__init__(arrays)
        self.text, self.conclusion = text, conclusion

    def run(self, row: int) -> Run:
        """The documents whose premises have a term."""
        docs, tfs = self.text.run(row)
        elsewhere, there = self.conclusion.run(row)
        rest = tfs.astype(np.int32)
        rest[np.searchsorted(docs, elsewhere)] -= there.astype(np.int32)
        return docs[rest > 0], rest[rest > 0]

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n], tokens of each document's premises."""
        return self.text.lengths - self.conclusion.lengths
