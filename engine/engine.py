"""The engine: an open index that answers queries."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.engine import parameters as p
from argsearch.engine.backends import open_backend
from argsearch.engine.backends.base import Backend, IndexInfo
from argsearch.engine.config import Config, load_config
from argsearch.engine.parameters import Parameter, SideFilter, StanceName
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
    """An engine was used after it was closed."""


class Engine:
    """An open index that answers queries.

    A pickled engine is only the address of its index. Unpickling opens the index at that address.
    """

    def __init__(self, backend: Backend) -> None:
        if not hasattr(backend, "has_label"):
            allowed = "an open backend; to open an index by its address, use Engine.open(ADDRESS)"
            raise InvalidParameter("backend", backend, allowed)
        self.backend = backend
        self._loaded = lru_cache(CACHED_CONFIGURATIONS)(load_config)
        self._roads: dict[str, Road] = {}
        self._opened_beside: Engine | None = None

    @classmethod
    def open(cls, address: str | Path) -> Engine:
        """Open an index folder, or an index or alias on a search server.

        Raises IndexMissing, IndexDamaged, IndexFormatUnsupported, or ServerError if a search server
        does not answer or refuses.
        """
        p.ADDRESS.read(address, also=(Path,))
        if is_address(address):
            # A server's index is rebuilt under a new name, but an engine reads only one generation.
            return FollowingEngine(str(address))
        return cls(open_backend(address))

    def close(self) -> None:
        """Release the index. Any later use of the engine raises EngineClosed.

        Results that came from an index folder can still be read.
        """
        self.backend.close()
        self.__class__ = _Closed

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.backend,)

    def __enter__(self) -> Engine:
        _ = self.backend  # raises EngineClosed
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def info(self) -> IndexInfo:
        """Name, size, encoder and settings of the index."""
        return self.backend.info

    @property
    def parts(self) -> frozenset[str]:
        """Names of the optional parts that the index has."""
        return self.backend.parts

    @property
    def light(self) -> bool:
        """True if this process computes answers without a search server or neural encoder.

        Short answers then take milliseconds, and a process forked from this one can answer too.
        """
        from argsearch.indexer.encoders import parse_spec

        # The part may name its own encoder for questions.
        part = self.info.manifest.get("parts", {}).get("meaning")
        specs = [self.info.encoder, *([part["settings"]["encoder"]] if part else [])]
        return self.backend.is_local and all(parse_spec(spec).light for spec in specs)

    @property
    def usual(self) -> str:
        """The default configuration for argument searches in this index."""
        return "meaning" if "meaning" in self.parts else "default"

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The index's columns of document metadata, by name."""
        return columns_of(self.info.manifest)

    @cached_property
    def encoder(self) -> Encoder:
        """The sentence encoder that the index was built with."""
        from argsearch.indexer.encoders import load_encoder

        return load_encoder(self.info.encoder)

    @cached_property
    def known(self) -> Known:
        """Facts about the index that do not depend on a question, such as examples and clusters."""
        from argsearch.engine.overview.known import Known

        return Known(self.backend)

    def argument(self, id: str) -> Argument | None:
        """Return the argument with this id, or None."""
        p.ID.read(id)
        return self.backend.argument(id)

    def unit(self, name: str) -> Unit:
        """Return a unit, opened only once, or raise PartMissing if the index lacks its part."""
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
        stance: Stance | StanceName | None = None,
        where: Sequence[str | Filter] = (),
        side: SideFilter | None = None,
        sides: bool = False,
        collapse: bool = False,
        spread: bool = False,
        discriminative: bool = False,
        sort: str | Sort | None = None,
        facets: Sequence[str] = (),
        once: bool = False,
    ) -> Results:
        """Return the k best results of a unit for `text`, from rank `offset` + 1 on.

        Args:
            text: a question or keywords; for counter-arguments, a text or an argument.
            unit: `arguments`, `pairs`, `premises` or `counters`.
            config: a configuration, its name or its path; by default the unit's (`Unit.config`).
            overrides: changed values of the configuration, such as "boost.quality=0.5".
            stance: return only arguments with this stance towards their own conclusion.
            where: filters, or texts such as "quality >= .6", that must all match.
            side: return only hits on this side of the question (for, against, unclear), out of
                the first `engine.stance.sides.DEPTH` hits. `both` fills `Results.lists`.
            sides: determine the side of each hit and count the sides (`Results.balance`).
            collapse: return only the best of several near-duplicates.
            spread: return at most two arguments from one debate in the top five, and put reasons
                above bare claims (`engine.results.spread`). Has no effect with `sort`.
            discriminative: return only hits that share a specific word with the question
                ("zoos", not "should") or are close in meaning. With `sort`, and for pairs and
                premises, only those of the first 100 that are probably about it.
            sort: order by this column and, without `discriminative`, skip the stages; `-quality`
                sorts in descending order.
            facets: columns whose values are counted (`Results.facets`).
            once: return only the best of several hits with the same id.

        Raises InvalidParameter if a value is not allowed or the unit does not support it. Raises
        PartMissing if the index lacks a part that is needed.
        """
        from argsearch.engine.units import SearchRequest

        road = self._road(unit)
        chosen = self.config(road.unit.config if config is None else config, overrides)
        narrowed = where, stance, side, sides, collapse, spread, discriminative, sort, facets, once
        return road.answer(SearchRequest(text, chosen, k, offset, *narrowed))

    def search_many(self, texts: Sequence[str], **asked: Any) -> list[Results]:
        """Return the results for each text. Takes the same arguments as `search`."""
        return [self.search(text, **asked) for text in p.BATCH.read(texts, also=(Argument,))]

    def rank(self, text: str, *, unit: str = "arguments", **asked: Any) -> Results:
        """Return the k best results for a run, with unique ids and the configuration `default`.

        Takes the same arguments as `search`.
        """
        # trec_eval rejects a run that lists an id twice for one topic.
        return self.search(text, unit=unit, once=True, **{"config": "default", **asked})

    def pairs(self, text: str, **asked: Any) -> Results:
        """Return the best pairs of a conclusion and a premise; arguments as in `search` (W22)."""
        return self.search(text, unit="pairs", **asked)

    def premises(self, text: str, **asked: Any) -> Results:
        """Return the best premise clusters, ranked as configured in section [premises] (D20)."""
        return self.search(text, unit="premises", **asked)

    def counter(self, id_or_text: str | Argument, k: int = 10, **asked: Any) -> Results:
        """Return the best counter-arguments to a text, or to the indexed argument with this id."""
        return self.search(id_or_text, unit="counters", k=k, **asked)

    def key_points(
        self,
        text: str,
        *,
        fingerprint: str | None = None,
        config_sha256: str | None = None,
        **asked: Any,
    ) -> KeyPoints:
        """Return the key points on each side of a question, with counts (docs/points.md).

        asked: `config`, `overrides`, `stance`, `where` and `collapse`, as in `search`.
        Near-duplicates are collapsed by default if the index has that part. fingerprint,
        config_sha256: values from a receipt. Raises InvalidParameter if the index or the
        configuration differs from these.
        """
        from argsearch.engine.points.key_points import READ_DEPTH, key_points

        config, search = self._towards_the_claim(asked, fingerprint, config_sha256)
        # The receipt names the requested configuration and not the one changed here.
        return key_points(replace(search(text, k=READ_DEPTH, sides=True), config=config), asked)

    def challenge(
        self,
        text: str,
        *,
        about: str | None = None,
        side: str | None = None,
        k: int = p.QUOTES_PER_SIDE.default,
        fingerprint: str | None = None,
        config_sha256: str | None = None,
        **asked: Any,
    ) -> Challenge:
        """Return arguments against and for a text's position (docs/challenge.md).

        Args:
            text: the text whose position is challenged. It must contain a word.
            about: the claim or question that the text is about; by default, the conclusion in the
                index that fits the text best.
            side: the author's side of this claim, `for` or `against`. By default the engine infers
                it from the text, which often leaves it unclear.
            k: maximum number of arguments on each side.
            fingerprint, config_sha256: values from a receipt, to ensure the same answer.
            asked: `config`, `overrides`, `where` and `collapse`, as in `search`. Near-duplicates
                are collapsed by default if the index has that part.

        Raises InvalidParameter if a value is not allowed, or if the index or the configuration
        differs from the receipt's.
        """
        from argsearch.engine.challenge.challenge import challenge
        from argsearch.engine.query.variants import as_read

        p.TEXT.read(text)
        p.ABOUT.read(about)
        p.AUTHOR_SIDE.read(side)
        k = p.QUOTES_PER_SIDE.read(k)
        config, search = self._towards_the_claim(asked, fingerprint, config_sha256)
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
        text = as_read(text, config.retrieval)
        about = about and as_read(about, config.retrieval)
        return challenge(search, partial(self.gists, config=config), text, about, told)

    def gists(
        self,
        question: str,
        arguments: Sequence[Argument],
        config: str | Path | Config | None = None,
    ) -> list[Snippet]:
        """Return the gist of each argument: the sentences that make its point on a question.

        config: the configuration of the search. It decides whether spellings are one term, and
        whether the vectors of passages count (docs/gist.md).
        """
        from argsearch.engine.query.variants import as_read
        from argsearch.engine.text.gist import gists
        from argsearch.engine.text.snippet import word_weights
        from argsearch.indexer.encoders import parse_spec

        # A page has about eighty sentences to embed. With a neural encoder, readers would have to
        # wait.
        encoder = self.encoder if parse_spec(self.info.encoder).light else None
        texts = [[premise.text for premise in one.premises] for one in arguments]
        chosen, contents = self.config(config), self.backend.contents
        within: Sequence[Sequence[tuple[int, float]]] = ()
        near = bool(chosen.meaning.weight) and "meaning" in self.parts
        if near and contents is not None and question.strip():
            within = contents.telling_passages(question, arguments)
        question = as_read(question, chosen.retrieval)
        words = word_weights(question, self.backend, chosen.retrieval)
        return gists(question, texts, words, encoder, within=within)

    def _towards_the_claim(
        self, asked: Mapping[str, Any], fingerprint: str | None, config_sha256: str | None
    ) -> tuple[Config, partial[Results]]:
        """Return the configuration, and a search that reads sides only of hits found by words.

        Near-duplicates are collapsed by default if the index has that part. Raises InvalidParameter
        if a receipt comes from another index or configuration.
        """
        p.FINGERPRINT.read(fingerprint)
        if fingerprint not in (None, self.info.fingerprint):
            raise InvalidParameter("fingerprint", fingerprint, self.info.fingerprint)
        given = dict(asked)
        config = self.config(given.pop("config", None), given.pop("overrides", ()))
        if p.CONFIG_SHA256.read(config_sha256) is not None and config_sha256 != config.sha256:
            raise InvalidParameter("config_sha256", config_sha256, config.sha256)
        if given.get("collapse") is None:
            given["collapse"] = "near_duplicates" in self.parts
        own = replace(config, stance=replace(config.stance, near=False))
        return config, partial(self.search, config=own, **given)

    def _road(self, name: str) -> Road:
        if isinstance(name, str) and name in self._roads:
            return self._roads[name]
        from argsearch.engine.road import Road
        from argsearch.engine.units import UNITS

        Parameter("unit", str, "", "arguments", tuple(UNITS)).read(name)
        unit = UNITS[name]
        # Units with a part read arrays that do not exist on a search server.
        asked = (self._beside or self) if unit.part else self
        return self._roads.setdefault(name, Road(unit(asked), asked.backend))

    @property
    def _beside(self) -> Engine | None:
        """An engine for parts that a search server's index keeps in a local folder."""
        if self._opened_beside is None and (beside := self.backend.beside):
            self._opened_beside = Engine(beside)
        return self._opened_beside

    def config(self, config: str | Path | Config | None, overrides: Sequence[str] = ()) -> Config:
        """Return a configuration with its overrides applied; None means `usual`."""
        config = self.usual if config is None else config
        if isinstance(config, Config):
            return load_config(config, overrides) if overrides else config
        return self._loaded(p.CONFIG.read(config, also=(Path,)), tuple(p.SETTINGS.read(overrides)))


