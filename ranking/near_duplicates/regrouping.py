"""Groups of near-duplicates after documents came and went: what nothing touches stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import salts
from argsearch.ranking.near_duplicates.grouping import (
    Rule,
    Sketches,
    common_shingles,
    firsts,
    group,
    is_near,
    laid_out,
    number_of,
    table,
)
from argsearch.ranking.near_duplicates.shingles import Sketch

Ints = NDArray[np.int64]
OPENED = 0.05
"""Share of documents that are looked at again, beyond which all are grouped anew."""
EFFORT, A_PAIR = 16, 64
"""Documents met for each shingle, in all, beyond which they are, too; what a pair counts for."""


@kernel
def _pairs(asked, sketches, known, holders, rule, left):  # type: ignore[no-untyped-def]
    """Near-duplicates of some documents: int64[m, 3], place in `asked`, row, shingles in common.

    known: (distinct shingles of those asked, their `table`, its salt), bits; holders: (begins
    int64, places int32), where in `asked` the documents with each are; left: what may be done.
    Also what of that is left, below 0 where it did not do.
    """
    shingles, starts = sketches
    begins, places = holders
    counts, met = np.zeros(asked.size, np.int32), np.empty(asked.size + 1, np.int32)
    found, end = np.empty((1 << 10, 3), np.int64), 0
    for d in range(starts.size - 1):
        own, some = shingles[starts[d] : starts[d + 1]], 0
        for h in own:
            number = number_of(h, known[0], known[1])
            if number >= 0:
                left -= begins[number + 1] - begins[number]
                for place in places[begins[number] : begins[number + 1]]:
                    met[some] = place
                    some += counts[place] == 0
                    counts[place] += 1
        if left < 0:
            break
        for place in met[:some]:
            common, size = counts[place], starts[asked[place] + 1] - starts[asked[place]]
            counts[place] = 0
            small, large = min(size, own.size), max(size, own.size)
            if asked[place] != d and is_near(common, small, large, rule[0], rule[1]):
                if end == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[end, 0], found[end, 1], found[end, 2] = place, d, common
                end, left = end + 1, left - A_PAIR
    return found[:end].copy(), left


@kernel
def _in_common(sketches, one, other):  # type: ignore[no-untyped-def]
    """int64[n], how many shingles each document of one list shares with that of the other."""
    shingles, starts = sketches
    out = np.empty(one.size, np.int64)
    for i in range(one.size):
        a, b = one[i], other[i]
        own = shingles[starts[a] : starts[a + 1]]
        out[i] = common_shingles(own, shingles[starts[b] : starts[b + 1]], 0)
    return out


def regroup(
    sketched: Sketch, before: NDArray[np.int32], rule: Rule | None = None
) -> NDArray[np.int32]:
    """`group` of documents of which most had groups before, by the same rule.

    before: int32[n], the row of the representative that each had, below 0 for a document that is
    new, for all of a group whose representative left, and for the members that stand after another
    one that left: one that equals it may be placed later now. The others are in their order of
    before.

    Those below 0 are compared with all. In a group of before nothing changes unless one of them
    becomes a representative that a member goes to, or equals a member; then the group is looked at
    with them, until there is none. Raises as `group` does.
    """
    rule, held = rule or Rule(), before.copy()
    sketches = laid_out(sketched)
    sizes = np.diff(sketches[1])
    order = np.arange(len(sizes)) - sizes * len(sizes)
    left = EFFORT * len(sketches[0]) + (1 << 20)
    while (opened := held < 0).any():
        rows = np.flatnonzero(opened)
        first = rows[firsts(*_chosen(sketches, rows))]
        asked = rows[first == rows]
        few = len(rows) <= OPENED * len(held)
        near, left = _near_duplicates(sketches, asked, rule, left) if few else (asked, -1)
        if left < 0:
            return group(sketched, rule)
        near = near[(held[near[:, 1]] >= 0) | np.isin(near[:, 1], asked)]
        of, lost = _stars(near, asked, (held, sizes, order))
        of[rows] = of[first]
        one, other, common = near.T
        one, stays = asked[one], held[other]
        touched = (of[one] == one) & (stays >= 0) & (order[one] < order[other])
        one, other, common, stays = (each[touched] for each in (one, other, common, stays))
        most = _in_common(sketches, other, stays)
        wins = (common > most) | ((common == most) & (order[one] < order[stays]))
        lost = np.union1d(lost, stays[wins | (stays == other)])
        if not len(lost):
            return of
        held[np.isin(held, lost)] = -1
    return held


def _chosen(sketches: Sketches, rows: Ints) -> Sketches:
    """The sketches of some documents."""
    shingles, starts = sketches
    sizes = starts[rows + 1] - starts[rows]
    at = np.repeat(starts[rows] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return laid_out(Sketch(shingles[at], sizes.astype(np.int32)))


def _near_duplicates(sketches: Sketches, asked: Ints, rule: Rule, left: int) -> tuple[Ints, int]:
    """What `_pairs` gives, by the documents asked; a pass alone takes an eighth of the effort."""
    some, starts = _chosen(sketches, asked)
    by_value = np.argsort(some, kind="stable")
    values, begins = np.unique(some[by_value], return_index=True)
    bits = max(4, (2 * len(values)).bit_length())
    known = (values, *table(values, bits, salts()), salts()), bits
    places = np.repeat(np.arange(len(asked), dtype=np.int32), np.diff(starts))[by_value]
    holders = np.append(begins, len(some)), places
    left -= EFFORT * len(sketches[0]) // 8
    found, left = _pairs(asked, sketches, known, holders, (rule.threshold, rule.quotable), left)
    return np.asarray(found[np.argsort(found[:, 0], kind="stable")]), left


def _stars(
    near: Ints, asked: Ints, known: tuple[NDArray[np.int32], Ints, Ints]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The representatives, int32[n], with those of `asked` found anew, and those of equals.

    known: (representatives of before, sizes, order).
    """
    held, sizes, order = known
    of, lost = held.copy(), [np.zeros(0, np.int32)]
    of[asked] = -1
    ends = np.searchsorted(near[:, 0], np.arange(len(asked) + 1))
    for place in np.argsort(order[asked]).tolist():
        d = asked[place]
        _, other, common = near[ends[place] : ends[place + 1]].T
        equal = other[(held[other] >= 0) & (common == sizes[d]) & (sizes[other] == sizes[d])]
        lost.append(held[equal])
        heads = (of[other] == other) & (order[other] < order[d])
        other, common = other[heads], common[heads]
        of[d] = other[np.lexsort((order[other], -common))[0]] if len(other) else d
    return of, np.concatenate(lost)
