"""Results of any unit that are about the question, for readers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stages import Candidates
from argsearch.engine.stance.sides import Sided
from argsearch.engine.text import cues
from argsearch.engine.text.snippet import sentences
from argsearch.indexer.corpus.argument import Argument

SORTED_PROBABILITY = 0.5
"""Smallest P(on the question) for an argument in a list sorted by a column."""
LISTED_PROBABILITY = 0.25
"""Smallest P(on the question) for a pair or premise in a list sorted by score."""
FEW_ON_QUESTION = 5
"""If fewer arguments are about the question, sorting by a column covers all of the best hits.

No argument counts as certain to be about a question of one frequent word, such as "freedom".
"""
_AT = {name: number for number, name in enumerate(cues.CUE_COLUMNS)}
_NO_POINT = [_AT[name] for name in ("talk", "opposed", "question", "reference")]


def probable(sided: Sided, least: float) -> NDArray[np.int64]:
    """Return the positions of the best DEPTH hits with P(on the question) of at least `least`."""
    on = [side.on_question or 0.0 for side in sided.balance.sides]
    return np.flatnonzero(np.array(on) >= least)


def telling(hits: Candidates, *, claims_once: bool) -> NDArray[np.int64]:
    """Return the positions of hits that say something new about a subject.

    They exclude talk about the debate, and each text appears once. claims_once: so do conclusions.
    """
    seen, places = set[str](), list[int]()
    for place, one in enumerate(hits.arguments):
        said = {_plain(one.premise), *([_plain(one.conclusion or "")] if claims_once else ())}
        if says_something(one) and seen.isdisjoint(said):
            seen |= said
            places.append(place)
    return np.array(places, np.int64)


def says_something(argument: Argument) -> bool:
    """Return True if a sentence of the premises is not about the debate or its speakers."""
    text = argument.premise
    spans = sentences(text)
    if not len(spans):
        return False
    counts = cues.count(cues.codes(text), spans, *cues.table())
    personal = (counts[:, _AT["others"]] > 0) & (counts[:, _AT["person"]] > 0)
    return bool((~personal & ~counts[:, _NO_POINT].any(axis=1)).any())


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".!?")
