"""The fields of an index: each term's documents and frequencies, and the documents' lengths.

Stem conflation merges all terms that share a stem into one term. Spelling conflation merges all
spellings of a word. The frequencies of a merged term are sums over its parts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.query.variants import VariantRows
from argsearch.indexer.analysis.stemming import stems
from argsearch.indexer.format.arrays import Arrays, SortedStrings
from argsearch.ranking.similarities.smallfloat import LENGTH_TABLE, encode_lengths
from argsearch.ranking.similarities.statistics import Statistics
from argsearch.ranking.similarities.tables import Lengths

Run = tuple[NDArray[np.int32], NDArray[np.integer]]
"""The documents that contain a term, in ascending order, and its frequency in each."""
MERGED_BYTES = 64 << 20
"""Memory for merged postings, in bytes; one class takes at most 8 bytes per document."""
CACHED_WORD_FORMS = 1 << 12


def read_lengths(lengths: NDArray[np.int32], reading: str) -> NDArray[np.int32]:
    """Return lengths as configured: `lucene` rounds them to one byte, `exact` keeps them."""
    return LENGTH_TABLE[encode_lengths(lengths)] if reading == "lucene" else lengths


class Field(ABC):
    """A field whose per-document arrays are computed only once."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.columns = lru_cache(2)(self._columns)

    @abstractmethod
    def run(self, row: int) -> Run:
        """Return the documents that contain a term, given by its row in the dictionary."""

    def counts(self, row: int) -> tuple[int, int]:
        """Return df and ttf of a term in this field."""
        docs, tfs = self.run(row)
        return len(docs), int(tfs.sum(dtype=np.int64))

    @cached_property
    @abstractmethod
    def lengths(self) -> NDArray[np.int32]:
        """Length of each document in this field, in tokens, int32[n]."""

    @cached_property
    def documents(self) -> int:
        """N, number of documents with any token in this field."""
        return int(np.count_nonzero(self.lengths))

    @cached_property
    def tokens(self) -> int:
        """T, the total number of tokens in this field."""
        return int(self.lengths.sum(dtype=np.int64))

    def statistics(self, row: int) -> Statistics:
        """Return the counts of a term that occurs in this field."""
        return Statistics(*self.counts(row), self.documents, self.tokens)

    def frequency(self, row: int, doc: int) -> int:
        """Return how often a term occurs in this field of a document."""
        docs, tfs = self.run(row)
        at = int(np.searchsorted(docs, docs.dtype.type(doc)))  # another type would copy docs
        return int(tfs[at]) if at < len(docs) and docs[at] == doc else 0

    def _columns(self, reading: str) -> Lengths:
        """Return the lengths as columns of a table: Lucene's bytes or the distinct lengths."""
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
        """Return the documents that have a term."""
        begin, end = self.arrays.text_starts[row], self.arrays.text_starts[row + 1]
        return self.arrays.text_docs[begin:end], self.arrays.text_tfs[begin:end]

    def counts(self, row: int) -> tuple[int, int]:
        """Return df and ttf of a term."""
        df = int(self.arrays.text_starts[row + 1] - self.arrays.text_starts[row])
        return df, int(self.arrays.text_totals[row])

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each text in tokens, int32[n]."""
        return self.arrays.text_lengths


class Conclusion(Field):
    """The conclusions. Several documents may share a conclusion."""

    def shared(self, row: int) -> Run:
        """Return the distinct conclusions with a term, ascending, and its frequency in each."""
        begin, end = self.arrays.conclusion_starts[row], self.arrays.conclusion_starts[row + 1]
        return self.arrays.conclusion_rows[begin:end], self.arrays.conclusion_tfs[begin:end]

    def run(self, row: int) -> Run:
        """Return the documents whose conclusions contain a term."""
        rows, tfs = self.shared(row)
        firsts = self.arrays.conclusion_docs[rows]
        sizes = self.arrays.conclusion_docs[rows + 1] - firsts
        within = np.arange(sizes.sum(), dtype=np.int32)
        within -= np.repeat(np.cumsum(sizes) - sizes, sizes).astype(np.int32)
        return np.repeat(firsts, sizes) + within, np.repeat(tfs, sizes)

    def counts(self, row: int) -> tuple[int, int]:
        """Return df and ttf of a term, counted over documents."""
        rows, tfs = self.shared(row)
        sizes = np.diff(self.arrays.conclusion_docs)[rows]
        return int(sizes.sum()), int((sizes * tfs.astype(np.int64)).sum())

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each document's conclusion in tokens, int32[n]."""
        arrays = self.arrays
        return np.repeat(arrays.conclusion_lengths, np.diff(arrays.conclusion_docs))


