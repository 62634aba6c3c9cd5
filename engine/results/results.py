"""Results of a search for any unit, and their hits; texts and explanations are read on demand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn, overload

from argsearch.engine.cached import cached_property
from argsearch.engine.config import Config
from argsearch.engine.parameters import OFFSET, ONE_SIDE, K, SideName
from argsearch.engine.query.facets import Facets
from argsearch.engine.query.sort import Sort
from argsearch.engine.query.terms import QueryTerms
from argsearch.engine.query.variants import as_read
from argsearch.engine.results.spread import spread
from argsearch.engine.stages import Candidates
from argsearch.indexer.corpus.argument import Argument, Stance
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.explanation import Explanation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from argsearch.engine.stance.model import Side
    from argsearch.engine.stance.sides import Balance, Sided

LITTLE = 3
"""If both sides together have fewer hits, the answer notes that little was found."""
REPR_LENGTH = 76
"""Maximum number of characters of a hit's conclusion or text to show in its `repr`."""


@dataclass(frozen=True, repr=False)
class Hit:
    """A ranked result of a unit, which states an argument; `rank` counts from 1."""

    id: str
    rank: int
    score: float
    hits: Hits
    """The list of hits that contains this one."""
    place: int
    """Position in that list, from 0."""

    @property
    def unit(self) -> str:
        """Name of the unit."""
        return self.hits.unit

    @property
    def _row(self) -> int:
        return int(self.hits.candidates.rows[self.place])

    @cached_property
    def stated(self) -> Argument:
        """The argument that the hit states: a conclusion, premises and their stance."""
        return self.hits.candidates.source.stated(self._row)

    @cached_property
    def argument(self) -> Argument:
        """The whole argument behind the hit, or the most relevant one if there are several."""
        return self.hits.candidates.source.argument(self._row)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Ids of the arguments that the hit comes from, most relevant first."""
        return self.hits.candidates.source.arguments(self._row)

    @property
    def conclusion(self) -> str | None:
        """The claim that the hit argues for or against."""
        return self.stated.conclusion

    @property
    def text(self) -> str:
        """The premises, joined by a space."""
        return self.stated.premise

    @property
    def texts(self) -> tuple[str, ...]:
        """The conclusion and the premises, where present."""
        return tuple(text for text in (self.conclusion, self.text) if text)

    @property
    def stance(self) -> Stance | None:
        """Stance towards the hit's own conclusion."""
        return self.hits.candidates.source.stance(self._row)

    @property
    def side(self) -> Side | None:
        """The side of the question: for, against or unclear; None if sides were not requested.

        A counter-argument's side is relative to the attacked author: against, supports or unclear.
        """
        return None if self.hits.sides is None else self.hits.sides[self.place]

    @cached_property
    def details(self) -> Any:
        """Data that only this unit has, such as the claims of a premise cluster; may be None."""
        return self.hits.candidates.source.details(self._row)

    @cached_property
    def explanation(self) -> Explanation:
        """Derivation of the score; the value of its root is the score."""
        return self.hits.candidates.explanation(self.place)

    def _described(self) -> tuple[str, str]:
        stance = "" if self.stance is None else f" {self.stance}"
        side = "" if self.side is None else f" {self.side.value}"
        said = " ".join((self.conclusion or self.text).split())
        head = f"{self.rank}. {self.id} {self.score:.4g}{stance}{side}"
        return head, said if len(said) <= REPR_LENGTH else said[: REPR_LENGTH - 1].rstrip() + "…"

    def __repr__(self) -> str:
        return "\n   ".join(self._described())

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        head, said = map(escape, self._described())
        return f"<p><b>{said}</b><br>{escape(self.text)}<br><small>{head}</small></p>"


