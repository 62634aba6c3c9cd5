"""The part `pairs`: sentences of conclusions and premises, and each conclusion's premises (W22).

Everything that does not depend on the query is computed here: for each conclusion, the nearest
premises in the corpus and those in the arguments with this conclusion, with distances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.tagging import load_tagger
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.word_vectors import load_word_vectors
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Strings
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource
from argsearch.indexer.parts.pairs.comparing import Ingredients, Lists, compare
from argsearch.indexer.parts.pairs.gathering import NAMED_SIDES, DistinctSentences, gather
from argsearch.indexer.processes import Progress, in_order
from argsearch.ranking.vectors import MOST_DIMENSIONS, TOKEN_FACTOR, Nearest, nearest

PREMISES = 50
"""Number of premises that are kept for a conclusion (W22)."""
LISTS = 64
"""Number of conclusions that a process compares with their premises at a time."""
NEAR_ARRAYS = "near_structures", "near_moves"
"""Names of the arrays that `compare` returns."""


class PairsPart(PartMaker):
    """Makes the arrays of `argsearch.engine.units.pairs.opened.SideSentences` and of the pairs.

    Each side also has digests, uint64[m, 2], to find a sentence's vector when the index changes.
    """

    name = "pairs"
    unit = "pair"
    doc = "Sentences of conclusions and premises, and the nearest premises of each conclusion."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return the index's encoder, W22's constants, and the resources for comparing sentences.

        Raises InvalidParameter, MissingExtra or TaggerUnavailable.
        """
        by = _ingredients(source)
        load_word_vectors(by.vectors)
        return {
            "encoder": source.encoder(self.name),
            "premises": PREMISES,
            "token_factor": TOKEN_FACTOR,
            "tagger": load_tagger(by.tagger).name,
            "word_vectors": by.vectors,
            "word_limit": by.words,
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Find all sentences, then each conclusion's premises; raise InvalidParameter if none."""
        encoder = source.encoder(self.name)
        wide = load_encoder(encoder).dimensions > MOST_DIMENSIONS
        self._require(not wide, f"an encoder of at most {MOST_DIMENSIONS} dimensions")
        found = gather(source, encoder, partial(progress, "sentences"))
        self._require_both(found[0].numbers, found[1].numbers)
        sides = [one.saved(drawer, side) for one, side in zip(found, NAMED_SIDES, strict=True)]
        (conclusions, premises), texts = sides, found[0].texts
        self._require_both(conclusions.rows, premises.rows)
        # Re-ranking reads the texts of about a hundred conclusions for each query.
        strings = Strings.of(texts)
        drawer.save("text_offsets", strings.offsets)
        drawer.save("text_bytes", strings.data)
        queries, candidates, n = conclusions.rows, premises.rows, len(premises.rows)
        told = partial(progress, "neighbours")
        near = nearest(queries, candidates, PREMISES, progress=lambda done: told(done, n))
        # Order the conclusions by topic, as their documents are in the index. Results for a premise
        # are cached for a while, and neighbours share many premises.
        order = np.argsort(conclusions.stands[conclusions.starts[:-1], 1])
        lists = _premise_lists(source, near.rows[order], premises, [texts[c] for c in order])
        drawer.save("near_rows", near.rows)
        drawer.save("near_cosines", near.cosines)
        _save_distances(drawer, source, lists, order, partial(progress, "comparing"))
        own, places = _own(conclusions, premises, source.documents)
        drawer.save("own_rows", own.rows)
        drawer.save("own_cosines", own.cosines)
        drawer.save("own_places", places)
        return {
            "conclusions": len(queries),
            "premises_found": n,
            "dimensions": queries.levels.shape[1],
        }

    def _require_both(self, conclusions: Sized, premises: Sized) -> None:
        self._require(len(conclusions) > 0, "a corpus with at least one conclusion")
        self._require(len(premises) > 0, "a corpus with at least one premise that has words")

    def _require(self, sound: bool, needed: str) -> None:
        if not sound:
            raise InvalidParameter("part", self.name, problem=f"part {self.name} needs {needed}")


def _ingredients(source: PartSource) -> Ingredients:
    """Return the resources that section [index] names."""
    asked = asdict(IndexSettings()) | dict(source.manifest["settings"])
    return Ingredients(asked["pair_tagger"], asked["pair_vectors"], asked["word_limit"])


def _own(
    conclusions: DistinctSentences,
    premises: DistinctSentences,
    documents: int,
) -> tuple[Nearest, NDArray[np.int64]]:
    """Return each conclusion's nearest premises within the arguments that have the conclusion.

    Also returns the first occurrence of each premise, as a row of the premises' `stands`.
    """
    shape = len(conclusions.rows), PREMISES
    near = Nearest(np.full(shape, -1, np.int32), np.zeros(shape))
    places = np.full(shape, -1, np.int64)
    numbers, of_docs = premises.stands[:, :2].T
    by_doc = np.argsort(of_docs, kind="stable")
    starts = np.searchsorted(of_docs[by_doc], np.arange(documents + 1))
    queries, candidates = conclusions.rows, premises.rows
    for c in range(shape[0]):
        docs = conclusions.stands[conclusions.starts[c] : conclusions.starts[c + 1], 1]
        at = np.concatenate([by_doc[starts[d] : starts[d + 1]] for d in docs])
        some, firsts = np.unique(numbers[at], return_index=True)
        found = nearest(queries[np.array([c])], candidates[some], PREMISES)
        n = int((found.rows[0] >= 0).sum())
        of = found.rows[0, :n]
        near.rows[c, :n], near.cosines[c, :n] = some[of], found.cosines[0, :n]
        places[c, :n] = at[firsts[of]]
    return near, places


def _premise_lists(
    source: PartSource, rows: NDArray[np.int32], premises: DistinctSentences, texts: list[bytes]
) -> Iterator[list[tuple[str, list[str]]]]:
    """Yield the texts of conclusions and of their nearest premises, LISTS conclusions at a time."""
    # Load all texts at once, so that each document is read once, even if many conclusions need it.
    found = premises.texts(np.unique(rows[rows >= 0]), source)
    for begin in range(0, len(texts), LISTS):
        some = rows[begin : begin + LISTS]
        yield [
            (text.decode("utf-8", "surrogatepass"), [found[p] for p in of[of >= 0].tolist()])
            for text, of in zip(texts[begin : begin + LISTS], some, strict=True)
        ]


def _save_distances(
    drawer: Drawer,
    source: PartSource,
    lists: Iterator[Lists],
    order: NDArray[np.intp],
    progress: Callable[[int, int], None],
) -> None:
    """Compare each conclusion with its premises in worker processes, and save the distances.

    order: the conclusions in the order of the lists.
    """
    distances = {name: np.zeros((len(order), PREMISES), np.float32) for name in NEAR_ARRAYS}
    compared = in_order(partial(compare, _ingredients(source)), lists, source.workers)
    for done, (c, made) in enumerate(
        zip(order.tolist(), chain.from_iterable(compared), strict=True), 1
    ):
        for array, values in zip(distances.values(), made, strict=True):
            array[c, : len(values)] = values
        if done % LISTS == 0 or done == len(order):
            progress(done, len(order))
    for name, array in distances.items():
        drawer.save(name, array)
