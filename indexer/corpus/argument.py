"""The Argument model: one document of an args.me corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Stance(StrEnum):
    """A premise's stance towards its conclusion."""

    PRO = "PRO"
    CON = "CON"


@dataclass(frozen=True, slots=True)
class Premise:
    """A premise: its text and its stance towards the conclusion (None if unknown)."""

    text: str
    stance: Stance | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """An args.me document; `context` is the portal's, unchanged, and must not be modified."""

    id: str
    conclusion: str | None
    premises: tuple[Premise, ...]
    context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def premise(self) -> str:
        """The premises' texts, joined by a space; the quality of this text is predicted (H21)."""
        return " ".join(premise.text for premise in self.premises)

    @property
    def text(self) -> str:
        """The indexed text (H21): the joined premises, a space, and the conclusion (if any)."""
        return f"{self.premise} {self.conclusion}" if self.conclusion else self.premise

    @property
    def stance(self) -> Stance | None:
        """The premises' common stance; None if there is none or the premises disagree."""
        stances = {premise.stance for premise in self.premises}
        return stances.pop() if len(stances) == 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return the document in args.me's own form."""
        return {
            "id": self.id,
            "conclusion": self.conclusion,
            "premises": [
                {"text": p.text, "stance": p.stance and p.stance.value} for p in self.premises
            ],
            "context": dict(self.context),
        }
