"""Retrieve and re-rank the two lists of W22: a question's conclusions, and their premises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Pairing
from argsearch.engine.units.pairs.opened import PairIndex
from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.encoders.word_vectors import WORDS
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parts.pairs.comparing import Ingredients, moves, structures
from argsearch.ranking.combination import factor
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.retrieval.selection import largest
from argsearch.ranking.vectors import (
    SentenceRows,
    long_enough,
    nearest,
    norms,
    quantise,
    sentence_cosines,
    similarities,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Explain = Callable[[int], Explanation]


@dataclass(frozen=True)
class Listed:
    """Results by cosine: q lists, one for each query, one after another."""

    numbers: Ints
    """Numbers of the sentences, best first in each list, int64[n]."""
    cosines: Floats
    """The sentences' cosines, float64[n]."""
    sizes: Ints
    """Number of sentences in each list, int64[q]."""
    said: str
    """Description of the cosine."""
    rows: Callable[[], SentenceRows]
    """Function that returns the vectors of the sentences."""
    distances: Callable[[], Floats]
    """Function that returns the re-ranker's distances to the query, float64[n]."""


@dataclass(frozen=True)
class RankedSide:
    """The ranking of one side; each list is sorted best first."""

    numbers: Ints
    scores: Floats
    sizes: Ints
    explain: Explain
    """Function that explains the result at a position; the explanation's root is the score."""

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def starts(self) -> Ints:
        """Start of each list, int64[q]."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)


@dataclass(frozen=True)
class Lists:
    """The lists of one question."""

    index: PairIndex
    settings: Pairing
    text: str
    asked: SentenceRows
    """The question, encoded like the stored sentences."""

    @classmethod
    def of(cls, index: PairIndex, settings: Pairing, text: str, encoder: Encoder) -> Lists:
        """Embed and tokenise a question. Raises InvalidParameter if the text is blank."""
        if not text.strip():
            raise InvalidParameter("query", text, "a text with at least one word")
        levels = quantise(encoder.encode([text]))[0]
        tokens = np.array([len(StandardAnalyzer().tokens(text))], np.int32)
        return cls(index, settings, text, SentenceRows(levels, norms(levels), tokens))

    def conclusions(self) -> RankedSide:
        """Return the best conclusions by cosine that are long enough, re-ranked (W22)."""
        side, settings, asked = self.index.conclusions, self.settings, self.asked
        cos = sentence_cosines(asked, side.rows)
        fit = long_enough(asked.tokens[0], side.rows.tokens, settings.conclusion_factor)
        best = largest(np.where(fit, cos, -np.inf), settings.conclusions)
        listed = Listed(
            best,
            cos[best],
            np.array([len(best)]),
            "cosine of question and conclusion",
            lambda: side.rows[best],
            lambda: self._compare(self.text, self.index.conclusion_texts(best)),
        )
        return _ranked(listed, settings, settings.mu_conclusions)

    def premises(self, conclusions: Ints) -> RankedSide:
        """Return each conclusion's best premises by cosine, if long enough, re-ranked (W22)."""
        rows, cos = self._found(conclusions)
        there = rows[:, : self.settings.premises] >= 0  # the first ones of each list
        numbers = rows[:, : self.settings.premises][there].astype(np.int64)
        sizes = there.sum(axis=1)
        listed = Listed(
            numbers,
            np.asarray(cos[:, : self.settings.premises][there], np.float64),
            sizes,
            "cosine of conclusion and premise",
            lambda: self.index.premises.rows[numbers],
            lambda: self._compared(conclusions, numbers, sizes),
        )
        return _ranked(listed, self.settings, self.settings.mu_premises)

    def boosted(
        self,
        conclusions: Ints,
        side: RankedSide,
        argument_shares: Callable[[NDArray[np.int32]], Floats],
    ) -> RankedSide:
        """Return the premises reordered by score times (1 + ω_Q·Q)·(1 + ω_A·A)·(1 + ω_T·T).

        argument_shares: returns A of each document, float64[n]; called only if A counts.
        """
        w, index = self.settings, self.index
        if not len(side) or not (w.quality or w.question or w.argument):
            return side
        Q, T, A = np.zeros((3, len(side)))  # noqa: N806
        lists = np.repeat(np.arange(len(side.sizes)), side.sizes)
        docs = index.premise_docs(conclusions[lists], side.numbers, w.scope)
        if w.quality:
            Q = np.asarray(index.backend.arrays.quality[docs], np.float64)  # noqa: N806
        if w.question:
            cosines = sentence_cosines(self.asked, index.premises.rows[side.numbers])
            T = np.maximum(0.0, cosines)  # noqa: N806
        if w.argument:
            A = argument_shares(docs)  # noqa: N806
        boosts = factor(w.quality, Q) * factor(w.argument, A) * factor(w.question, T)
        scores = side.scores * boosts
        order = _best_first(scores, side.sizes)

        def tree(j: int) -> Explanation:
            """Return the explanation with the earlier score and the factor."""
            at = int(order[j])
            boost = _explain_boost(w, float(boosts[at]), *(float(x[at]) for x in (Q, T, A)))
            parts = side.explain(at), boost
            return Explanation(float(scores[at]), "score × factor", parts, symbol="S")

        return RankedSide(side.numbers[order], scores[order], side.sizes, tree)

    @property
    def _kept(self) -> bool:
        """True if these lists are stored in the index."""
        return bool(self.settings.premise_factor == self.index.part.settings["token_factor"])

    @property
    def _made(self) -> Ingredients:
        """The parameters with which the stored distances were computed."""
        made = self.index.part.settings
        return Ingredients(made["tagger"], made["word_vectors"], made.get("word_limit", WORDS))

    def _by(self, made: Ingredients) -> Ingredients:
        """Return the re-ranker's parameters, from section [pairs] or else from the index."""
        w = self.settings
        if w.rerank == "structural":
            return made if w.tagger == "index" else replace(made, tagger=w.tagger)
        vectors = made.vectors if w.vectors == "index" else w.vectors
        return replace(made, vectors=vectors, words=w.word_limit or made.words)

    def _found(self, conclusions: Ints) -> tuple[NDArray[np.int32], Floats]:
        part, settings = self.index.part, self.settings
        name = "near" if settings.scope == "corpus" else "own"
        if self._kept:
            return part[f"{name}_rows"][conclusions], part[f"{name}_cosines"][conclusions]
        # The index stores the position of a premise in its own argument only for these lists.
        if name == "own":
            allowed = f"{part.settings['token_factor']} with pairs.scope = argument"
            raise InvalidParameter("pairs.premise_factor", settings.premise_factor, allowed)
        asked = self.index.conclusions.rows[conclusions]
        made = nearest(asked, self.index.premises.rows, settings.premises, settings.premise_factor)
        return made.rows, made.cosines

    def _compare(self, query: str, texts: list[str]) -> Floats:
        """Return the re-ranker's distances between texts and a query."""
        how = structures if self.settings.rerank == "structural" else moves
        return how(query, texts, self._by(self._made))

    def _compared(self, conclusions: Ints, numbers: Ints, sizes: Ints) -> Floats:
        """Return the distances from conclusions to their premises by list, stored or computed."""
        if self._kept and self.settings.scope == "corpus" and self._by(self._made) == self._made:
            which = "structures" if self.settings.rerank == "structural" else "moves"
            kept = self.index.part[f"near_{which}"][conclusions]
            return np.asarray(kept[np.arange(kept.shape[1]) < sizes[:, None]], np.float64)
        texts = [self.index.premise(p) for p in numbers.tolist()]
        queries = self.index.conclusion_texts(conclusions)
        lists = zip(queries, _slices(sizes), strict=True)
        return np.concatenate([np.zeros(0), *(self._compare(q, texts[s]) for q, s in lists)])


