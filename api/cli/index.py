"""`argsearch index`: from a corpus to an index."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import options, terminal
from indexer.remote.address import is_address, mask

if TYPE_CHECKING:
    from engine.config import Config
    from indexer.build import BuildReport, BuildRequest

SMALL = 20_000_000
"""Bytes of input up to which one process is the fastest."""
MOST_WORKERS = 8

_EPILOG = "Example: argsearch index args-me.json --out my-index"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(index)


Corpus = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS",
        help="args.me JSON, JSON Lines or CSV (plain, .gz, .xz, .zst, .zip), irds:NAME, or - "
        "for JSON Lines on standard input.",
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        metavar="INDEX",
        help="Where the index is to be: a directory, or http(s)://host:port/name.",
    ),
]
OnError = Annotated[
    str,
    typer.Option(
        "--on-error", metavar="stop|skip", help="What a bad document does: stop, or be skipped."
    ),
]
Shards = Annotated[int, typer.Option(metavar="N", help="Shards of an index on a search server.")]
Replicas = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Copies of each shard; by default one where there are two nodes."
    ),
]


def index(
    corpus: Corpus,
    out: Out,
    config: options.Config = "default",
    settings: options.Settings = None,
    on_error: OnError = "stop",
    workers: options.Workers = None,
    shards: Shards = 1,
    replicas: Replicas = None,
    quiet: options.Quiet = False,
) -> None:
    """Build an index: read a corpus, add clusters and quality."""
    from engine.config import load_config
    from indexer.build import BuildRequest
    from indexer.errors import InvalidParameter

    if on_error not in ("stop", "skip"):
        raise InvalidParameter("--on-error", on_error, "stop, skip")
    chosen = load_config(config, tuple(settings or ()))
    request = BuildRequest(
        sources=corpus,
        out=Path(out),
        settings=chosen.index,
        config=chosen.name,
        on_error="skip" if on_error == "skip" else "stop",
        workers=workers_for(corpus) if workers is None else workers,
    )
    _run(request, out, (shards, replicas), chosen, quiet)


def _run(
    request: BuildRequest, out: str, spread: tuple[int, int | None], config: Config, quiet: bool
) -> None:
    """Build with progress, then report on standard error, and print index and fingerprint."""
    begun, name = time.monotonic(), mask(out)
    try:
        with terminal.Progress("documents", quiet=quiet) as progress:
            report, size = _build(request, out, spread, config, progress)
    except KeyboardInterrupt:
        terminal.say(_left_behind(out), quiet=quiet)
        raise
    for line in _summary(report):
        terminal.say(line, quiet=quiet)
    terminal.say(f"{name}: {size} in {time.monotonic() - begun:,.1f} s", quiet=quiet)
    print(f"{name}\t{report.fingerprint}")


def _build(
    request: BuildRequest,
    out: str,
    spread: tuple[int, int | None],
    config: Config,
    progress: terminal.Progress,
) -> tuple[BuildReport, str]:
    """Build a directory, or an index on a search server; the report, and its size in words."""
    if not is_address(out):
        from indexer.build import build

        report = build(request, progress.update)
        size = sum(path.stat().st_size for path in report.out.rglob("*") if path.is_file())
        return report, f"{size / 1e6:,.1f} MB"
    from indexer.remote.schema import Layout
    from indexer.writers import elasticsearch

    layout = Layout(shards=spread[0], replicas=spread[1], mu=config.retrieval.mu)
    report, written = elasticsearch.build(request, out, layout, progress.update)
    return report, f"{written.documents:,} documents, {written.retried:,} sent again,"


def workers_for(corpus: Sequence[str]) -> int:
    """One process for small inputs (or inputs of unknown size), else one a core."""
    size = sum(Path(source).stat().st_size for source in corpus if Path(source).is_file())
    packed = any(source.endswith((".gz", ".xz", ".zst", ".zip")) for source in corpus)
    if size * (5 if packed else 1) < SMALL:
        return 1
    return max(1, min(MOST_WORKERS, len(os.sched_getaffinity(0))))


def _left_behind(out: str) -> str:
    there = is_address(out) or Path(out).exists()
    state = "an index that was there is unchanged" if there else "there is no index"
    return f"the build of {mask(out)} was stopped; its partial files were removed, {state}"


def _summary(report: BuildReport) -> list[str]:
    counts = report.counts
    return [
        *report.read.summary(),
        f"{counts['terms']:,} terms, {counts['postings']:,} postings, "
        f"{counts['conclusions']:,} distinct conclusions in {counts['clusters']:,} clusters",
    ]
