"""Groups of near-duplicates: each document joins the representative that contains most of it.

If two documents share `need` shingles, any selection that omits fewer than `need` shingles still
contains a shared one (the prefix filter of Chaudhuri et al. 2006). Most five-word sequences occur
only once in a corpus and cannot match. The selection takes the rarest shingles that occur at least
twice. The filter drops no pair that could qualify, so the result is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import inlined, kernel
from argsearch.ranking.hashing import salts, scattered
from argsearch.ranking.near_duplicates.shingles import Sketch

MANY = 15
"""Maximum value of the counter of documents that contain a shingle."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule for when a document is a near-duplicate of one with at least as many shingles."""

    threshold: float = 0.7
    """Smallest containment or Jaccard similarity, in (0, 1]."""
    quotable: int = 8
    """Minimum number of shingles (8 span 12 words) for containment; below it, Jaccard is used."""


@kernel
def first_equal(shingles, starts, order, sizes, sums):  # type: ignore[no-untyped-def]
    """Return, for each document, the first with the same shingles (maybe itself), int32[n].

    order: documents sorted by (sizes, sums, row).
    """
    first = np.empty(order.size, np.int32)
    head = 0
    for place in range(order.size):
        d, e = order[place], order[head]
        if sizes[d] != sizes[e] or sums[d] != sums[e]:
            head = place
            e = d
        first[d] = e
        for j in range(sizes[d]):
            if shingles[starts[d] + j] != shingles[starts[e] + j]:
                first[d] = d
                break
    return first


@inlined
def _count(counts, h, bits):  # type: ignore[no-untyped-def]
    """Return the count in shingle `h`'s slot, at most MANY; other shingles may share the slot."""
    slot = h >> np.uint64(64 - bits)
    return counts[slot >> np.uint64(1)] >> np.uint8((slot & np.uint64(1)) << np.uint64(2)) & MANY


@kernel
def count_documents(shingles, starts, first, bits):  # type: ignore[no-untyped-def]
    """Count the documents that contain each shingle, in 2^bits 4-bit slots: uint8[2^bits / 2]."""
    counts = np.zeros(1 << (bits - 1), np.uint8)
    for d in range(starts.size - 1):
        if first[d] == d:
            for h in shingles[starts[d] : starts[d + 1]]:
                if _count(counts, h, bits) < MANY:
                    slot = h >> np.uint64(64 - bits)
                    one = np.uint8(1) << np.uint8((slot & np.uint64(1)) << np.uint64(2))
                    counts[slot >> np.uint64(1)] += one
    return counts


@kernel
def _rarest(own, seen, many, out):  # type: ignore[no-untyped-def]
    """Copy the `many` shingles with the lowest counts above 1 to `out`."""
    left = many
    for count in range(2, MANY + 1):
        for j in range(own.size):
            if left and seen[j] == count:
                left -= 1
                out[left] = own[j]


@kernel
def choose(sketches, first, need, counts, bits):  # type: ignore[no-untyped-def]
    """Select, for each distinct document, shingles that occur in several; also return `allowed`.

    sketches: (shingles, starts); need: int32[n]. Returns uint64[chosen] and int32[n] (see `leads`).
    """
    shingles, starts = sketches
    allowed = np.full(need.size, -1, np.int32)
    seen = np.empty(1 << 10, np.uint8)
    out = np.empty(1 << 16, np.uint64)
    end = 0
    for d in range(need.size):
        own = shingles[starts[d] : starts[d + 1]]
        if first[d] != d:
            continue
        if seen.size < own.size:
            seen = np.empty(2 * own.size, np.uint8)
        shared = 0
        for j in range(own.size):
            seen[j] = _count(counts, own[j], bits)
            shared += seen[j] > 1
        allowed[d] = max(shared - need[d], -1)
        if out.size < end + own.size:
            out = np.concatenate((out, np.empty(out.size + own.size, np.uint64)))
        _rarest(own, seen, allowed[d] + 1, out[end:])
        end += allowed[d] + 1
    return out[:end].copy(), allowed


