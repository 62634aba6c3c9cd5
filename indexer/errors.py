"""The errors a user can meet: each names the bad value, what is allowed and the remedy."""

from __future__ import annotations

import re

LONGEST_VALUE = 200
"""Characters of a bad value that are repeated."""
LONGEST_WORD = 400
"""Characters of a word (such as a path) of a message."""
LONGEST_LINE = 1500
"""Characters of a message."""
_LONG_WORD = re.compile(rf"(?<!\S)\S{{{LONGEST_WORD + 1},}}")

RENAMED = {"fold": "collapse", "copies": "near_duplicates"}
"""Parameters and parts of 0.1, and what they are called now: refused with the new word."""


def short(text: str) -> str:
    """A text, cut after LONGEST_VALUE characters."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def brief(message: str) -> str:
    """A message; a word of it that is too long lacks its middle, and so does the whole."""
    message = _LONG_WORD.sub(lambda word: _ends(word[0], LONGEST_WORD), message)
    return message if len(message) <= LONGEST_LINE else _ends(message, LONGEST_LINE)


def _ends(text: str, most: int) -> str:
    return f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


def _repeated(value: object) -> str:
    """A value as Python writes it, shortened; its type where Python cannot (5,000 digits)."""
    try:
        return short(repr(value))
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to be shown"


class Missing:
    """Says in an error that a value was not given; None is what was given as null."""

    def __repr__(self) -> str:
        return "missing"


class ArgsearchError(Exception):
    """Something a user can mend; its message is one line and complete in itself.

    What a line cannot show (line ends, control characters, marks that turn its direction) is
    escaped, and what is too long shortened.
    """

    exit_code = 1

    def __str__(self) -> str:
        said = super().__str__()
        if not said.isprintable():
            said = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)
        return brief(said)


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
