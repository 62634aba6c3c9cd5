"""Errors that users can see; each names the bad value, the allowed values and the remedy."""

from __future__ import annotations

from pathlib import PurePath

from argsearch.ranking.errors import ArgsearchError, brief, short

__all__ = ["ArgsearchError", "InvalidParameter", "Missing", "MissingExtra", "brief", "short"]
NEW_NAMES = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of version 0.1, with the new names that errors give."""


def _repeated(value: object) -> str:
    """Return the shortened repr of a value, or its type if Python cannot write it."""
    try:
        return short(repr(str(value) if isinstance(value, PurePath) else value))
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Missing:
    """Represents in an error a value that was not given; None represents an explicit null."""

    def __repr__(self) -> str:
        return "missing"


class InvalidParameter(ArgsearchError, ValueError):
    """The caller gave a value outside its range or an unknown name (exit code 2)."""

    exit_code = 2

    def __init__(self, parameter: str, value: object, allowed: str) -> None:
        super().__init__(f"{short(parameter)} is {_repeated(value)}; allowed: {allowed}")
        self.parameter = parameter
        self.value = value
        self.allowed = allowed


class MissingExtra(ArgsearchError):
    """A component that comes with an optional extra is needed but not installed."""

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(
            f"{part} is not installed; install it with: pip install 'argument-search[{extra}]'"
        )
        self.part = part
        self.extra = extra
