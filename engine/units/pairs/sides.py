"""One side of the pairs, ranked: the conclusions of a question, or their premises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Pairing
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.vectors import SentenceRows, similarities

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Explain = Callable[[int], Explanation]


@dataclass(frozen=True)
class Listed:
    """What was retrieved by cosine: a list for each of q queries, one after the other."""

    numbers: Ints
    """int64[n], sentences, each list's best first."""
    cosines: Floats
    """float64[n]."""
    sizes: Ints
    """int64[q], sentences of each list."""
    said: str
    """What the cosine is of."""
    rows: Callable[[], SentenceRows]
    """Their vectors."""
    structures: Callable[[], Floats]
    """Structural distances to the query, float64[n]."""
    moves: Callable[[], Floats]
    """Word mover's distances to the query, float64[n]."""


@dataclass(frozen=True)
class Ranked:
    """One side, each list best first."""

    numbers: Ints
    scores: Floats
    sizes: Ints
    explain: Explain
    """The tree of a place, from 0 among all; its root is the score."""

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def starts(self) -> Ints:
        """int64[q], where each list begins."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @property
    def lists(self) -> list[slice]:
        """Where each list stands."""
        return _slices(self.sizes)

    @property
    def list_of(self) -> Ints:
        """int64[n], the list of each place."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def ranked(listed: Listed, settings: Pairing, mu: float) -> Ranked:
    """The side re-ranked, list by list, as section [pairs] says (W22)."""
    if settings.rerank == "none" or not len(listed.numbers):
        explain = _cosine(listed)
        return Ranked(listed.numbers, listed.cosines, listed.sizes, explain)
    if settings.rerank == "mmr":
        return _by_mmr(listed, settings.trade_off)
    return _by_mixture(listed, settings, mu)


def boosted(side: Ranked, factors: Floats, explain: Explain) -> Ranked:
    """The side with scores times `factors` (float64[n]), best first, ties by the earlier one.

    explain: the tree of a factor, by place before.
    """
    scores = side.scores * factors
    order = _best_first(scores, side.sizes)

    def tree(j: int) -> Explanation:
        """The score until here, and the factor."""
        at = int(order[j])
        return Explanation(
            float(scores[at]), "score × factor", (side.explain(at), explain(at)), symbol="S"
        )

    return Ranked(side.numbers[order], scores[order], side.sizes, tree)


def _slices(sizes: Ints) -> list[slice]:
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for end, size in zip(ends, sizes.tolist(), strict=True)]


def _best_first(scores: Floats, sizes: Ints) -> Ints:
    """The places of each list's scores, largest first, ties by the earlier one."""
    return np.asarray(np.lexsort((-scores, np.repeat(np.arange(len(sizes)), sizes))))


def _cosine(listed: Listed) -> Explain:
    return lambda at: Explanation(float(listed.cosines[at]), listed.said, symbol="cos")


def _by_mmr(listed: Listed, trade_off: float) -> Ranked:
    from argsearch.ranking.reranking import mmr

    rows, slices = listed.rows(), _slices(listed.sizes)
    most = int(listed.sizes.max())
    made = [
        mmr.mmr_among(listed.cosines[s], similarities(rows[s]), most, trade_off) for s in slices
    ]
    order = np.concatenate([picks.order + s.start for picks, s in zip(made, slices, strict=True)])
    scores = np.concatenate([picks.values for picks in made])

    def tree(j: int) -> Explanation:
        """Both parts of the marginal relevance; the penalty is the second."""
        one = _list_at(listed.sizes, j)
        return mmr.explain(made[one], j - slices[one].start, trade_off)

    return Ranked(listed.numbers[order], scores, listed.sizes, tree)


def _by_mixture(listed: Listed, settings: Pairing, mu: float) -> Ranked:
    from argsearch.ranking.reranking import mixture, structural, word_movers

    structure = settings.rerank == "structural"
    other = listed.structures() if structure else listed.moves()
    name = "structural" if structure else "word mover's"
    if settings.mode == "similarity":
        other = (structural if structure else word_movers).similarity(other)
    scores = mixture.mixtures(listed.cosines, other, listed.sizes, mu)
    order = _best_first(scores, listed.sizes)

    def tree(j: int) -> Explanation:
        """The cosine and the distance, each scaled within the list, and μ."""
        at = int(order[j])
        its = _slices(listed.sizes)[_list_at(listed.sizes, at)]
        mix = mixture.mixture(listed.cosines[its], other[its], mu)
        of = Explanation(float(other[at]), f"{name} {settings.mode}")
        cosine = _cosine(listed)(at)
        return mixture.explain(mix, at - its.start, cosine, of, settings.mode)

    return Ranked(listed.numbers[order], scores[order], listed.sizes, tree)


def _list_at(sizes: Ints, place: int) -> int:
    """The list that has a place."""
    return int(np.searchsorted(np.cumsum(sizes), place, side="right"))
