"""What can be wrong with a corpus, said in one line."""

from __future__ import annotations

from argsearch.indexer.errors import ArgsearchError

SHOWN_CHARACTERS = 60
"""Characters of a bad value that a message shows."""


class CorpusError(ArgsearchError):
    """A source that cannot be read on: where, what was found, what is allowed, the remedy."""

    def __init__(self, source: str, position: str, problem: str) -> None:
        where = f"{source}: {position}" if position else source
        super().__init__(" ".join(f"{where}: {problem}".split()))
        self.source = source
        self.position = position
        self.problem = problem


class DocumentFault(ValueError):
    """One bad document; the rest of its source can still be read.

    `kind` is the part at fault (`json`, `id`, `conclusion`, `premises`, `stance`, `context`,
    `row`, `encoding`, `document`): the name under which a report counts it.
    """

    def __init__(self, kind: str, problem: str) -> None:
        super().__init__(problem)
        self.kind = kind
        self.problem = problem


class StreamFault(ValueError):
    """A broken container: cut off, damaged or of another kind. Nothing after it can be read."""


def shown(value: object) -> str:
    """The value as Python writes it, in ASCII, shortened to `SHOWN_CHARACTERS` characters.

    >>> shown("maybe")
    "'maybe'"
    """
    text = ascii(value[: 2 * SHOWN_CHARACTERS] if isinstance(value, str | bytes | list) else value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
