"""Groups of near-duplicates: a document, and those that it holds most of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.near_duplicates.sharing import first_equal, leads, sums
from argsearch.ranking.near_duplicates.shingles import Sketch


@dataclass(frozen=True, slots=True)
class Rule:
    """When a document is a near-duplicate of one that has as many shingles or more."""

    threshold: float = 0.7
    """From 0 (excluded) to 1: the least Jaccard or containment."""
    quotable: int = 8
    """From so many shingles (12 words) a document may be a near-duplicate by containment; below, by
    Jaccard: a long text holds "Why do you say that?" by chance."""

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise ValueError(
                f"threshold is {self.threshold!r}; allowed: a number above 0, at most 1"
            )
        if self.quotable < 1:
            raise ValueError(f"quotable is {self.quotable!r}; allowed: a whole number from 1")


def jaccard(A: set[int], B: set[int]) -> float:
    """|A ∩ B| / |A ∪ B| of two sets, one of which is not empty   (Broder 1997: resemblance)."""
    return len(A & B) / len(A | B)


def containment(A: set[int], B: set[int]) -> float:
    """|A ∩ B| / |A|: how much of A is in B   (Broder 1997)."""
    return len(A & B) / len(A)


def is_near_duplicate(A: set[int], B: set[int], rule: Rule) -> bool:
    """Whether A, the smaller or equal set, is a near-duplicate of B.

    Jaccard or containment is at least the threshold. |A ∪ B| ≥ |A|, so containment alone decides
    where it may: it is never below Jaccard.
    """
    if len(A) >= rule.quotable:
        return containment(A, B) >= rule.threshold
    return jaccard(A, B) >= rule.threshold


def group_plain(sets: Sequence[set[int]], rule: Rule) -> list[int]:
    """`group` as its docstring says it: every document against every representative."""
    first = [sets.index(each) for each in sets]
    distinct = sorted({*first}, key=lambda d: (-len(sets[d]), d))
    of: dict[int, int] = {}
    representatives: list[int] = []
    for d in distinct:
        near = [r for r in representatives if is_near_duplicate(sets[d], sets[r], rule)]
        # `max` gives the first of the best: the one with most shingles, then the earliest.
        of[d] = max(near, key=lambda r: len(sets[d] & sets[r]), default=d)
        if not near:
            representatives.append(d)
    return [of[d] for d in first]


@kernel
def _common(a, b, need):  # type: ignore[no-untyped-def]
    """|A ∩ B| of ascending arrays, or less than `need` as soon as that is certain."""
    found, low = 0, 0
    for i in range(a.size):
        if found + a.size - i < need:
            break
        low += np.searchsorted(b[low:], a[i])
        if low == b.size:
            break
        found += b[low] == a[i]
    return found


@kernel
def _least(sizes, threshold):  # type: ignore[no-untyped-def]
    """int32[n], the least k with k / size ≥ threshold."""
    least = np.empty(sizes.size, np.int32)
    for d in range(sizes.size):
        k = max(int(threshold * sizes[d]) - 1, 1)
        while k / sizes[d] < threshold:
            k += 1
        least[d] = k
    return least


@kernel
def _near(common, small, large, threshold, quotable):  # type: ignore[no-untyped-def]
    """`is_near_duplicate` of sets of so many shingles."""
    return common / (small if small >= quotable else small + large - common) >= threshold


@kernel
def _candidates(mine, allowed, lists, seen, now):  # type: ignore[no-untyped-def]
    """Places of the representatives that may miss only `allowed` of a document's shared shingles.

    Who misses no more holds one of any allowed + 1: those are looked up that the fewest
    representatives hold. mine: the document's numbers; lists: (starts, lengths, places), where in
    `places` the holders of each number stand; seen: int32, `now` for what was found before.
    """
    starts, lengths, places = lists
    held = lengths[mine]
    rarest = np.argsort(held)[: allowed + 1]
    found = np.empty(held[rarest].sum(), np.int32)
    end = 0
    for number in mine[rarest]:
        for place in places[starts[number] : starts[number] + lengths[number]]:
            if seen[place] != now:
                seen[place] = now
                found[end] = place
                end += 1
    return found[:end]


@kernel
def _best(d, now, orders, sketches, leads, rule):  # type: ignore[no-untyped-def]
    """Place of the representative that holds most of document d, -1 where it is nobody's copy.

    Of equals the earliest place. orders: (order, seen); sketches: (shingles, starts, need); leads:
    (allowed, begins, numbers, lists); rule: (threshold, quotable).
    """
    order, seen = orders
    shingles, starts, need = sketches
    allowed, begins, numbers, lists = leads
    own = shingles[starts[d] : starts[d + 1]]
    best, most = -1, 0
    if allowed[d] < 0:
        return best
    for place in _candidates(numbers[begins[d] : begins[d + 1]], allowed[d], lists, seen, now):
        r = order[place]
        other = shingles[starts[r] : starts[r + 1]]
        common = _common(own, other, max(need[d], most))
        if common < most or (common == most and place > best):
            continue
        if _near(common, own.size, other.size, rule[0], rule[1]):
            best, most = place, common
    return best


@kernel
def _stars(order, sketches, leads, rule):  # type: ignore[no-untyped-def]
    """int32[n], each distinct document's representative, as `group` says; order: by size.

    sketches, rule: as for `_best`; leads: the arrays of `Leads`.
    """
    allowed, begins, numbers, documents = leads
    heads = np.zeros(documents.size + 1, np.int64)
    heads[1:] = np.cumsum(documents)
    lengths = np.zeros(documents.size, np.int32)
    places = np.empty(heads[-1], np.int32)
    lists = (heads, lengths, places)
    seen = np.full(order.size, -1, np.int32)
    of = np.arange(allowed.size).astype(np.int32)
    for now in range(order.size):
        d = order[now]
        best = _best(d, now, (order, seen), sketches, (allowed, begins, numbers, lists), rule)
        if best >= 0:
            of[d] = order[best]
            continue
        for number in numbers[begins[d] : begins[d + 1]]:
            places[heads[number] + lengths[number]] = now
            lengths[number] += 1
    return of


def group(sketched: Sketch, rule: Rule | None = None) -> NDArray[np.int32]:
    """int32[n], the row of each document's representative; its own row for a representative.

    Documents with equal shingles are one, the earliest of them. The others are taken by falling
    number of shingles, then by row: each joins, of the representatives so far that it is a
    near-duplicate of (`is_near_duplicate`), the one that holds most of it (of equals the one taken
    first), or becomes one. So no chain forms: a member is a near-duplicate of its representative
    itself, no representative is one of another, and the documents' order matters to ties alone.

    Exact for the shingles' numbers: every pair that could decide is compared in full.
    `sketched.shingles` may be a memory map; it is read in order five times.

    Raises ValueError where sizes do not fit the shingles.
    """
    rule = rule or Rule()
    sizes = np.asarray(sketched.sizes, np.int32)
    shingles = sketched.shingles.view()
    shingles.flags.writeable = False  # as a map's: the kernels are compiled for one kind of array
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    if starts[-1] != len(shingles) or (len(sizes) and sizes.min() < 1):
        raise ValueError(
            f"sizes sum to {starts[-1]} for {len(shingles)} shingles; allowed: equal, each from 1"
        )
    first = _first_equal(shingles, starts, sizes)
    need = _least(sizes, rule.threshold)
    found = leads(shingles, starts, first, need)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    order = distinct[np.argsort(-sizes[distinct], kind="stable")].astype(np.int32)
    rule_ = (rule.threshold, rule.quotable)
    of = _stars(order, (shingles, starts, need), tuple(found), rule_)
    return np.asarray(of[first])


def _first_equal(
    shingles: NDArray[np.uint64], starts: NDArray[np.int64], sizes: NDArray[np.int32]
) -> NDArray[np.int32]:
    added = sums(shingles, starts)
    order = np.lexsort((added, sizes))
    return np.asarray(first_equal(shingles, starts, order, sizes, added))