def _explain_boost(
    w: Pairing, value: float, quality: float, question: float, argument: float
) -> Explanation:
    """Return the explanation of the factor in `Lists.boosted`."""
    details = [
        Explanation(w.quality, "w_quality, weight of the quality", symbol="ω_Q"),
        Explanation(quality, "Q, predicted quality of the premise's argument", symbol="Q"),
        Explanation(w.question, "w_question, weight of the question", symbol="ω_T"),
        Explanation(question, "T, cosine of question and premise, at least 0", symbol="T"),
    ]
    said = "factor, (1 + w_quality × Q) × (1 + w_question × T)"
    if w.argument:
        said += " × (1 + w_argument × A)"
        details += [
            Explanation(w.argument, "w_argument, weight of the argument's rank", symbol="ω_A"),
            Explanation(argument, "A, score of the premise's argument / best score", symbol="A"),
        ]
    return Explanation(value, said, tuple(details))


def _ranked(listed: Listed, settings: Pairing, mu: float) -> RankedSide:
    """Return one side, with each list re-ranked as configured in section [pairs] (W22)."""
    if settings.rerank == "none" or not len(listed.numbers):
        return RankedSide(listed.numbers, listed.cosines, listed.sizes, _cosine(listed))
    if settings.rerank == "mmr":
        return _by_mmr(listed, settings.trade_off)
    return _by_mixture(listed, settings, mu)


