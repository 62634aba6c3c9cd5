"""Convert the answer to a query to plain data, for hits of any unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

import orjson

from argsearch.engine import Engine
from argsearch.engine.cached import cached_property
from argsearch.engine.parameters import HitSide
from argsearch.engine.results.results import Hit, Results
from argsearch.engine.text.citation import Citation, cite
from argsearch.engine.text.snippet import Snippet, mark, word_weights
from argsearch.engine.units import UNITS, Unit
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.explanation import Explanation

FACTOR_SYMBOLS = {
    "relevance": "R",
    "cluster": "1 + ω_C·C",
    "quality": "1 + ω_Q·Q",
    "cluster_similarity": "C",
    "predicted_quality": "Q",
    "premises": "1 + ω_P·P",
    "premise_similarity": "P",
}
"""Symbols used to explain the factors of Eq. 1 (H21) and the premise factors."""
MOST_VALUES = 100
"""Maximum number of values shown for a facet, most frequent first."""
MEMBERS = 10
"""Maximum number of premises with the same meaning to show, and of claims that they support."""
WARMING = "which arguments are good"
"""A query that loads all parts later queries need: encoder, sentence splitter, sides."""
WHOLE = ("arguments", "counters")
"""Units whose hits are whole arguments. Each hit is shown by its gist."""


@dataclass(frozen=True)
class ShownHit:
    """A hit with the data to show to a reader."""

    hit: Hit
    answer: Answer
    place: int
    """Position on the page, from 0."""

    @property
    def explained(self) -> bool:
        """True if the hit's explanation is shown. A page may limit the number of explanations."""
        most = self.answer.most_explained
        return self.answer.explain and (most is None or self.place < most)

    @property
    def argument(self) -> Argument:
        """The argument that the hit states, from the corpus or created by the hit's unit."""
        return self.hit.stated

    @property
    def sentence(self) -> Snippet:
        """The hit's gist (one to three sentences) or text, with query words marked."""
        answer = self.answer
        gist = answer.gists[self.place] if answer.gisted else mark(self.hit.text, answer.words)
        return gist.telling()

    @cached_property
    def near_duplicates(self) -> list[str]:
        """Ids of the hit's near-duplicates, if near-duplicates are collapsed."""
        answer = self.answer
        return (
            answer.engine.backend.near_duplicates(self.hit.id) if answer.results.collapsed else []
        )

    @property
    def side(self) -> HitSide | None:
        """Side of the question, or None if sides were not requested."""
        return None if self.hit.side is None else self.hit.side.value

    @cached_property
    def source(self) -> Citation:
        """Source of the argument."""
        return cite(self.hit.argument)

    def to_dict(self) -> dict[str, Any]:
        """Return the hit as data for JSON."""
        hit, stance = self.hit, self.hit.stance
        shown: dict[str, Any] = {"rank": hit.rank, "score": hit.score}
        if self.answer.whole:
            sentence = self.sentence
            shown |= self.argument.to_json()
            shown["stance"] = stance and stance.value
            shown["sentence"] = {
                "text": sentence.text,
                "marks": sentence.marks,
                "beginning": sentence.beginning,
            }
            shown["source"] = self.source.to_dict()
        else:
            shown |= {"id": hit.id, "stance": stance and stance.value, "texts": list(hit.texts)}
            shown["arguments"] = list(hit.arguments)
        if hit.unit == "premises":
            shown |= _cluster(hit) | {"sentence": asdict(self.sentence)}
        if hit.side is not None:
            side = {"value": hit.side.value, "probability": round(hit.side.probability, 4)}
            # A counter-argument answers an argument, not a question.
            if hit.unit != "counters":
                side["on_question"] = round(hit.side.on_question or 0.0, 4)
            explained = {"explanation": hit.side.explanation.to_dict()} if self.explained else {}
            shown["side"] = side | explained
        if self.answer.results.collapsed:
            shown["near_duplicates"] = self.near_duplicates
        if self.explained:
            shown["explanation"] = hit.explanation.to_dict()
            if hit.unit == "arguments":
                shown["factors"] = factors(hit.explanation)
        return shown