class Hits(Sequence[Hit]):
    """Hits in order, best first. Each is created when it is accessed."""

    def __init__(
        self, candidates: Candidates, unit: str, offset: int = 0, sided: Sided | None = None
    ) -> None:
        self.candidates, self.unit, self.offset, self._sided = candidates, unit, offset, sided

    def __reduce__(self) -> NoReturn:
        said = "hits cannot be pickled, as they read from an open index; pickle Results.to_dicts()"
        raise TypeError(said)

    @cached_property
    def ids(self) -> list[str]:
        """Id of every hit, best first."""
        return self.candidates.ids

    @property
    def scores(self) -> NDArray[np.float64]:
        """Score of every hit, float64[n]."""
        return self.candidates.scores

    @cached_property
    def sides(self) -> list[Side] | None:
        """Side of the question for every hit; None if sides were not requested."""
        if self._sided is None:
            return self.candidates.source.sides(self.candidates.rows)
        return self._sided.on(self.candidates)

    def columns(self) -> dict[str, list[float | str | None]]:
        """Return the value of each hit's argument in every column of the index."""
        return self.candidates.source.columns(self.candidates.rows)

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        return f"<{len(self)} hits>"

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        if isinstance(index, slice):
            return [self._hit(i) for i in range(*index.indices(len(self)))]
        return self._hit(range(len(self))[index])

    def __iter__(self) -> Iterator[Hit]:
        return (self._hit(i) for i in range(len(self)))

    def _hit(self, i: int) -> Hit:
        return Hit(self.ids[i], self.offset + i + 1, float(self.scores[i]), self, i)


