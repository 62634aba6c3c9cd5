"""Premises that mean the same: what `engine.premises` ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from argsearch.engine.units.base import Asked, UnitHit, UnitResults

if TYPE_CHECKING:
    from argsearch.engine.config import Config
    from argsearch.engine.units.premises.hits import PremiseHit

EVERY = 1 << 31
"""More than there are."""


class Premises:
    """The unit `premises`."""

    name: ClassVar[str] = "premises"
    doc: ClassVar[str] = "premises of the claims found, each meaning once, by quality (D20)"

    def search(self, engine: Asked, question: str, k: int, config: Config) -> UnitResults:
        """The k best, named by their representatives' arguments; no argument stands twice."""
        results = engine.premises(question, k=EVERY, config=config)
        best: dict[str, PremiseHit] = {}
        for hit in results.hits:
            if len(best) == k:
                break
            best.setdefault(hit.id, hit)
        hits = [_hit(hit) for hit in best.values()]
        described = (results.fingerprint, results.milliseconds, results.notes)
        return UnitResults(question, hits, results.total, *described)


def _hit(hit: PremiseHit) -> UnitHit:
    def read() -> tuple[str, ...]:
        """The claim that it adds most to, and the representative."""
        return (hit.claims(1)[0].text, hit.representative.text)

    return UnitHit(hit.id, hit.score, (hit.id,), read, lambda: hit.explanation, hit.stance)
