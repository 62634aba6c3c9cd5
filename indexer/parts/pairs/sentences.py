"""The sentences of an argument, with ids as in Touché 2022: `ID__CONC__1`, `ID__PREMISE__3`.

`kind` recognises sentences that are not statements: questions, quotes, fragments and talk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from argsearch.indexer.analysis.sentences import codes, segment, segment_further
from argsearch.indexer.analysis.tagging import UNIVERSAL, load_tagger
from argsearch.indexer.corpus.argument import Argument
from argsearch.ranking.lexicons import lexicon

# The two sides of an argument, as ids name them.
CONCLUSION = "CONC"
PREMISE = "PREMISE"
# The bits of `kind`.
QUESTION_BIT = 1
QUOTE_BIT = 2
FRAGMENT_BIT = 4
TALK_BIT = 8
LONGEST_STATEMENT = 100
"""Number of words above which a sentence counts as unsplit text, and so as a fragment."""
SHORTEST_STATEMENT = 4
"""Number of tags below which a sentence is a fragment."""

_QUOTATION = re.compile(r"""^[>"“”«„'‘]|["“][^"“”]{15,}["”]?$|\bwrote:|\bsaid:\s*["“]""")
_CLOSED = re.compile(r"""[.!?…][)\]"'”’»]*$""")
_LINK = re.compile(r"https?://|www\.")
_VERBS = frozenset((UNIVERSAL.index("VERB"), UNIVERSAL.index("AUX")))
_CASED = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[\w']+")
_TALK = frozenset(lexicon("cues")["talk"] + lexicon("cues")["announcement"])
_ANNOUNCES = re.compile(
    r"\bI(?:'m| am| will|'ll| shall| have| hope| stand| believe| here)\b[^.;:]{0,30}?\b"
    r"(?:argu|prov|show|defen|clarif|demonstrat|affirm|negat|rebut|refut|stand|my p|posit|side\b)"
    r"|^\W*(?:today,? )?as (?:the )?(?:pro|con)\b|\bit is resolved\b|\burge a\b"
    r"|\bjob of (?:my|the)\b"
    r"|\b(?:pro|con) (?:side|position|ballot)\b|^in conclusion\b.{0,20}\bI\b"
    r"|^(?:conclusion|introduction|thesis)\b|\bmy opinion\b|\bs?he(?:'s| is) saying\b",
    re.IGNORECASE,
)
"""Phrases that announce or sum up one's own argument, besides those in `cues.txt`."""


class Sentence(NamedTuple):
    """A sentence of an argument."""

    text: str
    place: int
    """Number in the sentence's id, from 1; conclusions and premises are counted separately."""
    begin: int
    end: int
    """End of the span in the conclusion or in the joined premises (`Argument.premise`). `begin` and
    `end` are 0 if the corpus lists a sentence that the text lacks."""


def sentence_id(argument: str, side: str, place: int) -> str:
    """Return the id of a sentence."""
    return f"{argument}__{side}__{place}"


def sentences(argument: Argument, side: str) -> list[Sentence]:
    """Return the sentences of one side of an argument.

    If the corpus lists sentences (args.me as preprocessed for Touché 2022), return them with their
    numbers. Otherwise split the text, including at line ends, and split long sentences at list
    items and after quotations. No sentence extends from one premise into the next.
    """
    given = list(_given(argument, side))
    return given or list(_split(argument, side))


def text_of(argument: Argument, side: str) -> str:
    """Return the text that a sentence's span refers to."""
    return (argument.conclusion or "") if side == CONCLUSION else argument.premise


def _split(argument: Argument, side: str) -> Iterator[Sentence]:
    texts = (
        [argument.conclusion or ""] if side == CONCLUSION else [p.text for p in argument.premises]
    )
    start, place = 0, 0
    for text in texts:
        for begin, end in segment_further(codes(text), segment(text).astype(np.int32)).tolist():
            place += 1
            yield Sentence(text[begin:end], place, start + begin, start + end)
        start += len(text) + 1


def _given(argument: Argument, side: str) -> Iterator[Sentence]:
    """Yield the sentences that the corpus lists, in its order; none if there is no list."""
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
    """Return the kind of a premise's sentence as bits; 0 for a statement.

    Talk is about the debate and not its subject: it opens, thanks, concedes, announces or sums up.

    A question ends with a question mark. A quote begins with a quotation mark or `>`, ends with a
    quotation of at least 15 characters, or introduces a quotation. A fragment has no verb (by the
    default tagger) or no full stop or similar mark at the end. It may also begin in lower case,
    have fewer tags than SHORTEST_STATEMENT or more words than LONGEST_STATEMENT, or contain a web
    address.
    """
    clean = text.strip()
    bits = QUESTION_BIT if clean.rstrip("\"'”’)]").endswith("?") else 0
    bits |= QUOTE_BIT if _QUOTATION.search(clean) else 0
    bits |= TALK_BIT if _talks(clean) else 0
    return bits | (FRAGMENT_BIT if _fragment(clean) else 0)


def _talks(clean: str) -> bool:
    words = _WORD.findall(clean.replace("’", "'").lower())
    phrases = (" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1))
    return not _TALK.isdisjoint(phrases) or _ANNOUNCES.search(clean) is not None


def _fragment(clean: str) -> bool:
    first = _CASED.search(clean)
    if first is None or first[0].islower() or not _CLOSED.search(clean) or _LINK.search(clean):
        return True
    if len(clean.split()) > LONGEST_STATEMENT:
        return True
    tags = load_tagger("lexicon").codes(clean).tolist()
    return len(tags) < SHORTEST_STATEMENT or not _VERBS.intersection(tags)
