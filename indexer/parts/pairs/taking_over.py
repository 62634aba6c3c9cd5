"""What a change of an index leaves of its sentences and of each conclusion's premises.

Sentences are numbered by where they stand first. A document that stays is read again only where a
sentence comes to stand first in it, so that the order of its sentences is known (and two, to tell
the encoder); all others are numbered by what the part held. A list of the nearest is added to; it
is found anew where the conclusion is new, or where a premise that went, or came to stand elsewhere
as the last of equal ones, leaves a place for one that the list does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.arrays import Strings
from argsearch.indexer.parts.base import Carried, Drawer, PartSource
from argsearch.indexer.parts.pairs.gathering import (
    NAMED_SIDES,
    DistinctSentences,
    Gathered,
    Ints,
    save_side,
)
from argsearch.indexer.parts.pairs.sentences import CONCLUSION
from argsearch.ranking.vectors import NOBODY, Nearest, nearest

PROBED = 2
"""Sentences that stay and are read again: an encoder of the same name may be another."""
COPIED = 1 << 16
"""Rows that are copied at a time."""


@dataclass(frozen=True)
class Joined:
    """A side after a change."""

    side: DistinctSentences
    texts: list[bytes]
    """Of conclusions."""
    before: Ints
    """int64[m], each sentence's number before the change, or NOBODY."""
    now: NDArray[np.int32]
    """int32[m before + 1], the other way round; the last is NOBODY, which stands for itself."""
    first: NDArray[np.bool_]
    """bool[m], whether it stands first where it stood first: such keep their order."""
    rows: Ints
    """int64[occurrences before], the row of `stands` of each; NOBODY for one that is gone or was
    read again."""


