"""The interface of a unit: a kind of result that can be ranked, shown and written to a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import parameters as p
from argsearch.engine.config import Config
from argsearch.engine.parameters import Parameter
from argsearch.engine.query.facets import check as check_facets
from argsearch.engine.query.filters import Filter, passing, read_filters, stance_of
from argsearch.engine.query.sort import Sort, keys, parse_sort
from argsearch.engine.query.variants import as_read
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
"""Parameters of a request that not all units support."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A parsed and validated request to a unit."""

    text: str | Argument
    """The question, or an argument to find counter-arguments to."""
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
    """If true, keep only the best of several rows with the same id, as required in runs."""
    filters: tuple[Filter, ...] = ()
    """The parsed conditions of `where`."""
    own: Stance | None = None
    """Stance of the rows to return. If rows are arguments, the filters include this stance too."""
    order: Sort | None = None
    """The parsed order that `sort` requests."""

    @property
    def page(self) -> slice:
        """The requested positions."""
        return slice(self.offset, self.offset + self.k)

    @property
    def question(self) -> str:
        """The text of the question."""
        return self.text if isinstance(self.text, str) else self.text.premise


class OpenIndex(Protocol):
    """The parts of an engine that a unit needs."""

    @property
    def backend(self) -> Backend:
        """The open index."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """The index's columns of document metadata, by name."""

    @property
    def encoder(self) -> Encoder:
        """The sentence encoder that the index was built with."""

    def search(self, text: str, *, k: int, config: Config) -> Results:
        """Return the k best arguments."""


class Unit(ABC):
    """A kind of result for one engine. Register its path in `engine/units/__init__.py`."""

    name: ClassVar[str]
    """Plural name, used by `run --unit`."""
    singular: ClassVar[str]
    doc: ClassVar[str]
    """Description in one sentence."""
    part: ClassVar[str | None] = None
    """The part of an index that the unit needs, or None."""
    takes: ClassVar[tuple[str, ...]] = ("where", "stance", "side", "sides", "sort", "offset")
    """Parameters that the unit supports, besides question, k and configuration."""
    config: ClassVar[str | None] = "default"
    """The default configuration; None means `Engine.usual`."""
    asked: ClassVar[Parameter] = p.QUERY
    """The parameter that contains the question."""
    stances: ClassVar[bool] = False
    """True if rows have a stance of their own, which runs show in the second column."""

    unifies_spellings: ClassVar[bool] = True
    """True if the unit matches all spellings of a word when configured to."""
    repeats: ClassVar[bool] = False
    """True if several rows may have the same id."""

    def __init__(self, engine: OpenIndex) -> None:
        """Open the unit, or raise PartMissing if the index lacks its part."""
        self.engine = engine

    @abstractmethod
    def retrieve(self, request: SearchRequest) -> Candidates:
        """Return the requested page before any stage, best first."""

    def candidates(
        self, question: str, source: Findings, scores: Floats, notes: tuple[str, ...] = ()
    ) -> Candidates:
        """Return results as candidates for a question. scores: one for each row of the source."""
        rows = np.arange(len(scores))
        return Candidates(question, source, rows, scores, lambda: self.engine.encoder, notes=notes)

    def read(self, request: SearchRequest) -> SearchRequest:
        """Return the request with its values checked and converted for the index's columns.

        Raises InvalidParameter if a value is invalid or the unit does not support it.
        """
        # An answer that ignored a filter would look right, so this is an error.
        for name in NARROWING:
            value = getattr(request, name)
            if value and name not in self.takes:
                takes = ", ".join(self.takes)
                problem = f"{self.name} do not support {name}; they support {takes}"
                raise InvalidParameter(name, value, "nothing", problem)
        self.asked.read(request.text, also=(Argument,))
        known = (p.K, p.OFFSET, p.SIDE, p.SIDES, p.COLLAPSE, p.SPREAD, p.DISCRIMINATIVE, p.ONCE)
        given: dict[str, Any] = {one.name: one.read(getattr(request, one.name)) for one in known}
        columns, stance = self.engine.columns, stance_of(request.stance)
        check_weights(request.config.boost.columns, columns)
        text = request.text
        if self.unifies_spellings and isinstance(text, str):
            # Encoders and the reader of sides need the question in one spelling too.
            text = as_read(text, request.config.retrieval)
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
    """Return the backend of an index with parts. Only index directories have parts."""
    return cast("IndexDirectory", engine.backend)


def eligible(backend: IndexDirectory, request: SearchRequest) -> NDArray[np.bool_] | None:
    """Return which documents pass a request's filters, bool[N], or None if all do."""
    return passing(request.filters, backend.columns) if request.filters else None


def paged(found: Candidates, request: SearchRequest) -> Candidates:
    """Return the requested page, sorted by a column if the request names one."""
    if request.order is not None:
        source = cast("LocalFindings", found.source)
        values = source.backend.columns[request.order.column]
        array = values.array[source.docs(found.rows)]
        # A stable sort keeps equal values in the order of their scores.
        order = np.argsort(keys(array, values.column, request.order.falling), kind="stable")
        found = replace(found, rows=found.rows[order], scores=found.scores[order])
    return found.take(request.page)
