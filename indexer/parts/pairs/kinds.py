"""What a sentence is not: a statement of its own. Questions, quotes and fragments, told by form."""

from __future__ import annotations

import re

from argsearch.indexer.analysis.tagging import UNIVERSAL, load_tagger

QUESTION, QUOTE, FRAGMENT = 1, 2, 4
"""The bits of `kind`."""
SHORTEST_STATEMENT = 4
"""Tags of a sentence below which it is a fragment."""

_QUOTED = re.compile(r"""^[>"“”«„'‘]|["“][^"“”]{15,}["”]?$|\bwrote:|\bsaid:\s*["“]""")
_CLOSED = re.compile(r"""[.!?…][)\]"'”’»]*$""")
_LINK = re.compile(r"https?://|www\.")
_VERBS = frozenset((UNIVERSAL.index("VERB"), UNIVERSAL.index("AUX")))
_CASED = re.compile(r"[^\W\d_]")


def kind(text: str) -> int:
    """The bits of what a premise sentence is; 0 for a statement.

    A question ends with a question mark. A quote begins with a quotation mark or `>`, or ends in
    fifteen quoted characters. A fragment lacks a verb (of the default tagger), has less than
    `SHORTEST_STATEMENT` tags, does not end with a full stop or another closing mark, begins in
    lower case, or is an address on the web.
    """
    clean = text.strip()
    bits = QUESTION if clean.rstrip("\"'”’)]").endswith("?") else 0
    bits |= QUOTE if _QUOTED.search(clean) else 0
    return bits | (FRAGMENT if _fragment(clean) else 0)


def _fragment(clean: str) -> bool:
    first = _CASED.search(clean)
    if first is None or first[0].islower() or not _CLOSED.search(clean) or _LINK.search(clean):
        return True
    tags = load_tagger("lexicon").codes(clean).tolist()
    return len(tags) < SHORTEST_STATEMENT or not _VERBS.intersection(tags)
