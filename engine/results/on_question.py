"""Results of any unit that are about the question, for readers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stages import Candidates
from argsearch.engine.stance.sides import DEPTH, Sided
from argsearch.engine.text import cues
from argsearch.engine.text.snippet import sentences
from argsearch.indexer.corpus.argument import Argument

SORTED_PROBABILITY = 0.5
"""Smallest P(on the question) of an argument that is sorted or counted by a column."""
LISTED_PROBABILITY = 0.25
"""Smallest P(on the question) of a pair or premise in a list sorted by score."""
FEW_ON_QUESTION = 5
"""If fewer than this many arguments are about the question, all best hits are sorted or counted.

No argument counts as certain to be about a question of one frequent word, such as "freedom".
"""
_AT = {name: number for number, name in enumerate(cues.CUE_COLUMNS)}
_NO_POINT = [_AT[name] for name in ("talk", "opposed", "question", "reference")]


def about(
    sided: Sided, least: float, few: int = 0, *, claims_once: bool | None = None
) -> tuple[Candidates, str]:
    """Return the best hits that are about the question, or all if fewer than `few` are, and a note.

    claims_once: return only `telling` hits. The note begins a sentence; it is empty without hits.
    """
    best, on = sided.whole.take(slice(DEPTH)), [one.on_question for one in sided.balance.sides]
    kept = best.take(np.flatnonzero([(p or 0.0) >= least for p in on]))
    if claims_once is not None:
        kept = kept.take(telling(kept, claims_once=claims_once))
    if len(kept) < few:
        said = "hardly any of the first results is clearly about the question"
        return best, f"{said}, so all of them are" if on else ""
    return kept, f"of the first {len(best)} results, only the {len(kept)} about the question are"


def telling(hits: Candidates, *, claims_once: bool) -> NDArray[np.int64]:
    """Return the positions of hits that say something new about a subject.

    Talk about the debate and repeated texts are left out. claims_once: repeated conclusions too.
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
