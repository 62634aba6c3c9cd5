"""The engine: an open index that answers questions."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.engine.backends import open_backend
from argsearch.engine.backends.base import Backend, IndexInfo
from argsearch.engine.config import Config, load_config
from argsearch.engine.parameters import (
    ABOUT,
    ADDRESS,
    AUTHOR_SIDE,
    BATCH,
    CONFIG,
    CONFIG_SHA256,
    FINGERPRINT,
    ID,
    QUOTES_PER_SIDE,
    SETTINGS,
    TEXT,
    Parameter,
)
from argsearch.engine.query.filters import Filter
from argsearch.engine.query.sort import Sort
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.columns import Column, columns_of
from argsearch.indexer.server.address import is_address

if TYPE_CHECKING:
    from argsearch.engine.challenge.challenge import Challenge
    from argsearch.engine.overview.known import Known
    from argsearch.engine.points.key_points import KeyPoints
    from argsearch.engine.results.results import Results
    from argsearch.engine.road import Road
    from argsearch.engine.text.snippet import Snippet
    from argsearch.engine.units import Unit
    from argsearch.indexer.encoders import Encoder

CACHED_CONFIGURATIONS = 256


class EngineClosed(ArgsearchError):
    """A closed engine was asked."""


class Engine:
    """An open index that answers queries.

    Pickling keeps the address: unpickling opens what lies there then.
    """

    def __init__(self, backend: Backend) -> None:
        if not hasattr(backend, "has_label"):
            allowed = "an open backend; to open an index by its address use Engine.open(ADDRESS)"
            raise InvalidParameter("backend", backend, allowed)
        self.backend = backend
        self._loaded = lru_cache(CACHED_CONFIGURATIONS)(load_config)
        self._roads: dict[str, Road] = {}
        self._opened_beside: Engine | None = None

    @classmethod
    def open(cls, address: str | Path) -> Engine:
        """Open an index directory or a search server's index, whose alias is followed.

        Raises IndexMissing, IndexDamaged or IndexFormatUnsupported.
        """
        ADDRESS.read(address, also=(Path,))
        if is_address(address):
            # a server's index is rebuilt under other names, and an engine reads one generation only
            return FollowingEngine(str(address))
        return cls(open_backend(address))

    def close(self) -> None:
        """Release the index; whatever is asked of the engine from now on raises EngineClosed.

        Results of an index directory that were found before can still be read.
        """
        self.backend.close()
        self.__class__ = _Closed

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.backend,)

    def __enter__(self) -> Engine:
        _ = self.backend  # raises where it is closed
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def info(self) -> IndexInfo:
        """What the index is."""
        return self.backend.info

    @property
    def parts(self) -> frozenset[str]:
        """The optional parts that can be asked for."""
        return self.backend.parts

    @property
    def light(self) -> bool:
        """Whether answers are computed here, by no search server and no neural encoder.

        A brief one then takes milliseconds, and a process forked from this one can answer too.
        """
        from argsearch.indexer.encoders import parse_spec

        # the part may name an encoder of its own, which questions are embedded by
        part = self.info.manifest.get("parts", {}).get("meaning")
        specs = [self.info.encoder, *([part["settings"]["encoder"]] if part else [])]
        light = all(parse_spec(spec).light for spec in specs)
        return self.backend.is_local and light

    @property
    def usual(self) -> str:
        """The configuration that arguments are asked by where none is named."""
        return "meaning" if "meaning" in self.parts else "default"

    @cached_property
    def columns(self) -> dict[str, Column]:
        """What the index knows of each document, by name."""
        return columns_of(self.info.manifest)

    @cached_property
    def encoder(self) -> Encoder:
        """The sentence encoder that the index was built with."""
        from argsearch.indexer.encoders import load_encoder

        return load_encoder(self.info.encoder)

    @cached_property
    def known(self) -> Known:
        """What is known of the index apart from any question."""
        from argsearch.engine.overview.known import Known

        return Known(self.backend)

    def argument(self, id: str) -> Argument | None:
        """Return the argument with that id, or None."""
        ID.read(id)
        return self.backend.argument(id)

    def unit(self, name: str) -> Unit:
        """Return a unit, opened once; raises PartMissing where the index lacks its part."""
        return self._road(name).unit

    def search(
        self,
        text: str | Argument,
        *,
        unit: str = "arguments",
        k: int = 10,
        offset: int = 0,
        config: str | Path | Config | None = None,
        overrides: Sequence[str] = (),
        stance: Stance | str | None = None,
        where: Sequence[str | Filter] = (),
        side: str | None = None,
        sides: bool = False,
        collapse: bool = False,
        spread: bool = False,
        discriminative: bool = False,
        sort: str | Sort | None = None,
        facets: Sequence[str] = (),
        once: bool = False,
    ) -> Results:
        """Return the k best things of a unit for `text`, from rank `offset` + 1 on.

        config: where none is given the unit's own (`Unit.config`); stance:
        only of that stance towards their own conclusion; where: filters, or texts such as
        "quality >= .6" (`parse_where`), which all have to hold; side: only those of the first
        `engine.stance.sides.DEPTH` that stand so to the question (for, against, unclear; both: a
        list of each, `Results.lists`); sides: count how they stand (`Results.balance`); collapse:
        of near-duplicates only the first; spread: of the first five at most two from one debate,
        reasons before bare claims (`engine.results.spread`; not in the order of a column);
        discriminative: only what has a word that tells what is asked for ("zoos", not "should") or
        is near it by meaning; sort: a column to be in the order of instead (`-quality`: falling),
        without stages; facets: columns whose values are counted (`Results.facets`); once: of
        things with one id only the best.
        Raises InvalidParameter for what cannot be asked of the unit, PartMissing where the index
        lacks a part that is needed.
        """
        from argsearch.engine.units import SearchRequest

        road = self._road(unit)
        chosen = self.config(road.unit.config if config is None else config, overrides)
        narrowed = where, stance, side, sides, collapse, spread, discriminative, sort, facets, once
        return road.answer(SearchRequest(text, chosen, k, offset, *narrowed))

    def search_many(self, texts: Sequence[str], **asked: Any) -> list[Results]:
        """Return the results of each text, as `search` gives them."""
        return [self.search(text, **asked) for text in BATCH.read(texts, also=(Argument,))]

    def rank(self, text: str, *, unit: str = "arguments", **asked: Any) -> Results:
        """Return the k best things of a unit as runs have them, by `default` unless told otherwise.

        No id stands twice.
        """
        # trec_eval takes a run for broken in which an id stands twice for one topic
        return self.search(text, unit=unit, once=True, **{"config": "default", **asked})

    def pairs(self, text: str, **asked: Any) -> Results:
        """Return the best pairs of a conclusion and its premise, as `search` does (W22)."""
        return self.search(text, unit="pairs", **asked)

    def premises(self, text: str, **asked: Any) -> Results:
        """Return the best premise clusters, section [premises] of the configuration (D20)."""
        return self.search(text, unit="premises", **asked)

    def counter(self, id_or_text: str | Argument, k: int = 10, **asked: Any) -> Results:
        """Return the best counter-arguments to an argument of the index by its id, or to a text."""
        return self.search(id_or_text, unit="counters", k=k, **asked)

    def key_points(
        self,
        text: str,
        *,
        fingerprint: str | None = None,
        config_sha256: str | None = None,
        **asked: Any,
    ) -> KeyPoints:
        """Return what is said on each side of a question, by how many (docs/points.md).

        asked: `config`, `overrides`, `stance`, `where` and `collapse` as `search` takes them;
        near-duplicates are collapsed where the index tells them, if not said otherwise.
        fingerprint, config_sha256: of a receipt; raises InvalidParameter where this index, or the
        configuration that is asked by, has another.
        """
        from argsearch.engine.points.key_points import READ_DEPTH, key_points

        self._hold_to(fingerprint, config_sha256, asked)
        config, search = self._towards_the_claim(asked)
        found = search(text, k=READ_DEPTH, sides=True)
        # the receipt names the configuration that was asked for, not the one that is changed here
        return key_points(replace(found, config=config), asked)

    def challenge(
        self,
        text: str,
        *,
        about: str | None = None,
        side: str | None = None,
        k: int = QUOTES_PER_SIDE.default,
        fingerprint: str | None = None,
        config_sha256: str | None = None,
        **asked: Any,
    ) -> Challenge:
        """Return what speaks against the position of a text, and for it (docs/challenge.md).

        about: the claim or question that the text is about, else a conclusion of the index that is
        found by the text; side: where its author stands to that, `for` or `against`, else read from
        the text, which is often not sure; k: arguments of each side, at most. asked: `config`,
        `overrides`, `where` and `collapse` as `search` takes them; near-duplicates are collapsed
        where the index tells them. fingerprint, config_sha256: of a receipt. Raises
        InvalidParameter for a text without a word, another side, or where this index, or the
        configuration that is asked by, has another fingerprint or digest.
        """
        from argsearch.engine.challenge.challenge import challenge
        from argsearch.engine.query.variants import unify

        TEXT.read(text)
        ABOUT.read(about)
        AUTHOR_SIDE.read(side)
        k = QUOTES_PER_SIDE.read(k)
        self._hold_to(fingerprint, config_sha256, asked)
        config, search = self._towards_the_claim(asked)
        told = {
            "text_sha256": sha256(text.encode("utf-8", "replace")).hexdigest(),
            "about": about,
            "side": side,
            "k": k,
            "config": config.name,
            "config_sha256": config.sha256,
            "overrides": [str(one) for one in asked.get("overrides", ())],
            "where": [str(one) for one in asked.get("where", ())],
            "collapse": search.keywords["collapse"],
            "fingerprint": self.info.fingerprint,
        }
        if config.retrieval.unifies_spellings:
            text, about = unify(text), about and unify(about)
        return challenge(search, partial(self.gists, config=config), text, about, told)

    def gists(
        self,
        question: str,
        arguments: Sequence[Argument],
        config: str | Path | Config | None = None,
    ) -> list[Snippet]:
        """Return the gist of each argument: the sentences that carry its point for a question.

        config: that the arguments were found by; it says whether spellings are one.
        """
        from argsearch.engine.query.variants import unify
        from argsearch.engine.text.gist import gists
        from argsearch.engine.text.snippet import word_weights
        from argsearch.indexer.encoders import parse_spec

        # a page has some eighty sentences to embed, too many for a neural encoder while a reader
        # waits
        encoder = self.encoder if parse_spec(self.info.encoder).light else None
        texts = [[premise.text for premise in one.premises] for one in arguments]
        asked = self.config(config).retrieval
        question = unify(question) if asked.unifies_spellings else question
        return gists(question, texts, word_weights(question, self.backend, asked), encoder)

    def _towards_the_claim(self, asked: Mapping[str, Any]) -> tuple[Config, partial[Results]]:
        """Return what is asked by, and a search whose sides are of the very claim, none near it."""
        given = self._collapsing(asked)
        config = self.config(given.pop("config", None), given.pop("overrides", ()))
        # such an answer names the claim of its sides; a conclusion near it would be another claim
        own = replace(config, stance=replace(config.stance, near=False))
        return config, partial(self.search, config=own, **given)

    def _hold_to(
        self, fingerprint: str | None, config_sha256: str | None, asked: Mapping[str, Any]
    ) -> None:
        """Raise InvalidParameter where a receipt is of another index or configuration."""
        FINGERPRINT.read(fingerprint)
        if fingerprint not in (None, self.info.fingerprint):
            raise InvalidParameter("fingerprint", fingerprint, self.info.fingerprint)
        if CONFIG_SHA256.read(config_sha256) is not None:
            own = self.config(asked.get("config"), asked.get("overrides", ())).sha256
            if config_sha256 != own:
                raise InvalidParameter("config_sha256", config_sha256, own)

    def _collapsing(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What is asked, of near-duplicates only the first unless it says otherwise."""
        given = dict(asked)
        if given.get("collapse") is None:
            given["collapse"] = "near_duplicates" in self.parts
        return given

    def _road(self, name: str) -> Road:
        from argsearch.engine.road import Road
        from argsearch.engine.units import UNITS

        Parameter("unit", str, "", "arguments", tuple(UNITS)).read(name)
        if name not in self._roads:
            unit = UNITS[name]
            # units with a part read arrays that no search server holds
            asked = (self._beside or self) if unit.part else self
            self._roads[name] = Road(unit(asked), asked.backend)
        return self._roads[name]

    @property
    def _beside(self) -> Engine | None:
        """What answers for the parts of an index on a search server that lie in a directory."""
        if self._opened_beside is None and (beside := self.backend.beside):
            self._opened_beside = Engine(beside)
        return self._opened_beside

    def config(self, config: str | Path | Config | None, overrides: Sequence[str] = ()) -> Config:
        """Return a configuration with its overrides; a named one is read once.

        None: `usual`, which on a search server takes spellings for different words if the server
        cannot add them up.
        """
        if config is None:
            config = self.usual
            if not self.backend.unifies_spellings:
                overrides = ("retrieval.spelling_conflation=false", *overrides)
        if isinstance(config, Config):
            return load_config(config, overrides) if overrides else config
        return self._loaded(CONFIG.read(config, also=(Path,)), tuple(SETTINGS.read(overrides)))


