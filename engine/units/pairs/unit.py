"""Pairs of sentences: a conclusion and a premise that supports it (W22)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.embedded.findings import LocalFindings
from argsearch.engine.config import Pairing
from argsearch.engine.parameters import LARGEST_PAGE
from argsearch.engine.stages import Candidates
from argsearch.engine.units.base import OpenIndex, SearchRequest, Unit, eligible, local, paged
from argsearch.engine.units.pairs.lists import Floats, Ints, Lists, RankedSide
from argsearch.engine.units.pairs.opened import PairDetails, PairIndex
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.indexer.format.arrays import STANCE_CODES
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.pairs import FORMULAS, aggregate

SCORED_ARGUMENTS = 1000
"""Number of top arguments whose scores count towards their pairs."""
_STANCES = {code: stance for stance, code in STANCE_CODES.items()}


@dataclass(frozen=True)
class FoundPairs(LocalFindings):
    """The best pairs for one question."""

    index: PairIndex
    settings: Pairing
    conclusions: Ints
    """The conclusion of each pair, int64[n]."""
    premises: Ints
    """The premise of each pair, int64[n]."""
    i: Ints
    """int64[n], 0-based rank of the conclusion."""
    j: Ints
    """int64[n], 0-based rank of the premise in its conclusion's list."""
    scores: Floats
    every: int
    """Number of all pairs, even those left out because they are too similar."""
    lists: tuple[RankedSide, RankedSide]
    """All conclusions and all premises that were found."""

    @property
    def total(self) -> int:
        """Number of pairs."""
        return self.every

    def details(self, row: int) -> PairDetails:
        """Return the positions of the two sentences."""
        pair = int(self.conclusions[row]), int(self.premises[row])
        return self.index.places(*pair, self.settings.scope)

    def docs(self, rows: Ints) -> Ints:
        """Return the documents that the premises come from."""
        return np.array([self.details(row).premise.doc for row in rows.tolist()], np.int64)

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of the pairs."""
        places = [self.details(row) for row in rows.tolist()]
        return [self.index.id(one.conclusion, one.premise) for one in places]

    def arguments(self, row: int) -> tuple[str, ...]:
        """Return the ids of the premise's argument and of the conclusion's argument."""
        at = self.details(row)
        ids = (self.backend.ids[one.doc] for one in (at.premise, at.conclusion))
        return tuple(dict.fromkeys(ids))

    def stance(self, row: int) -> Stance | None:
        """Return the stance of the conclusion's argument, as W22 does."""
        return _STANCES.get(int(self.backend.arrays.stances[self.details(row).conclusion.doc]))

    def stated(self, row: int) -> Argument:
        """Return the conclusion and the premise."""
        premise = Premise(self.index.premise(int(self.premises[row])), self.stance(row))
        (text,) = self.index.conclusion_texts(self.conclusions[[row]])
        return Argument(self.ids(np.array([row]))[0], text, (premise,))

    def vectors(self, rows: Ints) -> NDArray[np.float32]:
        """Return the stored unit vectors of the premises."""
        return np.asarray(self.index.premises.rows[self.premises[rows]].vectors, np.float32)

    def explanation(self, row: int) -> Explanation:
        """Return the explanation of how the scores of both sides are combined."""
        i, j, (conclusions, premises) = int(self.i[row]), int(self.j[row]), self.lists
        of_c = conclusions.explain(i)
        of_p = premises.explain(int(premises.starts[i]) + j)
        how = self.settings.aggregation
        details: tuple[Explanation, ...] = of_c, of_p
        if how not in ("product", "mean"):
            longest = int(premises.sizes.max())
            details = (
                Explanation(len(conclusions), "conclusions, number found for the question"),
                Explanation(i, "i, rank of the conclusion by its score, from 0", (of_c,)),
                Explanation(longest, "premises, number in the longest list of any conclusion"),
                Explanation(j, "j, rank of the premise by its score, from 0", (of_p,)),
            )
        return Explanation(float(self.scores[row]), FORMULAS[how], details, symbol="S")


