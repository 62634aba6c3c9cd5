"""`argsearch run`: topics in, a TREC run file out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from api.cli import options, terminal
from indexer.errors import InvalidParameter
from indexer.server.address import mask

FIELDS = ("title", "description", "narrative")

_EPILOG = (
    "Example: argsearch run topics.xml --index my-index --config heimdall-2021 --out run.txt.gz"
)


@dataclass(frozen=True)
class RunRequest:
    """Topics, index, configuration and where the run goes."""

    topics: str
    index: str
    out: Path
    k: int = 1000
    tag: str | None = None
    field: str = "title"
    """The text of a topic that is searched for."""
    config: str = "default"
    settings: Sequence[str] = ()
    quiet: bool = False
    unit: str = "arguments"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(run)


def run(
    topics: Annotated[
        str,
        typer.Argument(
            metavar="TOPICS",
            help="Touché XML, TSV (qid<TAB>text), JSON Lines, or irds:NAME.",
        ),
    ],
    index: options.Index,
    out: Annotated[
        Path, typer.Option("--out", metavar="RUN", help="The run file; .gz by its name.")
    ],
    k: options.Depth = 1000,
    tag: options.Tag = None,
    text: options.TopicField = "title",
    config: options.Config = "default",
    settings: options.Settings = None,
    unit: options.Unit = "arguments",
    quiet: options.Quiet = False,
) -> None:
    """Rank for every topic; write a TREC run.

    An ir-metadata.yml that says how the run was made is written beside it.
    """
    given = (str(topics), index, out, k, tag, text, config, tuple(settings or ()), quiet, unit)
    write(RunRequest(*given))


def write(request: RunRequest) -> Path:
    """Do the run; prints the run file's path and returns it."""
    from engine import Engine
    from engine.config import load_config
    from engine.lab.runs import read_topics, write_metadata, write_run
    from engine.lab.runs.making import describe_run, rank_topics

    if request.field not in FIELDS:
        raise InvalidParameter("--field", request.field, ", ".join(FIELDS))
    config = load_config(request.config, request.settings)
    tag = request.tag or f"argsearch-{config.name}"
    topics = read_topics(request.topics)
    engine = Engine.open(request.index)
    started = datetime.now(UTC)
    try:
        with terminal.Progress("topics", total=len(topics), quiet=request.quiet) as progress:
            told = _Told(progress)
            asked = {"field": request.field, "unit": request.unit}
            rankings = rank_topics(engine, topics, config, request.k, **asked, progress=told)
            lines = write_run(request.out, rankings, tag)
    except KeyboardInterrupt:
        terminal.say(f"{request.out} was not written", quiet=request.quiet)
        raise
    command = mask(shlex.join(["argsearch", *sys.argv[1:]]))
    record = describe_run(engine, config, request.topics, tag=tag, command=command)
    path = write_metadata(request.out, replace(record, started=started, ended=datetime.now(UTC)))
    terminal.say(
        f"{lines:,} lines for {len(topics):,} topics; described in {path.name}", quiet=request.quiet
    )
    print(request.out)
    return request.out


@dataclass
class _Told:
    """Shows how far a run is, and each note once."""

    progress: terminal.Progress
    noted: set[str] = field(default_factory=set)

    def __call__(self, done: int, notes: Sequence[str]) -> None:
        for note in notes:
            if note not in self.noted:
                self.noted.add(note)
                self.progress.note(note)
        self.progress.update("topics", done)
