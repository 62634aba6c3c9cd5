"""What a search returns: results and hits; documents and explanations are read when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from engine.backends.base import Ranking
from engine.config import Config
from indexer.corpus.argument import Argument
from ranking.explanation import Explanation


@dataclass(frozen=True)
class Hit:
    """One ranked argument. `rank` counts from 1."""

    id: str
    rank: int
    score: float
    ranking: Ranking
    position: int

    @cached_property
    def argument(self) -> Argument:
        """The whole document."""
        return self.ranking.argument(self.position)

    @cached_property
    def explanation(self) -> Explanation:
        """Why it stands where it stands; the root's value is `score`."""
        return self.ranking.explanation(self.position)


class Hits(Sequence[Hit]):
    """The hits of a ranking, made when they are looked at."""

    def __init__(self, ranking: Ranking, offset: int) -> None:
        self._ranking = ranking
        self._offset = offset

    @cached_property
    def ids(self) -> list[str]:
        """The id of every hit, best first."""
        return self._ranking.ids()

    def __len__(self) -> int:
        return len(self._ranking.scores)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        if isinstance(index, slice):
            return [self._hit(i) for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return self._hit(position)

    def __iter__(self) -> Iterator[Hit]:
        return (self._hit(i) for i in range(len(self)))

    def _hit(self, i: int) -> Hit:
        score = float(self._ranking.scores[i])
        return Hit(self.ids[i], self._offset + i + 1, score, self._ranking, i)


@dataclass(frozen=True)
class Results:
    """The answer to one query."""

    query: str
    hits: Hits
    ranking: Ranking
    config: Config
    fingerprint: str
    """The index's fingerprint."""
    milliseconds: float
    """Time from the query's text to its ranking."""
    notes: tuple[str, ...] = ()
    """What a reader should know, such as an index built with another encoder than the config's."""

    @property
    def total(self) -> int:
        """How many arguments match, beyond the cutoff too."""
        return self.ranking.total
