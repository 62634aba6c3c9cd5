"""The part `premises`: claims, their premises, clusters of both, and which beats which (D20).

One pass gathers the distinct claims and premises and their links; they are embedded, clustered,
counted and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder, load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.parts import Part
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.base import Drawer, PartMaker, PartSource
from argsearch.indexer.parts.premises.arrays import ClaimArrays
from argsearch.indexer.processes import Progress
from argsearch.ranking.premises.claim_premise import representatives
from argsearch.ranking.premises.clusters import PIECE, Cut, clusters, default_count
from argsearch.ranking.premises.counts import CON, PRO, STANCES, Links, dcf_by_score, pf, served

if TYPE_CHECKING:
    from argsearch.indexer.quality.pairwise import PairwiseModel

WAITING_TEXTS = 8192
"""Distinct texts that are kept until they are embedded and scored together."""

Ints32 = NDArray[np.int32]
Floats32 = NDArray[np.float32]
Distances = tuple[float | None, float | None]
"""Up to which claims and premises mean the same; None: n / 5.5 clusters (D20)."""
DISTANCES = ("claim_distance", "premise_distance")
"""Their names."""
Embed = Callable[[list[str]], Floats32]
"""Texts -> unit vectors, float32[n, d]."""


class PremisesPart(PartMaker):
    """`ClaimArrays`, an array each."""

    name = "premises"
    unit = "premise"
    doc = "Claims, their premises, clusters of both, and how often each beats the others."
    needs = ("vectors",)

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Encoder, clustering, and the model by which one premise beats another.

        Raises PairwiseModelError.
        """
        from argsearch.indexer.quality.pairwise import load_pairwise_model

        model = load_pairwise_model()
        return {
            "encoder": source.encoder(self.name),
            **dict(zip(DISTANCES, _distances(source), strict=True)),
            "piece": PIECE,
            "seed": 0,
            "model": model.name,
            "model_sha256": model.sha256,
            "dimensions": list(model.dimensions),
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Read every document once, embed and compare the premises, cluster, count."""
        from argsearch.indexer.quality.pairwise import load_pairwise_model

        encoder, model = load_encoder(source.encoder(self.name)), load_pairwise_model()
        stored = Stored(encoder, source.open["vectors"])
        read = documents(source, stored, partial(progress, self.name))
        distances = _distances(source)
        built = build_claims(read, encoder, model, distances, progress, stored.embed)
        for name, values in built.arrays.to_arrays().items():
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


class Document(NamedTuple):
    """What is read of one document: its conclusion, and (text, stance) of each premise."""

    conclusion: str | None
    premises: Sequence[tuple[str, str | None]]
    """The stance is PRO or CON; None (no stance given) counts as PRO."""
    row: int | None = None
    """Its number in the index; None: how many came before it."""


class Stored:
    """Premises' vectors: the stored one where a document has one premise, else made."""

    def __init__(self, encoder: Encoder, vectors: Part) -> None:
        self.encoder, self.vectors = encoder, vectors
        self.rows: dict[str, int] = {}
        """Of the premises read since the last were embedded."""

    def embed(self, texts: list[str]) -> Floats32:
        """Vectors, float32[n, dimensions]; texts met before this call are forgotten."""
        found = np.array([self.rows.get(text, -1) for text in texts], np.int64)
        out = np.zeros((len(texts), self.encoder.dimensions), np.float32)
        at = np.flatnonzero(found >= 0)
        rows = found[at]
        out[at] = self.vectors["rows"][rows] * self.vectors["scales"][rows, None]
        if len(made := np.flatnonzero(found < 0)):
            out[made] = self.encoder.encode([texts[i] for i in made])
        self.rows = {}
        return out


def documents(
    source: PartSource, stored: Stored, progress: Callable[[int], None]
) -> Iterator[Document]:
    """Every document in the corpus' order."""
    for docs, read in source.mapped(_read, progress):
        for row, document in zip(docs.tolist(), read, strict=True):
            if len(document.premises) == 1:
                stored.rows.setdefault(document.premises[0][0], row)
            yield document._replace(row=row)


def _read(arguments: list[Argument]) -> list[Document]:
    return [
        Document(one.conclusion, [(p.text, p.stance and p.stance.value) for p in one.premises])
        for one in arguments
    ]


def _distances(source: PartSource) -> Distances:
    """By section [index], where 0 asks for the count."""
    settings = asdict(IndexSettings()) | dict(source.manifest["settings"])
    return settings["claim_distance"] or None, settings["premise_distance"] or None


@dataclass(frozen=True, slots=True)
class Built:
    """The arrays, and what was left out of them."""

    arrays: ClaimArrays
    without_conclusion: int
    """Documents whose conclusion is null or blank: their premises have no claim."""
    blank_premises: int


def build_claims(
    documents: Iterable[Document],
    encoder: Encoder,
    model: PairwiseModel,
    distances: Distances = (None, None),
    progress: Progress = lambda _stage, _done: None,
    embed: Embed | None = None,
) -> Built:
    """Claims, premises, their clusters and counts, from the documents; the order numbers them.

    embed: what knows the vectors of the premises, of the encoder's width; else the encoder.

    Documents are read once and not kept: memory is 4·dimensions bytes for each distinct text, and
    the distances of one piece. The same documents give the same arrays.
    Raises InvalidParameter for a distance out of range, or an encoder without embeddings.
    """
    for name, value in zip(DISTANCES, distances, strict=True):
        if value is not None and not 0 < value <= 2:
            raise InvalidParameter(name, value, "above 0, to 2 (rows are unit vectors)")
    if not encoder.dimensions:
        raise InvalidParameter("encoder", encoder.name, "one that embeds texts, as wordllama")
    claims, premises, scores = [], [], []
    embed = embed or encoder.encode

    def take_premises(texts: list[str]) -> None:
        """Embed and judge a batch of premises."""
        premises.append(embed(texts))
        scores.append(model.scores(texts))
        progress("reading premises", sum(map(len, premises)))

    gathered = Gatherer(lambda texts: claims.append(encoder.encode(texts)), take_premises)
    for document in documents:
        gathered.add(document)
    gathered.claims.flush()
    gathered.premises.flush()

    def clustered(what: str, blocks: list[Floats32], distance: float | None) -> Ints32:
        """The cluster of each row."""
        rows = _rows(blocks, encoder.dimensions)
        cut = Cut(distance=distance) if distance else Cut(count=default_count(len(rows)))
        return clusters(rows, cut, progress=lambda done, _of: progress(f"clustering {what}", done))

    claim_cluster = clustered("claims", claims, distances[0])
    premise_cluster = clustered("premises", premises, distances[1])
    progress("comparing premises", 0)
    scored = _rows(scores, len(model.dimensions))
    arrays = _arrays(gathered, claim_cluster, premise_cluster, scored)
    return Built(arrays, gathered.without_conclusion, gathered.blank_premises)


def _rows(blocks: list[Floats32], width: int) -> Floats32:
    """Blocks one below the other, float32[n, width]; the blocks are let go."""
    out = np.zeros((sum(map(len, blocks)), width), np.float32)
    row = 0
    while blocks:
        block = blocks.pop(0)
        out[row : row + len(block)] = block
        row += len(block)
    return out


def _arrays(
    gathered: Gatherer, claim_cluster: Ints32, premise_cluster: Ints32, scores: Floats32
) -> ClaimArrays:
    occurrences = gathered.occurrences()
    triples = occurrences[:, :3]
    first = np.ones(len(occurrences), np.bool_)
    first[1:] = (triples[1:] != triples[:-1]).any(axis=1)
    claim, stance, premise = triples[first].T.copy()
    sides = claim_cluster.astype(np.int64), premise_cluster.astype(np.int64)
    links = Links(claim, stance, premise, *sides)
    assert STANCES * len(claim_cluster) == links.groups
    first_claims, origin = (
        np.array(side.origins, np.int32).reshape(-1, 3)
        for side in (gathered.claims, gathered.premises)
    )
    starts = links.starts.astype(np.int64)
    wins = [dcf_by_score(of[links.premise].astype(np.float64), starts) for of in scores.T]
    cluster = links.premise_cluster
    members = np.argsort(cluster, kind="stable")
    return ClaimArrays(
        claim_document=first_claims[:, 0].copy(),
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
        occurrence_starts=np.append(np.flatnonzero(first), len(first)).astype(np.int64),
        occurrences=occurrences[:, 3].astype(np.int32),
    )


class Distinct:
    """Distinct texts by number, handed on in batches; of each 128 bits alone are kept."""

    def __init__(self, hand_on: Callable[[list[str]], None]) -> None:
        self._numbers: dict[bytes, int] = {}
        self._waiting: list[str] = []
        self._hand_on = hand_on
        self.origins: list[tuple[int, int, int]] = []
        """Of each the document that has it first, its place there, its characters."""

    def add(self, text: str, row: int, slot: int = 0) -> int:
        """The text's number."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self.origins):
            self.origins.append((row, slot, len(text)))
            self._waiting.append(text)
            if len(self._waiting) == WAITING_TEXTS:
                self.flush()
        return number

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
        self.without_conclusion = self.blank_premises = 0
        self.claims, self.premises = Distinct(claims), Distinct(premises)
        self._rows: list[tuple[int, int, int, int]] = []
        self._documents = 0

    def add(self, document: Document) -> None:
        """One document."""
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

    def occurrences(self) -> NDArray[np.int64]:
        """(claim, stance, premise, document), distinct and sorted so: int64[m, 4]."""
        rows = np.array(self._rows, np.int64).reshape(-1, 4)
        return np.unique(rows, axis=0) if len(rows) else rows
