"""`argsearch run`: topics in, a TREC run file out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from argsearch.api.cli import options, terminal
from argsearch.api.cli.stopping import signals_first
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.server.address import mask

if TYPE_CHECKING:
    from argsearch.engine import Engine
    from argsearch.engine.config import Config
    from argsearch.lab.runs.topics import Topic


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
    signals: Path | None = None


def run(
    topics: Annotated[
        str,
        options.argument("TOPICS", "Touché XML, TSV (qid<TAB>text), JSON Lines, or irds:NAME."),
    ],
    index: options.Index,
    out: Annotated[Path, options.option("--out RUN", "The run file; .gz by its name.")],
    k: options.Depth = 1000,
    tag: options.Tag = None,
    text: options.TopicField = "title",
    config: options.Config = "default",
    settings: options.Settings = None,
    unit: options.Unit = "arguments",
    signals: Annotated[
        Path | None,
        options.option(
            "--signals FILE",
            "Write every argument's factors and columns too: .svm or .txt (SVMlight), .csv.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Rank for every topic; write a TREC run.

    An ir-metadata.yml that says how the run was made is written beside it.

    Example: argsearch run topics.xml --index my-index --config heimdall-2021 --out run.txt.gz
    """
    asked = (topics, index, out, k, tag, text, config, tuple(settings or ()), quiet, unit, signals)
    write(RunRequest(*asked))


def write(request: RunRequest) -> Path:
    """Do the run; prints the run file's path and returns it."""
    from argsearch.engine import Engine
    from argsearch.engine.config import load_config
    from argsearch.lab.runs import read_topics, write_metadata
    from argsearch.lab.runs.making import describe_run

    if request.signals is not None and request.unit != "arguments":
        raise InvalidParameter("--unit", request.unit, "arguments with --signals")
    config = load_config(request.config, request.settings)
    tag = request.tag or f"argsearch-{config.name}"
    topics = read_topics(request.topics)
    engine = Engine.open(request.index)
    started = datetime.now(UTC)
    try:
        with signals_first():
            lines = _write(request, engine, topics, config, tag)
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


def _write(
    request: RunRequest, engine: Engine, topics: list[Topic], config: Config, tag: str
) -> int:
    """Write the run's lines and, where they are asked for, the signals; returns how many."""
    from argsearch.lab.runs import write_run
    from argsearch.lab.runs.making import rank_topics
    from argsearch.lab.runs.signals import written

    asked = {"field": request.field, "unit": request.unit}
    with ExitStack() as stack:
        signals = None
        if request.signals is not None:
            ids = [topic.query_id for topic in topics]
            signals = stack.enter_context(written(request.signals, engine.columns, ids))
        bar = terminal.Progress("topics", total=len(topics), quiet=request.quiet)
        progress, noted = stack.enter_context(bar), set[str]()

        def told(done: int, notes: Sequence[str]) -> None:
            """Show how far the run is, and each note once."""
            for note in dict.fromkeys(notes):
                if note not in noted:
                    noted.add(note)
                    progress.note(note)
            progress.update("topics", done)

        rankings = rank_topics(
            engine, topics, config, request.k, **asked, signals=signals, progress=told
        )
        return write_run(request.out, rankings, tag)
