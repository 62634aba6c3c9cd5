"""What the part `premises` reads of documents, and what it knows of their premises already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts.base import PartSource
from argsearch.ranking.premises.clusters import HeldClusters
from argsearch.ranking.premises.counts import CON
from argsearch.ranking.vectors import NOBODY, quantise

if TYPE_CHECKING:
    from argsearch.indexer.quality.pairwise import PairwiseModel

Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]


class HeldText(NamedTuple):
    """A conclusion or a premise that the part knows, of a document that is not read."""

    digest: bytes
    characters: int
    number: int
    """Of the premise, as it was."""
    row: int
    """The document, whose stored vector is the premise's."""
    is_first: bool
    """Whether it stood there first."""


Text = str | HeldText


class Document(NamedTuple):
    """What is read of one document: its conclusion, and (text, stance) of each premise."""

    conclusion: Text | None
    premises: Sequence[tuple[Text, str | None]]
    """The stance is PRO or CON; None (no stance given) counts as PRO."""
    row: int | None = None
    """Its number in the index; None: how many came before it."""


PLACE = "document", "slot"
"""Arrays that say where each premise stands first."""
RECLUSTERED = 0.2
"""Share of premises that came or went, beyond which all are clustered anew."""
NOWHERE = -1, 0, True
"""The place of a premise whose document began before the last were embedded: it is made anew."""


class Stored:
    """Premises' vectors, as the part `vectors` rounds them: the stored one where a document has one
    premise, else made. So a premise has one vector, wherever it is read."""

    def __init__(self, encoder: Encoder, vectors: Part) -> None:
        self.encoder, self.vectors = encoder, vectors
        self.places: dict[str, tuple[int, int, bool]] = {}
        """Of the premises read since the last were embedded: the document, the place there, and
        whether it has no other."""

    def place(self, text: Text) -> tuple[int, int, bool]:
        """Where a premise stands, as `places` has it."""
        return self.places.get(text, NOWHERE) if isinstance(text, str) else (text.row, 0, True)

    def embed(self, texts: Sequence[Text]) -> Floats32:
        """Vectors, float32[n, dimensions]; texts met before this call are forgotten."""
        found = np.array([row if alone else -1 for row, _, alone in map(self.place, texts)], int)
        out = np.zeros((len(texts), self.encoder.dimensions), np.float32)
        at = np.flatnonzero(found >= 0)
        rows = found[at]
        out[at] = self.vectors["rows"][rows] * self.vectors["scales"][rows, None]
        if made := [(i, text) for i, text in enumerate(texts) if found[i] < 0]:
            levels, scales = quantise(self.encoder.encode([str(text) for _, text in made]))
            out[[i for i, _ in made]] = levels * scales[:, None]
        self.places = {}
        return out