class Pairs(Unit):
    """The unit `pairs`."""

    name: ClassVar[str] = "pairs"
    singular: ClassVar[str] = "pair"
    doc: ClassVar[str] = "a conclusion and a premise that supports it, two sentences (W22)"
    part: ClassVar[str] = "pairs"
    takes: ClassVar[tuple[str, ...]] = (*Unit.takes, "discriminative")
    config: ClassVar[str] = "pairs-default"
    stances: ClassVar[bool] = True

    def __init__(self, engine: OpenIndex) -> None:
        """Open the unit, or raise PartMissing if the index lacks the part."""
        super().__init__(engine)
        self.index = PairIndex(engine.backend.part(self.part), local(engine))

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best pairs."""
        index, settings = self.index, request.config.pairs
        lists = Lists.of(index, settings, request.question, self.engine.encoder)
        conclusions = lists.conclusions()
        premises = lists.premises(conclusions.numbers)
        shares = partial(self._argument_shares, request)
        premises = lists.boosted(conclusions.numbers, premises, shares)
        joined = aggregate(
            settings.aggregation, conclusions.scores, premises.scores, premises.sizes
        )
        c = conclusions.numbers[joined.i]
        p = premises.numbers[premises.starts[joined.i] + joined.j]
        kept = np.flatnonzero(self._fit(request, c, p))
        _, firsts = np.unique(p[kept], return_index=True)
        order = kept[np.sort(firsts)]  # a premise appears only in its best pair
        # If a column orders the pairs, even the last pair may come first.
        most = LARGEST_PAGE if request.order is not None else request.page.stop
        best = order[self._diverse(settings, c[order], p[order], most)]
        places = c[best], p[best], joined.i[best], joined.j[best]
        sides = conclusions, premises
        found = FoundPairs(
            index.backend, index, settings, *places, joined.scores[best], len(order), sides
        )
        if not len(conclusions):
            notes = ("no conclusion has enough tokens for this question",)
            return self.candidates(request.question, found, found.scores, notes)
        return paged(self.candidates(request.question, found, found.scores), request)

    def _argument_shares(self, request: SearchRequest, docs: NDArray[np.int32]) -> Floats:
        """Return A of documents: the argument's score over the best one, or 0 for lower ranks."""
        hits = self.engine.search(request.question, k=SCORED_ARGUMENTS, config=request.config).hits
        some, places = np.unique(docs, return_inverse=True)
        if not len(hits) or hits.scores[0] <= 0:
            return np.zeros(len(docs))
        shares = np.maximum(0.0, hits.scores / hits.scores[0]).tolist()
        of = dict(zip(hits.ids, shares, strict=True))
        ids = self.index.backend.ids
        return np.array([of.get(ids[doc], 0.0) for doc in some.tolist()])[places]

    def _fit(self, request: SearchRequest, c: Ints, p: Ints) -> NDArray[np.bool_]:
        """Return which pairs may be shown: those of the same stance (W22) that pass the filters.

        An unknown stance fits any other. Both arguments must pass the filters.
        """
        settings, index = request.config.pairs, self.index
        of_p = index.premise_docs(c, p, settings.scope)
        of_c = of_p if settings.scope == "argument" else index.conclusions.first_docs(c)
        stances, passing = index.backend.arrays.stances, eligible(index.backend, request)
        s_c, s_p = stances[of_c], stances[of_p]
        fit = np.asarray((s_c == s_p) | (s_c == 0) | (s_p == 0))
        if settings.statements_only:
            fit &= index.part["premise_kinds"][p] == 0
        if request.own is not None:
            fit &= s_c == STANCE_CODES[request.own]
        if passing is not None:
            fit &= passing[of_p] & passing[of_c]
        return fit

    def _diverse(self, settings: Pairing, c: Ints, p: Ints, k: int) -> Ints:
        """Return the positions of the first k pairs within the similarity and repetition limits."""
        limits = settings.max_per_conclusion, settings.max_per_argument
        threshold = settings.diversity_threshold
        if threshold >= 1.0 and min(limits) >= settings.premises:
            return np.arange(min(k, len(p)))
        chosen: list[int] = []
        taken: Counter[tuple[str, int]] = Counter()
        rows = self.index.premises.rows
        before = np.zeros((0, rows.levels.shape[1]), np.float64)
        docs = self.index.premise_docs(c, p, settings.scope).tolist()
        for at in range(len(p)):
            if len(chosen) == k:
                break
            if threshold < 1.0:
                vector = rows[p[at : at + 1]].vectors[0]
                if len(before) and float((before @ vector).max()) > threshold:
                    continue
                before = np.vstack([before, vector])
            of = ("conclusion", int(c[at])), ("argument", docs[at])
            if all(taken[one] < most for one, most in zip(of, limits, strict=True)):
                taken.update(of)
                chosen.append(at)
        return np.array(chosen, np.int64)
