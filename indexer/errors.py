"""Errors that a user can meet: each names the bad value, the allowed values and the remedy."""

from __future__ import annotations

from pathlib import PurePath

from argsearch.ranking.errors import ArgsearchError, brief, short

__all__ = ["ArgsearchError", "InvalidParameter", "Missing", "MissingExtra", "brief", "short"]
NEW_NAMES = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of version 0.1 and their new names; an error gives the new name."""


def _repeated(value: object) -> str:
    """Return the shortened repr of a value, or its type if Python cannot write it."""
    try:
        return short(repr(str(value) if isinstance(value, PurePath) else value))
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Missing:
    """Stands in an error for a value that was not given; None stands for an explicit null."""

    def __repr__(self) -> str:
        return "missing"


class InvalidParameter(ArgsearchError, ValueError):
    """A value outside its range or an unknown name: a mistake of the caller (exit code 2)."""

    exit_code = 2

    def __init__(self, parameter: str, value: object, allowed: str) -> None:
        super().__init__(f"{short(parameter)} is {_repeated(value)}; allowed: {allowed}")
        self.parameter = parameter
        self.value = value
        self.allowed = allowed


class MissingExtra(ArgsearchError):
    """A component is needed that comes with an optional extra and is not installed."""

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(
            f"{part} is not installed; install it with: pip install 'argument-search[{extra}]'"
        )
        self.part = part
        self.extra = extra
