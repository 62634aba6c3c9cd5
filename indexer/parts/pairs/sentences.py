"""The sentences of an argument, with the ids of Touché 2022: `ID__CONC__1`, `ID__PREMISE__3`.

And what one may be instead of a statement: a question, a quote, a fragment, told by form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from argsearch.indexer.analysis.sentences import segment
from argsearch.indexer.analysis.tagging import UNIVERSAL, load_tagger
from argsearch.indexer.corpus.argument import Argument

CONCLUSION, PREMISE = "CONC", "PREMISE"
"""The two sides of an argument, as ids name them."""
QUESTION, QUOTE, FRAGMENT = 1, 2, 4
"""The bits of `kind`."""
SHORTEST_STATEMENT = 4
"""Tags of a sentence below which it is a fragment."""

_QUOTED = re.compile(r"""^[>"“”«„'‘]|["“][^"“”]{15,}["”]?$|\bwrote:|\bsaid:\s*["“]""")
_CLOSED = re.compile(r"""[.!?…][)\]"'”’»]*$""")
_LINK = re.compile(r"https?://|www\.")
_VERBS = frozenset((UNIVERSAL.index("VERB"), UNIVERSAL.index("AUX")))
_CASED = re.compile(r"[^\W\d_]")


class Sentence(NamedTuple):
    """One sentence of an argument."""

    text: str
    place: int
    """From 1: the number in its id, conclusions and premises counted apart."""
    begin: int
    end: int
    """Where it stands in the conclusion or in the joined premises (`Argument.premise`); both 0
    where the corpus gave a sentence that does not stand there."""


def sentence_id(argument: str, side: str, place: int) -> str:
    """The id of a sentence."""
    return f"{argument}__{side}__{place}"


def sentences(argument: Argument, side: str) -> list[Sentence]:
    """The sentences of one side of an argument.

    Where the corpus came in sentences (args.me as preprocessed for Touché 2022), they are those
    with their numbers; else the text is split. No sentence reaches from one premise into the next.
    """
    given = list(_given(argument, side))
    return given or list(_split(argument, side))


def text_of(argument: Argument, side: str) -> str:
    """The text that a sentence's span counts in."""
    return (argument.conclusion or "") if side == CONCLUSION else argument.premise


def _split(argument: Argument, side: str) -> Iterator[Sentence]:
    texts = (
        [argument.conclusion or ""] if side == CONCLUSION else [p.text for p in argument.premises]
    )
    start, place = 0, 0
    for text in texts:
        for begin, end in segment(text).tolist():
            place += 1
            yield Sentence(text[begin:end], place, start + begin, start + end)
        start += len(text) + 1


def _given(argument: Argument, side: str) -> Iterator[Sentence]:
    """The sentences that the corpus names, in its order; none where it has no such list."""
    listed = argument.context.get("sentences")
    whole, after = text_of(argument, side), 0
    for one in listed if isinstance(listed, list) else ():
        id_, text = (one.get("sent_id"), one.get("sent_text")) if isinstance(one, dict) else (0, 0)
        if not (isinstance(id_, str) and isinstance(text, str) and text.strip()):
            continue
        before, _, number = id_.rpartition("__")
        if before != f"{argument.id}__{side}" or not number.isdecimal():
            continue
        clean = text.strip()
        begin = whole.find(clean, after)
        after = begin + len(clean) if begin >= 0 else after
        yield Sentence(clean, int(number), max(begin, 0), after if begin >= 0 else 0)


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
