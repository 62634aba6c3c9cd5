"""A talk as its messages tell it: what it is about, what was last claimed, what was said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from argsearch.engine.cached import cached_property
from argsearch.engine.points.sentences import asked_roots
from argsearch.engine.stance.claims import (
    CLAIM_READ,
    WORD,
    Claim,
    accord,
    plain,
    read_question,
    sentences_of,
)
from argsearch.engine.stance.terms import canonical
from argsearch.indexer.errors import InvalidParameter
from argsearch.ranking.lexicons import lexicon

USER, ASSISTANT = "user", "assistant"
ROLES = (USER, ASSISTANT)
READ = 4_000
"""Characters of a message that are read: the first of the thesis, the last of the others."""
MOST_CLAIMS = 8
"""Sentences of the last message that are answered: its last ones."""
RECALLED = 400
"""Sentences of a talk, the newest first, that an answer is held to for likeness."""
NOTHING = "I find nothing in this corpus that speaks against your thesis."
"""The answer to a claim that no argument is against: the next claim is the thesis then."""
_LISTS = lexicon("debate")
WISH = re.compile(r"\b(?:should|ought|must)\b", re.IGNORECASE)
"""What says what should be."""
_SO = re.compile(r"(?:, so|,? (?:therefore|thus|hence|which is why)),? (?!that\b)", re.IGNORECASE)
"""What a conclusion follows in one sentence."""
_TALK = frozenset(map(canonical, _LISTS["talk"]))


def any_of(*phrases: str) -> str:
    """Return the pattern of any of some words or phrases, whole."""
    return rf"\b(?:{'|'.join(map(re.escape, phrases))})\b"


_OPINION, _TURNING = (re.compile(any_of(*_LISTS[name])) for name in ("opinion", "turning"))
_YIELDING = re.compile(rf"\W*(?:(?:ok|okay|well|yes)\W+)?(?:{any_of(*_LISTS['yielding'])})")


@dataclass(frozen=True, slots=True)
class Message:
    """What one of both said."""

    role: str
    """`user` or `assistant`."""
    content: str


def read_messages(given: Sequence[Any]) -> tuple[Message, ...]:
    """Return messages that were given as such, or as objects with `role` and `content`.

    Raises InvalidParameter for what is none, for no message, and where the last is not the user's.
    """
    read = []
    for one in given:
        role, content = (
            (one.get("role"), one.get("content"))
            if isinstance(one, Mapping)
            else (getattr(one, "role", None), getattr(one, "content", None))
        )
        if role not in ROLES:
            raise InvalidParameter("role", role, " or ".join(ROLES))
        if not isinstance(content, str):
            raise InvalidParameter("content", content, "the text of the message")
        read.append(Message(role, content.encode("utf-8", "replace").decode("utf-8")))
    if not read or read[-1].role != USER:
        raise InvalidParameter(
            "messages", f"{len(read)} messages", "a talk whose last is the user's"
        )
    return tuple(read)


def spelt(text: str) -> str:
    """Return a text's words in lower case, a space between two."""
    return " ".join(WORD.findall(text.lower()))


def telling(text: str) -> frozenset[str]:
    """Return the roots of a text's words without those of talk ("what do you think")."""
    return asked_roots(text) - _TALK


@dataclass(frozen=True)
class Talk:
    """A talk up to the user's last message; it follows from the messages alone."""

    messages: tuple[Message, ...]

    @cached_property
    def thesis(self) -> str:
        """What the user claims: of the first message that claims something.

        That is its first sentence that says what should be, else its first that claims something;
        a question is taken as its yes. Empty where no message claims anything. What was answered by
        NOTHING is no thesis.
        """
        answers = (*self.messages[1:], Message(ASSISTANT, ""))
        for message, answer in zip(self.messages, answers, strict=True):
            claimed = message.role == USER and answer.content != NOTHING
            if claimed and (found := _claimed(message.content[:READ])):
                return found
        return ""

    @property
    def claim(self) -> Claim:
        """The thesis, read."""
        return read_question(self.thesis)

    @property
    def last(self) -> str:
        """The user's last message, its end where it is long."""
        return self.messages[-1].content[-READ:]

    @property
    def turn(self) -> int:
        """How often was answered before."""
        return sum(one.role == ASSISTANT for one in self.messages)

    @cached_property
    def claims(self) -> tuple[str, ...]:
        """The sentences of the last message that say more than the thesis, MOST_CLAIMS at most."""
        subject = telling(self.thesis)
        found = [one for one in sentences_of(self.last) if telling(one) - subject]
        return tuple(one[:READ] for one in found[-MOST_CLAIMS:])

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The sentences that both said until now, the newest first, RECALLED at most."""
        found: list[str] = []
        for message in reversed(self.messages):
            if len(found) < RECALLED:
                found += sentences_of(message.content[-READ:])[::-1]
        return tuple(found[:RECALLED])

    @property
    def asks_opinion(self) -> bool:
        """Whether the last message asks for the partner's side."""
        return bool(_OPINION.search(self.last.lower().replace("’", "'")))

    @property
    def yields(self) -> bool:
        """Whether the last message gives in: it begins so, and nothing turns it afterwards.

        Or it says that the contrary of the thesis should be.
        """
        last = plain(self.last)
        return (bool(_YIELDING.match(last)) and not _TURNING.search(last)) or self._contrary

    @property
    def _contrary(self) -> bool:
        own = self.claim
        for one in sentences_of(self.last):
            claim = read_question(one)
            about = claim.directed and {*own.subject} <= {*claim.subject}
            if WISH.search(one) and about and "?" not in one and accord(own, claim) < 0:
                return True
        return False


def _claimed(text: str) -> str:
    claims = [one for one in sentences_of(text) if telling(one) and read_question(one).subject]
    sided = [one for one in claims if read_question(one).sided]
    wished = [one for one in sided if WISH.search(one)]
    found = (wished or sided or [""])[0]
    concluded = _SO.split(found)[-1]
    return (concluded if read_question(concluded).directed else found)[:CLAIM_READ]
