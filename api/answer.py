"""The answer to a query as plain data: the one shape that the command line and HTTP share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine import Engine
from engine.results import Hit, Results
from engine.showing.citation import Citation, cite
from engine.showing.snippets import Snippet, best_of, word_weights
from indexer.corpus.argument import Argument
from ranking.explanation import Explanation

FACTORS = {
    "relevance": "R,",
    "cluster": "cluster factor",
    "quality": "quality factor",
    "cluster_similarity": "C,",
    "predicted_quality": "Q,",
}
"""The factors of Eq. 1 (H21) and how their nodes in an explanation begin."""


@dataclass(frozen=True)
class ShownHit:
    """A hit with what a reader sees of it."""

    hit: Hit
    words: dict[str, float]
    explained: bool

    @property
    def argument(self) -> Argument:
        """The document."""
        return self.hit.argument

    @cached_property
    def sentence(self) -> Snippet:
        """The best sentence of one of the premises, query words marked."""
        return best_of((premise.text for premise in self.argument.premises), self.words)

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

    @cached_property
    def words(self) -> dict[str, float]:
        """The query's distinct words and their rarity."""
        return word_weights(self.results.query, self.engine.backend)

    @cached_property
    def hits(self) -> tuple[ShownHit, ...]:
        """The hits, best first."""
        hits = list(self.results.hits)
        most = (self.most_explained or len(hits)) if self.explain else 0
        return tuple(ShownHit(hit, self.words, i < most) for i, hit in enumerate(hits))

    @property
    def characters(self) -> int:
        """Length of the premises of all hits, in Unicode code points."""
        return sum(len(p.text) for shown in self.hits for p in shown.argument.premises)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        results, config = self.results, self.results.config
        return {
            "query": results.query,
            "total": results.total,
            "milliseconds": round(results.milliseconds, 3),
            "fingerprint": results.fingerprint,
            "config": config.name,
            "w_cluster": config.boost.cluster,
            "w_quality": config.boost.quality,
            "rerank": config.rerank.method,
            "notes": list(results.notes),
            "hits": [self._hit(shown) for shown in self.hits],
        }

    def _hit(self, shown: ShownHit) -> dict[str, Any]:
        argument, source = shown.argument, shown.source
        stance = argument.stance
        hit = {
            "rank": shown.hit.rank,
            "score": shown.hit.score,
            **argument.to_json(),
            "stance": stance and stance.value,
            "sentence": {"text": shown.sentence.text, "marks": shown.sentence.marks},
            "source": {"title": source.line, "url": source.url or None},
        }
        if shown.explained:
            hit["explanation"] = shown.hit.explanation.to_dict()
            hit["factors"] = factors(shown.hit.explanation)
        return hit


def factors(explanation: Explanation) -> dict[str, float]:
    """The values of Eq. 1 in an explanation, by name (H21 Eq. 1)."""
    found: dict[str, float] = {}
    waiting = [explanation]
    while waiting:
        node = waiting.pop()
        for name, begin in FACTORS.items():
            if node.description.startswith(begin):
                found.setdefault(name, node.value)
        waiting.extend(reversed(node.details))
    return {name: found[name] for name in FACTORS if name in found}
