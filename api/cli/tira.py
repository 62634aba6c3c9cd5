"""`argsearch tira`: the form in which the shared tasks run software."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from argsearch.api.cli import options
from argsearch.api.cli.run import RunRequest, write
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.staging import scratch_folder

TOPICS = ("topics.xml", "queries.xml", "queries.jsonl", "topics.jsonl", "queries.tsv", "topics.tsv")
"""Names of topic files in an input folder, in the order of preference."""
CORPORA = ("args-me.json", "documents.jsonl", "corpus.jsonl", "args-me.jsonl")
"""Names of corpora in an input folder, plain or compressed."""
PACKED = ("", ".gz", ".xz", ".zst", ".zip")

_EPILOG = "Example: argsearch tira --index my-index --input input --output output"


class InputError(ArgsearchError):
    """An input folder lacks what a run needs."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EPILOG)(tira)


def tira(
    input_: Annotated[
        Path | None,
        typer.Option("--input", metavar="DIR", help="Folder of the topics; $inputDataset else."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Folder for run.txt; $outputDir else."),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            "--index",
            metavar="INDEX",
            help="The index; without it, the corpus in the input folder is indexed for this run.",
        ),
    ] = None,
    k: options.Depth = 1000,
    tag: options.Tag = None,
    text: options.TopicField = "title",
    config: options.Config = "default",
    settings: options.Settings = None,
    quiet: options.Quiet = False,
) -> None:
    """Write run.txt as the shared tasks (TIRA) ask for it."""
    source = _folder("--input", input_, "inputDataset")
    target = _folder("--output", output, "outputDir", make=True)
    topics = _find(source, TOPICS, ("",), "topics")
    request = RunRequest(
        str(topics), "", target / "run.txt", k, tag, text, config, tuple(settings or ()), quiet
    )
    if index is not None:
        _write(request, index)
        return
    corpus = _find(source, CORPORA, PACKED, "corpus (or give --index)")
    with scratch_folder(".index-", target) as folder:
        _write(request, _build(corpus, folder / "index", request))


def _write(request: RunRequest, index: str) -> None:
    from dataclasses import replace

    write(replace(request, index=index))


def _build(corpus: Path, out: Path, request: RunRequest) -> str:
    from argsearch.api.cli import terminal
    from argsearch.engine.config import load_config
    from argsearch.indexer.build.build import BuildRequest, build

    config = load_config(request.config, request.settings)
    with terminal.Progress("documents", quiet=request.quiet) as progress:
        build(BuildRequest([str(corpus)], out, config.index, config.name), progress.update)
    return str(out)


def _folder(option: str, given: Path | None, variable: str, *, make: bool = False) -> Path:
    value = given or (Path(os.environ[variable]) if os.environ.get(variable) else None)
    if value is None:
        raise InvalidParameter(option, None, f"a folder (or set ${variable})")
    if make:
        value.mkdir(parents=True, exist_ok=True)
    if not value.is_dir():
        raise InvalidParameter(option, str(value), "a folder that exists")
    return value


def _find(folder: Path, names: tuple[str, ...], endings: tuple[str, ...], what: str) -> Path:
    for name in names:
        for ending in endings:
            if (path := folder / f"{name}{ending}").is_file():
                return path
    raise InputError(f"{folder} holds no {what}; expected one of: {', '.join(names)}")
