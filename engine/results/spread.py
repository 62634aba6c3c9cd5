"""The first places of a reader's list: few from one debate, and reasons before bare claims."""

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
from argsearch.ranking.lexicons import lexicon

FIRST_PLACES = 5
"""Places that are spread over debates."""
MOST_PER_DEBATE = 2
"""Hits of one debate on the first places, where the hits looked at allow it."""
MOVABLE_HITS = 50
"""Hits that may change their place; those below stay, so that pages follow each other."""
LEAST_NEW_WORDS = 4
"""Words that premises add to their conclusion, stop words left out, to count as a reason."""
BEGINNING_CHARACTERS = 1000
"""Characters of the premises that are looked at for them."""
DEBATE = ("sourceId", "discussionTitle", "sourceTitle")
"""What of a context tells the debate: the first of these that is there."""


def spread(find: Callable[[slice], Candidates], page: slice, wanted: bool = True) -> Candidates:
    """Return a page of a list after `Spread`; find: a page of it before. Not wanted: that page."""
    if not wanted or page.start >= MOVABLE_HITS:
        return find(page)
    # the second page continues the first only if both are cut from the same reordered hits
    whole = find(slice(0, max(MOVABLE_HITS, page.stop)))
    return staged(whole, ((Spread(), MOVABLE_HITS),)).take(page, whole.kept)


def debate_of(argument: Argument) -> str | None:
    """Return what tells an argument's debate; None where its context does not say."""
    found = (argument.context.get(key) for key in DEBATE)
    return next((one for one in found if isinstance(one, str) and one), None)


def gives_reason(argument: Argument) -> bool:
    """Return whether premises add LEAST_NEW_WORDS to their conclusion, stop words left out."""
    tokens = StandardAnalyzer().tokens
    said = {*tokens(argument.conclusion or ""), *lexicon("stop_words")["english"]}
    return len(set(tokens(argument.premise[:BEGINNING_CHARACTERS])) - said) >= LEAST_NEW_WORDS


@dataclass(frozen=True, slots=True)
class Spread:
    """The first FIRST_PLACES in the hits' order, but for a debate's third and for bare claims.

    These follow directly below, bare claims last, and then the others as they came. What was moved
    has at most the score of the hit above it, so that scores never rise.
    """

    name: ClassVar[str] = "spread"
    doc: ClassVar[str] = "few of the first places to one debate, reasons before bare claims"
    formula: ClassVar[str] = "score, no higher than that of the hit above it"
    needs: ClassVar[tuple[str, ...]] = ("texts",)

    def step(self, candidates: Candidates) -> Step:
        """Read hits until the first places are filled; the others stay as they are."""
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
        why = dict.fromkeys(crowded, f"{MOST_PER_DEBATE} of its debate stand above it")
        why |= dict.fromkeys(bare, "it gives no reason beyond its conclusion")
        moved = [why.get(was, "") if was < now else "" for now, was in enumerate(order.tolist())]
        return Step(order, {"S": scores, "above": above}, {"moved": moved})

    def combine(self, **columns: Floats) -> Floats:
        """S' = min(S, that of the hit above)."""
        return np.minimum(columns["S"], columns["above"])

    def explain(
        self, values: Mapping[str, float], remarks: Mapping[str, str], before: Explanation
    ) -> tuple[Explanation, ...]:
        """The score until here, and why a hit stands lower; nothing for one that was not moved."""
        said = f"score of the hit above it, moved below: {remarks['moved']}"
        return (before, Explanation(values["above"], said)) if remarks["moved"] else ()
