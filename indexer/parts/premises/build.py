"""From documents to the arrays of claims and premises: embed, cluster, count, compare (D20)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.parts.premises.arrays import ClaimArrays
from argsearch.indexer.parts.premises.gathering import Document, Gatherer, Left, Linked, link
from argsearch.ranking.premises.claim_premise import representatives
from argsearch.ranking.premises.clusters import PIECE, Cut, clusters, default_count
from argsearch.ranking.premises.counts import dcf_by_score, pf, served

Floats32 = NDArray[np.float32]
Embed = Callable[[list[str]], Floats32]
"""Texts -> unit vectors, float32[n, d]."""
Progress = Callable[[str, int, int], None]
"""Is told (what is being done, how many are done, of how many; 0 where that is not known)."""


class PremiseModel(Protocol):
    """Scores premises on each dimension; a higher score beats a lower one."""

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions."""

    def scores(self, texts: Sequence[str]) -> Floats32:
        """float32[n, dimensions], finite; a text's scores depend on no other text."""


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
    model: PremiseModel,
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
