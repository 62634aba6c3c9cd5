"""A question in other words than the arguments' is answered for and against a conclusion near it.

Whether "Should laboratories leave beagles in peace?" is for or against "Animal testing should
continue" is not in their words (docs/stance.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from argsearch.engine.stance.claims import Claim, read_question
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.stance import Floats

# In other words: each of the NEAREST conclusions has less than that share of the subject's words.
NEAREST = 5
SHARED_WORD_SHARE = 0.5
ON_QUESTION_PROBABILITY = 0.5
"""Below this P(on the question) an argument is likelier not about it."""


def nearest_conclusion(
    asked: Claim, arguments: Sequence[Argument], near: Floats, on: Sequence[float | None]
) -> str | None:
    """Return the conclusion that sides are read for in the place of the question, or None.

    It is the nearest one that says a direction, of the arguments likelier on the question than not.
    None for a question in the conclusions' words or without a direction, which cannot be turned
    round, and where there is no such conclusion. near: of each argument's
    conclusion, float64[n] (`ByMeaning.concerning`); on: P(on the question), None where not read.
    """
    if not asked.directed or not asked.subject:
        return None
    found, nearest, words = dict[str, Claim](), None, set(asked.subject)
    for place in np.argsort(-near, kind="stable").tolist():
        text = arguments[place].conclusion or ""
        claim = found.get(text) or read_question(text)
        if claim.directed and claim.sided and claim.subject:
            found[text] = claim
            if nearest is None and (on[place] or 0.0) >= ON_QUESTION_PROBABILITY:
                nearest = text
    shares = (len(words.intersection(claim.subject)) for claim in list(found.values())[:NEAREST])
    in_other_words = max(shares, default=0) < SHARED_WORD_SHARE * len(words)
    return nearest if in_other_words else None
