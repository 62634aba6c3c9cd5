"""What a unit is: a kind of thing that is ranked for a question, shown, and written into runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Config
from argsearch.engine.parameters import (
    COLLAPSE,
    DISCRIMINATIVE,
    OFFSET,
    ONCE,
    QUERY,
    SIDE,
    SIDES,
    SPREAD,
    K,
    Parameter,
)
from argsearch.engine.query.facets import check as check_facets
from argsearch.engine.query.filters import Filter, passing, read_filters, stance_of
from argsearch.engine.query.sort import Sort, keys, parse_sort
from argsearch.engine.query.variants import unify
from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import Findings, Floats
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.columns import check_weights

if TYPE_CHECKING:
    from argsearch.engine.backends.base import Backend
    from argsearch.engine.backends.embedded.directory import IndexDirectory
    from argsearch.engine.backends.embedded.findings import LocalFindings
    from argsearch.engine.results.results import Hit, Results
    from argsearch.indexer.encoders import Encoder
    from argsearch.indexer.format.columns import Column


NARROWING = (
    "where", "stance", "side", "sides", "collapse", "spread", "discriminative", "sort", "facets",
    "offset",
)  # fmt: skip
"""What of a request only some units take."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked of a unit, read and checked."""

    text: str | Argument
    """The question; what is to be countered may be an argument."""
    config: Config
    k: int = 10
    offset: int = 0
    where: Sequence[str | Filter] = ()
    stance: Stance | str | None = None
    side: str | None = None
    sides: bool = False
    collapse: bool = False
    spread: bool = False
    discriminative: bool = False
    sort: str | Sort | None = None
    facets: Sequence[str] = ()
    once: bool = False
    """Whether of rows with one id only the best stands, as in runs."""
    filters: tuple[Filter, ...] = ()
    """`where`, read."""
    own: Stance | None = None
    """The stance of a row itself, read; where the rows are arguments it is one of the filters."""
    order: Sort | None = None
    """`sort`, read."""

    @property
    def page(self) -> slice:
        """The places that are asked for."""
        return slice(self.offset, self.offset + self.k)

    @property
    def question(self) -> str:
        """The text that is asked for."""
        return self.text if isinstance(self.text, str) else self.text.premise


class OpenIndex(Protocol):
    """What a unit needs of an engine."""

    @property
    def backend(self) -> Backend:
        """The open index."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """What the index knows of each document, by name."""

    @property
    def encoder(self) -> Encoder:
        """The sentence encoder that the index was built with."""

    def search(self, text: str, *, k: int, config: Config) -> Results:
        """Return the k best arguments."""


class Unit(ABC):
    """One kind of thing, for one engine; register its place in `engine/units/__init__.py`."""

    name: ClassVar[str]
    """As `run --unit` calls it, in the plural."""
    singular: ClassVar[str]
    doc: ClassVar[str]
    """One sentence."""
    part: ClassVar[str | None] = None
    """The part of an index that it needs; None for none."""
    takes: ClassVar[tuple[str, ...]] = ("where", "stance", "side", "sides", "sort", "offset")
    """What of a request it reads beyond question, k and configuration."""
    config: ClassVar[str | None] = "default"
    """The configuration that it is asked by where none is named; None: `Engine.usual`."""
    asked: ClassVar[Parameter] = QUERY
    """What it is asked with."""
    stances: ClassVar[bool] = False
    """Whether its rows have a stance of their own, which runs have in the second column."""

    unifies_spellings: ClassVar[bool] = True
    """True if it finds words in all their spellings where the configuration says so."""
    repeats: ClassVar[bool] = False
    """Whether several of its rows can have one id."""

    def __init__(self, engine: OpenIndex) -> None:
        """Raises PartMissing where the index lacks the part."""
        self.engine = engine

    @abstractmethod
    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the page of a request, best first, before any stage."""

    def candidates(
        self, question: str, source: Findings, scores: Floats, notes: tuple[str, ...] = ()
    ) -> Candidates:
        """Return what was found as candidates of a question; scores: of the source's rows."""
        rows = np.arange(len(scores))
        return Candidates(question, source, rows, scores, lambda: self.engine.encoder, notes=notes)

    def read(self, request: SearchRequest) -> SearchRequest:
        """Return a request read against the index's columns.

        Raises InvalidParameter for what is wrong in it, and for what the unit does not take.
        """
        # a filter that did nothing would pass for an answer, so it is refused
        for name in NARROWING:
            value = getattr(request, name)
            if value and name not in self.takes:
                allowed = f"nothing: {self.name} take {', '.join(self.takes)}"
                raise InvalidParameter(name, value, allowed)
        self.asked.read(request.text, also=(Argument,))
        known = (K, OFFSET, SIDE, SIDES, COLLAPSE, SPREAD, DISCRIMINATIVE, ONCE)
        given: dict[str, Any] = {one.name: one.read(getattr(request, one.name)) for one in known}
        columns, stance = self.engine.columns, stance_of(request.stance)
        check_weights(request.config.boost.columns, columns)
        text = request.text
        if (
            self.unifies_spellings
            and isinstance(text, str)
            and request.config.retrieval.unifies_spellings
        ):
            # encoders and sides read the question too, and must read one spelling of it
            text = unify(text)
        return replace(
            request,
            text=text,
            **given,
            where=(),
            stance=None,
            sort=None,
            filters=read_filters(
                request.where,
                None if self.stances else stance,
                columns,
                self.engine.backend.has_label,
            ),
            own=stance if self.stances else None,
            order=parse_sort(request.sort, columns),
            facets=check_facets(request.facets, columns),
        )

    @classmethod
    def column(cls, hit: Hit) -> str:
        """Return the second column of a hit's line in a run."""
        return (hit.stance or "NONE") if cls.stances else "Q0"


def local(engine: OpenIndex) -> IndexDirectory:
    """Return the backend of an index that has parts: no other kind has any."""
    return cast("IndexDirectory", engine.backend)


def eligible(backend: IndexDirectory, request: SearchRequest) -> NDArray[np.bool_] | None:
    """Return which documents a request's filters let through, bool[N]; None: all."""
    return passing(request.filters, backend.columns) if request.filters else None


def paged(found: Candidates, request: SearchRequest) -> Candidates:
    """Return the page of a request, in the order of the column that it names, if it does."""
    if request.order is not None:
        source = cast("LocalFindings", found.source)
        values = source.backend.columns[request.order.column]
        array = values.array[source.docs(found.rows)]
        # stable, so that equal values stay in the order of their scores
        order = np.argsort(keys(array, values.column, request.order.falling), kind="stable")
        found = replace(found, rows=found.rows[order], scores=found.scores[order])
    return found.take(request.page)