def _slices(sizes: Ints) -> list[slice]:
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for end, size in zip(ends, sizes.tolist(), strict=True)]


def _list_at(sizes: Ints, place: int) -> int:
    """Return the list that contains a position."""
    return int(np.searchsorted(np.cumsum(sizes), place, side="right"))


def _best_first(scores: Floats, sizes: Ints) -> Ints:
    """Return the positions of each list's scores, largest first, with ties in order."""
    return np.asarray(np.lexsort((-scores, np.repeat(np.arange(len(sizes)), sizes))))


def _cosine(listed: Listed) -> Explain:
    return lambda at: Explanation(float(listed.cosines[at]), listed.said, symbol="cos")


def _by_mmr(listed: Listed, trade_off: float) -> RankedSide:
    from argsearch.ranking.reranking import mmr

    rows, slices = listed.rows(), _slices(listed.sizes)
    most = int(listed.sizes.max())
    made = [
        mmr.mmr_among(listed.cosines[s], similarities(rows[s]), most, trade_off) for s in slices
    ]
    order = np.concatenate([picks.order + s.start for picks, s in zip(made, slices, strict=True)])
    scores = np.concatenate([picks.values for picks in made])

    def tree(j: int) -> Explanation:
        """Return the two parts of the marginal relevance. The second part is the penalty."""
        one = _list_at(listed.sizes, j)
        return mmr.explain(made[one], j - slices[one].start, trade_off)

    return RankedSide(listed.numbers[order], scores, listed.sizes, tree)


def _by_mixture(listed: Listed, settings: Pairing, mu: float) -> RankedSide:
    from argsearch.ranking.reranking import mixture, structural, word_movers

    by_structure = settings.rerank == "structural"
    other, name = listed.distances(), "structural" if by_structure else "word mover's"
    if settings.mode == "similarity":
        other = (structural if by_structure else word_movers).similarity(other)
    scores = mixture.mixtures(listed.cosines, other, listed.sizes, mu)
    order = _best_first(scores, listed.sizes)

    def tree(j: int) -> Explanation:
        """Return μ, and the cosine and the distance, each scaled within its list."""
        at = int(order[j])
        its = _slices(listed.sizes)[_list_at(listed.sizes, at)]
        mix = mixture.mixture(listed.cosines[its], other[its], mu)
        of = Explanation(float(other[at]), f"{name} {settings.mode}")
        return mixture.explain(mix, at - its.start, _cosine(listed)(at), of, settings.mode)

    return RankedSide(listed.numbers[order], scores[order], listed.sizes, tree)