class HeldSentences:
    """The part as it was, of the documents that stay."""

    def __init__(self, source: PartSource, carried: Carried) -> None:
        self.carried, self.part, self._rows = carried, carried.part, source.arrays.store_rows
        docs = carried.docs
        kept = np.flatnonzero(docs >= 0)
        kept = kept[np.argsort(self._rows[kept])]
        self._now = np.full(len(carried.arrays.store_rows), NOBODY, np.int64)
        self._now[docs[kept]] = kept
        self.is_ordered = bool((np.diff(carried.arrays.store_rows[docs[kept]]) > 0).all())
        """Whether those that stay stand in one order in both."""
        self.again = docs < 0
        """bool[n], the documents that are read: the new ones, and those named above."""
        of_premises = self.part["premise_docs"][self.part["premise_starts"][:-1]]
        telling = self._now[of_premises[self.part["premise_scales"] > 0]]
        self.again[telling[telling >= 0][:PROBED]] = True
        for name, _ in NAMED_SIDES:
            starts, held = self.part[f"{name}_starts"], self.part[f"{name}_docs"]
            stay = np.flatnonzero(self._now[held] >= 0)
            numbers, firsts = np.unique(_numbers(starts)[stay], return_index=True)
            moved = stay[firsts][stay[firsts] != starts[numbers]]
            self.again[self._now[held[moved]]] = True

    @classmethod
    def of(cls, source: PartSource, encoder: str) -> HeldSentences | None:
        """What may be taken over; None: nothing."""
        held = source.carried
        if not held or "premise_digests" not in held.part.arrays or not load_encoder(encoder).exact:
            return None
        before = cls(source, held)
        return before if before.is_ordered else None

    def changed(self, drawer: Drawer, found: tuple[Gathered, Gathered]) -> Change | None:
        """Both sides, put into the drawer; None where sentences have other vectors than before.

        found: the sentences of the documents that are read.
        """
        made = [self._join(drawer, *each) for each in zip(NAMED_SIDES, found, strict=True)]
        conclusions, premises = made
        return Change(self, conclusions, premises) if conclusions and premises else None

    def _join(self, drawer: Drawer, side: tuple[str, str], found: Gathered) -> Joined | None:
        name, part = side[0], self.part
        starts, docs, places, spans = (
            part[f"{name}_{array}"] for array in ("starts", "docs", "places", "spans")
        )
        known, read = self._known(name, found), found["occurrences"]
        if known is None:
            return None
        m, new = len(starts) - 1, np.flatnonzero(known < 0)
        known[new] = m + np.arange(len(new))
        doc = self._now[docs]
        stay = np.flatnonzero((doc >= 0) & ~self.again[doc])
        numbers = np.append(_numbers(starts)[stay], known[read[:, 0]])
        stands = np.column_stack((doc[stay], places[stay], spans[stay]))
        stands = np.concatenate((stands, read[:, 1:]))
        # What was read again shares no document with the rest, so in each one order counts.
        orders = np.append(numbers[: len(stay)], np.arange(len(read)))
        rows = self._rows[stands[:, 0]].astype(np.int64)
        old, firsts = _in_order(numbers, rows, orders)
        now = np.full(m + len(new) + 1, NOBODY, np.int32)
        now[old] = np.arange(len(old))
        numbers = now[numbers].astype(np.int64)
        by = np.argsort((numbers << 32) | rows, kind="stable")
        rows_now = np.full(len(docs), NOBODY, np.int64)
        place = np.empty(len(by), np.int64)
        place[by] = np.arange(len(by))
        rows_now[stay] = place[: len(stay)]
        before = np.where(old < m, old, NOBODY)
        stood = starts[np.maximum(before, 0)]
        at = self.carried.docs[stands[firsts, 0]], stands[firsts, 1]
        first = (before >= 0) & (docs[stood] == at[0]) & (places[stood] == at[1])
        made = self._saved(drawer, side, (old, new), found, np.column_stack((numbers, stands))[by])
        texts = self._texts((old, new), found) if side[1] == CONCLUSION else []
        return Joined(made, texts, before, np.append(now[:m], np.int32(NOBODY)), first, rows_now)

    def _known(self, name: str, found: Gathered) -> Ints | None:
        """The number before of each sentence that was read, or NOBODY.

        None where the vector of one is another.
        """
        digests = self.part[f"{name}_digests"]
        like = np.flatnonzero(np.isin(digests[:, 0], found["digests"][:, 0]))
        held = dict(zip(digests[like].view("V16").ravel().tolist(), like.tolist(), strict=True))
        known = np.array([held.get(key, NOBODY) for key in found.numbers], np.int64)
        some = np.flatnonzero(known >= 0)
        levels = self.part.rows(f"{name}_levels", known[some])
        return known if np.array_equal(levels, found["levels"][some]) else None

    def _saved(
        self,
        drawer: Drawer,
        side: tuple[str, str],
        numbers: tuple[Ints, Ints],
        found: Gathered,
        stands: Ints,
    ) -> DistinctSentences:
        """Put a side into the drawer: of each sentence what was held, or what was read of it.

        numbers: of each sentence that of before, those that are new counted on; and of these that
        among the ones that were read.
        """
        name, (old, new) = side[0], numbers
        m = len(self.part[f"{name}_scales"])

        def fill(array: str, out: NDArray[Any]) -> NDArray[Any]:
            """Copy an array's rows, runs of those that were held at once; `out`."""
            held, read = self.part[f"{name}_{array}"], found[array]
            for begin in range(0, len(old), COPIED):
                some, into = old[begin : begin + COPIED], out[begin : begin + COPIED]
                if some[-1] < m and (np.diff(some) == 1).all():
                    into[:] = held[some[0] : some[-1] + 1]
                else:
                    into[:] = held[np.minimum(some, m - 1)]
                    into[some >= m] = read[new[some[some >= m] - m]]
            return out

        held = {array: self.part[f"{name}_{array}"] for array in found.arrays}
        small = {
            array: fill(array, np.empty((len(old), *one.shape[1:]), one.dtype))
            for array, one in held.items()
            if array != "levels"
        }
        levels = drawer.new(f"{name}_levels", "int8", (len(old), held["levels"].shape[1]))
        return save_side(drawer, side, fill("levels", levels), small, stands)

    def _texts(self, numbers: tuple[Ints, Ints], found: Gathered) -> list[bytes]:
        """The conclusions' texts; numbers: as above."""
        held, (old, new) = Strings(self.part["text_offsets"], self.part["text_bytes"]), numbers
        of = len(held)
        return [held[i] if i < of else found.texts[new[i - of]] for i in old.tolist()]


