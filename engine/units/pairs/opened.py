"""The part `pairs` of an open index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    from argsearch.engine.backends.embedded.directory import IndexDirectory

Ints = NDArray[np.int64]


class Occurrence(NamedTuple):
    """The position of a sentence."""

    doc: int
    place: int
    begin: int
    end: int


class PairDetails(NamedTuple):
    """The positions of the two sentences of a pair."""

    conclusion: Occurrence
    premise: Occurrence


@dataclass(frozen=True)
class SideSentences:
    """The m distinct sentences of one side."""

    rows: SentenceRows
    """int8[m, d] levels with their scales and token counts."""
    starts: Ints
    """int64[m + 1], offsets into the next three arrays. A sentence's first row gives its id."""
    docs: NDArray[np.int32]
    places: NDArray[np.int32]
    spans: NDArray[np.int32]
    """int32[occurrences, 2], see `argsearch.indexer.parts.pairs.sentences.Sentence`."""

    @classmethod
    def of(cls, part: Part, side: str) -> SideSentences:
        """Return one side of a part."""
        rows = SentenceRows(*(part[f"{side}_{name}"] for name in ("levels", "scales", "tokens")))
        return cls(
            rows, *(part[f"{side}_{name}"] for name in ("starts", "docs", "places", "spans"))
        )

    def first_docs(self, numbers: Ints) -> NDArray[np.int32]:
        """Return the document of each sentence's first occurrence."""
        return np.asarray(self.docs[self.starts[numbers]])

    def occurrence(self, row: int) -> Occurrence:
        """Return one row of the occurrences."""
        return Occurrence(int(self.docs[row]), int(self.places[row]), *self.spans[row].tolist())


@dataclass(frozen=True)
class PairIndex:
    """The part `pairs` and its index."""

    part: Part
    backend: IndexDirectory

    @cached_property
    def conclusions(self) -> SideSentences:
        """Sentences of the conclusions."""
        return SideSentences.of(self.part, "conclusion")

    @cached_property
    def premises(self) -> SideSentences:
        """Sentences of the premises."""
        return SideSentences.of(self.part, "premise")

    def conclusion_texts(self, numbers: Ints) -> list[str]:
        """Return the texts of conclusions."""
        offsets, data = self.part["text_offsets"], self.part["text_bytes"]
        spans = zip(offsets[numbers].tolist(), offsets[numbers + 1].tolist(), strict=True)
        return [data[a:b].tobytes().decode("utf-8", "surrogatepass") for a, b in spans]

    def premise(self, number: int) -> str:
        """Return the text of a premise, read from the store, or raise IndexDamaged."""
        at = self.premises.occurrence(int(self.premises.starts[number]))
        argument = self.backend.store[at.doc]
        if at.end:
            return text_of(argument, PREMISE)[at.begin : at.end]
        for one in sentences(argument, PREMISE):
            if one.place == at.place:
                return one.text
        raise self.part.damaged(f"argument {argument.id} has no sentence {at.place}")

    def premise_docs(self, conclusions: Ints, premises: Ints, scope: str) -> NDArray[np.int32]:
        """Return the document of each pair's premise. conclusions, premises: int64[n] sentences.

        Take the first document with the premise or, in the scope `argument`, with both sentences.
        """
        if scope == "corpus":
            return self.premises.first_docs(premises)
        return np.asarray(self.premises.docs[self._own_rows(conclusions, premises)])

    def places(self, c: int, p: int, scope: str) -> PairDetails:
        """Return where a conclusion and a premise first occur, or occur in the same argument."""
        begin, end = self.conclusions.starts[c : c + 2].tolist()
        of_premise = int(self.premises.starts[p])
        if scope == "argument":
            of_premise = int(self._own_rows(np.array([c]), np.array([p]))[0])
            same = self.conclusions.docs[begin:end] == self.premises.docs[of_premise]
            begin += int(np.flatnonzero(same)[0])
        sides = self.conclusions.occurrence(begin), self.premises.occurrence(of_premise)
        return PairDetails(*sides)

    def id(self, conclusion: Occurrence, premise: Occurrence) -> str:
        """Return the name of a pair in a run: `conclusionId,premiseId`."""
        ids = self.backend.ids
        first = sentence_id(ids[conclusion.doc], CONCLUSION, conclusion.place)
        return f"{first},{sentence_id(ids[premise.doc], PREMISE, premise.place)}"

    def _own_rows(self, conclusions: Ints, premises: Ints) -> Ints:
        """Return where each pair's premise occurs in an argument with the pair's conclusion."""
        at = (self.part["own_rows"][conclusions] == premises[:, None]).argmax(axis=1)
        return np.asarray(self.part["own_places"][conclusions, at])
