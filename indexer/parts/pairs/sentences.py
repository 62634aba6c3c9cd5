"""The sentences of an argument, with the ids of Touché 2022: `ID__CONC__1`, `ID__PREMISE__3`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from argsearch.indexer.analysis.sentences import segment
from argsearch.indexer.corpus.argument import Argument

CONCLUSION, PREMISE = "CONC", "PREMISE"
"""The two sides of an argument, as ids name them."""


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