class FollowingEngine(Engine):
    """Asks all of the engine of the generation that an alias stands for; keeps nothing itself."""

    def __init__(self, address: str) -> None:
        from argsearch.engine.alias_follower import Newest

        self._address = address
        self._newest = Newest(lambda: Engine(open_backend(address)))

    def __reduce__(self) -> tuple[Any, ...]:
        return FollowingEngine, (self._address,)

    def close(self) -> None:
        """Release the generation that is open, without looking for a newer one."""
        self._newest.value.close()
        self.__class__ = _Closed  # type: ignore[assignment]

    def __getattribute__(self, name: str) -> Any:
        # anything else belongs to an engine that may be another one by the next call
        if name.startswith("_") or name in ("look", "close"):
            return super().__getattribute__(name)
        newest = self._newest
        value = getattr(newest.value, name)
        return newest.asking(name) if inspect.ismethod(value) else value

    def look(self) -> bool:
        """Go over to the generation that the name stands for now; whether it is another."""
        return self._newest.look()


class _Closed(Engine):
    """What a closed engine becomes."""

    def __getattribute__(self, name: str) -> Any:
        # closing once more does no harm, and Python itself asks for the rest
        if name.startswith("__"):
            return super().__getattribute__(name)
        if name == "close":
            return lambda: None
        said = f"the engine is closed and has no {name!r} any more"
        raise EngineClosed(f"{said}; open the index again with Engine.open")
