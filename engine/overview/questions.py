"""Turn claims into questions: "Zoos should go" becomes "Should zoos go?"."""

from __future__ import annotations

import re

ASKING = {
    "should": "Should", "must": "Should", "ought to": "Should", "is": "Is", "are": "Are",
    "was": "Was", "were": "Were", "can": "Can", "will": "Will", "would": "Would", "does": "Does",
    "do": "Do", "did": "Did", "has": "Has", "have": "Have", "could": "Could",
}  # fmt: skip
"""Opening word of the question for each verb of a claim or question."""
LONGEST_SUBJECT = 5
"""Largest number of words in a subject before this verb."""
_CLAIM = re.compile(
    r"(?P<subject>.+?) (?P<word>should|must|ought to|is|are|was|were|can|will) (?:not )?"
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"\b(you|your|i|my|says|said)\b", re.IGNORECASE)
_COMMON = {"everyone", "everybody", "nobody", "people", "society", "school", "government"}
_WITHIN = re.compile(
    r"^(in|on|at|for)\b|\b(that|which|who|if|when|because|than|there|it|this|what|how|why)\b", re.I
)
_HEAD = re.compile(r"^(resolved|debate|that|this house believes that)\b:?\s*", re.IGNORECASE)


def question_of(claim: str, text: str = "") -> str | None:
    """Return the question that a claim or question raises, or None if that is not certain.

    A claim against something becomes a question about the opposite. For example, "X should not be"
    becomes "Should X be?". `text`, an argument for the claim, shows which words are capitalised.
    """
    said = _HEAD.sub("", " ".join(claim.split()))
    asks = said.endswith("?")
    said = said.rstrip(" .!?>")
    if _titled(said):
        said = " ".join(
            word if word.isupper() and len(word) < 5 else word.lower() for word in said.split()
        )
    first, _, rest = said.partition(" ")
    if first.lower() in ASKING and rest and (asks or first.lower() in ("should", "does", "do")):
        return f"{first.capitalize()} {rest}?"
    found = None if asks or _SPOKEN.search(said) else _CLAIM.fullmatch(said)
    if found is None or _WITHIN.search(found["subject"]):
        return None
    subject, word = found["subject"], found["word"].lower()
    if len(subject.split()) > LONGEST_SUBJECT:
        return None
    return f"{ASKING[word]} {_within(subject, text)} {found['rest']}?"


def _titled(claim: str) -> bool:
    """Return True if all longer words are capitalised, as in titles."""
    longer = [word for word in claim.split() if len(word) > 4]
    return len(longer) > 1 and all(word[0].isupper() for word in longer)


def _within(subject: str, text: str) -> str:
    """Return a subject in lower case, for use inside a sentence, unless it is a name."""
    first, *others = subject.split(" ")
    small = first.lower()
    common = bool(others) or small in _COMMON or small.endswith("s") or f" {small} " in f" {text} "
    name = (first.isupper() and len(first) > 1) or any(one.isupper() for one in first[1:])
    return " ".join([small if common and not name else first, *others])
