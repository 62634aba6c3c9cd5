"""The answer to a query as plain data: the one shape that the command line and HTTP share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

from argsearch.engine import Engine
from argsearch.engine.results.results import Hit, Results
from argsearch.engine.stance.sides import Balance
from argsearch.engine.text.citation import Citation, cite
from argsearch.engine.text.gist import gists
from argsearch.engine.text.snippet import Snippet, word_weights
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders.protocol import parse_spec
from argsearch.ranking.explanation import Explanation

FACTORS = {
    "relevance": "R",
    "cluster": "1 + ω_C·C",
    "quality": "1 + ω_Q·Q",
    "cluster_similarity": "C",
    "predicted_quality": "Q",
    "premises": "1 + ω_P·P",
    "premise_similarity": "P",
}
"""The factors of Eq. 1 (H21) and the one of the premises, and their symbols in an explanation."""


MOST_VALUES = 100
"""How many values of a facet are shown, those with the highest counts."""


@dataclass(frozen=True)
class ShownHit:
    """A hit with what a reader sees of it."""

    hit: Hit
    answer: Answer
    place: int
    """Its place on the page, from 0."""

    @property
    def explained(self) -> bool:
        """Whether it is shown with its explanation: only so many of a page are."""
        most = self.answer.most_explained
        return self.answer.explain and (most is None or self.place < most)

    @property
    def argument(self) -> Argument:
        """The document."""
        return self.hit.argument

    @property
    def sentence(self) -> Snippet:
        """The gist of its premises, one to three sentences, query words marked."""
        return self.answer.gists[self.place]

    @cached_property
    def copies(self) -> list[str]:
        """The ids of its near-copies, where they are folded."""
        answer = self.answer
        return answer.engine.backend.copies(self.hit.id) if answer.results.folded else []

    @property
    def side(self) -> str | None:
        """Its side of the question; None where sides were not asked for."""
        results = self.answer.results
        return None if results.sided is None else results.sides[self.place].value

    @cached_property
    def source(self) -> Citation:
        """Where it comes from."""
        return cite(self.argument)


@dataclass(frozen=True)
class Answer:
    """Results, ready to be shown in any format."""

    engine: Engine
    results: Results
    explain: bool = False
    most_explained: int | None = None
    """How many of the hits are explained at most, the first ones; None: all."""
    lists: dict[str, Answer] = field(default_factory=dict)
    """The answer of each side whose hits these are, where both were asked for."""

    def of_both(self, k: int, offset: int) -> Answer:
        """This answer with k hits of each side, from rank `offset` + 1 of it on."""
        both = {side: self.results.on(side, k=k, offset=offset) for side in ("for", "against")}
        return replace(
            self, lists={side: replace(self, results=found) for side, found in both.items()}
        )

    @cached_property
    def words(self) -> dict[str, float]:
        """The query's distinct words and their rarity."""
        return word_weights(self.results.asked, self.engine.backend)

    @property
    def hits(self) -> tuple[ShownHit, ...]:
        """The hits, best first; none where they share only common words with a lost question.

        Of both sides those for the question come first. Not kept: an answer and its hits would
        hold each other until the next whole collection.
        """
        if self.lists:
            return tuple(chain.from_iterable(one.hits for one in self.lists.values()))
        if self.results.wording.lost and self.results.asked == self.results.query:
            return ()
        return tuple(ShownHit(hit, self, place) for place, hit in enumerate(self.results.hits))

    @cached_property
    def gists(self) -> list[Snippet]:
        """The gist of every hit, made together."""
        texts = [[premise.text for premise in shown.argument.premises] for shown in self.hits]
        light = parse_spec(self.engine.info.encoder).light
        encoder = self.engine.encoder if light else None
        return gists(self.results.asked, texts, self.words, encoder)

    @property
    def weak_from(self) -> int | None:
        """The rank from which on these hits match weakly; None for lists, which have their own."""
        return None if self.lists else self.results.weak_from

    @property
    def milliseconds(self) -> float:
        """Time of the search, and of reading the sides of lists."""
        return max(one.results.milliseconds for one in (self, *self.lists.values()))

    @property
    def characters(self) -> int:
        """Length of the premises of all hits, in Unicode code points."""
        return sum(len(p.text) for shown in self.hits for p in shown.argument.premises)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        results, config = self.results, self.results.config
        answer = {
            "query": results.query,
            "total": results.total,
            "telling": results.telling,
            "weak_from": self.weak_from,
            "unknown": list(results.unknown),
            "suggestion": results.suggestion,
            "milliseconds": round(self.milliseconds, 3),
            "fingerprint": results.fingerprint,
            "config": config.name,
            "w_cluster": config.boost.cluster,
            "w_quality": config.boost.quality,
            "w_premises": config.boost.premises,
            "rerank": "+".join(config.rerank.names) or "none",
            "notes": list(results.remarks),
        }
        answer |= narrowed(results)
        if results.balance is not None:
            answer["balance"] = balance(results.balance) | {"question": results.sided_for}
        if self.lists:
            answer["lists"] = self._listed()
        answer["hits"] = [shown.answer._hit(shown) for shown in self.hits]
        return answer

    def _listed(self) -> dict[str, Any]:
        """What is said of each side's list."""
        lists = self.lists.items()
        return {s: {"total": one.results.total, "weak_from": one.weak_from} for s, one in lists}

    def _side(self, of: ShownHit) -> dict[str, Any]:
        side = self.results.sides[of.place]
        shown: dict[str, Any] = {"value": side.value, "probability": round(side.probability, 4)}
        if of.explained:
            shown["explanation"] = side.explanation.to_dict()
        return shown

    def _hit(self, shown: ShownHit) -> dict[str, Any]:
        hit = described(shown)
        if self.results.sided is not None:
            hit["side"] = self._side(shown)
        if self.results.folded:
            hit["copies"] = shown.copies
        if shown.explained:
            hit["explanation"] = shown.hit.explanation.to_dict()
            hit["factors"] = factors(shown.hit.explanation)
        return hit


