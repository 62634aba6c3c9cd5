"""How often the premise that people rated higher wins, on issues the model has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.judgements.dagstuhl import DIMENSIONS, Ratings
from argsearch.lab.judgements.pairs import TextPairs
from argsearch.lab.judgements.tables import words
from argsearch.lab.training.pairwise.trainer import Sources, fit_pairwise

APART = 0.9
"""Difference of mean ratings (1 to 3) from which a pair counts as far apart."""

SAMPLES = 10_000
"""Bootstrap samples of the queries."""

Floats = NDArray[np.float64]
Scores = Mapping[str, Floats]
"""Dimension -> a score of each argument, float64[n]."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of pairs, and its 95 % interval over the queries."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class PairRow:
    """How a way of scoring does: each dimension, and the mean of the three."""

    HEADER: ClassVar[str] = "| | cogency | reasonableness | effectiveness | mean of the three |"
    RULE: ClassVar[str] = "|---|---|---|---|---|"

    model: str
    pairs: str
    """Which pairs: `all`, or those at least so far apart."""
    shares: tuple[Share, ...]

    def line(self) -> str:
        """The row of the table."""
        return f"| {self.model}, {self.pairs} | {' | '.join(map(str, self.shares))} |"


def hits(scores: Floats, pairs: TextPairs) -> Floats:
    """1 where the better text has the higher score, ½ where both are equal, else 0: float64[m]."""
    better, worse = scores[pairs.better], scores[pairs.worse]
    return np.asarray((better > worse) + 0.5 * (better == worse), np.float64)


def rows(model: str, ratings: Ratings, scores: Scores, seed: int = 0) -> tuple[PairRow, PairRow]:
    """The row of all pairs and that of the pairs at least `APART`; queries are drawn again."""
    found = []
    for least in (0.0, APART):
        sums = np.array([_by_query(ratings, scores[d], d, least) for d in DIMENSIONS])
        name = "all pairs" if least == 0 else f"pairs {least:g} apart or more"
        found.append(PairRow(model, name, _shares(sums, seed)))
    return found[0], found[1]


def _by_query(ratings: Ratings, scores: Floats, dimension: str, least: float) -> Floats:
    """(hits, pairs) of each query, float64[2, queries]."""
    pairs = ratings.pairs(dimension)
    keep = ratings.apart(pairs, dimension) >= least - 1e-9
    query, count = ratings.query[pairs.better[keep]], len(ratings.queries)
    right = np.bincount(query, hits(scores, pairs)[keep], minlength=count)
    return np.stack([right, np.bincount(query, minlength=count)])


def _shares(sums: Floats, seed: int) -> tuple[Share, ...]:
    """Shares of [dimensions, (hits, pairs), queries] over all queries, and over drawn ones."""
    count = sums.shape[2]
    drawn = np.random.default_rng(seed).integers(0, count, (SAMPLES, count))
    times = np.stack([np.bincount(draw, minlength=count) for draw in drawn])
    totals = times @ sums.reshape(-1, count).T  # [samples, dimensions · 2]
    right, of = totals[:, 0::2], totals[:, 1::2]  # a sample may hold no pair: then no share
    again = np.divide(right, of, out=np.full(right.shape, np.nan), where=of > 0)
    whole = sums.sum(axis=2)
    values = np.append(whole[:, 0] / whole[:, 1], np.mean(whole[:, 0] / whole[:, 1]))
    again = np.hstack([again, again.mean(axis=1, keepdims=True)])
    low, high = np.nanquantile(again, (0.025, 0.975), axis=0)
    return tuple(Share(*map(float, of)) for of in zip(values, low, high, strict=True))


def unseen_issues(ratings: Ratings, shared: Sequence[TextPairs]) -> Scores:
    """Scores of every argument by a model that saw nothing of its issue.

    Of the ratings both stances of the issue are left out, of the shared pairs its topic: some of
    them are of the very same texts.
    """
    sources = Sources({d: ratings.pairs(d) for d in DIMENSIONS}, tuple(shared))
    scores = {d: np.zeros(len(ratings.texts)) for d in DIMENSIONS}
    issue = np.array(ratings.issues)[ratings.query]
    for left_out in sorted(set(ratings.issues)):
        queries = frozenset(
            query
            for query, of in zip(ratings.queries, ratings.issues, strict=True)
            if of == left_out
        )
        model = fit_pairwise(sources.without(frozenset([words(left_out)]), queries))
        at = np.flatnonzero(issue == left_out)
        found = model.scores([ratings.texts[i] for i in at])
        for column, dimension in enumerate(DIMENSIONS):
            scores[dimension][at] = found[:, column]
    return scores


def one_score(scores: Floats) -> Scores:
    """The same score for every dimension."""
    return dict.fromkeys(DIMENSIONS, scores)


def lengths(texts: Sequence[str]) -> Floats:
    """The length rule: the text of more words wins."""
    return np.array([len(text.split()) for text in texts], np.float64)