class PremiseField(Field):
    """The joined premises: the text without the conclusion."""

    def __init__(self, arrays: Arrays, text: Text, conclusion: Conclusion) -> None:
        super().__init__(arrays)
        self.text, self.conclusion = text, conclusion

    def run(self, row: int) -> Run:
        """Return the documents whose premises contain a term."""
        docs, tfs = self.text.run(row)
        elsewhere, there = self.conclusion.run(row)
        rest = tfs.astype(np.int32)
        rest[np.searchsorted(docs, elsewhere)] -= there.astype(np.int32)
        return docs[rest > 0], rest[rest > 0]

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each document's premises in tokens, int32[n]."""
        return self.text.lengths - self.conclusion.lengths


class WordForms:
    """Lookup of all terms with the same stem as a word; safe to share between threads."""

    def __init__(self, vocabulary: SortedStrings) -> None:
        self.vocabulary = vocabulary
        self.rows = lru_cache(CACHED_WORD_FORMS)(self._rows)
        self._stemmed = lru_cache(256)(self._make_stemmed)

    def words(self, begin: int, end: int) -> list[str]:
        """Return the terms of a range of rows."""
        offsets = self.vocabulary.offsets[begin : end + 1].tolist()
        data = self.vocabulary.data[offsets[0] : offsets[-1]].tobytes()
        ends = [offset - offsets[0] for offset in offsets]
        return [data[a:b].decode() for a, b in pairwise(ends)]

    def _make_stemmed(self, first: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return sorted stem hashes of the terms that begin with this byte, and the terms' rows."""
        begin, end = (bisect_left(self.vocabulary, bytes([byte])) for byte in (first, first + 1))
        # Python salts these hashes in each process, so they must never be written to a file.
        hashes = np.array([hash(stem) for stem in stems(self.words(begin, end))], np.int64)
        order = np.argsort(hashes, kind="stable")
        return hashes[order], (begin + order).astype(np.int32)

    def _rows(self, word: str) -> tuple[int, ...]:
        """Return the rows of all terms with the word's stem, ascending, even for an unknown word.

        A stem keeps the first letter of its word, so only terms with that letter are stemmed.
        """
        (stem,) = stems([word])
        hashes, rows = self._stemmed(word.encode()[0])
        begin, end = (int(np.searchsorted(hashes, hash(stem), side)) for side in ("left", "right"))
        near = rows[begin:end].tolist()
        # Different stems may have the same hash.
        same = stems([self.vocabulary[row].decode() for row in near])
        return tuple(row for row, one in zip(near, same, strict=True) if one == stem)


class Merged(Field):
    """A field whose terms are classes of word forms, or of spellings of one word.

    A class is identified by the row of its first term.
    """

    def __init__(self, field: Field, forms: WordForms | VariantRows) -> None:
        super().__init__(field.arrays)
        self.field, self.forms = field, forms
        most = MERGED_BYTES // (8 * max(1, len(field.arrays.quality)))
        self._merged = lru_cache(max(1, most))(self._merge)

    def members(self, row: int) -> tuple[int, ...]:
        """Return the rows of a class's terms, ascending."""
        return self.forms.rows(self.forms.vocabulary[row].decode())

    def run(self, row: int) -> Run:
        """Return the documents that have any form of the class, and the number of forms in each."""
        members = self.members(row)
        return self.field.run(row) if len(members) == 1 else self._merged(row)

    def occurrences(self, row: int) -> int:
        """Return ttf of the class."""
        return sum(self.field.counts(member)[1] for member in self.members(row))

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each document in the field, in tokens, int32[n]."""
        return self.field.lengths

    def _columns(self, reading: str) -> Lengths:
        return self.field.columns(reading)

    def _merge(self, row: int) -> Run:
        return merge([self.field.run(member) for member in self.members(row)])


def merge(runs: list[Run]) -> Run:
    """Return the documents with any of several terms, and the sums of the terms' frequencies."""
    docs = np.concatenate([docs for docs, _ in runs])
    order = np.argsort(docs, kind="stable")
    docs = docs[order]
    tfs = np.concatenate([tfs.astype(np.int32) for _, tfs in runs])[order]
    firsts = np.flatnonzero(np.diff(docs, prepend=-1))
    added = np.add.reduceat(tfs, firsts) if len(firsts) else tfs
    kind = runs[0][1].dtype  # the index's type, so that the same compiled kernels apply
    fits = int(added.max(initial=0)) <= np.iinfo(kind).max
    return docs[firsts], added.astype(kind if fits else np.uint32)
