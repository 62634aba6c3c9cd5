"""`argsearch tira`: the form in which the shared tasks run software."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from argsearch.api.cli import options, terminal
from argsearch.api.cli.run import RunRequest, write
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.staging import scratch_folder

TOPICS = ("topics.xml", "queries.xml", "queries.jsonl", "topics.jsonl", "queries.tsv", "topics.tsv")
"""Names of topic files in an input folder, in the order of preference."""
CORPORA = ("args-me.json", "documents.jsonl", "corpus.jsonl", "args-me.jsonl")
"""Names of corpora in an input folder, plain or compressed."""
PACKED = ("", ".gz", ".xz", ".zst", ".zip")


class InputError(ArgsearchError):
    """An input folder lacks what a run needs."""


def tira(
    input_: Annotated[
        Path | None,
        options.option("--input DIR", "Folder of the topics; $inputDataset else."),
    ] = None,
    output: Annotated[
        Path | None,
        options.option("--output DIR", "Folder for run.txt; $outputDir else."),
    ] = None,
    index: Annotated[
        str | None,
        options.option(
            "--index INDEX",
            "The index; without it, the corpus in the input folder is indexed for this run.",
        ),
    ] = None,
    k: options.Depth = 1000,
    tag: options.Tag = None,
    text: options.TopicField = "title",
    config: options.Config = "default",
    settings: options.Settings = None,
    quiet: options.Quiet = False,
) -> None:
    """Write run.txt as the shared tasks (TIRA) ask for it.

    Example: argsearch tira --index my-index --input input --output output
    """
    source = _folder("--input", input_, "inputDataset")
    target = _folder("--output", output, "outputDir", make=True)
    topics = _find(source, TOPICS, ("",), "topics")
    asked = (target / "run.txt", k, tag, text, config, tuple(settings or ()), quiet)
    if index is not None:
        write(RunRequest(str(topics), index, *asked))
        return
    corpus = _find(source, CORPORA, PACKED, "corpus (or give --index)")
    with scratch_folder(".index-", target) as folder:
        request = RunRequest(str(topics), str(folder / "index"), *asked)
        _build(corpus, request)
        write(request)


def _build(corpus: Path, request: RunRequest) -> None:
    from argsearch.engine.config import load_config
    from argsearch.indexer.build.build import BuildRequest, build

    config = load_config(request.config, request.settings)
    with terminal.Progress("documents", quiet=request.quiet) as progress:
        wanted = BuildRequest([str(corpus)], request.index, config.index, config.name)
        build(wanted, progress.update)


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
