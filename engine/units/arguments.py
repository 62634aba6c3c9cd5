"""Whole arguments, the default unit of `Engine.search`."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.cached import cached_property
from argsearch.engine.config import Config
from argsearch.engine.query.query import Query
from argsearch.engine.query.terms import discriminative, distinct
from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import Floats, staged
from argsearch.engine.units.base import SearchRequest, Unit
from argsearch.indexer.errors import ArgsearchError
from argsearch.ranking.combination import cluster_similarity


class EncoderMismatch(ArgsearchError):
    """The encoder that an index names differs from the one that made its centroids."""


class Arguments(Unit):
    """The unit `arguments`."""

    name: ClassVar[str] = "arguments"
    singular: ClassVar[str] = "argument"
    doc: ClassVar[str] = "whole arguments, ranked by relevance, cluster and quality (H21)"
    takes: ClassVar[tuple[str, ...]] = (
        *Unit.takes, "collapse", "spread", "discriminative", "facets",
    )  # fmt: skip
    config: ClassVar[str | None] = None

    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the best arguments by Eq. 1 (H21), or in the order of a column."""
        config, engine = request.config, self.engine
        query = Query(
            request.question,
            request.k,
            request.offset,
            request.filters,
            config.retrieval,
            config.boost,
            self._similarities(request.question, config),
            request.order,
            tuple(request.facets),
            self._discriminative(request) if request.discriminative else None,
            0 if request.order is not None or not config.meaning.weight else config.meaning.depth,
        )
        if query.near:  # whole lists are fused, whatever k is
            query = replace(query, k=max(query.k, query.near))
        ranking = engine.backend.search(query)
        found = self.candidates(query.text, ranking, ranking.scores, self._notes(request))
        if ranking.fused is None:
            return found
        *premises, (fusion, _) = config.retrieving
        return staged(found, [*premises, (fusion, ranking.fused.head)])

    def _discriminative(self, request: SearchRequest) -> tuple[str, ...]:
        """Return the words of a question that are specific enough to count, or ()."""
        backend, words = self.engine.backend, distinct(request.question)
        df = backend.documents_with(words, request.config.retrieval)
        return tuple(discriminative(words, df, backend.info.documents))

    @cached_property
    def _unit_centroids(self) -> NDArray[np.float32]:
        centroids = np.array(self.engine.backend.centroids)
        norms = np.linalg.norm(centroids, axis=1, keepdims=True)
        # The wider a cluster is, the shorter is the mean of its unit vectors.
        unit: NDArray[np.float32] = (centroids / np.where(norms > 0, norms, 1)).astype(np.float32)
        return unit

    def _similarities(self, text: str, config: Config) -> Floats:
        """Return C of each cluster for a text, float64[n_clusters], or [] if C has no weight."""
        if config.boost.cluster == 0.0 or not len(self.engine.backend.centroids):
            return np.zeros(0)
        from argsearch.indexer.encoders import question_row

        encoder, width = self.engine.encoder, self._unit_centroids.shape[1]
        # A model that was trained again may have the same name.
        if encoder.dimensions != width:
            raise EncoderMismatch(
                f"encoder {encoder.name} gives {encoder.dimensions} dimensions, but the index has "
                f"{width}; load the encoder that the index names, or build the index again"
            )
        cosines = self._unit_centroids @ question_row(encoder, text)
        return cluster_similarity(cosines, config.boost.cosine)

    def _notes(self, request: SearchRequest) -> tuple[str, ...]:
        config, built = request.config, self.engine.backend.info.manifest.get("settings", {})
        differing = [
            f"{key} {built[key]!r} (the configuration says {wanted!r})"
            for key in ("encoder", "clusters", "quality_model", "quality_scale")
            if key in built and built[key] != (wanted := getattr(config.index, key))
        ]
        notes = [f"the index was built with {', '.join(differing)}"] if differing else []
        if request.order is not None and config.rerank.names:
            stages = " and ".join(config.rerank.names)
            notes.append(f"in the order of {request.order}, without {stages}")
        return tuple(notes)