class HeldPremises:
    """What the part held of documents that stay: scores and clusters of premises, and the documents
    that need not be read. It stands for the model of scores."""

    def __init__(self, model: PairwiseModel, source: PartSource, stored: Stored) -> None:
        assert source.carried
        self._model, self._stored, self._carried = model, stored, source.carried
        self.dimensions, self._part = model.dimensions, source.carried.part
        at = zip(*(self._part[f"premise_{name}"].tolist() for name in PLACE), strict=True)
        self._numbers = {place: number for number, place in enumerate(at)}
        self._scores = self._part["scores"]
        self._found: list[tuple[Ints, NDArray[np.bool_]]] = []
        self._rows: NDArray[np.int32] = source.arrays.store_rows
        self.is_read = np.ones(len(self._rows), np.bool_)
        """bool[n], the documents that are read."""
        if "alone" in self._part.arrays:  # not in an older index
            self._leave_out()

    @classmethod
    def of(cls, model: PairwiseModel, source: PartSource, stored: Stored) -> HeldPremises | None:
        """What may be taken over; None: nothing."""
        held = source.carried
        if not held or "scores" not in held.part.arrays or not stored.encoder.exact:
            return None
        return cls(model, source, stored) if held.is_same(stored.vectors) else None

    def _leave_out(self) -> None:
        """A document of one premise is not read, but for the first of each conclusion."""
        part, docs = self._part, self._carried.docs
        links = np.repeat(np.arange(len(part["premise"])), np.diff(part["occurrence_starts"]))
        self._link = np.full(len(self._carried.arrays.store_rows) + 1, NOBODY, np.int64)
        self._link[part["occurrences"]] = links
        self._group = np.repeat(np.arange(len(part["starts"]) - 1), np.diff(part["starts"]))
        alone = np.zeros(len(self._link), np.bool_)  # of NOBODY the last
        alone[part["alone"]] = True
        stay = np.flatnonzero(alone[docs])
        stay = stay[np.argsort(self._rows[stay])]
        claims = self._group[self._link[docs[stay]]] >> 1
        self._stay = np.delete(stay, np.unique(claims, return_index=True)[1])
        self.is_read[self._stay] = False

    def __iter__(self) -> Iterator[Document]:
        """The documents that are not read, in the order of the store."""
        if self.is_read.all():
            return
        part, before = self._part, self._carried.docs[self._stay]
        names = "claim_digests", "premise_digests"
        claims, premises = (part[name].view("V16").ravel().tolist() for name in names)
        link = self._link[before]
        number = part["premise"][link]
        first = part["premise_document"][number] == before
        size = part["premise_length"][number]
        each = (one.tolist() for one in (self._stay, self._group[link], number, size, first))
        for row, group, premise, characters, is_first in zip(*each, strict=True):
            text = HeldText(premises[premise], characters, premise, row, is_first)
            conclusion = HeldText(claims[group >> 1], 0, NOBODY, row, False)
            yield Document(conclusion, [(text, "CON" if group & 1 == CON else "PRO")], row)

    def _before(self, text: Text) -> tuple[int, bool]:
        """The number that a premise had, or NOBODY; and whether it stands where it stood first."""
        if not isinstance(text, str):
            return text.number, text.is_first
        row, slot, _ = self._stored.place(text)
        before = int(self._carried.docs[row]) if row >= 0 else NOBODY
        number = self._numbers.get((before, slot), NOBODY)
        return number, number != NOBODY

    def scores(self, texts: Sequence[Text]) -> Floats32:
        """As the model has them, of premises that are embedded next."""
        before = [self._before(text) for text in texts]
        found = np.array([number for number, _ in before], np.int64)
        self._found.append((found, np.array([first for _, first in before], np.bool_)))
        out = np.empty((len(texts), len(self.dimensions)), np.float32)
        old, new = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
        out[old] = self._scores[found[old]]
        out[new] = self._model.scores([str(texts[i]) for i in new.tolist()])
        return out

    def clusters(self) -> HeldClusters | None:
        """What is known of the clusters of the premises that were scored, in their order.

        None where much came or went, or where their order is another.
        """
        if not self._found:
            return None
        found, first = (np.concatenate(each) for each in zip(*self._found, strict=True))
        numbers, part = np.where(first, found, NOBODY), self._part
        kept = numbers[numbers >= 0]
        gone = np.setdiff1d(np.arange(len(self._scores)), kept)
        most = RECLUSTERED * len(self._scores)
        if max(len(gone), len(numbers) - len(kept)) > most or (np.diff(kept) < 0).any():
            return None
        store = DocumentStore(self._carried.arrays)
        docs, slots = (part.rows(f"premise_{name}", gone).tolist() for name in PLACE)
        texts = [store[doc].premises[slot].text for doc, slot in zip(docs, slots, strict=True)]
        labels = np.full(len(numbers), NOBODY, np.int64)
        labels[numbers >= 0] = part["premise_cluster"][kept]
        return HeldClusters(labels, self._stored.embed(texts))


def documents(
    source: PartSource,
    stored: Stored,
    progress: Callable[[int, int], None],
    held: HeldPremises | None = None,
) -> Iterator[Document]:
    """Every document in the corpus' order; held: knows which need not be read."""
    read = (
        Document(one.conclusion, one.premises, row)
        for docs, some in source.mapped(_read, progress, of=held.is_read if held else None)
        for row, one in zip(docs.tolist(), some, strict=True)
    )
    rows = source.arrays.store_rows
    for document in merge(held, read, key=lambda one: rows[one.row]) if held else read:
        assert document.row is not None
        alone = len(document.premises) == 1
        for slot, (text, _) in enumerate(document.premises):
            if isinstance(text, str):
                stored.places.setdefault(text, (document.row, slot, alone))
        yield document


def _read(arguments: list[Argument]) -> list[Document]:
    return [
        Document(one.conclusion, [(p.text, p.stance and p.stance.value) for p in one.premises])
        for one in arguments
    ]
