"""What a unit is: a thing that is ranked for a question and can be written into a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.engine.backends.base import Backend, IndexInfo
    from argsearch.engine.config import Config
    from argsearch.engine.results.results import Results
    from argsearch.engine.units.premises.hits import PremiseResults
    from argsearch.indexer.encoders import Encoder


@dataclass(frozen=True)
class UnitHit:
    """One ranked thing, whatever it is made of."""

    id: str
    """As runs name it; without white space."""
    score: float
    arguments: tuple[str, ...]
    """The ids of the arguments behind it, the most telling first."""
    read: Callable[[], tuple[str, ...]] = field(repr=False)
    explain: Callable[[], Explanation] = field(repr=False)
    column: str = "Q0"
    """The second column of its line in a run: its stance, where its unit's runs have one there."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What a reader sees of it, such as a conclusion and a premise."""
        return self.read()

    @cached_property
    def explanation(self) -> Explanation:
        """Why it stands where it stands; the root's value is `score`."""
        return self.explain()


@dataclass(frozen=True)
class UnitResults:
    """The answer to one question: hits, best first, and how many there are beyond the cutoff."""

    question: str
    hits: Sequence[UnitHit]
    total: int
    fingerprint: str
    milliseconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What a reader should know."""


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
        """The k best arguments."""

    def premises(self, text: str, *, k: int, config: Config) -> PremiseResults:
        """The k best premise clusters."""


class Unit(Protocol):
    """Ranks one kind of thing; register it in `argsearch.engine.units.UNITS`."""

    name: ClassVar[str]
    """As `run --unit` calls it."""
    doc: ClassVar[str]
    """One sentence."""

    def search(self, engine: Asked, question: str, k: int, config: Config) -> UnitResults:
        """The k best; raises PartMissing where the index lacks what the unit needs."""
