"""From a question to its pairs, best first, each with the reasons for its place (W22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.findings import LocalFindings
from argsearch.engine.config import Pairing
from argsearch.engine.units.pairs.opened import Occurrence, PairIndex
from argsearch.engine.units.pairs.retrieving import EmbeddedQuestion, Lists
from argsearch.engine.units.pairs.sides import Floats, Ints, RankedSide, boosted, ranked
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.format.arrays import STANCE_CODES
from argsearch.ranking.combination import factor
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.pairs import FORMULAS, AggregatedPairs, aggregate
from argsearch.ranking.vectors import sentence_cosines

if TYPE_CHECKING:
    from argsearch.indexer.encoders import Encoder

_STANCES = {code: stance for stance, code in STANCE_CODES.items()}


@dataclass(frozen=True)
class SentencePair:
    """One pair of the answer."""

    conclusion: int
    premise: int
    i: int
    """The place of the conclusion, from 0."""
    j: int
    """The place of the premise in its conclusion's list, from 0."""
    score: float


@dataclass(frozen=True)
class PairDetails:
    """Where the two sentences of a pair stand."""

    conclusion: Occurrence
    premise: Occurrence


@dataclass(frozen=True)
class FoundPairs(LocalFindings):
    """The answer to one question."""

    index: PairIndex
    settings: Pairing
    found: list[SentencePair]
    """The first ones."""
    every: int
    """Pairs beyond them too, those left out for being alike included."""
    lists: tuple[RankedSide, RankedSide]
    """Conclusions and premises."""

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self.every

    def details(self, row: int) -> PairDetails:
        """Return where the two sentences stand."""
        pair, together = self.found[row], self.settings.scope == "argument"
        return PairDetails(*self.index.places(pair.conclusion, pair.premise, together))

    def docs(self, rows: Ints) -> Ints:
        """Return the documents that the premises are taken from."""
        found = [self.details(row).premise.doc for row in rows.tolist()]
        return np.array(found, np.int64)

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of the pairs."""
        places = [self.details(row) for row in rows.tolist()]
        return [self.index.id(one.conclusion, one.premise) for one in places]

    def arguments(self, row: int) -> tuple[str, ...]:
        """Return the ids of the premise's and the conclusion's argument."""
        at = self.details(row)
        return tuple(
            dict.fromkeys(self.backend.ids[one.doc] for one in (at.premise, at.conclusion))
        )

    def stance(self, row: int) -> Stance | None:
        """Return the stance of the conclusion's argument, as W22 has it."""
        doc = self.details(row).conclusion.doc
        return _STANCES.get(int(self.backend.arrays.stances[doc]))

    def stated(self, row: int) -> Argument:
        """Return the conclusion and the premise."""
        pair = self.found[row]
        premise = Premise(self.index.premise(pair.premise), self.stance(row))
        (id,) = self.ids(np.array([row]))
        return Argument(id, self.index.conclusion(pair.conclusion), (premise,))

    def vectors(self, rows: Ints) -> NDArray[np.float32]:
        """Return the stored unit vectors of the premises."""
        numbers = np.array([self.found[row].premise for row in rows.tolist()], np.int64)
        return np.asarray(self.index.premises.rows[numbers].vectors, np.float32)

    def explanation(self, row: int) -> Explanation:
        """Return how both sides make the score."""
        pair, (conclusions, premises) = self.found[row], self.lists
        of_c = conclusions.explain(pair.i)
        of_p = premises.explain(int(premises.starts[pair.i]) + pair.j)
        if self.settings.aggregation in ("product", "mean"):
            return Explanation(
                pair.score, FORMULAS[self.settings.aggregation], (of_c, of_p), symbol="S"
            )
        longest = int(premises.sizes.max())
        details = (
            Explanation(len(conclusions), "conclusions, found for the question"),
            Explanation(pair.i, "i, place of the conclusion, from 0, by its score", (of_c,)),
            Explanation(longest, "premises, in the longest list of a conclusion's"),
            Explanation(pair.j, "j, place of the premise, from 0, by its score", (of_p,)),
        )
        return Explanation(pair.score, FORMULAS[self.settings.aggregation], details, symbol="S")


@dataclass(frozen=True)
class Wanted:
    """Which pairs are asked for."""

    most: int
    standing: Callable[[NDArray[np.int32]], Floats]
    """A of arguments by number, float64[n]; asked for where it counts."""
    stance: Stance | None = None
    """Of the pair."""
    passing: NDArray[np.bool_] | None = None
    """The documents that filters let through; both of a pair's have to be among them."""


def search(
    index: PairIndex, encoder: Encoder, text: str, settings: Pairing, wanted: Wanted
) -> FoundPairs:
    """Return the best pairs for a question; raises InvalidParameter for a blank one."""
    asked = EmbeddedQuestion.of(text, encoder)
    retrieval = Lists(index, settings, asked)
    conclusions = ranked(retrieval.conclusions(), settings, settings.mu_conclusions)
    premises = ranked(retrieval.premises(conclusions.numbers), settings, settings.mu_premises)
    premises = _boosted(retrieval, conclusions.numbers, premises, wanted.standing)
    joined = aggregate(
        settings.aggregation, conclusions.scores, [premises.scores[s] for s in premises.lists]
    )
    flat = _numbers(joined, conclusions, premises)
    allowed = _allowed(index, settings, *flat) & _wanted(index, settings, wanted, *flat)
    kept = np.flatnonzero(allowed)
    _, firsts = np.unique(flat[1][kept], return_index=True)
    order = kept[np.sort(firsts)]  # no premise twice: its best pair stays
    chosen = _apart(index, settings, flat, order, wanted.most)
    pairs = [
        SentencePair(int(flat[0][n]), int(flat[1][n]), int(joined.i[n]), int(joined.j[n]), score)
        for n, score in zip(chosen, joined.scores[chosen].tolist(), strict=True)
    ]
    lists = conclusions, premises
    return FoundPairs(index.backend, index, settings, pairs, len(order), lists)


