"""The part `premises`: claims, their premises, clusters of both, and which beats which (D20)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders import Encoder, load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.parts import VERSIONS
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.base import Drawer, PartSource, Progress
from argsearch.indexer.parts.premises.build import ClaimSettings, Document, build_claims

Said = list[tuple[str | None, list[tuple[str, str | None]]]]
"""Conclusion, and (text, stance) of each premise, of some documents."""


class PremisesPart:
    """`ClaimArrays`, an array each."""

    name = "premises"
    unit = "premise"
    version = VERSIONS["premises"]
    doc = "Claims, their premises, clusters of both, and how often each beats the others."
    needs: tuple[str, ...] = ("vectors",)

    def settings(self, source: PartSource) -> Mapping[str, Any]:
        """Encoder, clustering, and the model by which one premise beats another.

        Raises InvalidParameter for an index without an encoder, PairwiseModelError.
        """
        from argsearch.indexer.quality.pairwise import load_pairwise_model

        encoder = source.manifest["encoder"]
        if encoder == "none":
            raise InvalidParameter("part", self.name, "an index built with an encoder")
        model = load_pairwise_model()
        return {
            "encoder": encoder,
            **asdict(_clustering(source)),
            "model": model.name,
            "model_sha256": model.sha256,
            "dimensions": list(model.dimensions),
        }

    def make(self, source: PartSource, drawer: Drawer, progress: Progress) -> Mapping[str, Any]:
        """Read every document once, embed and compare the premises, cluster, count."""
        from argsearch.indexer.quality.pairwise import load_pairwise_model

        encoder = load_encoder(source.manifest["encoder"])
        stored = Stored(encoder, source.open["vectors"])
        built = build_claims(
            documents(source, stored, progress),
            encoder,
            load_pairwise_model(),
            _clustering(source),
            lambda what, done, _of: progress(what, done),
            stored.embed,
        )
        for name, values in built.arrays.to_arrays().items():
            drawer.save(name, values)
        return {
            "claims": built.arrays.claims,
            "claim_clusters": built.arrays.claim_clusters,
            "premises": len(built.arrays.premise_document),
            "premise_clusters": len(built.arrays.representative),
            "links": len(built.arrays.premise),
            "without_conclusion": built.left.no_conclusion,
            "blank_premises": built.left.blank_premises,
        }


def _clustering(source: PartSource) -> ClaimSettings:
    """How claims and premises are clustered: by section [index], where 0 asks for the count."""
    settings = asdict(IndexSettings()) | dict(source.settings)
    return ClaimSettings(settings["claim_distance"] or None, settings["premise_distance"] or None)


class Stored:
    """Premises' vectors: the stored one where a document has one premise, else made."""

    def __init__(self, encoder: Encoder, vectors: Mapping[str, NDArray[Any]]) -> None:
        self.encoder, self.vectors = encoder, vectors
        self.rows: dict[str, int] = {}
        """Of the premises read since the last were embedded."""

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors, float32[n, dimensions]; texts met before this call are forgotten."""
        found = [self.rows.get(text, -1) for text in texts]
        out = np.zeros((len(texts), self.encoder.dimensions), np.float32)
        at = np.array([i for i, row in enumerate(found) if row >= 0], np.int64)
        rows = np.array([row for row in found if row >= 0], np.int64)
        out[at] = self.vectors["rows"][rows] * self.vectors["scales"][rows, None]
        if made := [i for i, row in enumerate(found) if row < 0]:
            out[made] = self.encoder.encode([texts[i] for i in made])
        self.rows = {}
        return out


def documents(source: PartSource, stored: Stored, progress: Progress) -> Iterator[Document]:
    """Every document in the corpus' order."""
    done = 0
    for docs, said in source.mapped(_said):
        for row, (conclusion, premises) in zip(docs.tolist(), said, strict=True):
            if len(premises) == 1:
                stored.rows.setdefault(premises[0][0], row)
            yield Document(conclusion, premises, row)
        done += len(docs)
        progress(PremisesPart.name, done)


def _said(arguments: list[Argument]) -> Said:
    return [
        (one.conclusion, [(p.text, p.stance and p.stance.value) for p in one.premises])
        for one in arguments
    ]
