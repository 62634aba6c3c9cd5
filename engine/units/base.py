"""What a unit is: a kind of thing that is ranked for a question, shown, and written into runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Config
from argsearch.engine.query.filters import Filter, matching
from argsearch.engine.query.sort import Sort, keys
from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import Floats, Ints, Source
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from argsearch.engine.backends.base import Backend, IndexInfo
    from argsearch.engine.backends.embedded.backend import EmbeddedBackend
    from argsearch.engine.results.results import Hit, Results
    from argsearch.indexer.encoders import Encoder


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a unit, read and checked."""

    text: str | Argument
    """The question; what is to be countered may be an argument."""
    config: Config
    k: int = 10
    offset: int = 0
    where: tuple[Filter, ...] = ()
    stance: Stance | None = None
    """Of a row itself; where the rows are arguments it is one of the filters instead."""
    side: str | None = None
    sides: bool = False
    fold: bool = False
    sort: Sort | None = None
    facets: tuple[str, ...] = ()
    once: bool = False
    """Whether of rows with one id only the best stands, as in runs."""

    @property
    def page(self) -> slice:
        """The places that are asked for."""
        return slice(self.offset, self.offset + self.k)

    @property
    def question(self) -> str:
        """The text that is asked for."""
        return self.text if isinstance(self.text, str) else self.text.premise


class Asked(Protocol):
    """What a unit needs of an engine."""

    @property
    def backend(self) -> Backend:
        """The open index."""

    @property
    def info(self) -> IndexInfo:
        """What the index is."""

    @property
    def encoder(self) -> Encoder:
        """The sentence encoder that the index was built with."""

    def search(self, text: str, *, k: int, config: Config) -> Results:
        """Return the k best arguments."""


class Unit(ABC):
    """One kind of thing, for one engine; register the class in `argsearch.engine.units.UNITS`."""

    name: ClassVar[str]
    """As `run --unit` calls it, in the plural."""
    singular: ClassVar[str]
    doc: ClassVar[str]
    """One sentence."""
    part: ClassVar[str | None] = None
    """The part of an index that it needs; None for none."""
    takes: ClassVar[tuple[str, ...]] = ("where", "stance", "side", "sides", "sort", "offset")
    """What of a request it reads beyond question, k and configuration."""
    config: ClassVar[str] = "default"
    """The configuration that it is asked by where none is named."""
    stances: ClassVar[bool] = False
    """Whether its rows have a stance of their own, which runs have in the second column."""

    repeats: ClassVar[bool] = False
    """Whether several of its rows can have one id."""

    def __init__(self, engine: Asked) -> None:
        """Raises PartMissing where the index lacks the part."""
        self.engine = engine

    @abstractmethod
    def retrieve(self, request: Request) -> Candidates:
        """Return the page of a request, best first, before any stage."""

    @classmethod
    def check(cls, request: Request) -> None:
        """Raise InvalidParameter for what the unit does not take."""
        for name in ("where", "stance", "side", "sides", "fold", "sort", "facets", "offset"):
            value = getattr(request, name)
            if value and name not in cls.takes:
                allowed = f"nothing: {cls.name} take {', '.join(cls.takes)}"
                raise InvalidParameter(name, value, allowed)

    @classmethod
    def column(cls, hit: Hit) -> str:
        """Return the second column of a hit's line in a run."""
        return (hit.stance or "NONE") if cls.stances else "Q0"


@dataclass(frozen=True)
class LocalSource(Source):
    """Rows that each come from one document of an index directory."""

    backend: EmbeddedBackend

    def docs(self, rows: Ints) -> NDArray[np.integer]:
        """Return the number of each row's document."""
        raise NotImplementedError

    def ids(self, rows: Ints) -> list[str]:
        """Return the ids of the documents."""
        return [self.backend.ids[doc] for doc in self.docs(rows).tolist()]

    def argument(self, row: int) -> Argument:
        """Return the document."""
        return self.backend.store[int(self.docs(np.array([row]))[0])]

    def qualities(self, rows: Ints) -> Floats:
        """Return Q of the documents."""
        return np.asarray(self.backend.arrays.quality[self.docs(rows)], np.float64)

    def columns(self, rows: Ints) -> dict[str, list[float | str | None]]:
        """Return the documents' values."""
        docs = self.docs(rows)
        return {name: values.of(docs) for name, values in self.backend.columns.items()}


def local(engine: Asked) -> EmbeddedBackend:
    """Return the backend of an index that has parts: no other kind has any."""
    return cast("EmbeddedBackend", engine.backend)


def eligible(backend: EmbeddedBackend, request: Request) -> NDArray[np.bool_] | None:
    """Return which documents a request's filters let through, bool[N]; None: all."""
    if not request.where:
        return None
    columns = backend.columns
    passing = np.ones(backend.documents, np.bool_)
    for one in request.where:
        passing &= matching(one, columns[one.column])
    return passing


def paged(found: Candidates, request: Request) -> Candidates:
    """Return the page of a request, in the order of the column that it names, if it does."""
    if request.sort is not None:
        source = cast(LocalSource, found.source)
        values = source.backend.columns[request.sort.column]
        array = values.array[source.docs(found.rows)]
        order = np.argsort(keys(array, values.column, request.sort.falling), kind="stable")
        found = replace(found, rows=found.rows[order], scores=found.scores[order])
    return found.take(request.page)
