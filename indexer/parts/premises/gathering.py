"""One pass over the documents: distinct claims, distinct premises and the links between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.premises.counts import CON, PRO, STANCES, Links

WAITING_TEXTS = 8192
"""Distinct texts that are kept until they are embedded and scored together."""

Ints32 = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Document:
    """What is read of one document: its conclusion, and (text, stance) of each premise."""

    conclusion: str | None
    premises: Sequence[tuple[str, str | None]]
    """The stance is PRO or CON; None (no stance given) counts as PRO."""
    row: int | None = None
    """Its number in the index; None: how many came before it."""


@dataclass(slots=True)
class Left:
    """What was left out."""

    no_conclusion: int = 0
    """Documents whose conclusion is null or blank: their premises have no claim."""
    blank_premises: int = 0


def _key(text: str) -> bytes:
    """A text's name among distinct texts: 128 bits, so that no text need be kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Distinct:
    """Distinct texts by number, handed on in batches; the texts themselves are not kept."""

    def __init__(self, hand_on: Callable[[list[str]], None]) -> None:
        self._numbers: dict[bytes, int] = {}
        self._waiting: list[str] = []
        self._hand_on = hand_on

    def add(self, text: str) -> tuple[int, bool]:
        """The text's number, and whether it is new."""
        key = _key(text)
        known = self._numbers.get(key)
        if known is not None:
            return known, False
        number = self._numbers[key] = len(self._numbers)
        self._waiting.append(text)
        if len(self._waiting) == WAITING_TEXTS:
            self.flush()
        return number, True

    def flush(self) -> None:
        """Hand on what waits."""
        if self._waiting:
            self._hand_on(self._waiting)
            self._waiting = []


class Gatherer:
    """Takes documents in order; a blank premise and a document without conclusion are left out.

    A premise that a claim has twice under one stance is one link of two occurrences; under both
    stances it is two links.
    """

    def __init__(
        self, claims: Callable[[list[str]], None], premises: Callable[[list[str]], None]
    ) -> None:
        self.left = Left()
        self._claims, self._premises = Distinct(claims), Distinct(premises)
        self.claim_document: list[int] = []
        self.premise_origin: list[tuple[int, int, int]] = []
        self._rows: list[tuple[int, int, int, int]] = []
        self._documents = 0

    def add(self, document: Document) -> None:
        """One document."""
        row = self._documents if document.row is None else document.row
        conclusion = document.conclusion
        self._documents += 1
        if conclusion is None or not conclusion.strip():
            self.left.no_conclusion += 1
            return
        stated = [(slot, *premise) for slot, premise in enumerate(document.premises)]
        stated = [each for each in stated if each[1].strip()]
        self.left.blank_premises += len(document.premises) - len(stated)
        if not stated:
            return
        claim, new = self._claims.add(conclusion)
        if new:
            self.claim_document.append(row)
        for slot, text, stance in stated:
            premise, new = self._premises.add(text)
            if new:
                self.premise_origin.append((row, slot, len(text)))
            self._rows.append((claim, CON if stance == "CON" else PRO, premise, row))

    def finish(self) -> None:
        """Hand on the last texts."""
        self._claims.flush()
        self._premises.flush()

    def occurrences(self) -> NDArray[np.int64]:
        """(claim, stance, premise, document), distinct and sorted so: int64[m, 4]."""
        rows = np.array(self._rows, np.int64).reshape(-1, 4)
        return np.unique(rows, axis=0) if len(rows) else rows


@dataclass(frozen=True, slots=True)
class Linked:
    """The links, and the documents of each."""

    links: Links
    occurrence_starts: NDArray[np.int64]
    occurrences: Ints32


def link(rows: NDArray[np.int64], claim_cluster: Ints32, premise_cluster: Ints32) -> Linked:
    """Links from sorted occurrences int64[m, 4] and both sides' clusters."""
    triples = rows[:, :3]
    first = np.ones(len(rows), np.bool_)
    first[1:] = (triples[1:] != triples[:-1]).any(axis=1)
    starts = np.append(np.flatnonzero(first), len(rows)).astype(np.int64)
    claim, stance, premise = triples[first].T.copy()
    clusters = claim_cluster.astype(np.int64), premise_cluster.astype(np.int64)
    links = Links(claim, stance, premise, *clusters)
    assert STANCES * len(claim_cluster) == links.groups
    return Linked(links, starts, rows[:, 3].astype(np.int32))
