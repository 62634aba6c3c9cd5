"""Forms of words: the terms of an index that have one stem, as one term with added frequencies."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.fields import Field, Run
from argsearch.indexer.analysis.stemming import stems
from argsearch.indexer.format.arrays import SortedStrings
from argsearch.ranking.similarities.tables import Lengths

REMEMBERED_BYTES = 64 << 20
"""For merged postings; a class has at most 8 bytes a document."""
KNOWN_WORDS = 1 << 12
"""Words whose forms are remembered."""


class WordForms:
    """Finds the terms that share a word's stem; safe to share between threads."""

    def __init__(self, vocabulary: SortedStrings) -> None:
        self.vocabulary = vocabulary
        self.rows = lru_cache(KNOWN_WORDS)(self._rows)
        self._stemmed = lru_cache(256)(self._make_stemmed)

    def words(self, begin: int, end: int) -> list[str]:
        """The terms of some rows."""
        offsets = self.vocabulary.offsets[begin : end + 1].tolist()
        data = self.vocabulary.data[offsets[0] : offsets[-1]].tobytes()
        ends = [offset - offsets[0] for offset in offsets]
        return [data[a:b].decode() for a, b in pairwise(ends)]

    def _make_stemmed(self, first: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Hashes of the stems of all terms with that first byte, ascending, and the terms' rows."""
        begin, end = (bisect_left(self.vocabulary, bytes([byte])) for byte in (first, first + 1))
        hashes = np.array([hash(stem) for stem in stems(self.words(begin, end))], np.int64)
        order = np.argsort(hashes, kind="stable")
        return hashes[order], (begin + order).astype(np.int32)

    def _rows(self, word: str) -> tuple[int, ...]:
        """The terms with the word's stem, by their rows, ascending; the word need not be one.

        No stem changes the first letter of a word, so only the terms with that one are stemmed.
        """
        (stem,) = stems([word])
        hashes, rows = self._stemmed(word.encode()[0])
        begin, end = (int(np.searchsorted(hashes, hash(stem), side)) for side in ("left", "right"))
        near = rows[begin:end].tolist()
        same = stems([self.vocabulary[row].decode() for row in near])
        return tuple(row for row, one in zip(near, same, strict=True) if one == stem)


class Merged(Field):
    """A field whose terms are classes of word forms; a class goes by the row of its first term."""

    def __init__(self, field: Field, forms: WordForms) -> None:
        super().__init__(field.arrays)
        self.field, self.forms = field, forms
        most = REMEMBERED_BYTES // (8 * max(1, len(field.arrays.quality)))
        self._merged = lru_cache(max(1, most))(self._merge)

    def members(self, row: int) -> tuple[int, ...]:
        """The rows of a class's terms, ascending."""
        return self.forms.rows(self.forms.vocabulary[row].decode())

    def run(self, row: int) -> Run:
        """The documents that have any form, and how often they have one."""
        members = self.members(row)
        return self.field.run(row) if len(members) == 1 else self._merged(row)

    def occurrences(self, row: int) -> int:
        """ttf of the class."""
        return sum(self.field.counts(member)[1] for member in self.members(row))

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n], tokens of each document in the field."""
        return self.field.lengths

    def _columns(self, reading: str) -> Lengths:
        return self.field.columns(reading)

    def _merge(self, row: int) -> Run:
        runs = [self.field.run(member) for member in self.members(row)]
        docs = np.concatenate([docs for docs, _ in runs])
        order = np.argsort(docs, kind="stable")
        docs = docs[order]
        tfs = np.concatenate([tfs.astype(np.int32) for _, tfs in runs])[order]
        firsts = np.flatnonzero(np.diff(docs, prepend=-1))
        added = np.add.reduceat(tfs, firsts) if len(firsts) else tfs
        kind = runs[0][1].dtype  # that of the index, so that the same compiled kernels take it
        fits = int(added.max(initial=0)) <= np.iinfo(kind).max
        return docs[firsts], added.astype(kind if fits else np.uint32)
