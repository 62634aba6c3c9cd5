"""The part `pairs` of an open index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.format.manifest import IndexDamaged
from argsearch.indexer.format.parts import Part
from argsearch.indexer.parts.pairs.sentences import (
    CONCLUSION,
    PREMISE,
    sentence_id,
    sentences,
    text_of,
)
from argsearch.ranking.vectors import SentenceRows

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend


class Occurrence(NamedTuple):
    """Where a sentence stands."""

    doc: int
    place: int
    begin: int
    end: int


@dataclass(frozen=True)
class SideSentences:
    """The m distinct sentences of one side."""

    rows: SentenceRows
    """int8[m, d] levels, their scales and the tokens of each."""
    starts: NDArray[np.int64]
    """int64[m + 1] into the next three; the first of a sentence's occurrences names it."""
    docs: NDArray[np.int32]
    places: NDArray[np.int32]
    spans: NDArray[np.int32]
    """int32[occurrences, 2], see `argsearch.indexer.parts.pairs.sentences.Sentence`."""

    @classmethod
    def of(cls, part: Part, side: str) -> SideSentences:
        """The arrays of one side of a part."""
        rows = SentenceRows(*(part[f"{side}_{name}"] for name in ("levels", "scales", "tokens")))
        return cls(
            rows, *(part[f"{side}_{name}"] for name in ("starts", "docs", "places", "spans"))
        )

    def first_docs(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """The document of each sentence's first occurrence."""
        return np.asarray(self.docs[self.starts[numbers]])

    def occurrence(self, row: int) -> Occurrence:
        """One row of the occurrences."""
        span = self.spans[row].tolist()
        return Occurrence(int(self.docs[row]), int(self.places[row]), *span)

    def first(self, number: int) -> Occurrence:
        """The first occurrence of a sentence."""
        return self.occurrence(int(self.starts[number]))


@dataclass(frozen=True)
class PairIndex:
    """The part and the index that it belongs to."""

    part: Part
    backend: EmbeddedBackend

    @cached_property
    def conclusions(self) -> SideSentences:
        """The conclusions' sentences."""
        return SideSentences.of(self.part, "conclusion")

    @cached_property
    def premises(self) -> SideSentences:
        """The premises' sentences."""
        return SideSentences.of(self.part, "premise")

    @property
    def settings(self) -> Any:
        """What the part was made with."""
        return self.part.settings

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """uint8[premises], `argsearch.indexer.parts.pairs.sentences.kind`."""
        return np.asarray(self.part["premise_kinds"])

    def conclusion(self, number: int) -> str:
        """The text of a conclusion."""
        return self.conclusion_texts(np.array([number]))[0]

    def conclusion_texts(self, numbers: NDArray[np.int64]) -> list[str]:
        """The texts of many conclusions."""
        offsets, data = self.part["text_offsets"], self.part["text_bytes"]
        spans = zip(offsets[numbers].tolist(), offsets[numbers + 1].tolist(), strict=True)
        return [data[a:b].tobytes().decode("utf-8", "surrogatepass") for a, b in spans]

    def premise(self, number: int) -> str:
        """The text of a premise, read from the store; raises IndexDamaged."""
        at = self.premises.first(number)
        argument = self.backend.store[at.doc]
        if at.end:
            return text_of(argument, PREMISE)[at.begin : at.end]
        found = (one.text for one in sentences(argument, PREMISE) if one.place == at.place)
        text = next(found, None)
        if text is None:
            raise IndexDamaged(f"argument {argument.id} has no sentence {at.place}; build it again")
        return text

    def own_rows(
        self, conclusions: NDArray[np.int64], premises: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The occurrence of a premise of each conclusion's own list, in an argument that has it.

        Both int64[n], a pair a place.
        """
        at = (self.part["own_rows"][conclusions] == premises[:, None]).argmax(axis=1)
        return np.asarray(self.part["own_places"][conclusions, at])

    def places(self, c: int, p: int, together: bool) -> tuple[Occurrence, Occurrence]:
        """Where a conclusion and a premise stand: each at first, or in one argument."""
        if not together:
            return self.conclusions.first(c), self.premises.first(p)
        of_premise = self.premises.occurrence(int(self.own_rows(np.array([c]), np.array([p]))[0]))
        begin, end = self.conclusions.starts[c : c + 2].tolist()
        same = np.flatnonzero(self.conclusions.docs[begin:end] == of_premise.doc)
        return self.conclusions.occurrence(begin + int(same[0])), of_premise

    def id(self, conclusion: Occurrence, premise: Occurrence) -> str:
        """As runs name a pair: `conclusionId,premiseId`."""
        ids = self.backend.ids
        first = sentence_id(ids[conclusion.doc], CONCLUSION, conclusion.place)
        return f"{first},{sentence_id(ids[premise.doc], PREMISE, premise.place)}"
