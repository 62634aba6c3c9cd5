"""What a question asks: of several sentences the one that asks, without what leads to it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import CLAIM_READ, Claim, plain, read_claim

QUESTION_READ = 4_000
"""Characters of a question that are looked at; the last ones of a longer question."""

_SHORTENED = (r"\w", r"\.\w", "vs", "etc", "Mr", "Mrs", "Ms", "Dr", "St", "Prof")
_SHORT = "".join(rf"(?<!\b{one}\.)" for one in _SHORTENED)
_END = re.compile(rf"(?<=[.!?…]){_SHORT}[.!?…\"'”’)]*\s+")
"""Where a sentence ends: not after "U.S." or "vs."."""
_VERBS = "|".join(sorted(lexicon.QUESTION))
_LEADING = tuple(re.compile(pattern) for pattern in lexicon.LEADING)
_NEGATED = re.compile(rf"^({_VERBS}) not\b")
_ALTERNATIVE = re.compile(rf",? or ({_VERBS})( not)?\b.*$")
_WISHED = re.compile(r"\b(should|ought|must|whether)\b")


@lru_cache(4096)
def read_question(text: str) -> Claim:
    """The claim that a question asks for: of the sentence that asks (`asking`).

    Where that names nothing ("Should we abolish them?"), what the other sentences are about.
    """
    sentences = sentences_of(text)
    sentence = asking(text)
    claim = replace(read_claim(bare(sentence)), text=sentence[:CLAIM_READ])
    if claim.subject or len(sentences) < 2:
        return claim
    others = [read_claim(bare(one)) for one in sentences]
    subject = tuple(dict.fromkeys(word for one in others for word in one.subject))
    return replace(claim, subject=subject, phrase=" ".join(one.phrase for one in others).strip())


def asking(text: str) -> str:
    """The sentence that asks, white space folded.

    It is the last one with a question mark, else the last that says what should be, else the last;
    of those that name or turn anything ("What do you think?" does neither).
    """
    sentences = sentences_of(text)
    if len(sentences) < 2:
        return " ".join(text.split())
    told = [one for one in sentences if _tells(read_claim(bare(one)))] or sentences
    asked = [one for one in told if one.rstrip("\"'”’) ").endswith("?")]
    wished = [one for one in told if _WISHED.search(one.lower())]
    return (asked or wished or told)[-1]


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, white space folded; those of its end where it is long."""
    parts = (" ".join(part.split()) for part in _END.split(text.strip()[-QUESTION_READ:]))
    return [part for part in parts if part]


def _tells(claim: Claim) -> bool:
    return bool(claim.subject or claim.turns)


def bare(sentence: str) -> str:
    """A sentence without what leads to its question, its second alternative and its doubt.

    "Do you think that zoos are cruel?" asks whether zoos are cruel, "Aren't zoos cruel?" as well.
    What has none of these stays as it is.
    """
    text = plain(sentence)
    found = _NEGATED.sub(r"\1", _ALTERNATIVE.sub("", text))
    for pattern in _LEADING:
        found = pattern.sub("", found)
    return sentence if found == text else found
