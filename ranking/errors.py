"""The base class of all errors that a user can encounter; the class keeps error messages short."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST_VALUE = 200
"""Maximum number of characters of an invalid value that a message repeats."""
LONGEST_WORD = 400
"""Maximum number of characters of a word (such as a path) in a message."""
LONGEST_MESSAGE = 1500
"""Maximum length of a message, in characters."""
_LONG_WORD = re.compile(rf"(?<!\S)\S{{{LONGEST_WORD + 1},}}")


def short(text: str) -> str:
    """Return a text, cut after LONGEST_VALUE characters."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def brief(message: str) -> str:
    """Cut the middle out of long words, and out of the message if it is still too long."""
    message = _LONG_WORD.sub(lambda word: _ends(word[0], LONGEST_WORD), message)
    return message if len(message) <= LONGEST_MESSAGE else _ends(message, LONGEST_MESSAGE)


def either(names: Iterable[object]) -> str:
    """Return names as a choice: a, b or c. Without any: nothing."""
    *others, last = [*map(str, names)] or ["nothing"]
    return f"{', '.join(others)} or {last}" if others else last


def _ends(text: str, most: int) -> str:
    return f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


class ArgsearchError(Exception):
    """An error that the user can fix. Its message is a single line that needs no other context.

    Line ends, control characters and marks that change the direction of text are escaped, and long
    texts are shortened.
    """

    exit_code = 1

    def __str__(self) -> str:
        said = super().__str__()
        if not said.isprintable():
            said = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)
        return brief(said)
