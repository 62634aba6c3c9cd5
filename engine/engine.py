"""The engine: retrieve, combine, re-rank, and return hits that can be explained."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.backends.base import Backend, IndexInfo, Ranking
from argsearch.engine.backends.opening import open_backend
from argsearch.engine.config import Config, load_config
from argsearch.engine.query.facets import check as check_facets
from argsearch.engine.query.filters import (
    Filter,
    OneOf,
    Range,
    check,
    parse_where,
    ranged,
    stance_of,
)
from argsearch.engine.query.query import Query
from argsearch.engine.query.sort import Sort, parse_sort
from argsearch.engine.results.collapse import folded
from argsearch.engine.results.results import Hits, Results
from argsearch.engine.stages import pipeline
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.columns import Column, columns_of
from argsearch.indexer.server.address import is_address
from argsearch.ranking.combination import cluster_similarity

if TYPE_CHECKING:
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend
    from argsearch.engine.overview.known import Known
    from argsearch.engine.stance.sides import Sided
    from argsearch.engine.units import UnitResults
    from argsearch.engine.units.counters import CounterFinder, CounterResults
    from argsearch.engine.units.premises.hits import PremiseResults
    from argsearch.engine.units.premises.opened import Claims
    from argsearch.indexer.encoders import Encoder


REMEMBERED = 256
"""Configurations, with their overrides, that are not read anew."""
SIDED = 64
"""Questions whose first hits' sides are remembered."""


class EncoderMismatch(ArgsearchError):
    """The encoder that an index names is not the one that made its centroids."""


