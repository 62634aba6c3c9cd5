"""Reorder the top for readers: spread it over debates, and put reasons above bare claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import Floats, Step, staged
from argsearch.indexer.analysis import StandardAnalyzer
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.explanation import Explanation
from argsearch.ranking.lexicons import stop_words

FIRST_PLACES = 5
"""Number of top places that are diversified across debates."""
MOST_PER_DEBATE = 2
"""Maximum number of hits from one debate in the top places, if enough others can fill them."""
MOVABLE_HITS = 50
"""Number of hits that may move. Lower hits stay in place, so that pages are consistent."""
LEAST_NEW_WORDS = 4
"""Minimum number of non-stop words that premises must add to a conclusion to give a reason."""
BEGINNING_CHARACTERS = 1000
"""Number of characters at the beginning of the premises that are searched for these words."""
DEBATE = ("sourceId", "discussionTitle", "sourceTitle")
"""Context keys that may name the debate. The first one that is present is used."""


def spread(find: Callable[[slice], Candidates], page: slice, wanted: bool = True) -> Candidates:
    """Return a page of a list after `Spread`, or of the original list if `wanted` is false.

    find: returns a page of the original list.
    """
    if not wanted or page.start >= MOVABLE_HITS:
        return find(page)
    # The second page continues the first only if both come from the same reordered hits.
    whole = find(slice(0, max(MOVABLE_HITS, page.stop)))
    return staged(whole, ((Spread(), MOVABLE_HITS),)).take(page, whole.kept)


def debate_of(argument: Argument) -> str | None:
    """Return the name of an argument's debate, or None if the context does not have it."""
    found = (argument.context.get(key) for key in DEBATE)
    return next((one for one in found if isinstance(one, str) and one), None)


def gives_reason(argument: Argument) -> bool:
    """Return True if premises add LEAST_NEW_WORDS to their conclusion, not counting stop words."""
    tokens = StandardAnalyzer().tokens
    said = {*tokens(argument.conclusion or ""), *stop_words()}
    return len(set(tokens(argument.premise[:BEGINNING_CHARACTERS])) - said) >= LEAST_NEW_WORDS


@dataclass(frozen=True, slots=True)
class Spread:
    """Stage for readers: it spreads debates over the top places and puts reasons first.

    A debate's third hit and bare claims move to just below the FIRST_PLACES, bare claims last. A
    moved hit scores at most as much as the hit above it, so scores never rise down the list.
    """

    name: ClassVar[str] = "spread"
    doc: ClassVar[str] = "at most two hits per debate in the top places, reasons before bare claims"
    formula: ClassVar[str] = "score, no higher than that of the hit above it"
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    def step(self, candidates: Candidates) -> Step:
        """Read hits until the top places are filled. Other hits stay in order."""
        first, crowded, bare = list[int](), list[int](), list[int]()
        debates = Counter[str | None]()
        for place, row in enumerate(candidates.rows.tolist()):
            argument = candidates.source.stated(row)
            debate = debate_of(argument)
            if not gives_reason(argument):
                bare.append(place)
            elif debate is not None and debates[debate] == MOST_PER_DEBATE:
                crowded.append(place)
            else:
                first.append(place)
                debates[debate] += 1
            if len(first) == FIRST_PLACES:
                break
        read = [*first, *crowded, *bare]
        order = np.array([*read, *range(len(read), len(candidates))], np.int64)
        scores = candidates.scores[order]
        above = np.concatenate([scores[:1], np.minimum.accumulate(scores)[:-1]])
        why = dict.fromkeys(crowded, f"{MOST_PER_DEBATE} arguments from its debate rank above it")
        why |= dict.fromkeys(bare, "it gives no reason beyond its conclusion")
        moved = [why.get(was, "") if was < now else "" for now, was in enumerate(order.tolist())]
        return Step(order, {"S": scores, "above": above}, {"moved": moved})

    def combine(self, **columns: Floats) -> Floats:
        """Return S' = min(S, S of the hit above)."""
        return np.minimum(columns["S"], columns["above"])

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """Return the earlier score and why the hit moved down, or () if it did not move."""
        said = f"score of the hit above it, since this hit was moved down: {remarks['moved']}"
        return (before, Explanation(values["above"], said)) if remarks["moved"] else ()
