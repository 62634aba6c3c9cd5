"""The part `pairs`: sentences of conclusions and of premises, and each conclusion's premises (W22).

What does not depend on a question is made here: the nearest premises of every conclusion, in the
corpus and among the arguments that have it, and how those of the corpus differ from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.analysis.tagging import load_tagger
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.word_vectors import load_word_vectors
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.arrays import Strings
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.base import Carried, Drawer, PartMaker, PartSource
from argsearch.indexer.parts.pairs.comparing import Ingredients, Lists, compare
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, kind, sentences
from argsearch.indexer.processes import Progress, in_order
from argsearch.ranking.vectors import (
    MOST_DIMENSIONS,
    TOKEN_FACTOR,
    Nearest,
    SentenceRows,
    nearest,
    norms,
    quantise,
)

Compared = Callable[[Lists], list[tuple[Any, Any]]]
"""Compares conclusions with their premises: of each list both distances."""
PREMISES = 50
"""Premises of a conclusion that are kept (W22)."""
LISTS = 64
"""Conclusions that a process compares with their premises in one turn."""
PROBED = 2
"""Conclusions that are compared again before others' distances are taken over."""
Found = tuple[list[str], dict[str, NDArray[Any]]]
"""The sentences of one side in a run of arguments: the distinct texts, in the order of their first
occurrence, and of each its `levels`, `scales` and `tokens` (see `SentenceRows`) and its `kinds`
(`sentences.kind`, 0 for conclusions); and all `occurrences`, int64[o, 5]: number among the texts,
argument of the run, place, begin, end."""


class PairsPart(PartMaker):
    """See `argsearch.engine.units.pairs.opened.SideSentences` for the arrays."""

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
        sides = conclusions, premises = Gathered(), Gathered()
        found = source.mapped(partial(_find, encoder), partial(progress, "sentences"), embeds=True)
        for docs, both in found:
            for side, new in zip(sides, both, strict=True):
                side.add(new, docs)
        for side, having in zip(
            sides, ("argument has a conclusion", "premise has words"), strict=True
        ):
            self._require(bool(side.numbers), f"a corpus in which some {having}")
            side.finish()
        conclusions.save(drawer, "conclusion")
        premises.save(drawer, "premise")
        drawer.save("premise_kinds", premises["kinds"])
        # Re-ranking reads a hundred of the conclusions' texts for a question.
        texts = Strings.of([text.encode("utf-8", "surrogatepass") for text in conclusions.numbers])
        drawer.save("text_offsets", texts.offsets)
        drawer.save("text_bytes", texts.data)
        n = len(premises.numbers)
        near = nearest(
            conclusions.rows,
            premises.rows,
            PREMISES,
            progress=lambda done: progress("neighbours", done, n),
        )
        compared = partial(compare, _ingredients(source))
        _save_near(drawer, near, (source, compared), sides, partial(progress, "comparing"))
        own, places = _own(conclusions, premises, source.documents)
        drawer.save("own_rows", own.rows)
        drawer.save("own_cosines", own.cosines)
        drawer.save("own_places", places)
        return {
            "conclusions": len(conclusions.numbers),
            "premises_found": len(premises.numbers),
            "dimensions": conclusions.rows.levels.shape[1],
        }

    def _require(self, sound: bool, allowed: str) -> None:
        if not sound:
            raise InvalidParameter("part", self.name, allowed)


def _ingredients(source: PartSource) -> Ingredients:
    """As section [index] has them."""
    asked = asdict(IndexSettings()) | dict(source.manifest["settings"])
    return Ingredients(asked["pair_tagger"], asked["pair_vectors"], asked["word_limit"])


def _find(encoder: str, arguments: list[Argument]) -> tuple[Found, Found]:
    """The conclusions' and the premises' sentences; those without a token are none."""
    return _side(encoder, arguments, CONCLUSION), _side(encoder, arguments, PREMISE)