class Engine:
    """An open index that answers queries."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._loaded = lru_cache(REMEMBERED)(load_config)
        self._siding = lru_cache(SIDED)(self._side)

    @classmethod
    def open(cls, address: str | Path) -> Engine:
        """Open an index directory or a search server's index, whose alias is followed.

        Raises IndexMissing, IndexDamaged or IndexFormatUnsupported.
        """
        if is_address(address):
            return FollowingEngine(str(address))
        return cls(open_backend(address))

    @property
    def info(self) -> IndexInfo:
        """What the index is."""
        return self.backend.info

    @property
    def parts(self) -> frozenset[str]:
        """The optional parts that can be asked for: none lies on a search server."""
        return frozenset(self.info.manifest.get("parts", ()) if self.backend.local else ())

    @property
    def light(self) -> bool:
        """Whether answers are computed here, by no search server and no neural encoder.

        A brief one then takes milliseconds, and a process forked from this one can answer too.
        """
        from argsearch.indexer.encoders.protocol import parse_spec

        return self.backend.local and parse_spec(self.info.encoder).light

    def brief(self, config: str | Path | Config, overrides: Sequence[str] = ()) -> bool:
        """Whether a short answer by this configuration takes a few milliseconds, without waiting.

        Stages that read texts or make vectors at query time take longer.
        """
        stages = self._config(config, overrides).stages
        stored = "vectors" in self.parts
        return self.light and all(
            "texts" not in stage.needs and (stored or "vectors" not in stage.needs)
            for stage, _ in stages
        )

    @property
    def foldable(self) -> bool:
        """Whether near-copies can be folded: an index directory with the part `copies`."""
        return "copies" in self.parts

    def close(self) -> None:
        """Release the index."""
        self.backend.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def argument(self, id: str) -> Argument | None:
        """The argument with that id, or None."""
        return self.backend.argument(id)

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        offset: int = 0,
        config: str | Path | Config = "default",
        overrides: Sequence[str] = (),
        stance: Stance | str | None = None,
        where: Sequence[str | Filter] = (),
        side: str | None = None,
        sides: bool = False,
        fold: bool = False,
        sort: str | Sort | None = None,
        facets: Sequence[str] = (),
    ) -> Results:
        """The k best arguments for `text`, from rank `offset` + 1 on.

        stance: only of that stance towards their own conclusion; where: filters, or texts such as
        "quality >= .6" (`parse_where`), which all have to hold; side: only those of the first
        `engine.stance.sides.DEPTH` that stand so to the question (for, against, unclear); sides:
        count how they stand (`Results.balance`); fold: of near-copies only the first; sort: a
        column to be in the order of instead (`-quality`: falling), without stages; facets: columns
        whose values are counted (`Results.facets`). Raises InvalidParameter for what cannot be
        asked, PartMissing for fold without the part `copies`.
        """
        begun, chosen = time.perf_counter(), self._config(config, overrides)
        query = replace(
            Query(text, k, offset, self.filters(where, stance), chosen.retrieval, chosen.boost),
            similarities=self._similarities(text, chosen),
            sort=parse_sort(sort, self.columns),
            facets=check_facets(facets, self.columns),
        )
        known = self._sided(query, chosen, side, fold) if sides or side is not None else None
        if known is None:
            ranking = self._ranked(query, chosen, fold)
        else:
            ranking = known.page(side, slice(offset, offset + k))
        results = self._results(query, chosen, ranking, begun)
        return replace(results, folded=fold, sided=known)

    def _results(self, query: Query, config: Config, ranking: Ranking, begun: float) -> Results:
        return Results(
            query=query.text,
            hits=Hits(ranking, query.offset),
            ranking=ranking,
            config=config,
            fingerprint=self.info.fingerprint,
            milliseconds=(time.perf_counter() - begun) * 1000.0,
            notes=self._notes(config, query.sort),
            sort=query.sort,
            spelling=self.backend.spelling,
        )

    def _ranked(self, query: Query, config: Config, fold: bool) -> Ranking:
        """A page of hits after all stages, of near-copies all or the best."""
        if fold:
            return self._folded(query, config)
        if query.sort is not None or not config.stages:
            return self.backend.search(query)
        return pipeline.answer(self.backend, query, config, self.encoder)

    def _folded(self, query: Query, config: Config) -> Ranking:
        if not self.foldable:
            self.backend.part("copies", 1)  # says how to add it
        page = slice(query.offset, query.offset + query.k)
        whole = replace(query, offset=0)
        return folded(lambda k: self._ranked(replace(whole, k=k), config, fold=False), page)

    def _sided(self, query: Query, config: Config, side: str | None, fold: bool) -> Sided:
        """The best hits, and how they stand; remembered, as a page asks for both sides in turn."""
        from argsearch.engine.stance.sides import DEPTH, check_side

        depth = DEPTH if check_side(side) else max(DEPTH, query.offset + query.k)
        find = self._siding if self.backend.local else self._side
        return find(replace(query, k=depth, offset=0), config, fold)

    def _side(self, query: Query, config: Config, fold: bool) -> Sided:
        from argsearch.engine.stance.sides import sided

        def find(text: str) -> Ranking:
            other = replace(query, text=text, similarities=self._similarities(text, config))
            return self._ranked(query if text == query.text else other, config, fold)

        return sided(query.text, find, self.backend.spelling)

    def search_many(
        self,
        texts: Sequence[str],
        *,
        k: int = 10,
        config: str | Path | Config = "default",
        overrides: Sequence[str] = (),
        stance: Stance | str | None = None,
        where: Sequence[str | Filter] = (),
    ) -> list[Results]:
        """The results of each text, as `search` gives them."""
        chosen, filters = self._config(config, overrides), self.filters(where, stance)
        return [self.search(text, k=k, config=chosen, where=filters) for text in texts]

    def rank(
        self,
        text: str,
        *,
        unit: str = "arguments",
        k: int = 10,
        config: str | Path | Config = "default",
        overrides: Sequence[str] = (),
    ) -> UnitResults:
        """The k best things of a unit for `text`: arguments, or what the index has parts for.

        Raises InvalidParameter for an unknown unit, PartMissing where the index lacks its part.
        """
        from argsearch.engine.units import UNITS

        if unit not in UNITS:
            raise InvalidParameter("unit", unit, ", ".join(UNITS))
        return UNITS[unit].search(self, text, k, self._config(config, overrides))

    def counter(self, id_or_text: str | Argument, k: int = 10) -> CounterResults:
        """The k best counter-arguments to an argument of the index, or to a text.

        What is the id of an argument is that argument, without its own copies; else a text.
        Raises PartMissing where the index lacks the part `counter`, PartsElsewhere for one on a
        search server, InvalidParameter for a k below 1 or what is no id and has no known word.
        """
        return self._counters.results(id_or_text, k)

    @cached_property
    def _counters(self) -> CounterFinder:
        from argsearch.engine.units.counters import finder

        return finder(self.backend, lambda: self.encoder)

    def premises(
        self,
        text: str,
        *,
        k: int = 10,
        config: str | Path | Config = "default",
        overrides: Sequence[str] = (),
        stance: str | None = None,
    ) -> PremiseResults:
        """The k best premise clusters for `text`, section [premises] of the configuration (D20).

        stance: only supporting (pro) or attacking (con) premises. Raises InvalidParameter for a
        blank text, a k below 1 or an unknown stance, PartMissing for an index without the part.
        """
        from argsearch.engine.units.premises.answering import answer

        chosen = self._config(config, overrides)
        return answer(self.claims, text, chosen, k=k, stance=stance)

    @cached_property
    def claims(self) -> Claims:
        """The claims of the part `premises`; raises PartMissing where the index lacks it."""
        from argsearch.engine.units.premises.opened import VERSION, Claims

        part = self.backend.part("premises", VERSION)
        return Claims(cast("EmbeddedBackend", self.backend), part)  # no other backend has parts

    @cached_property
    def examples(self) -> list[str]:
        """Claims to begin with: the most frequent debatable conclusions of the index."""
        from argsearch.engine.overview.examples import examples

        return examples(self.backend)

    @cached_property
    def known(self) -> Known:
        """What is known of the index apart from any question."""
        from argsearch.engine.overview.known import Known

        return Known(self.backend)

    def pairs(
        self,
        text: str,
        *,
        k: int = 10,
        config: str | Path | Config = "pairs-default",
        overrides: Sequence[str] = (),
    ) -> UnitResults:
        """The k best pairs of a conclusion and its premise for `text`, as `rank` gives them."""
        return self.rank(text, unit="pairs", k=k, config=config, overrides=overrides)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """What the index knows of each document, by name."""
        return columns_of(self.info.manifest)

    def filters(
        self, where: Sequence[str | Filter], stance: Stance | str | None = None
    ) -> tuple[Filter, ...]:
        """The filters, read and checked against the index's columns."""
        clauses = (where,) if isinstance(where, str) else where
        filters = tuple(
            one if isinstance(one, OneOf | Range) else parse_where([one])[0] for one in clauses
        )
        wanted = stance_of(stance)
        if wanted is not None:
            filters += (OneOf("stance", (wanted.value,)),)
        filters = tuple(ranged(one, self.columns) for one in filters)
        check(filters, self.columns)
        return filters

    def _config(self, config: str | Path | Config, overrides: Sequence[str]) -> Config:
        if isinstance(config, Config):
            return load_config(config, overrides) if overrides else config
        wanted = (overrides,) if isinstance(overrides, str) else tuple(overrides)
        return self._loaded(str(config), wanted)

    @cached_property
    def encoder(self) -> Encoder:
        """The sentence encoder that the index was built with."""
        from argsearch.indexer.encoders import load_encoder

        return load_encoder(self.info.encoder)

    @cached_property
    def _unit_centroids(self) -> NDArray[np.float32]:
        centroids = np.array(self.backend.centroids)
        norms = np.linalg.norm(centroids, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (centroids / np.where(norms > 0, norms, 1)).astype(np.float32)
        return unit

    def _similarities(self, text: str, config: Config) -> NDArray[np.float64]:
        """C of each cluster for this text, float64[n_clusters]; empty when it has no weight."""
        if config.boost.cluster == 0.0 or not len(self.backend.centroids):
            return np.zeros(0)
        encoder, width = self.encoder, self._unit_centroids.shape[1]
        if encoder.dimensions != width:
            raise EncoderMismatch(
                f"encoder {encoder.name} gives {encoder.dimensions} dimensions, its index has "
                f"{width}; load the encoder that it names or build the index again"
            )
        cosines = self._unit_centroids @ encoder.encode([text])[0]
        return cluster_similarity(cosines, config.boost.cosine)

    def _notes(self, config: Config, sort: Sort | None) -> tuple[str, ...]:
        built = self.info.manifest.get("settings", {})
        differing = [
            f"{key} {built[key]!r} (the configuration says {wanted!r})"
            for key in ("encoder", "clusters", "quality_model", "quality_scale")
            if key in built and built[key] != (wanted := getattr(config.index, key))
        ]
        notes = [f"the index was built with {', '.join(differing)}"] if differing else []
        if sort is not None and config.rerank.names:
            notes.append(f"in the order of {sort}, without {' and '.join(config.rerank.names)}")
        return tuple(notes)


class FollowingEngine(Engine):
    """An engine whose name on a search server may come to stand for another generation."""

    def __init__(self, address: str) -> None:
        from argsearch.engine.alias_follower import Newest

        self._newest = Newest(lambda: Engine(open_backend(address)), self._took)
        super().__init__(self._newest.value.backend)

    def search(self, text: str, **asked: Any) -> Results:
        """As `Engine.search`, of the generation that the name stands for."""
        return self._newest.asked(lambda engine: engine.search(text, **asked))

    def argument(self, id: str) -> Argument | None:
        """As `Engine.argument`."""
        return self._newest.asked(lambda engine: engine.argument(id))

    def look(self) -> bool:
        """Go over to the generation that the name stands for now; whether it is another."""
        return self._newest.look()

    def _took(self, engine: Engine) -> None:
        from argsearch.engine.alias_follower import DERIVED

        self.backend = engine.backend
        for name in DERIVED:
            self.__dict__.pop(name, None)
