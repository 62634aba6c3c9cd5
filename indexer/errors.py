"""The errors a user can meet: each names the bad value, what is allowed and the remedy."""

from __future__ import annotations

LONGEST_VALUE = 200
"""Characters of a bad value that are repeated."""

RENAMED = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of 0.1, and what they are called now: refused with the new word."""


def short(text: str) -> str:
    """A text, cut after LONGEST_VALUE characters."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


class ArgsearchError(Exception):
    """Something a user can mend; its message is one line and complete in itself.

    What a line cannot show (line ends, control characters, marks that turn its direction) is
    escaped.
    """

    exit_code = 1

    def __str__(self) -> str:
        said = super().__str__()
        if said.isprintable():
            return said
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)


class InvalidParameter(ArgsearchError, ValueError):
    """A value outside its range or an unknown name; the caller's words are wrong (exit code 2)."""

    exit_code = 2

    def __init__(self, parameter: str, value: object, allowed: str) -> None:
        super().__init__(f"{short(parameter)} is {short(repr(value))}; allowed: {allowed}")
        self.parameter = parameter
        self.value = value
        self.allowed = allowed


class MissingExtra(ArgsearchError):
    """A part that an optional extra installs is needed and absent."""

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(
            f"{part} is not installed; install it from the project's folder with: "
            f"pip install -e '.[{extra}]'"
        )
        self.part = part
        self.extra = extra
