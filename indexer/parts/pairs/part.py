"""The part `pairs`: sentences of conclusions and of premises, and each conclusion's premises (W22).

What does not depend on a question is made here: the nearest premises of every conclusion, in the
corpus and among the arguments that have it, and how those of the corpus differ from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import load_encoder, parse_spec
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Strings
from argsearch.indexer.format.parts import VERSIONS
from argsearch.indexer.parts.base import Drawer, PartSource, Progress
from argsearch.indexer.parts.pairs.comparing import TAGGER, VECTORS, compare
from argsearch.indexer.parts.pairs.gathering import Gathered, find
from argsearch.indexer.processes import in_order
from argsearch.ranking.vectors import MOST_DIMENSIONS, TOKEN_FACTOR, Nearest, nearest

PREMISES = 50
"""Premises of a conclusion that are kept (W22)."""
LISTS = 64
"""Conclusions that a process compares with their premises in one turn."""


class PairsPart:
    """See `argsearch.engine.units.pairs.opened.SideSentences` for the arrays."""

    name = "pairs"
    unit = "pair"
    version = VERSIONS["pairs"]
    doc = "Sentences of conclusions and premises, and the nearest premises of each conclusion."
    needs: tuple[str, ...] = ()

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """The encoder, which is the index's own, and W22's constants.

        Raises InvalidParameter for an index without an encoder, or one of too many dimensions.
        """
        encoder = source.manifest["encoder"]
        if encoder == "none":
            raise InvalidParameter("part", self.name, "an index built with an encoder")
        return {
            "encoder": encoder,
            "premises": PREMISES,
            "token_factor": TOKEN_FACTOR,
            "tagger": TAGGER,
            "word_vectors": VECTORS,
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Find the sentences, then each conclusion's premises; raises InvalidParameter for none."""
        if load_encoder(source.manifest["encoder"]).dimensions > MOST_DIMENSIONS:
            raise InvalidParameter(
                "part", self.name, f"an encoder of at most {MOST_DIMENSIONS} dimensions"
            )
        conclusions, premises = _gathered(source, progress)
        if not len(conclusions):
            raise InvalidParameter(
                "part", self.name, "a corpus in which some argument has a conclusion"
            )
        if not len(premises):
            raise InvalidParameter("part", self.name, "a corpus in which some premise has words")
        _save(drawer, "conclusion", conclusions)
        _save(drawer, "premise", premises)
        drawer.save("premise_kinds", premises.kinds)
        _save_texts(drawer, conclusions)
        near = nearest(
            conclusions.rows, premises.rows, PREMISES, progress=partial(progress, "neighbours")
        )
        sides = conclusions, premises
        _save_near(drawer, near, source, sides)
        own, places = _own(*sides, source.documents)
        drawer.save("own_rows", own.rows)
        drawer.save("own_cosines", own.cosines)
        drawer.save("own_places", places)
        return {
            "conclusions": len(conclusions),
            "premises_found": len(premises),
            "dimensions": conclusions.rows.levels.shape[1],
        }


def _gathered(source: PartSource, progress: Progress) -> tuple[Gathered, Gathered]:
    encoder = source.manifest["encoder"]
    worked = source if parse_spec(encoder).light else replace(source, workers=1)
    conclusions, premises, done = Gathered(), Gathered(), 0
    for docs, (first, second) in worked.mapped(partial(find, encoder)):
        conclusions.add(first, docs)
        premises.add(second, docs)
        done += len(docs)
        progress("sentences", done)
    return conclusions, premises


def _save(drawer: Drawer, side: str, gathered: Gathered) -> None:
    rows, occurrences = gathered.rows, gathered.occurrences()
    drawer.save(f"{side}_levels", rows.levels)
    drawer.save(f"{side}_scales", rows.scales)
    drawer.save(f"{side}_tokens", rows.tokens)
    starts = np.searchsorted(occurrences[:, 0], np.arange(len(gathered) + 1))
    drawer.save(f"{side}_starts", starts.astype(np.int64))
    drawer.save(f"{side}_docs", occurrences[:, 1].astype(np.int32))
    drawer.save(f"{side}_places", occurrences[:, 2].astype(np.int32))
    drawer.save(f"{side}_spans", occurrences[:, 3:].astype(np.int32))


def _save_texts(drawer: Drawer, conclusions: Gathered) -> None:
    """The conclusions' texts: re-ranking reads a hundred of them for a question."""
    texts = Strings.of([text.encode("utf-8", "surrogatepass") for text in conclusions.numbers])
    drawer.save("text_offsets", texts.offsets)
    drawer.save("text_bytes", texts.data)


def _own(
    conclusions: Gathered, premises: Gathered, documents: int
) -> tuple[Nearest, NDArray[np.int64]]:
    """The nearest premises of each conclusion among the arguments that have it.

    Returns them and, beside each, its first occurrence in these: a row of the premises'.
    """
    numbers, of_docs = premises.occurrences()[:, :2].T
    by_doc = np.argsort(of_docs, kind="stable")
    starts = np.searchsorted(of_docs[by_doc], np.arange(documents + 1))
    having = conclusions.occurrences()[:, :2]
    bounds = np.searchsorted(having[:, 0], np.arange(len(conclusions) + 1))
    shape = len(conclusions), PREMISES
    near = Nearest(np.full(shape, -1, np.int32), np.zeros(shape))
    places = np.full(shape, -1, np.int64)
    queries, candidates = conclusions.rows, premises.rows
    for c in range(len(conclusions)):
        docs = having[bounds[c] : bounds[c + 1], 1]
        at = np.concatenate([by_doc[starts[d] : starts[d + 1]] for d in docs])
        some, firsts = np.unique(numbers[at], return_index=True)
        found = nearest(queries[np.array([c])], candidates[some], PREMISES)
        n = int((found.rows[0] >= 0).sum())
        of = found.rows[0, :n]
        near.rows[c, :n], near.cosines[c, :n] = some[of], found.cosines[0, :n]
        places[c, :n] = at[firsts[of]]
    return near, places


def _save_near(
    drawer: Drawer, near: Nearest, source: PartSource, sides: tuple[Gathered, Gathered]
) -> None:
    """Each conclusion's premises, with their cosines and both distances."""
    drawer.save("near_rows", near.rows)
    drawer.save("near_cosines", near.cosines)
    structures = np.zeros(near.rows.shape, np.float32)
    moves = np.zeros(near.rows.shape, np.float32)
    jobs = _jobs(near.rows, *(list(side.numbers) for side in sides))
    c = 0
    for compared in in_order(compare, jobs, source.workers):
        for structure, move in compared:
            structures[c, : len(structure)], moves[c, : len(move)] = structure, move
            c += 1
    drawer.save("near_structures", structures)
    drawer.save("near_moves", moves)


def _jobs(
    rows: NDArray[np.int32], conclusions: list[str], premises: list[str]
) -> Iterator[list[tuple[str, list[str]]]]:
    for begin in range(0, len(rows), LISTS):
        yield [
            (conclusions[c], [premises[p] for p in rows[c].tolist() if p >= 0])
            for c in range(begin, min(begin + LISTS, len(rows)))
        ]