@dataclass(frozen=True)
class Answer:
    """Results of any unit, ready for every output format."""

    engine: Engine
    results: Results
    explain: bool = False
    most_explained: int | None = None
    """Number of top hits to explain; None means all."""
    only: tuple[str, ...] | None = None
    """Ids of the hits to show; None means all."""

    def __post_init__(self) -> None:
        """Raise InvalidParameter if `only` contains an id that is not a hit."""
        # If both sides were requested, hits are in the lists rather than in the results.
        lists = (self.results, *self.results.lists.values()) if self.only else ()
        ids = {id for one in lists for id in one.hits.ids}
        for id in self.only or ():
            if id not in ids:
                raise InvalidParameter("only", id, f"the id of one of the {len(ids)} hits")

    @property
    def lists(self) -> dict[str, Answer]:
        """An answer for each side, if both sides were requested."""
        lists = self.results.lists.items()
        only = self.only
        return {
            side: replace(
                self,
                results=results,
                only=None if only is None else tuple(i for i in only if i in results.hits.ids),
            )
            for side, results in lists
        }

    @property
    def whole(self) -> bool:
        """True if the hits are whole arguments."""
        return self.results.unit in WHOLE

    @property
    def gisted(self) -> bool:
        """True if hits can be as long as an argument, so that their gists are shown instead."""
        return self.whole or self.results.unit == "premises"

    @cached_property
    def words(self) -> dict[str, float]:
        """The query's distinct words, with their rarity as weights."""
        results = self.results
        return word_weights(results.asked, self.engine.backend, results.config.retrieval)

    @property
    def hits(self) -> tuple[ShownHit, ...]:
        """Hits, best first, but none if they share only common words with an unanswerable question.

        If both sides were requested, the hits for the question come first. Hits are not cached: an
        answer and its hits would keep each other alive until the next full garbage collection.
        """
        if self.lists:
            return tuple(chain.from_iterable(one.hits for one in self.lists.values()))
        if self.results.wording.lost and self.results.asked == self.results.question:
            return ()
        only = None if self.only is None else frozenset(self.only)
        hits = (hit for hit in self.results.hits if only is None or hit.id in only)
        return tuple(ShownHit(hit, self, place) for place, hit in enumerate(hits))

    @cached_property
    def gists(self) -> list[Snippet]:
        """The gist of every hit, all computed in one call."""
        arguments = [shown.argument for shown in self.hits]
        return self.engine.gists(self.results.asked, arguments, self.results.config)

    @property
    def first_weak_rank(self) -> int | None:
        """Rank from which on all hits are weak; None if each side has its own list."""
        return None if self.lists else self.results.first_weak_rank

    @property
    def milliseconds(self) -> float:
        """Time of the search, including the prediction of sides for lists."""
        return max(one.milliseconds for one in (self.results, *self.results.lists.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as data for JSON."""
        return {**self._head(), "hits": [shown.to_dict() for shown in self.hits]}

    def to_json(self) -> bytes:
        """Return the answer as JSON, hit by hit: a thousand hits as data would take tens of MiB."""
        hits = [orjson.Fragment(orjson.dumps(shown.to_dict())) for shown in self.hits]
        return orjson.dumps({**self._head(), "hits": hits})

    def _head(self) -> dict[str, Any]:
        """Return everything except the hits."""
        results, own = self.results, _OF_ANSWERS.get(self.results.unit)
        answer = {
            "query": results.query,
            "unit": results.unit,
            "total": results.total,
            **(own(self) if own else {}),
            "milliseconds": round(self.milliseconds, 3),
            "fingerprint": results.fingerprint,
            "config": results.config.name,
            "notes": list(results.remarks),
        }
        if results.groups is not None:
            answer["groups"] = results.groups
        if results.sort is not None:
            answer["sort"] = str(results.sort)
        if results.facets:
            facets = results.facets.items()
            answer["facets"] = {f: [one.to_dict() for one in of[:MOST_VALUES]] for f, of in facets}
            answer["values"] = {name: len(of) for name, of in facets}
        if results.balance is not None:
            answer["balance"] = {
                "claim": results.balance.claim.reading,
                "directed": results.balance.claim.directed,
                "sided": results.balance.claim.sided,
                "read": len(results.balance.sides),
                "counts": results.balance.counts,
                "off_question": results.balance.off_question,
                "question": results.sided_for,
            }
        if self.lists:
            answer["little"] = results.little
            answer["lists"] = {
                side: {"total": one.results.total, "first_weak_rank": one.first_weak_rank}
                for side, one in self.lists.items()
            }
        return answer


def units_of(engine: Engine) -> list[type[Unit]]:
    """Return the units whose part, if they need one, is in the index."""
    return [one for one in UNITS.values() if one.part is None or one.part in engine.parts]


def question_for(unit: type[Unit]) -> str:
    """Return a description of the answers that a unit's route or tool gives."""
    return f"The best {unit.name} for a question: {unit.doc}."


def factors(explanation: Explanation) -> dict[str, float]:
    """Return the factors of Eq. 1 in an explanation, by name (H21 Eq. 1)."""
    first: dict[str, float] = {}
    for node in explanation:
        # Nodes come from the root down. If a symbol occurs again, it belongs to a part of a factor.
        first.setdefault(node.symbol, node.value)
    return {name: first[symbol] for name, symbol in FACTOR_SYMBOLS.items() if symbol in first}


def _arguments(answer: Answer) -> dict[str, Any]:
    results, boost = answer.results, answer.results.config.boost
    return {
        **({} if results.by_meaning is None else {"by_meaning": results.by_meaning}),
        **({} if results.common is None else {"common": results.common}),
        "discriminative": results.discriminative,
        "first_weak_rank": answer.first_weak_rank,
        "unknown": list(results.unknown),
        "suggestion": results.suggestion,
        "w_cluster": boost.cluster,
        "w_quality": boost.quality,
        "w_premises": boost.premises,
        "rerank": "+".join(results.config.rerank.names) or "none",
    }


def _premises(answer: Answer) -> dict[str, Any]:
    section = answer.results.config.premises
    return {
        "claims": answer.results.details,
        "family": section.family,
        "dimensions": [] if section.family == "pficf" else list(section.dimensions),
    }


def _counters(answer: Answer) -> dict[str, Any]:
    countered, total = answer.results.details, answer.results.total
    return {"id": countered.id or None, "conclusion": countered.conclusion, "looked_at": total}


def _cluster(hit: Hit) -> dict[str, Any]:
    """Return the fields of a hit of the unit `premises`, which is a cluster of premises."""
    cluster = hit.details
    members = cluster.members(MEMBERS)
    return {
        "representative": {"argument": hit.stated.id, "text": hit.text},
        "size": cluster.size,
        "found": cluster.found,
        "members": [{"argument": one.argument, "text": one.text} for one in members],
        "claims": [
            {"text": one.text, "share": one.share, "adds": one.adds}
            for one in cluster.claims(MEMBERS)
        ],
    }


_OF_ANSWERS: dict[str, Callable[[Answer], dict[str, Any]]] = {
    "arguments": _arguments,
    "premises": _premises,
    "counters": _counters,
}
"""Functions that return the additional answer fields of some units."""
