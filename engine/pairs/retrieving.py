"""The two lists of W22: a question's conclusions, and each conclusion's premises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from engine.pairing import Pairing
from engine.pairs.opened import PairIndex
from engine.pairs.sides import Floats, Listed
from indexer.analysis.standard import StandardAnalyzer
from indexer.encoders import Encoder
from indexer.errors import InvalidParameter
from indexer.sentences.comparing import moves, structures
from ranking.nearest import Rows, cosines, long_enough, nearest, norms
from ranking.quantising import quantise


@dataclass(frozen=True)
class Question:
    """A question as the sentences are kept."""

    text: str
    row: Rows

    @classmethod
    def of(cls, text: str, encoder: Encoder) -> Question:
        """Embedded and counted; raises InvalidParameter for a blank text."""
        if not isinstance(text, str) or not text.strip():
            raise InvalidParameter("query", text, "a text with at least one word")
        levels = quantise(encoder.encode([text]))[0]
        tokens = np.array([len(StandardAnalyzer().tokens(text))], np.int32)
        return cls(text, Rows(levels, norms(levels), tokens))


@dataclass(frozen=True)
class Retrieval:
    """The lists of one question."""

    index: PairIndex
    settings: Pairing
    question: Question

    def conclusions(self) -> Listed:
        """The best conclusions by cosine, those long enough (W22)."""
        side, settings, asked = self.index.conclusions, self.settings, self.question
        cos = cosines(asked.row, side.rows)
        fit = long_enough(asked.row.tokens[0], side.rows.tokens, settings.conclusion_factor)
        best = _best(np.where(fit, cos, -np.inf), settings.conclusions)
        texts = [self.index.conclusion(c) for c in best.tolist()] if self._reads else []
        return Listed(
            best,
            cos[best],
            "cosine of question and conclusion",
            lambda: side.rows[best],
            partial(structures, asked.text, texts),
            partial(moves, asked.text, texts),
        )

    def premises(self, conclusions: NDArray[np.int64]) -> list[Listed]:
        """The best premises of each conclusion by cosine, those long enough (W22)."""
        rows, cos = self._found(conclusions)
        kept = (rows[:, : self.settings.premises] >= 0).sum(axis=1).tolist()
        numbers = [rows[at, :n].astype(np.int64) for at, n in enumerate(kept)]
        rows_of = cache(lambda: self._split_rows(numbers))  # MMR alone asks for them
        return [
            self._listed(c, numbers[at], cos[at, :n], partial(_one, rows_of, at))
            for at, (c, n) in enumerate(zip(conclusions.tolist(), kept, strict=True))
        ]

    def _split_rows(self, numbers: list[NDArray[np.int64]]) -> list[Rows]:
        """The vectors of many lists, read in one go."""
        found = self.index.premises.rows[np.concatenate(numbers)]
        ends = np.cumsum([len(some) for some in numbers]).tolist()
        slices = [slice(b - len(some), b) for some, b in zip(numbers, ends, strict=True)]
        return [Rows(found.levels[s], found.scales[s], found.tokens[s]) for s in slices]

    def _listed(
        self, conclusion: int, numbers: NDArray[np.int64], cos: Floats, rows: Callable[[], Rows]
    ) -> Listed:
        return Listed(
            numbers,
            cos,
            "cosine of conclusion and premise",
            rows,
            lambda: self._compared("structures", conclusion, numbers),
            lambda: self._compared("moves", conclusion, numbers),
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

    def _compared(self, which: str, conclusion: int, numbers: NDArray[np.int64]) -> Floats:
        """The distances of a conclusion's premises: made with the index, or now."""
        if self._kept and self.settings.scope == "corpus":
            kept = self.index.part[f"near_{which}"][conclusion, : len(numbers)]
            return np.asarray(kept, np.float64)
        texts = [self.index.premise(p) for p in numbers.tolist()]
        made = structures if which == "structures" else moves
        return made(self.index.conclusion(conclusion), texts)


def _one(rows_of: Callable[[], list[Rows]], at: int) -> Rows:
    return rows_of()[at]


def _best(values: Floats, k: int) -> NDArray[np.int64]:
    """The places of the k largest finite values, largest first, ties by the earlier one."""
    k = min(k, int(np.isfinite(values).sum()))
    if not k:
        return np.zeros(0, np.int64)
    least = np.partition(values, len(values) - k)[len(values) - k]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:k]
