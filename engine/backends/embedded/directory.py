"""A memory-mapped index directory, and the facts that do not depend on a query."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import IndexInfo
from argsearch.engine.query.spelling import Spelling
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.arrays import LARGE, Ids, SortedStrings, open_arrays, open_columns
from argsearch.indexer.format.parts import VERSIONS, Part, open_part
from argsearch.indexer.format.store import DocumentStore

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.meaning import MeaningVectors
    from argsearch.engine.backends.embedded.searching import Searcher
    from argsearch.engine.config import Retrieval


SPREAD_LEAST = 50
"""Minimum number of conclusions for a useful mean and deviation of cosines with a question."""


class IndexDirectory:
    """An open index directory; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.arrays, manifest = open_arrays(folder)
        self.columns = open_columns(folder, self.arrays, manifest)
        self.folder = folder
        self.ids = Ids(self.arrays)
        self.store = DocumentStore(self.arrays)
        self._parts: dict[tuple[str, int], Part] = {}
        self.info = IndexInfo.of(manifest)
        self.tokens, self.documents = self.info.tokens, self.info.documents
        self.centroids: NDArray[np.float32] = self.arrays.centroids

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder.absolute(),)

    def has_label(self, column: str, label: str) -> bool:
        """Return True if a document has this label in a column."""
        return label in self.columns[column].labels

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return how often each term occurs in the index."""
        rows = [self.searcher.row(term) for term in terms]
        return [int(self.arrays.text_totals[row]) if row >= 0 else 0 for row in rows]

    def spellings(self, words: Sequence[str], asked: Retrieval) -> list[tuple[str, ...]]:
        """Return the index's spellings of each word, or the word itself if there are none."""
        if not asked.unifies_spellings:
            return [(word,) for word in words]
        variants = self.searcher.variants
        return [variants.words(word) or (word,) for word in words]

    def close(self) -> None:
        """Release all resources (the operating system unmaps the files)."""

    def argument(self, id: str) -> Argument | None:
        """Return the argument with this id, or None."""
        doc = self.ids.find(id)
        return None if doc < 0 else self.store[doc]

    def quality(self, id: str) -> float | None:
        """Return Q of the argument with this id, or None."""
        doc = self.ids.find(id)
        return None if doc < 0 else float(self.arrays.quality[doc])

    @cached_property
    def searcher(self) -> Searcher:
        """The searcher, created together with its kernels when the first query arrives."""
        from argsearch.engine.backends.embedded.searching import Searcher

        return Searcher(self.arrays, self.columns, self.tokens)

    @cached_property
    def meaning(self) -> MeaningVectors:
        """Vectors to compare arguments with a question: the part `meaning`, or else `vectors`.

        Raises PartMissing, IndexDamaged, AnotherEncoder, or an error of loading the encoder.
        """
        from argsearch.engine.backends.embedded.meaning import OwnVectors, TaughtVectors

        if self.by_meaning and not self.has("meaning"):
            return OwnVectors(self.part("vectors"), self.arrays)
        return TaughtVectors(self.part("meaning"), self.arrays)

    def telling_passages(
        self, question: str, arguments: Sequence[Argument]
    ) -> list[list[tuple[int, float]]]:
        """Return the start of each argument's passages and their worth for a gist.

        See `MeaningVectors.telling`. An argument whose text is not in the index, such as a single
        premise of several, has none. Raises the same errors as `meaning`.
        """
        from argsearch.indexer.analysis.passages import passages

        found: list[list[tuple[int, float]]] = [[] for _ in arguments]
        docs = [self.ids.find(one.id) for one in arguments]
        whole = [
            i
            for i, (doc, one) in enumerate(zip(docs, arguments, strict=True))
            if doc >= 0 and self.store[doc].premise == one.premise
        ]
        worths = self.meaning.telling(question, np.array([docs[i] for i in whole], np.int64))
        for i, some in zip(whole, worths, strict=True):
            begins = [begin for begin, _ in passages(arguments[i].premise)] if len(some) else []
            found[i] = list(zip(begins, some.tolist(), strict=True))
        return found

    @property
    def by_meaning(self) -> bool:
        """True if the index can tell how near arguments are to a question (see `meaning`)."""
        described = self.info.manifest.get("parts", {})
        return "meaning" in described or "conclusions" in described.get("vectors", {}).get(
            "arrays", ()
        )

    @property
    def tells_near(self) -> bool:
        """True if nearness can be judged: the index has vectors and SPREAD_LEAST conclusions."""
        return self.by_meaning and len(self.arrays.conclusion_docs) - 1 >= SPREAD_LEAST

    @cached_property
    def spelling(self) -> Spelling:
        """Spelling corrections from the index's own vocabulary."""
        terms = SortedStrings(self.arrays.terms_offsets, self.arrays.terms_bytes)
        return Spelling(terms, self.arrays.text_totals, self.tokens)

    @property
    def parts(self) -> frozenset[str]:
        """Names of the optional parts that the index has."""
        return frozenset(self.info.manifest.get("parts", ()))

    def has(self, part: str) -> bool:
        """Return True if the index has an optional part."""
        return part in self.parts

    def part(self, name: str, version: int | None = None) -> Part:
        """Return an optional part, or raise IndexDamaged, or PartMissing with advice on adding it.

        version: by default, the version in `argsearch.indexer.format.parts.VERSIONS`.
        """
        version = VERSIONS.get(name, 1) if version is None else version
        part = self._parts.get((name, version))
        if part is None:
            part = open_part(self.folder, self.info.manifest, name, version)
            self._parts[name, version] = part
        return part

    def check(self) -> None:
        """Check every byte that a query could read, and raise IndexDamaged if one is wrong.

        Data is checked only once, even if processes are forked from this one later.
        """
        # All other files are small enough to be checked each time an index is opened.
        for name in LARGE:
            getattr(self.arrays, name).released()
        for name, described in self.info.manifest.get("parts", {}).items():
            for array in self.part(name, described["version"]).arrays.values():
                array.released()

    def near_duplicates(self, id: str) -> list[str]:
        """Return the sorted ids of an argument's near-duplicates, or raise PartMissing."""
        part, doc = self.part("near_duplicates"), self.ids.find(id)
        if doc < 0:
            return []
        of = part["groups"][doc]
        ends = np.searchsorted(part["groups"], [of, of + 1], sorter=part["members"])
        others = part["members"][slice(*ends.tolist())].tolist()
        return sorted(self.ids[d] for d in others if d != doc)