@kernel
def table(values, bits, salt):  # type: ignore[no-untyped-def]
    """Build an open-addressing table of distinct values, and a filter with 8 bits per slot.

    salt: from `argsearch.ranking.hashing`, because an attacker could choose texts that collide.
    Returns the table, int32[2^bits], the number of each value + 1, or 0 if free. In the filter,
    uint8[2^bits], bit (h mod 8) is set in the slot where the search for h begins.
    """
    slots, marks = np.zeros(1 << bits, np.int32), np.zeros(1 << bits, np.uint8)
    mask = slots.size - 1
    for number in range(values.size):
        h = values[number]
        at = np.int64(scattered(h, salt) >> np.uint64(64 - bits))
        marks[at] |= np.uint8(1) << np.uint8(h & np.uint64(7))
        while slots[at]:
            at = (at + 1) & mask
        slots[at] = number + 1
    return slots, marks


@kernel
def number_of(h, known, bits):  # type: ignore[no-untyped-def]
    """Return the number assigned to a value, or -1 if it is not in the table."""
    values, slots, marks, salt = known
    at = np.int64(scattered(h, salt) >> np.uint64(64 - bits))
    if not marks[at] >> np.uint8(h & np.uint64(7)) & 1:
        return -1
    while slots[at] and values[slots[at] - 1] != h:
        at = (at + 1) & (slots.size - 1)
    return slots[at] - 1


@kernel
def occurrences(shingles, starts, first, known, bits):  # type: ignore[no-untyped-def]
    """Return, for `leads`, each distinct document's known shingles, and documents per shingle.

    known: (distinct values, their `table` of 2^bits, its salt).
    """
    values = known[0]
    ends = np.zeros(starts.size, np.int64)
    numbers = np.empty(1 << 16, np.int32)
    documents = np.zeros(values.size, np.int32)
    end = 0
    for d in range(starts.size - 1):
        if first[d] == d:
            if numbers.size < end + starts[d + 1] - starts[d]:
                more = numbers.size // 2 + starts[d + 1] - starts[d]
                numbers = np.concatenate((numbers, np.empty(more, np.int32)))
            for h in shingles[starts[d] : starts[d + 1]]:
                number = number_of(h, known, bits)
                if number >= 0:
                    numbers[end] = number
                    documents[number] += 1
                    end += 1
        ends[d + 1] = end
    return ends, numbers[:end].copy(), documents


def leads(
    shingles: NDArray[np.uint64],
    starts: NDArray[np.int64],
    first: NDArray[np.int32],
    need: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Build an index that finds every document sharing `need` shingles with a distinct document.

    Returns (allowed, begins, numbers, documents) for the selected shingles, which are numbered. A
    document that shares need[i] shingles with document i lacks at most allowed[i], int32[n], of i's
    numbers (-1: no document shares so many). Document i has more than allowed[i] distinct numbers,
    numbers[begins[i]:begins[i + 1]]. The last array, int32, counts each number's documents.

    Args: first: int32[n], which maps a distinct document to itself. need: int32[n], from 1 to the
    document's number of shingles. Memory: up to 4 bytes for each shingle of the corpus, and 30 for
    each selected one.
    """
    bits = max(9, (8 * len(shingles)).bit_length() - 1)
    counts = count_documents(shingles, starts, first, bits)
    chosen, allowed = choose((shingles, starts), first, need, counts, bits)
    del counts
    values = _distinct(chosen)
    bits = max(4, (2 * len(values)).bit_length())
    known = (values, *table(values, bits, salts()), salts())
    return allowed, *occurrences(shingles, starts, first, known, bits)


def _distinct(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Compute `np.unique` ten times faster for millions of numbers (numpy 2.4). Sorts in place."""
    values.sort()
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]


@kernel
def common_shingles(a, b, need):  # type: ignore[no-untyped-def]
    """Return |A ∩ B| of ascending arrays, or a number < `need` once `need` is out of reach."""
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
    """Return the smallest k with k / size ≥ threshold, int32[n]."""
    least = np.empty(sizes.size, np.int32)
    for d in range(sizes.size):
        k = max(int(threshold * sizes[d]) - 1, 1)
        while k / sizes[d] < threshold:
            k += 1
        least[d] = k
    return least


