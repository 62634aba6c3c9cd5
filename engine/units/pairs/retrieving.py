"""The two lists of W22: a question's conclusions, and each conclusion's premises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Pairing
from argsearch.engine.units.pairs.opened import PairIndex
from argsearch.engine.units.pairs.sides import Floats, Ints, Listed
from argsearch.indexer.analysis.standard import StandardAnalyzer
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parts.pairs.comparing import moves, structures
from argsearch.ranking.retrieval.selection import largest
from argsearch.ranking.vectors import (
    SentenceRows,
    long_enough,
    nearest,
    norms,
    quantise,
    sentence_cosines,
)


@dataclass(frozen=True)
class EmbeddedQuestion:
    """A question as the sentences are kept."""

    text: str
    row: SentenceRows

    @classmethod
    def of(cls, text: str, encoder: Encoder) -> EmbeddedQuestion:
        """Embedded and counted; raises InvalidParameter for a blank text."""
        if not isinstance(text, str) or not text.strip():
            raise InvalidParameter("query", text, "a text with at least one word")
        levels = quantise(encoder.encode([text]))[0]
        tokens = np.array([len(StandardAnalyzer().tokens(text))], np.int32)
        return cls(text, SentenceRows(levels, norms(levels), tokens))


@dataclass(frozen=True)
class Lists:
    """The lists of one question."""

    index: PairIndex
    settings: Pairing
    question: EmbeddedQuestion

    def conclusions(self) -> Listed:
        """The best conclusions by cosine, those long enough (W22)."""
        side, settings, asked = self.index.conclusions, self.settings, self.question
        cos = sentence_cosines(asked.row, side.rows)
        fit = long_enough(asked.row.tokens[0], side.rows.tokens, settings.conclusion_factor)
        best = largest(np.where(fit, cos, -np.inf), settings.conclusions)
        texts = self.index.conclusion_texts(best) if self._reads else []
        return Listed(
            best,
            cos[best],
            np.array([len(best)]),
            "cosine of question and conclusion",
            lambda: side.rows[best],
            partial(structures, asked.text, texts),
            partial(moves, asked.text, texts),
        )

    def premises(self, conclusions: NDArray[np.int64]) -> Listed:
        """The best premises of each conclusion by cosine, those long enough (W22)."""
        rows, cos = self._found(conclusions)
        there = rows[:, : self.settings.premises] >= 0  # of each list, the first ones
        numbers = rows[:, : self.settings.premises][there].astype(np.int64)
        sizes = there.sum(axis=1)
        return Listed(
            numbers,
            np.asarray(cos[:, : self.settings.premises][there], np.float64),
            sizes,
            "cosine of conclusion and premise",
            lambda: self.index.premises.rows[numbers],
            lambda: self._compared("structures", conclusions, (numbers, sizes)),
            lambda: self._compared("moves", conclusions, (numbers, sizes)),
        )

    @property
    def _reads(self) -> bool:
        return self.settings.rerank in ("structural", "word_movers")

    @property
    def _kept(self) -> bool:
        """Whether the lists are those that were made with the index."""
        return bool(self.settings.premise_factor == self.index.settings["token_factor"])

    def _found(self, conclusions: NDArray[np.int64]) -> tuple[NDArray[np.int32], Floats]:
        part, settings = self.index.part, self.settings
        name = "near" if settings.scope == "corpus" else "own"
        if self._kept:
            return part[f"{name}_rows"][conclusions], part[f"{name}_cosines"][conclusions]
        if name == "own":
            raise InvalidParameter(
                "pairs.premise_factor",
                settings.premise_factor,
                f"{self.index.settings['token_factor']}, with pairs.scope = argument",
            )
        asked = self.index.conclusions.rows[conclusions]
        made = nearest(asked, self.index.premises.rows, settings.premises, settings.premise_factor)
        return made.rows, made.cosines

    def _compared(
        self, which: str, conclusions: NDArray[np.int64], lists: tuple[Ints, Ints]
    ) -> Floats:
        """The distances of conclusions' premises, list after list: made with the index, or now."""
        numbers, sizes = lists
        if self._kept and self.settings.scope == "corpus":
            kept = self.index.part[f"near_{which}"][conclusions]
            return np.asarray(kept[np.arange(kept.shape[1]) < sizes[:, None]], np.float64)
        texts = [self.index.premise(p) for p in numbers.tolist()]
        made = structures if which == "structures" else moves
        queries = self.index.conclusion_texts(conclusions)
        ends = np.cumsum(sizes).tolist()
        found = [
            made(query, texts[end - size : end])
            for query, end, size in zip(queries, ends, sizes.tolist(), strict=True)
        ]
        return np.concatenate([np.zeros(0), *found])
