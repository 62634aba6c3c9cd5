"""What a search returns: results and hits; documents and explanations are read when asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from argsearch.engine.backends.base import Ranking
from argsearch.engine.config import Config
from argsearch.engine.query.facets import Facets
from argsearch.engine.query.query import check_page
from argsearch.engine.query.sort import Sort
from argsearch.engine.query.spelling import Spelling
from argsearch.engine.query.terms import Wording
from argsearch.engine.results.views import Picked
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    from argsearch.engine.stance.model import Side
    from argsearch.engine.stance.sides import Balance, Sided


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

    @property
    def conclusion(self) -> str | None:
        """What it argues for or against."""
        return self.argument.conclusion

    @property
    def text(self) -> str:
        """Its premises, joined."""
        return self.argument.premise

    @property
    def stance(self) -> Stance | None:
        """Its stance towards its own conclusion."""
        return self.argument.stance

    @cached_property
    def explanation(self) -> Explanation:
        """Why it stands where it stands; the root's value is `score`."""
        return self.ranking.explanation(self.position)


class Hits(Sequence[Hit]):
    """The hits of a ranking, made when they are looked at."""

    def __init__(self, ranking: Ranking, offset: int) -> None:
        self._ranking = ranking
        self.offset = offset

    @cached_property
    def ids(self) -> list[str]:
        """The id of every hit, best first."""
        return self._ranking.ids()

    def __len__(self) -> int:
        return len(self._ranking.scores)

    def __repr__(self) -> str:
        return f"<{len(self)} hits>"

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
        return Hit(self.ids[i], self.offset + i + 1, score, self._ranking, i)


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
    folded: bool = False
    """Whether of near-copies only the best stands."""
    sort: Sort | None = None
    """The column that the hits are in the order of; None: they are by score."""
    sided: Sided | None = None
    """How hits stand to the question, where sides were asked for."""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return self.hits[index]

    def __repr__(self) -> str:
        shown = f"{len(self)} of {self.total} arguments for {self.query!r} by {self.config.name}"
        best = f"\n1. {self.hits[0].conclusion or self.hits[0].text[:60]}" if len(self) else ""
        return f"<{shown}>{best}"

    @property
    def balance(self) -> Balance | None:
        """How the best hits stand to the question, where sides were asked for."""
        return None if self.sided is None else self.sided.balance

    @cached_property
    def sides(self) -> list[Side]:
        """The side of each hit towards the question: for, against or unclear."""
        if self.sided is None or not isinstance(self.ranking, Picked):
            from argsearch.engine.stance.sides import sides_of

            return sides_of(self.query, [hit.argument for hit in self.hits])
        return self.sided.on(self.ranking)

    def on(self, side: str, *, k: int = 10, offset: int = 0) -> Results:
        """What the same search finds with `side`; nothing that was read here is read again.

        Both sides of a question by one search: `found = engine.search(question, sides=True)`, then
        `found.on("for")` and `found.on("against")`. Raises InvalidParameter for what is no side, a
        page that cannot be, or results whose sides were not asked for.
        """
        from argsearch.engine.stance.sides import check_side

        begun = time.perf_counter()
        check_side(side)
        check_page(k, offset)
        if self.sided is None:
            raise InvalidParameter("sides", False, "True: search with sides=True")
        ranking = self.sided.page(side, slice(offset, offset + k))
        spent = (time.perf_counter() - begun) * 1000.0
        return replace(
            self,
            hits=Hits(ranking, offset),
            ranking=ranking,
            milliseconds=self.milliseconds + spent,
        )

    @property
    def sided_for(self) -> str | None:
        """The question that sides were read for, where that is not the typed one.

        It is the suggested spelling, or the sentence that asks, where that fills more places.
        """
        return None if self.sided is None else self.sided.other

    @property
    def asked(self) -> str:
        """The question whose hits these are: as typed, or in a side's list `sided_for`."""
        other = self.sided is not None and self._typed is not self.ranking
        return self.sided_for or self.query if other else self.query

    @property
    def _typed(self) -> Ranking:
        """The hits for the question as it was typed: these, or those beside them."""
        sided, here = self.sided, self.ranking
        if sided is None or sided.typed is None:
            return here
        return here if isinstance(here, Picked) and here.base is sided.typed else sided.typed

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary a hit: rank, score, id, stance, conclusion, text."""
        return [
            {
                "rank": hit.rank,
                "score": hit.score,
                "id": hit.id,
                "stance": hit.stance and hit.stance.value,
                "conclusion": hit.conclusion,
                "text": hit.text,
            }
            for hit in self.hits
        ]

    def to_dataframe(self) -> Any:
        """`to_dicts` as a pandas DataFrame; raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.to_dicts())

    spelling: Spelling | None = field(default=None, repr=False)
    """The index's vocabulary, where words can be corrected by it."""

    @cached_property
    def wording(self) -> Wording:
        """What the index has of the question's words."""
        return Wording(self.query, self._typed, self.spelling, self.hits.offset)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, which words of the question no argument has, and what sides are read for."""
        read = () if self.sided_for is None else (f"sides are read for “{self.sided_for}”",)
        return self.notes + self.wording.notes + read

    @property
    def suggestion(self) -> str | None:
        """The question as it may have been meant, or None: offered, never searched for unasked."""
        return self.wording.suggestion

    @property
    def unknown(self) -> tuple[str, ...]:
        """The question's words that no argument has."""
        return self.wording.unknown

    @property
    def telling(self) -> int:
        """How many of `total` have a word that tells, not just the likes of "should" (exactly)."""
        return self.wording.telling

    @property
    def weak_from(self) -> int | None:
        """The rank from which on all these hits match weakly, or None."""
        return None if self._typed is not self.ranking else self.wording.weak_from

    @property
    def total(self) -> int:
        """How many arguments match, beyond the cutoff too."""
        return self.ranking.total

    @cached_property
    def groups(self) -> int | None:
        """How many arguments are left of all matches where near-copies are folded (exactly)."""
        return self.ranking.distinct() if self.folded else None

    @cached_property
    def facets(self) -> Facets:
        """How many of all matches have each value of the columns asked for (exactly).

        Near-copies are counted too, and both sides where one was asked for.
        """
        return self.ranking.facets()
