"""From documents to the arrays of claims and premises (D20).

One pass gathers the distinct claims and premises and their links; they are embedded, clustered,
counted and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parts.premises.arrays import ClaimArrays
from argsearch.ranking.premises.claim_premise import representatives
from argsearch.ranking.premises.clusters import PIECE, Cut, clusters, default_count
from argsearch.ranking.premises.counts import CON, PRO, STANCES, Links, dcf_by_score, pf, served

if TYPE_CHECKING:
    from argsearch.indexer.quality.pairwise import PairwiseModel

WAITING_TEXTS = 8192
"""Distinct texts that are kept until they are embedded and scored together."""

Ints32 = NDArray[np.int32]
Floats32 = NDArray[np.float32]
Embed = Callable[[list[str]], Floats32]
"""Texts -> unit vectors, float32[n, d]."""
Progress = Callable[[str, int, int], None]
"""Is told (what is being done, how many are done, of how many; 0 where that is not known)."""


@dataclass(frozen=True, slots=True)
class ClaimSettings:
    """How claims and premises are clustered; None: n / 5.5 clusters (D20)."""

    claim_distance: float | None = None
    premise_distance: float | None = None
    piece: int = PIECE
    """Rows clustered together at most."""
    seed: int = 0

    def check(self) -> None:
        """Raise InvalidParameter for a value outside its range."""
        for name, value in (
            ("claim_distance", self.claim_distance),
            ("premise_distance", self.premise_distance),
        ):
            if value is not None and not 0 < value <= 2:
                raise InvalidParameter(name, value, "above 0, to 2 (rows are unit vectors)")
        if not 100 <= self.piece <= 20_000:
            raise InvalidParameter("piece", self.piece, "100 to 20,000")


@dataclass(frozen=True, slots=True)
class Built:
    """The arrays, and what was left out of them."""

    arrays: ClaimArrays
    dimensions: tuple[str, ...]
    """Names of the rows of `dcf`."""
    left: Left


def build_claims(
    documents: Iterable[Document],
    encoder: Encoder,
    model: PairwiseModel,
    settings: ClaimSettings | None = None,
    progress: Progress | None = None,
    embed: Embed | None = None,
) -> Built:
    """Claims, premises, their clusters and counts, from the documents; the order numbers them.

    embed: what knows the vectors of the premises, of the encoder's width; else the encoder.

    Documents are read once and not kept: memory is 4·dimensions bytes for each distinct text, and
    the distances of one piece. The same documents give the same arrays.
    Raises InvalidParameter for settings out of range, or an encoder without embeddings.
    """
    settings, tell = settings or ClaimSettings(), progress or _silent
    settings.check()
    if not (width := encoder.dimensions):
        raise InvalidParameter("encoder", encoder.name, "one that embeds texts, as wordllama")
    claims, premises, scores = [], [], []
    embed = embed or encoder.encode

    def take_premises(texts: list[str]) -> None:
        """Embed and judge a batch of premises."""
        premises.append(embed(texts))
        scores.append(model.scores(texts))
        tell("reading premises", sum(map(len, premises)), 0)

    gathered = Gatherer(lambda texts: claims.append(encoder.encode(texts)), take_premises)
    for document in documents:
        gathered.add(document)
    gathered.finish()
    cut = partial(_clusters, settings=settings, tell=tell)
    claim_cluster = cut("claims", _rows(claims, width), settings.claim_distance)
    premise_cluster = cut("premises", _rows(premises, width), settings.premise_distance)
    linked = link(gathered.occurrences(), claim_cluster, premise_cluster)
    tell("comparing premises", 0, 0)
    scored = _rows(scores, len(model.dimensions))
    return Built(_arrays(gathered, linked, scored), model.dimensions, gathered.left)


def _silent(what: str, done: int, of: int, /) -> None:
    """Tell nobody."""


def _rows(blocks: list[Floats32], width: int) -> Floats32:
    """Blocks one below the other, float32[n, width]; the blocks are let go."""
    out = np.zeros((sum(map(len, blocks)), width), np.float32)
    row = 0
    while blocks:
        block = blocks.pop(0)
        out[row : row + len(block)] = block
        row += len(block)
    return out


def _clusters(
    what: str, X: Floats32, distance: float | None, settings: ClaimSettings, tell: Progress
) -> NDArray[np.int32]:
    cut = Cut(distance=distance) if distance is not None else Cut(count=default_count(len(X)))
    doing = f"clustering {what}"
    return clusters(X, cut, settings.piece, settings.seed, lambda done, of: tell(doing, done, of))


def _arrays(gathered: Gatherer, linked: Linked, scores: Floats32) -> ClaimArrays:
    links = linked.links
    origin = np.array(gathered.premise_origin, np.int32).reshape(-1, 3)
    starts = links.starts.astype(np.int64)
    wins = [dcf_by_score(of[links.premise].astype(np.float64), starts) for of in scores.T]
    cluster = links.premise_cluster
    members = np.argsort(cluster, kind="stable")
    return ClaimArrays(
        claim_document=np.array(gathered.claim_document, np.int32),
        claim_cluster=links.claim_cluster.astype(np.int32),
        premise_document=origin[:, 0].copy(),
        premise_slot=origin[:, 1].copy(),
        premise_length=origin[:, 2].copy(),
        premise_cluster=cluster.astype(np.int32),
        starts=starts,
        premise=links.premise.astype(np.int32),
        pf=pf(links).astype(np.int32),
        dcf=np.array(wins, np.int32).reshape(len(wins), -1),
        served=served(links).astype(np.int32),
        representative=representatives(origin[:, 2], cluster, links.pi).astype(np.int32),
        member_starts=np.searchsorted(cluster[members], np.arange(links.pi + 1)).astype(np.int64),
        members=members.astype(np.int32),
        occurrence_starts=linked.occurrence_starts,
        occurrences=linked.occurrences,
    )


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
