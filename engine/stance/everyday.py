"""A question in everyday wording, put in the words that debates use (docs/stance.md)."""

from __future__ import annotations

import re
from functools import cache

from argsearch.engine.stance.claims import QUESTION_READ
from argsearch.engine.stance.phrasings import Phrasings
from argsearch.ranking.lexicons import lines

_TWICE = re.compile(r"\b(\w+) \1\b")


@cache
def _wordings() -> Phrasings:
    """The patterns of everyday wording, in the lexicon's order, and what they stand for."""
    listed = (one.split(" => ") for found in lines("everyday").values() for one in found)
    return Phrasings((old, new) for old, new in listed)


def formal(question: str) -> str:
    """Return a question with everyday words replaced; as it was where it has none.

    "Should mum and dad decide about jabs?": "should parents decide about vaccination?".
    """
    text = question[-QUESTION_READ:].replace("’", "'").lower()
    put = _wordings().put(text)
    return question if put == text else _TWICE.sub(r"\1", " ".join(put.split()))