class Shown(Protocol):
    """What is shown of a hit, whatever found it."""

    @property
    def hit(self) -> Hit:
        """Rank, score and explanation."""

    @property
    def argument(self) -> Argument:
        """The document."""

    @property
    def sentence(self) -> Snippet:
        """The gist of its premises."""

    @property
    def side(self) -> str | None:
        """Its side of the question; None where sides were not asked for."""

    @property
    def copies(self) -> list[str]:
        """The ids of its near-copies, where they are folded."""

    @property
    def source(self) -> Citation:
        """Where it comes from."""


def described(shown: Shown) -> dict[str, Any]:
    """What every hit has as JSON."""
    argument, source = shown.argument, shown.source
    stance = argument.stance
    return {
        "rank": shown.hit.rank,
        "score": shown.hit.score,
        **argument.to_json(),
        "stance": stance and stance.value,
        "sentence": {"text": shown.sentence.text, "marks": shown.sentence.marks},
        "source": {"title": source.line, "url": source.url or None},
    }


def narrowed(results: Results) -> dict[str, Any]:
    """What was asked for of all matches, as JSON has it: groups, sort, facets."""
    found: dict[str, Any] = {}
    if results.groups is not None:
        found["groups"] = results.groups
    if results.sort is not None:
        found["sort"] = str(results.sort)
    if results.facets:
        counts = results.facets.items()
        found["facets"] = {name: [v.to_dict() for v in of[:MOST_VALUES]] for name, of in counts}
        found["values"] = {name: len(of) for name, of in counts}
    return found


def balance(balanced: Balance) -> dict[str, Any]:
    """How the best arguments stand to the question, as JSON has it."""
    return {
        "claim": balanced.claim.reading,
        "directed": balanced.claim.directed,
        "read": len(balanced.sides),
        "counts": balanced.counts,
    }


def factors(explanation: Explanation) -> dict[str, float]:
    """The values of Eq. 1 in an explanation, by name (H21 Eq. 1)."""
    first: dict[str, float] = {}
    for node in explanation:
        first.setdefault(node.symbol, node.value)
    return {name: first[symbol] for name, symbol in FACTORS.items() if symbol in first}
