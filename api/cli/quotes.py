"""`argsearch points` and `challenge`: answers with quotes from an index."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

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

Stance = Annotated[str | None, of(p.STANCE, "--stance")]
POINTS_FORMATS = ("table", "json", "markdown", "argdown", "cards")
PointsForm = Annotated[str, of(p.FORMAT.but(choices=POINTS_FORMATS), "--format")]
About = Annotated[str | None, of(p.ABOUT, "--about CLAIM")]
Side = Annotated[str | None, of(p.AUTHOR_SIDE, "--side")]
Quoted = Annotated[int, of(p.QUOTES_PER_SIDE, "-k K")]


def points(
    query: str = argument("QUERY", "The question, or keywords."),
    index: Index = ...,  # type: ignore[assignment]
    config: UsualConfig = None,
    settings: Settings = None,
    where: Where = None,
    stance: Stance = None,
    collapse: bool | None = option(
        "--collapse/--no-collapse",
        "Read only the best of several near-duplicates (on if the index has that part).",
        None,
    ),
    fingerprint: Fingerprint = None,
    config_sha256: Configured = None,
    explain: bool = option("--explain", "Show why quotes belong together.", False),
    form: PointsForm = "table",
    quiet: Quiet = False,
) -> None:
    """Show the points made on each side, with their frequencies and quotes.

    Example: argsearch points 'should homework be banned' --index my-index --format markdown
    """
    from argsearch.api import quotes
    from argsearch.engine import Engine

    with Engine.open(index) as engine:
        found = engine.key_points(
            query,
            config=config,
            overrides=tuple(settings or ()),
            where=tuple(where or ()),
            stance=stance,
            collapse=collapse,
            fingerprint=fingerprint,
            config_sha256=config_sha256,
        )
        _say(found.notes, quiet)
        if form == "json":
            terminal.write_json(quotes.points_to_dict(found, explain))
        elif form in quotes.TEXTS_OF_POINTS:
            sys.stdout.write(quotes.TEXTS_OF_POINTS[form][1](found))
        else:
            _print(quotes.points_to_lines(found, explain))


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
    explain: bool = option("--explain", "Show why each quote was chosen.", False),
    form: str = choice(
        "--format", ("table", "json", "markdown"), "The format of the answer.", "table"
    ),
    quiet: Quiet = False,
) -> None:
    """Show arguments against and for the position of a text.

    If they are not given, the text's subject and its author's side are read from the text.

    Example: argsearch challenge essay.txt --index my-index --about 'zoos should be abolished'
    """
    from argsearch.api import quotes
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
    _say(found.notes, quiet)
    if form == "json":
        terminal.write_json(quotes.challenge_to_dict(found, explain))
    elif form == "markdown":
        sys.stdout.write(quotes.challenge_to_markdown(found))
    else:
        _print(quotes.challenge_to_lines(found, explain))


def _say(notes: Iterable[str], quiet: bool) -> None:
    for note in notes:
        terminal.say(f"note: {note}", quiet=quiet)


def _print(lines: Iterable[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


def _read(file: str) -> str:
    """Return the text of a file or of standard input. Raises InvalidParameter or OSError."""
    content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        # Editors on Windows write a byte order mark first, which is not part of the text.
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"FILE {file} must be UTF-8, but byte {error.start} is not"
        raise InvalidParameter("FILE", file, problem=problem) from error
    if not text.strip():
        raise InvalidParameter("FILE", file, "a text with at least one word; this one is empty")
    return text
