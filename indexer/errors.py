"""Errors that a user can meet: each names the bad value, the allowed values and the remedy."""

from __future__ import annotations

import re

LONGEST_VALUE = 200
"""Number of characters of a bad value that a message repeats."""
LONGEST_WORD = 400
"""Largest number of characters of a word (such as a path) in a message."""
LONGEST_MESSAGE = 1500
"""Largest number of characters of a message."""
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")

NEW_NAMES = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of version 0.1 and their new names; an error gives the new name."""


def short(text: str) -> str:
    """Return a text, cut after LONGEST_VALUE characters."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def brief(message: str) -> str:
    """Return a message; a word that is too long loses its middle, as does a message too long."""
    message = _LONG_WORD.sub(lambda word: _ends(word[0], LONGEST_WORD), message)
    return message if len(message) <= LONGEST_MESSAGE else _ends(message, LONGEST_MESSAGE)


def _ends(text: str, most: int) -> str:
    return f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


def _repeated(value: object) -> str:
    """Return the shortened repr of a value, or its type if Python cannot write it."""
    try:
        return short(repr(value))
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Missing:
    """Stands in an error for a value that was not given; None stands for an explicit null."""

    def __repr__(self) -> str:
        return "missing"


class ArgsearchError(Exception):
    """An error that the user can fix; its message is one complete line.

    The message escapes characters that a line cannot show (line ends, control characters, marks
    that change the text direction) and shortens anything too long.
    """

    exit_code = 1

    def __str__(self) -> str:
        said = super().__str__()
        if not said.isprintable():
            said = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)
        return brief(said)


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
            f"{part} is not installed; install it from the project's folder with: "
            f"pip install -e '.[{extra}]'"
        )
        self.part = part
        self.extra = extra
