"""`argsearch debate`: a talk with somebody who argues against what is claimed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from argsearch.api.cli import terminal
from argsearch.api.cli.options import (
    Host,
    Index,
    Quiet,
    Settings,
    UsualConfig,
    Where,
    choice,
    within,
)
from argsearch.indexer.errors import InvalidParameter

if TYPE_CHECKING:
    from argsearch.engine import Engine
    from argsearch.engine.debate.partner import Reply

FORMS = ("text", "json")
HELP = ":sources where the last answer stands, :new another talk, :quit the end"


def debate(
    index: Index,
    config: UsualConfig = None,
    settings: Settings = None,
    where: Where = None,
    serve: int | None = within(
        "--serve PORT",
        0,
        65535,
        "Answer POST / on that port, as the shared task on debating asks; 0 takes a free one.",
        None,
    ),
    host: Host = "127.0.0.1",
    form: str = choice("--format", FORMS, "text, or json: each answer a line.", "text"),
    quiet: Quiet = False,
) -> None:
    """Argue against what is claimed, in sentences of the index alone.

    Reads a message a line from standard input; the first says what is claimed. :sources shows where
    the last answer stands, :new begins another talk, :quit ends it.

    Example: argsearch debate --index my-index
    """
    asked = {"config": config, "overrides": tuple(settings or ()), "where": tuple(where or ())}
    if serve is not None:
        from argsearch.api.cli.serve import serve_debate

        if given := [name for name, value in asked.items() if value]:
            raise InvalidParameter(given[0], asked[given[0]], "without --serve")
        serve_debate(index, host, serve, quiet)
        return
    from argsearch.engine import Engine

    with Engine.open(index) as engine:
        terminal.say(f"say what you claim; {HELP}", quiet=quiet)
        _talk(engine, asked, form)


def _talk(engine: Engine, asked: dict[str, Any], form: str) -> None:
    """Answer each line until there are no more."""
    messages: list[dict[str, str]] = []
    reply: Reply | None = None
    while (line := _heard()) not in (None, ":quit", ":q"):
        if line == ":new":
            messages, reply = [], None
        elif line == ":sources":
            for number, one in enumerate(reply.spoken if reply else (), 1):
                url = f" {one.source.url}" if one.source.url else ""
                print(f"[{number}] {one.id}: {one.source.line}{url}", flush=True)
        elif line and line.startswith(":"):
            terminal.say(HELP)
        elif line:
            messages.append({"role": "user", "content": line})
            reply = engine.debate(messages, **asked)
            messages.append({"role": "assistant", "content": reply.content})
            _say(reply, form)


def _heard() -> str | None:
    """Return the next line without the white space around it, or None at the end."""
    if sys.stdin.isatty():
        sys.stdout.write("> ")
        sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None


def _say(reply: Reply, form: str) -> None:
    if form == "json":
        import orjson

        from argsearch.api.debate import to_dict

        print(orjson.dumps(to_dict(reply)).decode(), flush=True)
        return
    numbered = reply.content
    for number, one in enumerate(reply.spoken, 1):
        numbered = numbered.replace(one.text, f"{one.text} [{number}]", 1)
    print(numbered, flush=True)