@dataclass(frozen=True)
class Results:
    """The answer to a query as hits of one unit."""

    query: str
    """The question, or for counter-arguments, the attacked conclusion or text."""
    hits: Hits
    config: Config
    fingerprint: str
    """Fingerprint of the index."""
    milliseconds: float
    """Time from the text of the query to its ranking, in milliseconds."""
    notes: tuple[str, ...] = ()
    """Notes for the reader, for example that the index was built with a different encoder."""
    collapsed: bool = False
    """True if only the best hit of each group of near-duplicates is shown."""
    spread: bool = False
    """True if top places are spread over debates and reasons come before bare claims."""
    sort: Sort | None = None
    """Column that the hits are sorted by, or None for the score."""
    sided: Sided | None = None
    """Sides of the hits, if sides were requested."""
    _counts: Facets | None = None
    """Facets of the arguments on the question; None to count all matches, if requested."""
    claiming: Callable[[], bool] = field(default=lambda: True, repr=False)
    """Returns True if stances in the index refer to claims and therefore indicate a side."""
    lists: Mapping[str, Results] = field(default_factory=dict)
    """Results for each side, `for` and `against`, if `both` was requested."""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def question(self) -> str:
        """The question as the engine read it, with its spellings unified if configured."""
        return as_read(self.query, self.config.retrieval)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return self.hits[index]

    def __repr__(self) -> str:
        shown = f"{len(self)} of {self.total} {self.unit} for {self.query!r} by {self.config.name}"
        best = f"\n1. {self.hits[0].conclusion or self.hits[0].text[:60]}" if len(self) else ""
        return f"<{shown}>{best}"

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        return "".join(hit._repr_html_() for hit in self.hits)

    @property
    def unit(self) -> str:
        """Name of the hits' unit."""
        return self.hits.unit

    @property
    def details(self) -> Any:
        """Data that only this unit has, such as the attacked argument or the claims found."""
        return self.hits.candidates.source.about

    @property
    def balance(self) -> Balance | None:
        """Number of top hits on each side of the question, or None if sides were not requested."""
        return None if self.sided is None else self.sided.balance

    @cached_property
    def sides(self) -> list[Side]:
        """Side of the question for each hit: for, against or unclear."""
        if self.hits.sides is not None:
            return self.hits.sides
        from argsearch.engine.stance.model import StanceModel

        arguments = self.hits.candidates.arguments
        return StanceModel.load().sides(self.question, arguments, claiming=self.claiming())

    def on(self, side: SideName, *, k: int = 10, offset: int = 0) -> Results:
        """Return the results on one side of the question, without a new search.

        To show both sides, search once with `found = engine.search(question, sides=True)`, then use
        `found.on("for")` and `found.on("against")`. Raises InvalidParameter if the side is unknown,
        the page is invalid, or the results have no sides.
        """
        begun = time.perf_counter()
        ONE_SIDE.read(side)
        k, offset = K.read(k), OFFSET.read(offset)
        if self.sided is None:
            raise InvalidParameter("sides", False, "True", "search with sides=True to get sides")
        page = spread(partial(self.sided.page, side), slice(offset, offset + k), self.spread)
        spent = (time.perf_counter() - begun) * 1000.0
        hits = Hits(page, self.unit, offset, self.sided)
        return replace(self, hits=hits, milliseconds=self.milliseconds + spent, lists={})

    @property
    def sided_for(self) -> str | None:
        """The claim that sides refer to, or None if it is the question as typed.

        It is the corrected question or the sentence that asks, if that yields more sided hits.
        """
        return None if self.sided is None else self.sided.other

    @property
    def asked(self) -> str:
        """The text that these hits answer: the question, or `sided_for` in a one-sided list."""
        other = self.sided is not None and self._typed is not self.hits.candidates
        return self.sided_for or self.question if other else self.question

    @property
    def _typed(self) -> Candidates:
        """The hits for the question as typed. The hits shown may answer a rephrasing."""
        sided, here = self.sided, self.hits.candidates
        if sided is None or sided.typed is None or here.source is sided.typed.source:
            return here
        return sided.typed

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per hit: rank, score, id, stance, conclusion, text."""
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
        """Return `to_dicts` as a pandas DataFrame. Raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(self.to_dicts())

    @cached_property
    def wording(self) -> QueryTerms:
        """Facts about the question's words in the index; empty if hits are not found by words."""
        typed = self._typed
        found = typed.source.matches, self.hits.offset
        fused = typed.source.fused
        meaning = None if fused is None else fused.near(typed.rows)["M"]
        unifies_spellings = self.config.retrieval.unifies_spellings
        return QueryTerms(self.query, *found, typed.rows, meaning, unifies_spellings)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes for the reader: few hits, unknown words, and the claim that sides refer to."""
        read: tuple[str, ...] = ()
        if self.sided_for is not None:
            read = (f"sides refer to “{self.sided_for}”",)
        if self.sided is not None and self.sided.near:
            read += ("few arguments match by words, so others are found by meaning as well",)
        if self.sided is not None and not self.sided.claim.sided:
            read += ("the question has no sides; ask whether something is good or should be done",)
        # If words alone found a hit, readers can see which word it shares with the question.
        weak = self.hits.candidates.source.fused is not None and self.first_weak_rank == 1
        far = ("none of these results is clearly about the question",) * weak
        found = sum(one.total for one in self.lists.values())
        little = (f"little was found: {found} for and against together",) if self.little else ()
        return little + self.notes + self.wording.notes + far + read

    @property
    def little(self) -> bool:
        """True if both sides' lists together have fewer than LITTLE hits; False without lists."""
        return bool(self.lists) and sum(one.total for one in self.lists.values()) < LITTLE

    @property
    def suggestion(self) -> str | None:
        """The question with corrected spelling, or None. The engine never searches it by itself."""
        return self.wording.suggestion

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words of the question that no argument contains."""
        return self.wording.unknown

    @property
    def discriminative(self) -> int:
        """Exact number of matches that share a specific word, not only one like "should"."""
        return self.wording.discriminative

    @property
    def first_weak_rank(self) -> int | None:
        """The first rank from which all of these hits match weakly, or None.

        None for hits on one side, since those are about the question.
        """
        here = self.hits.candidates
        return self.wording.first_weak_rank if self._typed is here and here.kept is None else None

    @property
    def total(self) -> int:
        """Number of matches, including matches beyond the cutoff."""
        return self.hits.candidates.total

    @property
    def common(self) -> int | None:
        """Number of further matches that share only common words, or None if `total` has them."""
        return self.wording.common

    @property
    def by_meaning(self) -> int | None:
        """Number of matches that were found only by meaning.

        None without search by meaning, or if these are the hits on one side.
        """
        here = self.hits.candidates
        fused = here.source.fused
        return None if fused is None or here.kept is not None else fused.by_meaning

    @cached_property
    def groups(self) -> int | None:
        """Exact number of matches after near-duplicates are collapsed, or None if they are not."""
        candidates = self.hits.candidates
        if not self.collapsed or candidates.kept is not None:
            return candidates.kept if self.collapsed else None
        found: int = candidates.source.matches.groups()
        return found

    @cached_property
    def facets(self) -> Facets:
        """Exact counts of the values of each requested column over all matches.

        With `discriminative` and a sort or a side, only the best hits about the question are
        counted, as a note says. Both sides are counted, even if one side was requested.
        """
        if self._counts is not None:
            return self._counts
        matches = self.hits.candidates.source.matches
        return {} if matches is None else matches.facets()
