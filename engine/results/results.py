"""What a search returns, of any unit: results and hits; texts and explanations are read late."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn, overload

from argsearch.engine.cached import cached_property
from argsearch.engine.config import Config
from argsearch.engine.parameters import OFFSET, ONE_SIDE, K
from argsearch.engine.query.facets import Facets
from argsearch.engine.query.sort import Sort
from argsearch.engine.query.terms import QueryTerms
from argsearch.engine.query.variants import unify
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
"""Hits on both sides together below which an answer says that little was found."""
REPR_LENGTH = 76
"""Characters of a hit's conclusion, or of its text, that its `repr` has."""


@dataclass(frozen=True, repr=False)
class Hit:
    """One ranked thing of a unit, and the argument that it states. `rank` counts from 1."""

    id: str
    rank: int
    score: float
    hits: Hits
    """The hits that it is one of."""
    place: int
    """Its place among them, from 0."""

    @property
    def unit(self) -> str:
        """The name of its unit."""
        return self.hits.unit

    @property
    def _row(self) -> int:
        return int(self.hits.candidates.rows[self.place])

    @cached_property
    def stated(self) -> Argument:
        """What it says as an argument: its conclusion, its premises and their stance."""
        return self.hits.candidates.source.stated(self._row)

    @cached_property
    def argument(self) -> Argument:
        """The whole argument behind it, the most telling one of several."""
        return self.hits.candidates.source.argument(self._row)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The ids of the arguments behind it, the most telling first."""
        return self.hits.candidates.source.arguments(self._row)

    @property
    def conclusion(self) -> str | None:
        """What it argues for or against."""
        return self.stated.conclusion

    @property
    def text(self) -> str:
        """Its premises, joined."""
        return self.stated.premise

    @property
    def texts(self) -> tuple[str, ...]:
        """What a reader sees of it: its conclusion and its premises, where there are any."""
        return tuple(text for text in (self.conclusion, self.text) if text)

    @property
    def stance(self) -> Stance | None:
        """Its stance towards its own conclusion."""
        return self.hits.candidates.source.stance(self._row)

    @property
    def side(self) -> Side | None:
        """Its side towards the question: for, against or unclear; None where none was read.

        A counter-argument's is towards the author of what is countered: against, supports, unclear.
        """
        return None if self.hits.sides is None else self.hits.sides[self.place]

    @cached_property
    def details(self) -> Any:
        """What only its unit knows of it, such as a premise cluster's claims; None for nothing."""
        return self.hits.candidates.source.details(self._row)

    @cached_property
    def explanation(self) -> Explanation:
        """Why it stands where it stands; the root's value is `score`."""
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
        """Return it as a notebook shows it."""
        head, said = map(escape, self._described())
        return f"<p><b>{said}</b><br>{escape(self.text)}<br><small>{head}</small></p>"