class FollowingEngine(Engine):
    """An engine that passes each call on to the engine of an alias's current generation."""

    def __init__(self, address: str) -> None:
        from argsearch.engine.alias_follower import Newest

        self._address = address
        self._newest = Newest(lambda: Engine(open_backend(address)))

    def __reduce__(self) -> tuple[Any, ...]:
        return FollowingEngine, (self._address,)

    def close(self) -> None:
        """Release the open generation without checking for a newer one."""
        self._newest.value.close()
        self.__class__ = _Closed  # type: ignore[assignment]

    def __getattribute__(self, name: str) -> Any:
        # Anything else belongs to an engine that may be replaced before the next call.
        if name.startswith("_") or name in ("look", "close"):
            return super().__getattribute__(name)
        newest = self._newest
        value = getattr(newest.value, name)
        return newest.asking(name) if inspect.ismethod(value) else value

    def look(self) -> bool:
        """Switch to the alias's current generation, and return True if it has changed."""
        return self._newest.look()


class _Closed(Engine):
    """The class that an engine gets when it is closed."""

    def __getattribute__(self, name: str) -> Any:
        # Closing again is harmless, and the other names are used by Python itself.
        if name.startswith("__"):
            return super().__getattribute__(name)
        if name == "close":
            return lambda: None
        said = f"the engine is closed, so {name!r} cannot be used"
        raise EngineClosed(f"{said}; open the index again with Engine.open")