def _numbers(starts: Ints) -> Ints:
    """The sentence of each occurrence."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _in_order(numbers: Ints, rows: Ints, orders: Ints) -> tuple[Ints, Ints]:
    """Distinct numbers in the order in which they occur, and where each first does.

    rows: of each occurrence the place of its document; orders: the order within documents.
    """
    by = np.argsort((numbers << 32) | rows, kind="stable")
    present = numbers[by]
    firsts = by[np.flatnonzero(np.diff(present, prepend=NOBODY))]
    ranked = firsts[np.argsort((rows[firsts] << 32) | orders[firsts], kind="stable")]
    return numbers[ranked], ranked


@dataclass(frozen=True)
class Change:
    """Both sides after a change, and the part of before."""

    before: HeldSentences
    conclusions: Joined
    premises: Joined

    def nearest(self, k: int, progress: Callable[[int, int], None]) -> Nearest:
        """The k nearest premises of each conclusion, as `nearest` finds them among all."""
        (number, first), part = (self.conclusions.before, self.premises.first), self.before.part
        queries, candidates = self.conclusions.side.rows, self.premises.side.rows
        known = np.flatnonzero(number >= 0)
        listed, cosines = (part[name][number[known]] for name in ("near_rows", "near_cosines"))
        rows, last = self.premises.now[listed], cosines[:, -1]
        again = (rows >= 0) & ~first[rows]
        went = ((listed >= 0) & (rows < 0)) | (again & (cosines == last[:, None]))
        rows[again] = NOBODY
        found = nearest(queries[known], candidates, k, held=rows, among=np.flatnonzero(~first))
        # A premise that no list had is no nearer than the last of the list before.
        lost = (listed[:, -1] >= 0) & went.any(axis=1)
        lost &= (found.rows[:, -1] < 0) | (found.cosines[:, -1] <= last)
        near = Nearest(np.empty((len(queries), k), np.int32), np.empty((len(queries), k)))
        near.rows[known], near.cosines[known] = found.rows, found.cosines
        whole, n = np.append(known[lost], np.flatnonzero(number < 0)), len(candidates)
        found = nearest(queries[whole], candidates, k, progress=lambda done: progress(done, n))
        near.rows[whole], near.cosines[whole] = found.rows, found.cosines
        progress(n, n)
        return near

    def own(self, near: Nearest, places: Ints) -> Ints:
        """Fill in what stays of `_own`'s lists; the conclusions whose lists are not known."""
        stands, docs = self.conclusions.side.stands, self.premises.side.stands[:, 1]
        starts, number = self.conclusions.side.starts, self.conclusions.before
        touched = self.before.again.copy()
        touched[docs[~self.premises.first[self.premises.side.stands[:, 0]]]] = True
        same = (number >= 0) & ~np.logical_or.reduceat(touched[stands[:, 1]], starts[:-1])
        same &= np.diff(self.before.part["conclusion_starts"])[number] == np.diff(starts)
        held = [
            self.before.part[f"own_{name}"][number[same]] for name in ("rows", "cosines", "places")
        ]
        near.rows[same], near.cosines[same] = self.premises.now[held[0]], held[1]
        places[same] = np.append(self.premises.rows, NOBODY)[held[2]]
        return np.flatnonzero(~same)

    def distances(
        self, near: NDArray[np.int32], out: Mapping[str, NDArray[np.float32]]
    ) -> NDArray[np.bool_]:
        """Fill in the distances of lists that are those of before; bool[conclusions], which are.

        Of a list all counts: an empty premise has the largest distance of its list.
        """
        number = self.conclusions.before
        listed = self.before.part["near_rows"][number]
        same = (self.premises.now[listed] == near) & ((listed >= 0) == (near >= 0))
        held: NDArray[np.bool_] = (number >= 0) & same.all(axis=1)
        for name, array in out.items():
            array[held] = self.before.part[name][number[held]]
        return held
