"""The base of the errors that a user can meet: one line each, whatever it repeats."""

from __future__ import annotations

import re

LONGEST_VALUE = 200
"""Characters of a bad value that are repeated."""
LONGEST_WORD = 400
"""Characters of a word (such as a path) of a message."""
LONGEST_MESSAGE = 1500
"""Characters of a message."""
_LONG_WORD = re.compile(rf"(?<!\S)\S{{{LONGEST_WORD + 1},}}")


def short(text: str) -> str:
    """A text, cut after LONGEST_VALUE characters."""
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def brief(message: str) -> str:
    """A message; a word of it that is too long lacks its middle, and so does the whole."""
    message = _LONG_WORD.sub(lambda word: _ends(word[0], LONGEST_WORD), message)
    return message if len(message) <= LONGEST_MESSAGE else _ends(message, LONGEST_MESSAGE)


def _ends(text: str, most: int) -> str:
    return f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


class ArgsearchError(Exception):
    """Something a user can fix; its message is one line and complete in itself.

    Characters that a line cannot show (line ends, control characters, marks that turn its
    direction) are escaped, and long texts are shortened.
    """

    exit_code = 1

    def __str__(self) -> str:
        said = super().__str__()
        if not said.isprintable():
            said = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)
        return brief(said)