def _side(encoder: str, arguments: list[Argument], side: str) -> Found:
    numbers: dict[str, int] = {}
    seen = [
        (numbers.setdefault(one.text, len(numbers)), at, one.place, one.begin, one.end)
        for at, argument in enumerate(arguments)
        for one in sentences(argument, side)
    ]
    tokens = np.diff(tokenize(list(numbers)).offsets).astype(np.int32)
    kept = tokens > 0
    texts = [text for text, keep in zip(numbers, kept.tolist(), strict=True) if keep]
    occurrences = np.array(seen, np.int64).reshape(-1, 5)
    occurrences = occurrences[kept[occurrences[:, 0]]]
    occurrences[:, 0] = (np.cumsum(kept) - 1)[occurrences[:, 0]]
    levels = quantise(load_encoder(encoder).encode(texts))[0]
    kinds = [kind(text) for text in texts] if side == PREMISE else [0] * len(texts)
    return texts, {
        "levels": levels,
        "scales": norms(levels),
        "tokens": tokens[kept],
        "kinds": np.array(kinds, np.uint8),
        "occurrences": occurrences,
    }


class Gathered:
    """One side of a whole corpus: exact duplicates are one sentence, the first of them."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """Each distinct text's number."""
        self._arrays: dict[str, list[NDArray[Any]]] = defaultdict(list)
        """`Found`'s, run by run; joined by `finish`."""

    def add(self, found: Found, docs: NDArray[np.int64]) -> None:
        """Take in a run of documents, `docs` their numbers."""
        texts, arrays = found
        known, numbers = len(self.numbers), self.numbers
        number_of = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
        occurrences = arrays.pop("occurrences")
        for name, values in arrays.items():
            self._arrays[name].append(values[number_of >= known])
        occurrences[:, 0] = number_of[occurrences[:, 0]]
        occurrences[:, 1] = docs[occurrences[:, 1]]
        self._arrays["occurrences"].append(occurrences)

    def finish(self) -> None:
        """Join the runs, each let go; a sentence's occurrences are in the order of the corpus."""
        for runs in self._arrays.values():
            runs[:] = [np.concatenate(runs)]
        flat = self["occurrences"]
        self._arrays["occurrences"] = [flat[np.argsort(flat[:, 0], kind="stable")]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One of `Found`'s arrays, by number."""
        return self._arrays[name][0]

    @property
    def rows(self) -> SentenceRows:
        """All distinct sentences, by number."""
        return SentenceRows(self["levels"], self["scales"], self["tokens"])

    def save(self, drawer: Drawer, side: str) -> None:
        """Put the sentences and where they stand into the drawer."""
        occurrences = self["occurrences"]
        for name in ("levels", "scales", "tokens"):
            drawer.save(f"{side}_{name}", self[name])
        starts = np.searchsorted(occurrences[:, 0], np.arange(len(self.numbers) + 1))
        drawer.save(f"{side}_starts", starts.astype(np.int64))
        drawer.save(f"{side}_docs", occurrences[:, 1].astype(np.int32))
        drawer.save(f"{side}_places", occurrences[:, 2].astype(np.int32))
        drawer.save(f"{side}_spans", occurrences[:, 3:].astype(np.int32))


def _own(
    conclusions: Gathered, premises: Gathered, documents: int
) -> tuple[Nearest, NDArray[np.int64]]:
    """The nearest premises of each conclusion among the arguments that have it.

    Returns them and, beside each, its first occurrence in these: a row of the premises'.
    """
    numbers, of_docs = premises["occurrences"][:, :2].T
    by_doc = np.argsort(of_docs, kind="stable")
    starts = np.searchsorted(of_docs[by_doc], np.arange(documents + 1))
    having = conclusions["occurrences"][:, :2]
    bounds = np.searchsorted(having[:, 0], np.arange(len(conclusions.numbers) + 1))
    shape = len(conclusions.numbers), PREMISES
    near = Nearest(np.full(shape, -1, np.int32), np.zeros(shape))
    places = np.full(shape, -1, np.int64)
    queries, candidates = conclusions.rows, premises.rows
    for c in range(len(queries)):
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
    drawer: Drawer,
    near: Nearest,
    work: tuple[PartSource, Compared],
    sides: tuple[Gathered, Gathered],
    progress: Callable[[int, int], None],
) -> None:
    """Each conclusion's premises, with their cosines and both distances.

    work: the index, and what compares lists in its processes. Conclusions are compared by topic,
    as the documents that have them stand in the index: what is read of a premise is remembered for
    a while, and neighbours have many in common.
    """
    structures = np.zeros(near.rows.shape, np.float32)
    moves = np.zeros(near.rows.shape, np.float32)
    conclusions, premises = (list(side.numbers) for side in sides)
    numbers, docs = sides[0]["occurrences"][:, :2].T
    order = np.argsort(docs[np.searchsorted(numbers, np.arange(len(conclusions)))])
    source, compared = work
    if source.carried:
        held = _taken_over(source.carried, compared, sides, near.rows, (structures, moves))
        order = order[~held[order]]
    lists = (
        (conclusions[c], [premises[p] for p in near.rows[c].tolist() if p >= 0])
        for c in order.tolist()
    )
    jobs = iter(lambda: list(islice(lists, LISTS)), [])
    found = chain.from_iterable(in_order(compared, jobs, source.workers))
    for done, (c, (structure, move)) in enumerate(zip(order.tolist(), found, strict=True), 1):
        structures[c, : len(structure)], moves[c, : len(move)] = structure, move
        if done % LISTS == 0 or done == len(order):
            progress(done, len(order))
    drawer.save("near_rows", near.rows)
    drawer.save("near_cosines", near.cosines)
    drawer.save("near_structures", structures)
    drawer.save("near_moves", moves)