def _numbers(
    joined: AggregatedPairs, conclusions: RankedSide, premises: RankedSide
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sentences of each pair: conclusions and premises."""
    return conclusions.numbers[joined.i], premises.numbers[premises.starts[joined.i] + joined.j]


@dataclass(frozen=True)
class _Boosts:
    """What the argument and the question give each premise."""

    settings: Pairing
    Q: Floats
    T: Floats
    A: Floats

    def factors(self) -> Floats:
        """(1 + ω_Q·Q) · (1 + ω_T·T) · (1 + ω_A·A)."""
        weights = self.settings
        of_argument = factor(weights.quality, self.Q) * factor(weights.argument, self.A)
        return np.asarray(of_argument * factor(weights.question, self.T))

    def explain(self, place: int) -> Explanation:
        """The tree of one factor."""
        w = self.settings
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
    retrieval: Lists,
    conclusions: NDArray[np.int64],
    side: RankedSide,
    standing: Callable[[NDArray[np.int32]], Floats],
) -> RankedSide:
    """The premises, their scores times what their argument and the question give."""
    settings, index = retrieval.settings, retrieval.index
    if not len(side) or not (settings.quality or settings.question or settings.argument):
        return side
    Q, T, A = np.zeros((3, len(side)))  # noqa: N806
    docs = _arguments(index, settings, conclusions[side.list_of], side.numbers)
    if settings.quality:
        Q = np.asarray(index.backend.arrays.quality[docs], np.float64)  # noqa: N806
    if settings.question:
        rows = index.premises.rows[side.numbers]
        T = np.maximum(0.0, sentence_cosines(retrieval.question.row, rows))  # noqa: N806
    if settings.argument:
        A = standing(docs)  # noqa: N806
    boosts = _Boosts(settings, Q, T, A)
    return boosted(side, boosts.factors(), boosts.explain)


def _arguments(
    index: PairIndex, settings: Pairing, conclusions: NDArray[np.int64], premises: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The argument that the premise of each pair is taken from."""
    if settings.scope == "corpus":
        return index.premises.first_docs(premises)
    return np.asarray(index.premises.docs[index.own_rows(conclusions, premises)])


def _allowed(
    index: PairIndex, settings: Pairing, conclusions: NDArray[np.int64], premises: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which pairs may be shown: a statement where asked for, and of its conclusion's stance (W22).

    In one argument both have the same stance; a stance that is not known fits every other.
    """
    allowed = np.ones(len(premises), np.bool_)
    if settings.statements_only:
        allowed &= index.kinds[premises] == 0
    if settings.scope == "corpus":
        stances = index.backend.arrays.stances
        of_c = stances[index.conclusions.first_docs(conclusions)]
        of_p = stances[index.premises.first_docs(premises)]
        allowed &= (of_c == of_p) | (of_c == 0) | (of_p == 0)
    return allowed


def _wanted(
    index: PairIndex,
    settings: Pairing,
    wanted: Wanted,
    conclusions: NDArray[np.int64],
    premises: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which pairs are asked for, by their stance and by the columns of their arguments."""
    fit = np.ones(len(premises), np.bool_)
    if wanted.stance is None and wanted.passing is None:
        return fit
    docs = _arguments(index, settings, conclusions, premises)
    together = settings.scope == "argument"
    of_c = docs if together else index.conclusions.first_docs(conclusions)
    if wanted.stance is not None:
        fit &= index.backend.arrays.stances[of_c] == STANCE_CODES[wanted.stance]
    if wanted.passing is not None:
        fit &= wanted.passing[docs] & wanted.passing[of_c]
    return fit


def _apart(
    index: PairIndex,
    settings: Pairing,
    flat: tuple[NDArray[np.int64], NDArray[np.int64]],
    order: NDArray[np.int64],
    k: int,
) -> list[int]:
    """The first k: none too like a better one, not too many of one conclusion or argument."""
    each = settings.max_per_conclusion, settings.max_per_argument
    if settings.diversity_threshold >= 1.0 and min(each) >= settings.premises:
        return [int(n) for n in order[:k]]
    chosen: list[int] = []
    taken: Counter[tuple[str, int]] = Counter()
    conclusions, premises = flat[0][order], flat[1][order]
    docs = _arguments(index, settings, conclusions, premises).tolist()
    for at in _unlike(index, settings.diversity_threshold, premises):
        of = ("conclusion", int(conclusions[at])), ("argument", docs[at])
        if all(taken[one] < most for one, most in zip(of, each, strict=True)):
            taken.update(of)
            chosen.append(int(order[at]))
            if len(chosen) == k:
                break
    return chosen


def _unlike(index: PairIndex, apart: float, premises: NDArray[np.int64]) -> Iterator[int]:
    """The places of premises at most `apart` like those that were yielded before, by cosine."""
    rows = index.premises.rows
    before = np.zeros((0, rows.levels.shape[1]), np.float64)
    for at in range(len(premises)):
        if apart < 1.0:
            vector = rows[premises[at : at + 1]].vectors[0]
            if len(before) and float((before @ vector).max()) > apart:
                continue
            before = np.vstack([before, vector])
        yield at
