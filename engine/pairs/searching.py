"""From a question to its pairs, best first, each with the reasons for its place (W22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.pairing import Pairing
from engine.pairs.opened import Occurrence, PairIndex
from engine.pairs.retrieving import Question, Retrieval
from engine.pairs.sides import Floats, Ranked, boosted, ranked
from indexer.layout.arrays import STANCE_CODES
from ranking.combination import factor
from ranking.explanation import Explanation
from ranking.joining import FORMULAS, Joined, join
from ranking.nearest import cosines

if TYPE_CHECKING:
    from indexer.encoders import Encoder

_STANCES = {code: stance.value for stance, code in STANCE_CODES.items() if stance is not None}
UNKNOWN = "NONE"
"""What stands for the stance of a pair whose argument has none."""


@dataclass(frozen=True)
class Pair:
    """One pair of the answer."""

    conclusion: int
    premise: int
    i: int
    """The place of the conclusion, from 0."""
    j: int
    """The place of the premise in its conclusion's list, from 0."""
    score: float


@dataclass(frozen=True)
class Pairs:
    """The answer to one question."""

    index: PairIndex
    settings: Pairing
    found: list[Pair]
    """The first k."""
    total: int
    """Pairs beyond them too, those left out for being alike included."""
    sides: tuple[Ranked, list[Ranked]]

    def places(self, pair: Pair) -> tuple[Occurrence, Occurrence]:
        """Where the two sentences stand."""
        together = self.settings.scope == "argument"
        return self.index.places(pair.conclusion, pair.premise, together)

    def stance(self, pair: Pair) -> str:
        """PRO, CON or `UNKNOWN`: the conclusion's argument's, as W22 has it."""
        doc = self.places(pair)[0].doc
        return _STANCES.get(int(self.index.backend.arrays.stances[doc]), UNKNOWN)

    def texts(self, pair: Pair) -> tuple[str, str]:
        """The conclusion and the premise."""
        return self.index.conclusion(pair.conclusion), self.index.premise(pair.premise)

    def explain(self, pair: Pair) -> Explanation:
        """How both sides make the score; its root is `pair.score`."""
        conclusions, premises = self.sides
        of_c = conclusions.explain(pair.i)
        of_p = premises[pair.i].explain(pair.j)
        if self.settings.join in ("product", "mean"):
            return Explanation(pair.score, FORMULAS[self.settings.join], (of_c, of_p), symbol="S")
        longest = max(map(len, premises))
        details = (
            Explanation(len(conclusions), "conclusions, found for the question"),
            Explanation(pair.i, "i, place of the conclusion, from 0, by its score", (of_c,)),
            Explanation(longest, "premises, in the longest list of a conclusion's"),
            Explanation(pair.j, "j, place of the premise, from 0, by its score", (of_p,)),
        )
        return Explanation(pair.score, FORMULAS[self.settings.join], details, symbol="S")


def search(
    index: PairIndex,
    encoder: Encoder,
    text: str,
    k: int,
    settings: Pairing,
    standing: Callable[[NDArray[np.int32]], Floats],
) -> Pairs:
    """The k best pairs for a question; raises InvalidParameter for a blank one.

    standing: A of arguments by number, float64[n]; asked for where it counts.
    """
    asked = Question.of(text, encoder)
    retrieval = Retrieval(index, settings, asked)
    conclusions = ranked(retrieval.conclusions(), settings, settings.mu_conclusions)
    lists = retrieval.premises(conclusions.numbers)
    premises = [ranked(listed, settings, settings.mu_premises) for listed in lists]
    premises = _boosted(retrieval, conclusions.numbers, premises, standing)
    joined = join(settings.join, conclusions.scores, [side.scores for side in premises])
    flat = _numbers(joined, conclusions, premises)
    kept = np.flatnonzero(_allowed(index, settings, *flat))
    _, firsts = np.unique(flat[1][kept], return_index=True)
    order = kept[np.sort(firsts)]  # no premise twice: its best pair stays
    chosen = _apart(index, settings, flat, order, k)
    pairs = [
        Pair(int(flat[0][n]), int(flat[1][n]), int(joined.i[n]), int(joined.j[n]), score)
        for n, score in zip(chosen, joined.scores[chosen].tolist(), strict=True)
    ]
    return Pairs(index, settings, pairs, len(order), (conclusions, premises))


