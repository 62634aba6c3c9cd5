"""Errors that users can see; each names the bad value, the allowed values and the remedy."""

from __future__ import annotations

from pathlib import PurePath

from argsearch.ranking.errors import ArgsearchError, brief, either, short

__all__ = ["ArgsearchError", "InvalidParameter", "MissingExtra", "brief", "either", "short"]
NEW_NAMES = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of version 0.1, and the new names that errors suggest."""


def _repeated(value: object) -> str:
    """Return the shortened repr of a value, or its type if repr fails."""
    try:
        return short(repr(str(value) if isinstance(value, PurePath) else value))
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Missing:
    """Stands for a value that was not given, in an error; None represents an explicit null."""

    def __repr__(self) -> str:
        return "missing"


def refusal(parameter: str, value: str | None, allowed: str) -> str:
    """Return the error message for a value. Advice may follow in `allowed`, after a semicolon.

    value: as shown in the message; None: no value was given.
    """
    wanted, semicolon, advice = allowed.partition("; ")
    end = f"{semicolon}{advice}"
    if value is None:
        return f"{parameter} is missing; it must be {wanted}{end}"
    return f"{parameter} must be {wanted}, not {value}{end}"


class InvalidParameter(ArgsearchError, ValueError):
    """The caller gave a value outside its range or an unknown name (exit code 2)."""

    exit_code = 2

    def __init__(self, parameter: str, value: object, allowed: str = "", problem: str = "") -> None:
        """Compose the message; `problem` is a whole sentence for what `refusal` cannot express."""
        shown = None if isinstance(value, Missing) else _repeated(value)
        super().__init__(problem or refusal(short(parameter), shown, allowed))
        self.parameter = parameter
        self.value = value
        self.allowed = allowed or problem
        self.problem = problem


class MissingExtra(ArgsearchError):
    """A component that comes with an optional extra is needed but not installed."""

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(
            f"{part} is not installed; install it with: pip install 'argument-search[{extra}]'"
        )
        self.part = part
        self.extra = extra