def _taken_over(
    carried: Carried,
    compared: Compared,
    sides: tuple[Gathered, Gathered],
    near: NDArray[np.int32],
    distances: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> NDArray[np.bool_]:
    """Copy the distances of each conclusion whose premises are those of before; whether it was so.

    Of a list all counts: an empty premise has the largest distance of its list. Some lists are
    compared again; where one differs, none is taken over.
    """
    part, (conclusions, premises) = carried.part, sides
    of_conclusions = _before(carried, "conclusion", conclusions)
    of_premises = _before(carried, "premise", premises)
    held = np.append(part["near_rows"], np.full((1, near.shape[1]), -2, np.int32), axis=0)
    mapped = np.append(of_premises, -1)[near]
    mapped[(mapped < 0) & (near >= 0)] = -3  # a premise that is new
    same: NDArray[np.bool_] = (held[of_conclusions] == mapped).all(axis=1)
    for array, name in zip(distances, ("near_structures", "near_moves"), strict=True):
        array[same] = part[name][of_conclusions[same]]
    queries, texts = list(conclusions.numbers), list(premises.numbers)
    tell = same & np.logical_and.reduce([(one > 0.0).any(axis=1) for one in distances])
    some = np.flatnonzero(tell)[:PROBED]  # the word vectors of that name may be others
    lists = [(queries[c], [texts[p] for p in near[c].tolist() if p >= 0]) for c in some.tolist()]
    for c, found in zip(some.tolist(), compared(lists), strict=True):
        held_of = (one[c, : len(found[0])] for one in distances)
        if not all(map(np.array_equal, found, held_of)):
            same[:] = False
    return same


def _before(carried: Carried, name: str, side: Gathered) -> NDArray[np.int64]:
    """The number that each sentence had before; −1 for one of no document that stays."""
    starts, docs, places, spans = (
        np.asarray(carried.part[f"{name}_{array}"])
        for array in ("starts", "docs", "places", "spans")
    )
    numbers = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    stood = np.column_stack((docs, places, spans)).tolist()
    known = dict(zip(map(tuple, stood), numbers.tolist(), strict=True))
    stands = side["occurrences"].copy()
    stands[:, 1] = carried.docs[stands[:, 1]]
    before = np.full(len(side.numbers), -1, np.int64)
    for number, *place in stands[stands[:, 1] >= 0].tolist():
        before[number] = known.get(tuple(place), -1)
    return before