class Hits(Sequence[Hit]):
    """Hits, best first, made when they are looked at."""

    def __init__(
        self, candidates: Candidates, unit: str, offset: int = 0, sided: Sided | None = None
    ) -> None:
        self.candidates, self.unit, self.offset, self._sided = candidates, unit, offset, sided

    def __reduce__(self) -> NoReturn:
        said = "hits cannot be pickled, since they read from an open index; Results.to_dicts can"
        raise TypeError(said)

    @cached_property
    def ids(self) -> list[str]:
        """The id of every hit, best first."""
        return self.candidates.ids

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of every hit, float64[n]."""
        return self.candidates.scores

    @cached_property
    def sides(self) -> list[Side] | None:
        """The side of every hit towards the question; None where none was read."""
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
    """The answer to one query for things of one unit."""

    query: str
    """The question; of what is countered the conclusion, or its text."""
    hits: Hits
    config: Config
    fingerprint: str
    """The index's fingerprint."""
    milliseconds: float
    """Time from the query's text to its ranking."""
    notes: tuple[str, ...] = ()
    """What a reader should know, such as an index built with another encoder than the config's."""
    collapsed: bool = False
    """Whether of near-duplicates only the best stands."""
    spread: bool = False
    """Whether few of the first places are of one debate, and reasons before bare claims."""
    sort: Sort | None = None
    """The column that the hits are in the order of; None: they are by score."""
    sided: Sided | None = None
    """How hits stand to the question, where sides were asked for."""
    claiming: Callable[[], bool] = field(default=lambda: True, repr=False)
    """Whether the index's stances are towards claims, so that they tell a side."""
    lists: Mapping[str, Results] = field(default_factory=dict)
    """The results of each side, `for` and `against`, where both were asked for."""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def question(self) -> str:
        """The question as it was read: in one spelling, where the configuration unifies them."""
        return unify(self.query) if self.config.retrieval.unifies_spellings else self.query

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
        """Return them as a notebook shows them."""
        return "".join(hit._repr_html_() for hit in self.hits)

    @property
    def unit(self) -> str:
        """The name of the unit that the hits are of."""
        return self.hits.unit

    @property
    def details(self) -> Any:
        """What only the unit knows of the answer: the argument countered, the claims found."""
        return self.hits.candidates.source.about

    @property
    def balance(self) -> Balance | None:
        """How the best hits stand to the question, where sides were asked for."""
        return None if self.sided is None else self.sided.balance

    @cached_property
    def sides(self) -> list[Side]:
        """The side of each hit towards the question: for, against or unclear."""
        if self.hits.sides is not None:
            return self.hits.sides
        from argsearch.engine.stance.model import StanceModel

        arguments = self.hits.candidates.arguments
        return StanceModel.load().sides(self.question, arguments, claiming=self.claiming())

    def on(self, side: str, *, k: int = 10, offset: int = 0) -> Results:
        """Return what the same search finds with `side`; nothing that was read is read again.

        Both sides of a question by one search: `found = engine.search(question, sides=True)`, then
        `found.on("for")` and `found.on("against")`. Raises InvalidParameter for what is no side, a
        page that cannot be, or results whose sides were not asked for.
        """
        begun = time.perf_counter()
        ONE_SIDE.read(side)
        k, offset = K.read(k), OFFSET.read(offset)
        if self.sided is None:
            raise InvalidParameter("sides", False, "True: search with sides=True")
        page = spread(partial(self.sided.page, side), slice(offset, offset + k), self.spread)
        spent = (time.perf_counter() - begun) * 1000.0
        hits = Hits(page, self.unit, offset, self.sided)
        return replace(self, hits=hits, milliseconds=self.milliseconds + spent, lists={})

    @property
    def sided_for(self) -> str | None:
        """What sides were read for, where that is not the question as typed.

        It is the suggested spelling or the sentence that asks, where that fills more places.
        """
        return None if self.sided is None else self.sided.other

    @property
    def asked(self) -> str:
        """The text that these hits are read for: the question, or in a side's list `sided_for`."""
        other = self.sided is not None and self._typed is not self.hits.candidates
        return self.sided_for or self.question if other else self.question

    @property
    def _typed(self) -> Candidates:
        """The hits for the question as it was typed: these, or those beside them."""
        sided, here = self.sided, self.hits.candidates
        if sided is None or sided.typed is None or here.source is sided.typed.source:
            return here
        return sided.typed

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary a hit: rank, score, id, stance, conclusion, text."""
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
        """Return `to_dicts` as a pandas DataFrame; raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(self.to_dicts())

    @cached_property
    def wording(self) -> QueryTerms:
        """What the index has of the question's words; nothing where hits are not found by them."""
        typed = self._typed
        found = typed.source.matches, self.hits.offset
        fused = typed.source.fused
        meaning = None if fused is None else fused.near(typed.rows)["M"]
        unifies_spellings = self.config.retrieval.unifies_spellings
        return QueryTerms(self.query, *found, typed.rows, meaning, unifies_spellings)

    @property
    def remarks(self) -> tuple[str, ...]:
        """That little was found, notes, what the question's words lack, what sides are read for."""
        read: tuple[str, ...] = ()
        if self.sided_for is not None:
            read = (f"sides are read for “{self.sided_for}”",)
        if self.sided is not None and self.sided.near:
            read += ("sides are read of arguments near by meaning too: words leave places empty",)
        if self.sided is not None and not self.sided.claim.sided:
            read += ("the question has no sides: ask whether something should be, or is good",)
        # hits by words alone share a word with the question, which a reader can see
        weak = self.by_meaning is not None and self.first_weak_rank == 1
        far = ("what is found is near the question neither by words nor by meaning",) * weak
        found = sum(one.total for one in self.lists.values())
        little = (f"little was found: {found} for and against together",) if self.little else ()
        return little + self.notes + self.wording.notes + far + read

    @property
    def little(self) -> bool:
        """Whether both sides' lists hold fewer than LITTLE together; not known without lists."""
        return bool(self.lists) and sum(one.total for one in self.lists.values()) < LITTLE

    @property
    def suggestion(self) -> str | None:
        """The question as it may have been meant, or None: offered, never searched for unasked."""
        return self.wording.suggestion

    @property
    def unknown(self) -> tuple[str, ...]:
        """The question's words that no argument has."""
        return self.wording.unknown

    @property
    def discriminative(self) -> int:
        """How many of `total` have a word that tells, not just the likes of "should" (exactly)."""
        return self.wording.discriminative

    @property
    def first_weak_rank(self) -> int | None:
        """The rank from which on all these hits match weakly, or None."""
        return self.wording.first_weak_rank if self._typed is self.hits.candidates else None

    @property
    def total(self) -> int:
        """How many there are, beyond the cutoff too."""
        return self.hits.candidates.total

    @property
    def common(self) -> int | None:
        """How many more share only common words with it; None where they are among `total`."""
        return self.wording.common

    @property
    def by_meaning(self) -> int | None:
        """How many of `total` no word that counts here finds; None without search by meaning."""
        fused = self.hits.candidates.source.fused
        return None if fused is None else fused.by_meaning

    @cached_property
    def groups(self) -> int | None:
        """How many arguments are left of all matches, near-duplicates collapsed (exactly)."""
        candidates = self.hits.candidates
        if not self.collapsed or candidates.kept is not None:
            return candidates.kept if self.collapsed else None
        found: int = candidates.source.matches.groups()
        return found

    @cached_property
    def facets(self) -> Facets:
        """How many of all matches have each value of the columns asked for (exactly).

        Near-duplicates are counted too, and both sides where one was asked for.
        """
        matches = self.hits.candidates.source.matches
        return {} if matches is None else matches.facets()
