"""Folding: of each group of near-copies the best candidate stands, before any cutoff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from argsearch.ranking.compiled import kernel


@dataclass(frozen=True, slots=True)
class Folded:
    """A page of a ranking in which each group stands once; places are those of the candidates."""

    heads: NDArray[np.int64]
    """int64[k]: the best of each group on the page, best first."""
    starts: NDArray[np.int64]
    """int64[k + 1]: head i's group is members[starts[i]:starts[i + 1]]."""
    members: NDArray[np.int64]
    """Every candidate of these groups, group after group, best first: the head, then the folded."""
    documents: int
    """All candidates, before folding."""
    groups: int
    """All candidates that stand, on this page or another."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[k], candidates of each head's group, itself included."""
        return np.diff(self.starts)


def fold_plain(
    scores: ArrayLike, ties: ArrayLike, groups: ArrayLike, first: int = 0, size: int | None = None
) -> list[list[int]]:
    """`fold`'s page as its docstring says it: the members of each head's group, head first."""
    s, t, g = np.asarray(scores), np.asarray(ties), np.asarray(groups)
    found: dict[tuple[int, int], list[int]] = {}
    for place in sorted(range(len(s)), key=lambda i: (-s[i], t[i])):
        alone = place if g[place] < 0 else -1
        found.setdefault((int(g[place]), alone), []).append(place)
    return list(found.values())[first : None if size is None else first + size]


@kernel
def _standing(scores, ties, groups, limit):  # type: ignore[no-untyped-def]
    """bool[n], whether each candidate is its group's best; groups are below `limit`."""
    best = np.full(limit, -1, np.int64)
    stands = np.zeros(scores.size, np.bool_)
    for i in range(scores.size):
        g = groups[i]
        if g < 0:
            stands[i] = True
            continue
        j = best[g]
        if j < 0 or scores[i] > scores[j] or (scores[i] == scores[j] and ties[i] < ties[j]):
            best[g] = i
            stands[i] = True
            if j >= 0:
                stands[j] = False
    return stands


def fold(
    scores: ArrayLike, ties: ArrayLike, groups: ArrayLike, first: int = 0, size: int | None = None
) -> Folded:
    """Places first … first + size − 1 of a ranking in which only the best of each group stands.

    scores: float[n], of the candidates in any order; ties: int[n], all different, lower first among
    equal scores; groups: int[n], -1 for a candidate without group; size None: all from `first`.
    The heads keep the order that they have without folding. Every page is a part of the one folded
    ranking, so pages never overlap; and the heads of the best m candidates are the first heads of
    all: who has retrieved m has no head wrong, perhaps too few (then retrieve more).

    Time: n, and n log n for what the page shows. Raises ValueError for arrays of different
    lengths, NaN, first < 0 or size < 1.
    """
    s, t, g = np.asarray(scores), np.asarray(ties, np.int64), np.asarray(groups, np.int64)
    _check(s, t, g, first, size)
    stands = np.flatnonzero(_standing(s, t, g, int(g.max(initial=-1)) + 1))
    heads = _best(stands, s, t, len(stands) if size is None else first + size)[first:]
    starts, members = _members(heads, s, t, g)
    return Folded(heads, starts, members, len(s), len(stands))


def _best(
    places: NDArray[np.int64], s: NDArray[np.float64], t: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """The k best of some places, best first."""
    if k < len(places):
        least = np.partition(s[places], len(places) - k)[len(places) - k]
        places = places[s[places] >= least]
    return places[np.lexsort((t[places], -s[places]))][:k]


def _members(
    heads: NDArray[np.int64], s: NDArray[np.float64], t: NDArray[np.int64], g: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every candidate of the heads' groups, and where each group's begin."""
    head_of = np.full(int(g.max(initial=-1)) + 2, -1)  # one more, for the groups of -1
    grouped = g[heads] >= 0
    head_of[g[heads[grouped]]] = np.flatnonzero(grouped)
    alone = heads[~grouped]
    places = np.concatenate([np.flatnonzero(head_of[g] >= 0), alone])
    of = np.concatenate([head_of[g[places[: len(places) - len(alone)]]], np.flatnonzero(~grouped)])
    counts = np.bincount(of, minlength=len(heads))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return starts, places[np.lexsort((t[places], -s[places], of))]


def _check(
    s: NDArray[np.float64], t: NDArray[np.int64], g: NDArray[np.int64], first: int, size: int | None
) -> None:
    if not s.shape == t.shape == g.shape == (len(s),):
        raise ValueError(
            f"scores, ties and groups have shapes {s.shape}, {t.shape}, {g.shape}; "
            "allowed: three times (n,)"
        )
    if np.isnan(s).any():
        raise ValueError("scores hold NaN; allowed: numbers")
    if first < 0 or (size is not None and size < 1):
        raise ValueError(f"first is {first!r} and size {size!r}; allowed: from 0, and from 1")
