"""The part `premises`: claims, their premises, clusters of both, and comparisons (D20).

One pass over the documents collects the distinct claims, premises and their links. Then claims and
premises are embedded and clustered, and premises are counted and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder, load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource, text_digest
from argsearch.indexer.parts.premises.arrays import ClaimArrays
from argsearch.indexer.parts.premises.reading import Document, Stored, documents
from argsearch.indexer.processes import Progress, silent
from argsearch.ranking.premises.claim_premise import representatives
from argsearch.ranking.premises.clusters import (
    PIECE_ROWS,
    Cut,
    Splits,
    clusters,
    default_count,
    make_splits,
)
from argsearch.ranking.premises.counts import CON, PRO, Links, dcf_by_score, pf, served
from argsearch.ranking.vectors import quantise

if TYPE_CHECKING:
    from argsearch.indexer.quality.classifiers import PairwiseClassifier
    from argsearch.indexer.quality.pairwise import PairwiseModel

WAITING_TEXTS = 8192
"""Number of distinct texts that are buffered to be embedded and scored together."""

Ints32 = NDArray[np.int32]
Floats32 = NDArray[np.float32]
Distances = tuple[float | None, float | None]
"""Largest distance at which claims (premises) count as the same; None: make n / 5.5 clusters."""
DISTANCES = ("claim_distance", "premise_distance")
"""Names of the two settings."""
UNSPLIT = (0, 1)
"""Default number of pieces and of k-means starts; 0: the size alone determines the pieces."""
TEXT_KINDS = "claim", "premise"
"""Kinds of text that are clustered; also the prefixes of the array names."""
Embed = Callable[[list[Any]], Floats32]
"""Function that turns texts into unit vectors, float32[n, d]."""


class PremisesPart(PartMaker):
    """Makes the arrays of `ClaimArrays`, and the `Splits` that a changed index reuses."""

    name = "premises"
    unit = "premise"
    doc = "Claims, their premises, clusters of both, and how often each beats the others."
    needs = ("vectors",)

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Return the encoder, the clustering, and the model that compares premises.

        Raises PairwiseModelError.
        """
        from argsearch.indexer.quality.pairwise import load_pairwise_model

        asked = _asked(source)
        model, encoder = load_pairwise_model(asked["pairwise_model"]), source.encoder(self.name)
        wanted = getattr(model, "encoder", encoder)
        if wanted != encoder:
            allowed = f"a model for the index's encoder, {encoder}; this one is for {wanted}"
            raise InvalidParameter("index.pairwise_model", model.name, allowed)
        return {
            "encoder": encoder,
            **dict(zip(DISTANCES, _distances(asked), strict=True)),
            "distinct_premises": asked["distinct_premises"],
            "piece": PIECE_ROWS,
            # Absent by default, so that the parts of earlier versions count as made the same way.
            **({"split": split} if (split := _split(asked)) != UNSPLIT else {}),
            "seed": 0,
            "model": model.name,
            "model_sha256": model.sha256,
            "dimensions": list(model.dimensions),
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Read every document once, embed and compare the premises, then cluster and count."""
        from argsearch.indexer.quality.pairwise import load_pairwise_model

        asked, encoder = _asked(source), load_encoder(source.encoder(self.name))
        stored = Stored(encoder, source.open["vectors"])
        model: Any = load_pairwise_model(asked["pairwise_model"])
        known = stored.embed, source.workers, _recorded(source), _split(asked)
        how = ClaimReading(encoder, model, _distances(asked), asked["distinct_premises"], *known)
        read = documents(source, stored, partial(progress, self.name))
        built = build_claims(read, how, progress)
        arrays = built.arrays.to_arrays()
        for side, one in zip(TEXT_KINDS, built.splits, strict=True):
            arrays |= {f"{side}_centroids": one.centroids, f"{side}_splits": one.numbers}
        for name, values in arrays.items():
            drawer.save(name, values)
        return {
            "claims": built.arrays.claims,
            "claim_clusters": built.arrays.claim_clusters,
            "premises": len(built.arrays.premise_document),
            "premise_clusters": len(built.arrays.representative),
            "links": len(built.arrays.premise),
            "without_conclusion": built.without_conclusion,
            "blank_premises": built.blank_premises,
        }


def _asked(source: PartSource) -> dict[str, Any]:
    """Return the settings of section [index] for this part, with their defaults."""
    return asdict(IndexSettings()) | dict(source.manifest["settings"])


def _distances(asked: Mapping[str, Any]) -> Distances:
    """Return the distances of section [index]; None (0 there) selects the number of clusters."""
    return asked["claim_distance"] or None, asked["premise_distance"] or None


def _split(asked: Mapping[str, Any]) -> tuple[int, int]:
    """Return the settings `premise_pieces` and `premise_starts` from section [index]."""
    return asked["premise_pieces"], asked["premise_starts"]


def _recorded(source: PartSource) -> tuple[Splits | None, Splits | None]:
    """Return the splits of claims and premises to keep, or None to compute them."""
    held = source.recorded
    # An index of an earlier version records no splits, so they are computed.
    if held is None or "premise_splits" not in held.arrays:
        return None, None
    one, other = (Splits(held[f"{side}_centroids"], held[f"{side}_splits"]) for side in TEXT_KINDS)
    return one, other


@dataclass(frozen=True)
class ClaimReading:
    """Settings for distinguishing, embedding, clustering and comparing claims and premises."""

    encoder: Encoder
    model: PairwiseModel | PairwiseClassifier
    distances: Distances = (None, None)
    distinct: bool = True
    """True if equal texts count as one premise; otherwise each occurrence is a separate premise."""
    embed: Embed | None = None
    """Function that embeds premises with the encoder's dimensions; None: the encoder itself."""
    workers: int = 1
    """Number of clustering threads."""
    splits: tuple[Splits | None, Splits | None] = (None, None)
    """Splits of claims and premises into pieces; None: compute them."""
    split: tuple[int, int] = UNSPLIT
    """Number of pieces in the premises' first split, and of k-means starts (`make_splits`)."""


@dataclass(frozen=True, slots=True)
class Built:
    """The arrays of the part, and how many documents and premises were omitted."""

    arrays: ClaimArrays
    without_conclusion: int
    """Number of documents whose conclusion is null or blank: their premises have no claim."""
    blank_premises: int
    splits: list[Splits]
    """Splits of the claims and of the premises."""


def build_claims(
    documents: Iterable[Document],
    how: ClaimReading,
    progress: Progress = silent,
) -> Built:
    """Build claims, premises, their clusters and counts from documents numbered in order.

    Documents are read once and not kept. Memory: 4·dimensions bytes for each premise and claim,
    plus the distances within one piece. The same documents give the same arrays.
    """
    encoder, model = how.encoder, how.model
    # Scores decide between any two premises; a classifier reads both premises and their claim.
    by_score = hasattr(model, "scores")
    claims, premises, scores = [], [], []
    embed: Embed = how.embed or encoder.encode

    def take_premises(texts: list[str]) -> None:
        """Embed a batch of premises, and score them if the model has scores."""
        if by_score:
            scores.append(model.scores(texts))  # type: ignore[union-attr]
        premises.append(embed(texts))

    def take_claims(texts: list[str]) -> None:
        """Embed a batch of claims."""
        claims.append(encoder.encode(texts))

    gathered = Gatherer(take_claims, take_premises, how.distinct)
    for document in documents:
        gathered.add(document)
    gathered.claims.flush()
    gathered.premises.flush()
    rows = _rows(claims, encoder.dimensions), _rows(premises, encoder.dimensions)
    how_split = zip(how.splits, rows, (UNSPLIT, how.split), strict=True)
    splits = [one or make_splits(X, PIECE_ROWS, 0, *split) for one, X, split in how_split]

    def clustered(side: int) -> Ints32:
        """Return the cluster of each row."""
        X, distance = rows[side], how.distances[side]
        cut = Cut(distance=distance) if distance else Cut(count=default_count(len(X)))
        told = partial(progress, f"clustering {TEXT_KINDS[side]}s")
        return clusters(X, cut, PIECE_ROWS, 0, told, how.workers, splits[side])

    made = clustered(0), clustered(1)
    progress("comparing premises", 0)
    links, occurrences = gathered.links(*made)
    scored = _rows(scores, len(model.dimensions)) if by_score else None
    if scored is not None:
        of = scored[links.premise].astype(np.float64)
        wins = np.array([dcf_by_score(column, links.starts) for column in of.T], np.int64)
    else:
        wins = model.dcf(links.starts, links.premise, *rows)  # type: ignore[union-attr]
    progress("comparing premises", len(links.premise), len(links.premise))
    counted = occurrences, wins.reshape(len(model.dimensions), -1)
    arrays = claim_arrays(gathered, links, *counted, quantise(rows[0])[0])
    return Built(arrays, gathered.without_conclusion, gathered.blank_premises, splits)


def _rows(blocks: list[Floats32], width: int) -> Floats32:
    """Stack blocks vertically, float32[n, width], and release them."""
    out = np.zeros((sum(map(len, blocks)), width), np.float32)
    row = 0
    while blocks:
        block = blocks.pop(0)
        out[row : row + len(block)] = block
        row += len(block)
    return out


def claim_arrays(
    gathered: Gatherer,
    links: Links,
    occurrences: NDArray[np.int64],
    wins: NDArray[np.int64],
    claim_levels: NDArray[np.int8],
) -> ClaimArrays:
    """Return the arrays of the part from the gathered data and the computed counts.

    occurrences: as in `Gatherer.links`. wins: dcf, int64[dimensions, links].
    """
    first_claims, origin = (
        np.array(side.origins, np.int32).reshape(-1, 3)
        for side in (gathered.claims, gathered.premises)
    )
    cluster = links.premise_cluster
    members = np.argsort(cluster, kind="stable")
    return ClaimArrays(
        claim_document=first_claims[:, 0].copy(),
        claim_cluster=links.claim_cluster.astype(np.int32),
        claim_levels=claim_levels,
        premise_document=origin[:, 0].copy(),
        premise_slot=origin[:, 1].copy(),
        premise_length=origin[:, 2].copy(),
        premise_cluster=cluster.astype(np.int32),
        starts=links.starts.astype(np.int64),
        premise=links.premise.astype(np.int32),
        pf=pf(links).astype(np.int32),
        dcf=wins.astype(np.int32),
        served=served(links).astype(np.int32),
        representative=representatives(origin[:, 2], cluster, links.pi).astype(np.int32),
        member_starts=np.searchsorted(cluster[members], np.arange(links.pi + 1)).astype(np.int64),
        members=members.astype(np.int32),
        occurrence_starts=np.append(_firsts(occurrences), len(occurrences)).astype(np.int64),
        occurrences=occurrences[:, 3].astype(np.int32),
    )


def _firsts(occurrences: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows at which a new (claim, stance, premise) begins, int64[links]."""
    triples = occurrences[:, :3]
    first = np.ones(len(triples), np.bool_)
    first[1:] = (triples[1:] != triples[:-1]).any(axis=1)
    return np.flatnonzero(first)


class Distinct:
    """Numbers distinct texts and passes them on in batches; keeps only 128 bits of each text.

    each: give every text its own number, even if it occurred before.
    """

    def __init__(self, hand_on: Callable[[list[str]], None], each: bool = False) -> None:
        self._each = each
        self._numbers: dict[bytes, int] = {}
        self._waiting: list[str] = []
        self._last: tuple[str | None, int] = None, 0
        self._hand_on = hand_on
        self.origins: list[tuple[int, int, int]] = []
        """For each text: its first document, its position there, and its length in characters."""

    def add(self, text: str, row: int, slot: int = 0) -> int:
        """Return the text's number."""
        # Posts of one thread are adjacent and share a claim, so the last digest is reused.
        if text == self._last[0]:
            return self._last[1]
        number = len(self.origins)
        if not self._each:
            number = self._numbers.setdefault(text_digest(text), number)
            self._last = text, number
        if number == len(self.origins):
            self.origins.append((row, slot, len(text)))
            self._waiting.append(text)
            if len(self._waiting) == WAITING_TEXTS:
                self.flush()
        return number

    def flush(self) -> None:
        """Pass on the buffered texts."""
        if self._waiting:
            self._hand_on(self._waiting)
            self._waiting = []


class Gatherer:
    """Takes documents in order; omits blank premises and documents without a conclusion.

    A premise that occurs twice for a claim with the same stance is one link with two occurrences,
    unless `distinct` is false. A premise that occurs with both stances counts as two links.
    """

    def __init__(
        self,
        claims: Callable[[list[str]], None],
        premises: Callable[[list[str]], None],
        distinct: bool = True,
    ) -> None:
        self.without_conclusion = self.blank_premises = 0
        self.claims, self.premises = Distinct(claims), Distinct(premises, each=not distinct)
        self._rows: list[tuple[int, int, int, int]] = []
        self._documents = 0

    def add(self, document: Document) -> None:
        """Add one document."""
        row = self._documents if document.row is None else document.row
        conclusion = document.conclusion
        self._documents += 1
        if conclusion is None or not conclusion.strip():
            self.without_conclusion += 1
            return
        stated = [(slot, *premise) for slot, premise in enumerate(document.premises)]
        stated = [each for each in stated if each[1].strip()]
        self.blank_premises += len(document.premises) - len(stated)
        if not stated:
            return
        claim = self.claims.add(conclusion, row)
        for slot, text, stance in stated:
            premise = self.premises.add(text, row, slot)
            self._rows.append((claim, CON if stance == "CON" else PRO, premise, row))

    def links(
        self, claim_cluster: Ints32, premise_cluster: Ints32
    ) -> tuple[Links, NDArray[np.int64]]:
        """Return the links, and their rows (claim, stance, premise, document), int64[m, 4].

        Links and rows are distinct and sorted. The arguments are int32[claims], int32[premises].
        """
        rows = np.array(self._rows, np.int64).reshape(-1, 4)
        rows = np.unique(rows, axis=0) if len(rows) else rows
        claim, stance, premise = rows[_firsts(rows), :3].T.copy()
        sides = claim_cluster.astype(np.int64), premise_cluster.astype(np.int64)
        return Links(claim, stance, premise, *sides), rows
