"""The part `pairs`: sentences of conclusions and of premises, and each conclusion's premises (W22).

What does not depend on a question is made here: the nearest premises of every conclusion, in the
corpus and among the arguments that have it, and how those of the corpus differ from it.
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
"""Premises of a conclusion that are kept (W22)."""
LISTS = 64
"""Conclusions that a process compares with their premises in one turn."""
NEAR_ARRAYS = "near_structures", "near_moves"
"""The arrays of what `compare` gives."""


class PairsPart(PartMaker):
    """See `argsearch.engine.units.pairs.opened.SideSentences` for the arrays.

    Of each side also digests, uint64[m, 2], by which a changed index finds a sentence's vector.
    """

    name = "pairs"
    unit = "pair"
    doc = "Sentences of conclusions and premises, and the nearest premises of each conclusion."

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """The encoder, which is the index's own, W22's constants, and what sentences differ by.

        Raises InvalidParameter, MissingExtra, TaggerUnavailable.
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
        """Find the sentences, then each conclusion's premises; raises InvalidParameter for none."""
        encoder = source.encoder(self.name)
        wide = load_encoder(encoder).dimensions > MOST_DIMENSIONS
        self._require(not wide, f"an encoder of at most {MOST_DIMENSIONS} dimensions")
        found = gather(source, encoder, partial(progress, "sentences"))
        self._require_both(found[0].numbers, found[1].numbers)
        sides = [one.saved(drawer, side) for one, side in zip(found, NAMED_SIDES, strict=True)]
        (conclusions, premises), texts = sides, found[0].texts
        self._require_both(conclusions.rows, premises.rows)
        # Re-ranking reads a hundred of the conclusions' texts for a question.
        strings = Strings.of(texts)
        drawer.save("text_offsets", strings.offsets)
        drawer.save("text_bytes", strings.data)
        queries, candidates, n = conclusions.rows, premises.rows, len(premises.rows)
        told = partial(progress, "neighbours")
        near = nearest(queries, candidates, PREMISES, progress=lambda done: told(done, n))
        # By topic, as the documents that have them stand in the index: what is read of a premise is
        # remembered for a while, and neighbours have many in common.
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
        self._require(len(conclusions) > 0, "a corpus in which some argument has a conclusion")
        self._require(len(premises) > 0, "a corpus in which some premise has words")

    def _require(self, sound: bool, allowed: str) -> None:
        if not sound:
            raise InvalidParameter("part", self.name, allowed)


def _ingredients(source: PartSource) -> Ingredients:
    """As section [index] has them."""
    asked = asdict(IndexSettings()) | dict(source.manifest["settings"])
    return Ingredients(asked["pair_tagger"], asked["pair_vectors"], asked["word_limit"])


def _own(
    conclusions: DistinctSentences,
    premises: DistinctSentences,
    documents: int,
) -> tuple[Nearest, NDArray[np.int64]]:
    """The nearest premises of each conclusion among the arguments that have it.

    Returns them and, beside each, its first occurrence in these: a row of the premises'.
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
    """The texts of conclusions and of the premises in their rows, LISTS of them at a time."""
    # All at once, so that a document is read once, however many conclusions are near its sentences.
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
    """Compare each conclusion with its premises in the processes of the index.

    order: the conclusions as the lists have them.
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
