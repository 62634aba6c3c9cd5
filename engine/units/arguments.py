"""Whole arguments: what `engine.search` ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from argsearch.engine.units.base import Asked, UnitHit, UnitResults

if TYPE_CHECKING:
    from argsearch.engine.config import Config
    from argsearch.engine.results.results import Hit


class Arguments:
    """The unit `arguments`."""

    name: ClassVar[str] = "arguments"
    doc: ClassVar[str] = "whole arguments, ranked by relevance, cluster and quality (H21)"

    def search(self, engine: Asked, question: str, k: int, config: Config) -> UnitResults:
        """The k best arguments."""
        results = engine.search(question, k=k, config=config)
        hits = [_hit(hit) for hit in results.hits]
        described = (results.total, results.fingerprint, results.milliseconds, results.notes)
        return UnitResults(question, hits, *described)


def _hit(hit: Hit) -> UnitHit:
    def read() -> tuple[str, ...]:
        """Conclusion and premises, read from the store."""
        argument = hit.argument
        return tuple(text for text in (argument.conclusion, argument.premise) if text)

    return UnitHit(hit.id, hit.score, (hit.id,), read, lambda: hit.explanation)
