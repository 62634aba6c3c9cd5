"""The distinct sentences of a corpus with all their occurrences, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.parts.pairs.kinds import kind
from argsearch.indexer.parts.pairs.sentences import CONCLUSION, PREMISE, sentences
from argsearch.ranking.vectors import SentenceRows, norms, quantise


class FoundSentences(NamedTuple):
    """The sentences of one side in a run of arguments."""

    texts: list[str]
    """Distinct ones, in the order of their first occurrence."""
    rows: SentenceRows
    kinds: NDArray[np.uint8]
    """`kinds.kind` of each; 0 for conclusions."""
    occurrences: NDArray[np.int64]
    """int64[o, 5]: number among the texts, argument of the run, place, begin, end."""


def find(encoder: str, arguments: list[Argument]) -> tuple[FoundSentences, FoundSentences]:
    """The conclusions' and the premises' sentences; those without a token are none."""
    return _side(encoder, arguments, CONCLUSION), _side(encoder, arguments, PREMISE)


def _side(encoder: str, arguments: list[Argument], side: str) -> FoundSentences:
    numbers: dict[str, int] = {}
    seen = [
        (numbers.setdefault(one.text, len(numbers)), at, one.place, one.begin, one.end)
        for at, argument in enumerate(arguments)
        for one in sentences(argument, side)
    ]
    tokens = np.diff(tokenize(list(numbers)).offsets).astype(np.int32)
    kept = tokens > 0
    texts = [text for text, keep in zip(numbers, kept.tolist(), strict=True) if keep]
    occurrences = np.array(seen, np.int64).reshape(-1, 5)
    occurrences = occurrences[kept[occurrences[:, 0]]]
    occurrences[:, 0] = (np.cumsum(kept) - 1)[occurrences[:, 0]]
    levels = quantise(load_encoder(encoder).encode(texts))[0]
    kinds = [kind(text) for text in texts] if side == PREMISE else [0] * len(texts)
    rows = SentenceRows(levels, norms(levels), tokens[kept])
    return FoundSentences(texts, rows, np.array(kinds, np.uint8), occurrences)


@dataclass
class Gathered:
    """One side of a whole corpus: exact duplicates are one sentence, the first of them."""

    numbers: dict[str, int] = field(default_factory=dict)
    """Each distinct text's number."""
    _rows: list[SentenceRows] = field(default_factory=list)
    _kinds: list[NDArray[np.uint8]] = field(default_factory=list)
    _occurrences: list[NDArray[np.int64]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, found: FoundSentences, docs: NDArray[np.int64]) -> None:
        """Take in a run of documents, `docs` their numbers."""
        new = np.array([text not in self.numbers for text in found.texts], bool)
        number_of = np.array(
            [self.numbers.setdefault(text, len(self.numbers)) for text in found.texts], np.int64
        )
        self._rows.append(found.rows[np.flatnonzero(new)])
        self._kinds.append(found.kinds[new])
        occurrences = found.occurrences.copy()
        if len(occurrences):
            occurrences[:, 0] = number_of[occurrences[:, 0]]
            occurrences[:, 1] = docs[occurrences[:, 1]]
        self._occurrences.append(occurrences)

    @property
    def rows(self) -> SentenceRows:
        """All distinct sentences, by number; the parts they came in are let go."""
        if len(self._rows) > 1:
            parts = self._rows
            self._rows = [
                SentenceRows(
                    np.concatenate([part.levels for part in parts]),
                    np.concatenate([part.scales for part in parts]),
                    np.concatenate([part.tokens for part in parts]),
                )
            ]
        return self._rows[0]

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """uint8[m]."""
        return np.concatenate(self._kinds)

    def occurrences(self) -> NDArray[np.int64]:
        """int64[o, 5] as `FoundSentences` has them: by number, each one's in corpus order."""
        flat = np.concatenate(self._occurrences)
        return flat[np.argsort(flat[:, 0], kind="stable")]