@kernel
def is_near(common, small, large, threshold, quotable):  # type: ignore[no-untyped-def]
    """Return True if A, the set of size `small` ≤ `large`, is a near-duplicate of B.

    The Jaccard similarity |A ∩ B| / |A ∪ B| (Broder 1997) must reach the threshold. If A has
    `quotable` shingles, the containment |A ∩ B| / |A|, which is never smaller, decides instead.
    """
    return common / (small if small >= quotable else small + large - common) >= threshold


@kernel
def _candidates(mine, allowed, lists, seen, now):  # type: ignore[no-untyped-def]
    """Return all representatives that could lack at most `allowed` of a document's shared shingles.

    Of any allowed + 1 shared shingles, the representative has at least one, so only the rarest are
    looked up. `mine` holds the document's numbers. In `lists`, (starts, lengths, places), each
    number has a run of `places`. `seen`, int32, equals `now` for representatives already found.
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
    """Return the position of the representative that contains most of document d, or -1.

    Ties go to the earliest position. `orders` is (order, seen), `sketches` (shingles, starts,
    need), `leads` (allowed, begins, numbers, lists), and `rule` (threshold, quotable).
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
        common = common_shingles(own, other, max(need[d], most))
        if common < most or (common == most and place > best):
            continue
        if is_near(common, own.size, other.size, rule[0], rule[1]):
            best, most = place, common
    return best


@kernel
def _stars(order, sketches, leads, rule):  # type: ignore[no-untyped-def]
    """Return the representative of each distinct document, int32[n], as in `group`.

    `order` sorts documents by size. `sketches` and `rule` are as in `_best`; `leads()` gives
    `leads`.
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


Sketches = tuple[NDArray[np.uint64], NDArray[np.int64]]
"""The shingles of all documents, read-only, and where each document begins, int64[n + 1]."""


def laid_out(sketched: Sketch) -> Sketches:
    """Return the shingles and where each document begins. Raises ValueError if sizes mismatch."""
    starts = np.zeros(len(sketched.sizes) + 1, np.int64)
    np.cumsum(sketched.sizes, out=starts[1:])
    shingles = sketched.shingles.view()
    shingles.flags.writeable = False  # as in a memory map: one array type to compile
    if starts[-1] != len(shingles) or (starts[1:] <= starts[:-1]).any():
        raise ValueError(f"sizes must be above 0 and add up to {len(shingles)}, not {starts[-1]}")
    return shingles, starts


def firsts(shingles: NDArray[np.uint64], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the first document with the same shingles as each document, int32[n]."""
    sizes = np.diff(starts).astype(np.int32)
    added = np.add.reduceat(shingles, starts[:-1])  # modulo 2^64; equal sets have equal sums
    order = np.lexsort((added, sizes))
    return np.asarray(first_equal(shingles, starts, order, sizes, added))


def group(sketched: Sketch, rule: Rule | None = None) -> NDArray[np.int32]:
    """Return the row of each document's representative, int32[n]. A representative maps to itself.

    Documents with equal shingles count as one, the earliest. Distinct documents are visited by
    descending number of shingles, then by row. Among the earlier representatives that a document is
    near (`is_near`), it joins the one that contains most of it; ties go to the first. A document
    near no representative becomes one. So no chains form: members are near-duplicates of their
    representative, and no representatives are near-duplicates of each other.

    The result is exact with respect to the shingle numbers: no pair is estimated.
    `sketched.shingles` may be a memory map; it is read sequentially five times.

    Raises ValueError if the sizes do not match the shingles.
    """
    rule = rule or Rule()
    shingles, starts = laid_out(sketched)
    sizes, first = np.diff(starts).astype(np.int32), firsts(shingles, starts)
    need = _least(sizes, rule.threshold)
    found = leads(shingles, starts, first, need)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    order = distinct[np.argsort(-sizes[distinct], kind="stable")].astype(np.int32)
    rule_ = (rule.threshold, rule.quotable)
    of = _stars(order, (shingles, starts, need), found, rule_)
    return np.asarray(of[first])
