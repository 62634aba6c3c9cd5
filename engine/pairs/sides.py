"""One side of the pairs, ranked: the conclusions of a question, or a conclusion's premises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pairing import Pairing
from ranking.explanation import Explanation
from ranking.nearest import Rows, similarities

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Listed:
    """What was retrieved for one query, by cosine, best first."""

    numbers: NDArray[np.int64]
    """int64[n], sentences."""
    cosines: Floats
    """float64[n], never rising."""
    said: str
    """What the cosine is of."""
    rows: Callable[[], Rows]
    """Their vectors."""
    structures: Callable[[], Floats]
    """Structural distances to the query, float64[n]."""
    moves: Callable[[], Floats]
    """Word mover's distances to the query, float64[n]."""


@dataclass(frozen=True)
class Ranked:
    """One side, best first."""

    numbers: NDArray[np.int64]
    scores: Floats
    explain: Callable[[int], Explanation]
    """The tree of a place, from 0; its root is the score."""

    def __len__(self) -> int:
        return len(self.numbers)


def ranked(listed: Listed, settings: Pairing, mu: float) -> Ranked:
    """The side re-ranked as section [pairs] says (W22)."""
    if settings.rerank == "none" or not len(listed.numbers):
        return Ranked(listed.numbers, listed.cosines, lambda j: _cosine(listed, j))
    if settings.rerank == "mmr":
        return _by_mmr(listed, settings.trade_off)
    return _by_mixture(listed, settings, mu)


def boosted(side: Ranked, factors: Floats, explain: Callable[[int], Explanation]) -> Ranked:
    """The side with scores times `factors` (float64[n]), best first, ties by the earlier one.

    explain: the tree of a factor, by place before.
    """
    scores = side.scores * factors
    order = np.argsort(-scores, kind="stable")

    def tree(j: int) -> Explanation:
        """The score until here, and the factor."""
        at = int(order[j])
        return Explanation(
            float(scores[at]), "score × factor", (side.explain(at), explain(at)), symbol="S"
        )

    return Ranked(side.numbers[order], scores[order], tree)


def _cosine(listed: Listed, at: int) -> Explanation:
    return Explanation(float(listed.cosines[at]), listed.said, symbol="cos")


def _by_mmr(listed: Listed, trade_off: float) -> Ranked:
    from ranking.reranking import mmr

    alike = similarities(listed.rows())
    picks = mmr.mmr_among(listed.cosines, alike, len(listed.numbers), trade_off)
    numbers = listed.numbers[picks.order]

    def tree(j: int) -> Explanation:
        """Both parts of the marginal relevance; the penalty is the second."""
        return mmr.explain(picks, j, trade_off)

    return Ranked(numbers, picks.values, tree)


def _by_mixture(listed: Listed, settings: Pairing, mu: float) -> Ranked:
    from ranking.reranking import mixture, structural, word_movers

    structure = settings.rerank == "structural"
    other = listed.structures() if structure else listed.moves()
    name = "structural" if structure else "word mover's"
    if settings.reading == "similarity":
        other = (structural if structure else word_movers).similarity(other)
    mix = mixture.mixture(listed.cosines, other, mu)
    order = mix.order()

    def tree(j: int) -> Explanation:
        """The cosine and the distance, each scaled within the list, and μ."""
        at = int(order[j])
        of = Explanation(float(other[at]), f"{name} {settings.reading}")
        return mixture.explain(mix, at, _cosine(listed, at), of, settings.reading)

    return Ranked(listed.numbers[order], mix.scores[order], tree)
