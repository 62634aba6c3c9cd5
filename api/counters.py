"""Counter-arguments as plain data: the one shape that the command line and HTTP share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from argsearch.api.answer import described
from argsearch.engine import Engine
from argsearch.engine.results.results import Hit, Results
from argsearch.engine.text.citation import Citation, cite
from argsearch.engine.text.gist import gists
from argsearch.engine.text.snippet import Snippet, word_weights
from argsearch.engine.units.counters import READ
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.encoders.protocol import parse_spec


@dataclass(frozen=True)
class ShownCounter:
    """A counter-argument with what a reader sees of it."""

    hit: Hit
    sentence: Snippet
    """The gist of its premises, for what it counters."""
    copies: list[str] = field(default_factory=list)
    side: None = None

    @property
    def argument(self) -> Argument:
        """The document."""
        return self.hit.argument

    @cached_property
    def source(self) -> Citation:
        """Where it comes from."""
        return cite(self.argument)


@dataclass(frozen=True)
class Counters:
    """Counter-arguments, ready to be shown in any format."""

    engine: Engine
    results: Results
    explain: bool = False

    @cached_property
    def hits(self) -> tuple[ShownCounter, ...]:
        """The hits, best first."""
        asked, hits = self.results.details, tuple(self.results.hits)
        question = asked.conclusion or asked.premise[:READ]
        texts = [[premise.text for premise in hit.argument.premises] for hit in hits]
        encoder = self.engine.encoder if parse_spec(self.engine.info.encoder).light else None
        found = gists(question, texts, word_weights(question, self.engine.backend), encoder)
        return tuple(map(ShownCounter, hits, found))

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        results = self.results
        return {
            "id": results.details.id or None,
            "conclusion": results.details.conclusion,
            "looked_at": results.total,
            "milliseconds": round(results.milliseconds, 3),
            "fingerprint": results.fingerprint,
            "notes": list(results.notes),
            "hits": [self._hit(shown) for shown in self.hits],
        }

    def _hit(self, shown: ShownCounter) -> dict[str, Any]:
        hit = described(shown)
        if self.explain:
            hit["explanation"] = shown.hit.explanation.to_dict()
        return hit
