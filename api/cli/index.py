"""`argsearch index`: from a corpus to an index."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import options, terminal

if TYPE_CHECKING:
    from indexer.build import BuildReport

SMALL = 20_000_000
"""Bytes of input up to which one process is the fastest."""
MOST_WORKERS = 8

_EPILOG = "Example: argsearch index args-me.json --out my-index"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(index)


def index(
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS",
            help="args.me JSON, JSON Lines or CSV (plain, .gz, .xz, .zst, .zip), irds:NAME, or - "
            "for JSON Lines on standard input.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", metavar="INDEX", help="Where the index is to be.")],
    config: options.Config = "default",
    settings: options.Settings = None,
    on_error: Annotated[
        str,
        typer.Option(
            "--on-error", metavar="stop|skip", help="What a bad document does: stop, or be skipped."
        ),
    ] = "stop",
    workers: options.Workers = None,
    quiet: options.Quiet = False,
) -> None:
    """Build an index: read a corpus, add clusters and quality."""
    from engine.config import load_config
    from indexer.build import BuildRequest, build
    from indexer.errors import InvalidParameter

    if on_error not in ("stop", "skip"):
        raise InvalidParameter("--on-error", on_error, "stop, skip")
    if out.startswith(("http://", "https://")):
        raise InvalidParameter("--out", out, "a directory")
    chosen = load_config(config, tuple(settings or ()))
    request = BuildRequest(
        sources=corpus,
        out=Path(out),
        settings=chosen.index,
        config=chosen.name,
        on_error="skip" if on_error == "skip" else "stop",
        workers=_workers(corpus) if workers is None else workers,
    )
    begun = time.monotonic()
    try:
        with terminal.Progress("documents", quiet=quiet) as progress:
            report = build(request, progress.update)
    except KeyboardInterrupt:
        terminal.say(_left_behind(request.out), quiet=quiet)
        raise
    for line in _summary(report, time.monotonic() - begun):
        terminal.say(line, quiet=quiet)
    print(f"{report.out}\t{report.fingerprint}")


def _workers(corpus: list[str]) -> int:
    """One process for small inputs (or inputs of unknown size), else one a core."""
    size = sum(Path(source).stat().st_size for source in corpus if Path(source).is_file())
    packed = any(source.endswith((".gz", ".xz", ".zst", ".zip")) for source in corpus)
    if size * (5 if packed else 1) < SMALL:
        return 1
    return max(1, min(MOST_WORKERS, len(os.sched_getaffinity(0))))


def _left_behind(out: Path) -> str:
    state = "the index that was there is unchanged" if out.exists() else "there is no index"
    return f"the build of {out} was stopped; its partial files were removed, {state}"


def _summary(report: BuildReport, seconds: float) -> list[str]:
    files = [path for path in report.out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    counts = report.counts
    return [
        *report.read.summary(),
        f"{counts['terms']:,} terms, {counts['postings']:,} postings, "
        f"{counts['conclusions']:,} distinct conclusions in {counts['clusters']:,} clusters",
        f"{report.out}: {size / 1e6:,.1f} MB in {seconds:,.1f} s",
    ]