def _numbers(
    joined: Joined, conclusions: Ranked, premises: list[Ranked]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sentences of each pair: conclusions and premises."""
    starts = np.cumsum([0] + [len(side) for side in premises])[:-1]
    numbers = np.concatenate([side.numbers for side in premises] or [np.zeros(0, np.int64)])
    return conclusions.numbers[joined.i], numbers[starts[joined.i] + joined.j]


@dataclass(frozen=True)
class _Boosts:
    """What the argument and the question give each premise, side after side."""

    settings: Pairing
    Q: Floats
    T: Floats
    A: Floats

    def factors(self) -> Floats:
        """(1 + ω_Q·Q) · (1 + ω_T·T) · (1 + ω_A·A)."""
        weights = self.settings
        of_argument = factor(weights.quality, self.Q) * factor(weights.argument, self.A)
        return np.asarray(of_argument * factor(weights.question, self.T))

    def explain(self, start: int, at: int) -> Explanation:
        """The tree of one factor: place `at` of the side that begins at `start`."""
        w, place = self.settings, start + at
        Q, T, A = float(self.Q[place]), float(self.T[place]), float(self.A[place])  # noqa: N806
        details = [
            Explanation(w.quality, "w_quality, weight of the quality", symbol="ω_Q"),
            Explanation(Q, "Q, predicted quality of the premise's argument", symbol="Q"),
            Explanation(w.question, "w_question, weight of the question", symbol="ω_T"),
            Explanation(T, "T, cosine of question and premise, at least 0", symbol="T"),
        ]
        said = "factor, (1 + w_quality × Q) × (1 + w_question × T)"
        if w.argument:
            said += " × (1 + w_argument × A)"
            details += [
                Explanation(w.argument, "w_argument, weight of the argument's rank", symbol="ω_A"),
                Explanation(A, "A, score of the premise's argument / the best's", symbol="A"),
            ]
        value = factor(w.quality, Q) * factor(w.argument, A) * factor(w.question, T)
        return Explanation(float(value), said, tuple(details))


def _boosted(
    retrieval: Retrieval,
    conclusions: NDArray[np.int64],
    sides: list[Ranked],
    standing: Callable[[NDArray[np.int32]], Floats],
) -> list[Ranked]:
    """The premises, their scores times what their argument and the question give."""
    settings, index = retrieval.settings, retrieval.index
    numbers = np.concatenate([side.numbers for side in sides] or [np.zeros(0, np.int64)])
    if not len(numbers) or not (settings.quality or settings.question or settings.argument):
        return sides
    Q, T, A = np.zeros((3, len(numbers)))  # noqa: N806
    docs = _arguments(index, settings, conclusions, sides)
    if settings.quality:
        Q = np.asarray(index.backend.arrays.quality[docs], np.float64)  # noqa: N806
    if settings.question:
        rows = index.premises.rows[numbers]
        T = np.maximum(0.0, cosines(retrieval.question.row, rows))  # noqa: N806
    if settings.argument:
        A = standing(docs)  # noqa: N806
    boosts = _Boosts(settings, Q, T, A)
    ends = np.cumsum([len(side) for side in sides]).tolist()
    starts, factors = [0, *ends[:-1]], boosts.factors()
    return [
        boosted(side, factors[a:b], partial(boosts.explain, a))
        for side, a, b in zip(sides, starts, ends, strict=True)
    ]


def _arguments(
    index: PairIndex, settings: Pairing, conclusions: NDArray[np.int64], sides: list[Ranked]
) -> NDArray[np.int32]:
    """The argument that each premise is taken from, side after side."""
    if settings.scope == "corpus":
        return index.premises.first_docs(np.concatenate([side.numbers for side in sides]))
    rows = [
        index.own_rows(c, side.numbers) for c, side in zip(conclusions.tolist(), sides, strict=True)
    ]
    return np.asarray(index.premises.docs[np.concatenate(rows)])


def _allowed(
    index: PairIndex, settings: Pairing, conclusions: NDArray[np.int64], premises: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which pairs may be shown: a statement where asked for, and of its conclusion's stance (W22).

    In one argument both have the same stance; a stance that is not known fits every other.
    """
    allowed = np.ones(len(premises), np.bool_)
    if settings.statements:
        allowed &= index.kinds[premises] == 0
    if settings.scope == "corpus":
        stances = index.backend.arrays.stances
        of_c = stances[index.conclusions.first_docs(conclusions)]
        of_p = stances[index.premises.first_docs(premises)]
        allowed &= (of_c == of_p) | (of_c == 0) | (of_p == 0)
    return allowed


def _apart(
    index: PairIndex,
    settings: Pairing,
    flat: tuple[NDArray[np.int64], NDArray[np.int64]],
    order: NDArray[np.int64],
    k: int,
) -> list[int]:
    """The first k: none too like a better one, not too many of one conclusion or argument."""
    each = settings.each, settings.each_argument
    if settings.apart >= 1.0 and min(each) >= settings.premises:
        return [int(n) for n in order[:k]]
    chosen: list[int] = []
    taken: Counter[tuple[str, int]] = Counter()
    together = settings.scope == "argument"
    for n in _unlike(index, settings.apart, flat[1], order):
        c, p = int(flat[0][n]), int(flat[1][n])
        of = ("conclusion", c), ("argument", index.places(c, p, together)[1].doc)
        if all(taken[one] < most for one, most in zip(of, each, strict=True)):
            taken.update(of)
            chosen.append(n)
            if len(chosen) == k:
                break
    return chosen


def _unlike(
    index: PairIndex, apart: float, premises: NDArray[np.int64], order: NDArray[np.int64]
) -> Iterator[int]:
    """The pairs whose premise is at most `apart` like those of the pairs before, by cosine."""
    rows = index.premises.rows
    before = np.zeros((0, rows.levels.shape[1]), np.float64)
    for n in order.tolist():
        if apart < 1.0:
            vector = rows[premises[n : n + 1]].vectors[0]
            if len(before) and float((before @ vector).max()) > apart:
                continue
            before = np.vstack([before, vector])
        yield n
