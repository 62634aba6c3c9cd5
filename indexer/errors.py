"""The errors a user can meet: each names the bad value, what is allowed and the remedy."""

from __future__ import annotations

from pathlib import PurePath

from argsearch.ranking.errors import ArgsearchError, brief, short

__all__ = ["ArgsearchError", "InvalidParameter", "Missing", "MissingExtra", "brief", "short"]
RENAMED = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of 0.1, and what they are called now: refused with the new word."""


def _repeated(value: object) -> str:
    """A value as Python writes it, shortened; its type where Python cannot (5,000 digits)."""
    try:
        return short(repr(str(value) if isinstance(value, PurePath) else value))
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Missing:
    """Says in an error that a value was not given; None is what was given as null."""

    def __repr__(self) -> str:
        return "missing"


class InvalidParameter(ArgsearchError, ValueError):
    """A value outside its range or an unknown name; the caller's words are wrong (exit code 2)."""

    exit_code = 2

    def __init__(self, parameter: str, value: object, allowed: str) -> None:
        super().__init__(f"{short(parameter)} is {_repeated(value)}; allowed: {allowed}")
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
