"""`argsearch challenge`: what speaks against the position of a text, and for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from argsearch.api.cli import terminal
from argsearch.api.cli.options import (
    Configured,
    Fingerprint,
    Index,
    Quiet,
    Settings,
    UsualConfig,
    Where,
    argument,
    choice,
    of,
    option,
)
from argsearch.engine import parameters as p
from argsearch.indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from argsearch.engine.challenge.challenge import Challenge

About = Annotated[str | None, of(p.ABOUT, "--about CLAIM")]
Side = Annotated[str | None, of(p.AUTHOR_SIDE, "--side")]
Quoted = Annotated[int, of(p.QUOTED, "-k K")]


def challenge(
    file: str = argument("FILE", "The text, in UTF-8; - for standard input."),
    index: Index = ...,  # type: ignore[assignment]
    about: About = None,
    side: Side = None,
    k: Quoted = 5,
    config: UsualConfig = None,
    settings: Settings = None,
    where: Where = None,
    fingerprint: Fingerprint = None,
    config_sha256: Configured = None,
    explain: bool = option("--explain", "Whether quotes carry why they are shown.", False),
    form: str = choice(
        "--format", ("table", "json", "markdown"), "The form of the answer.", "table"
    ),
    quiet: Quiet = False,
) -> None:
    """Show what speaks against the position of a text, and for it, in arguments of the index.

    What the text is about, and where its author stands, is read from it where it is not said.

    Example: argsearch challenge essay.txt --index my-index --about 'zoos should be abolished'
    """
    from argsearch.api.challenge import to_dict, to_markdown
    from argsearch.engine import Engine

    text = _read(file)
    with Engine.open(index) as engine:
        found = engine.challenge(
            text,
            about=about,
            side=side,
            k=k,
            config=config,
            overrides=tuple(settings or ()),
            where=tuple(where or ()),
            fingerprint=fingerprint,
            config_sha256=config_sha256,
        )
    for note in found.notes:
        terminal.say(f"note: {note}", quiet=quiet)
    if form == "json":
        terminal.write_json(to_dict(found, explain))
    elif form == "markdown":
        sys.stdout.write(to_markdown(found))
    else:
        sys.stdout.write("\n".join(_lines(found, explain)) + "\n")


def _read(file: str) -> str:
    """The text of a file, or of standard input; raises InvalidParameter, OSError."""
    content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidParameter("FILE", file, f"UTF-8, which byte {error.start} is not") from error
    if not text.strip():
        raise InvalidParameter("FILE", file, "a text with at least one word; it is empty")
    return text


def _lines(found: Challenge, explain: bool) -> Iterator[str]:
    from argsearch.api.challenge import counted, standing
    from argsearch.api.quotes import section_to_lines

    yield f"about: {' '.join(found.about.split()) or 'not known'}"
    if found.side is not None:
        ask = "" if found.opposite else "; say --side for, or against"
        yield f"the text's side: {standing(found)}{ask}"
        yield from (f"  {line}" for line in found.side.explanation.lines() if explain)
    for one in found.sections:
        yield ""
        yield from section_to_lines(one, counted(one), explain)
