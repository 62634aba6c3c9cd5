"""`argsearch run` and `tira`: write a TREC run file for topics."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from argsearch.api.cli import terminal
from argsearch.api.cli.options import Config, Index, Quiet, Settings, argument, choice, of, option
from argsearch.engine.parameters import K
from argsearch.indexer.errors import ArgsearchError, InvalidParameter, Missing, either
from argsearch.indexer.server.address import mask

if TYPE_CHECKING:
    from argsearch.engine import Engine
    from argsearch.engine.config import Config as Configuration
    from argsearch.lab.runs.topics import Topic

TOPICS = ("topics.xml", "queries.xml", "queries.jsonl", "topics.jsonl", "queries.tsv", "topics.tsv")
"""Names of topic files in an input folder, in order of preference."""
CORPUS_FILES = ("args-me.json", "documents.jsonl", "corpus.jsonl", "args-me.jsonl")
"""Names of corpus files in an input folder, plain or compressed."""
LONGEST_ROW = 1 << 16
"""Maximum number of bytes read from the first line of a run."""
COMPRESSION_SUFFIXES = ("", ".gz", ".xz", ".zst", ".zip")
Depth = Annotated[int, of(K.but(doc="Maximum number of arguments per topic."), "-k K")]
Tag = Annotated[str | None, option("--tag T", "The run's tag; argsearch-CONFIG by default.")]
TopicField = Annotated[
    str,
    choice(
        "--field",
        ("title", "description", "narrative"),
        "Topic field to use as the query; the title if it is missing.",
    ),
]


class InputError(ArgsearchError):
    """An input folder lacks a file that a run needs."""


@dataclass(frozen=True)
class RunRequest:
    """The topics, index, configuration and output file of a run."""

    topics: str
    index: str
    out: Path
    k: int = 1000
    tag: str | None = None
    field: str = "title"
    """The topic field used as the query."""
    config: str = "default"
    settings: Sequence[str] = ()
    quiet: bool = False
    unit: str = "arguments"
    signals: Path | None = None
    qrels: Path | None = None


def run(
    topics: Annotated[
        str, argument("TOPICS", "Touché XML, TSV (qid<TAB>text), JSON Lines, or irds:NAME.")
    ],
    index: Index,
    out: Annotated[Path, option("--out RUN", "The run file to write (compressed if .gz).")],
    k: Depth = 1000,
    tag: Tag = None,
    text: TopicField = "title",
    config: Config = "default",
    settings: Settings = None,
    unit: str = option(
        "--unit UNIT", "What to rank: arguments, or a unit whose part the index has.", "arguments"
    ),
    signals: Path | None = option(
        "--signals FILE",
        "Also write every argument's factors and columns: .svm or .txt (SVMlight), .csv.",
        None,
    ),
    qrels: Path | None = option(
        "--qrels FILE", "Judgements that supply the labels for --signals.", None
    ),
    quiet: Quiet = False,
) -> None:
    """Rank arguments for every topic and write a TREC run.

    An ir-metadata.yml that describes how the run was made is written beside it.

    Example: argsearch run topics.xml --index my-index --config heimdall-2021 --out run.txt.gz
    """
    asked = (topics, index, out, k, tag, text, config, tuple(settings or ()), quiet, unit)
    write(RunRequest(*asked, signals, qrels))


def write(request: RunRequest) -> Path:
    """Write the run file, print its path and return it."""
    from argsearch.engine import Engine
    from argsearch.engine.config import load_config
    from argsearch.indexer.output import is_standard_output, is_written_in_place
    from argsearch.lab.runs import read_topics
    from argsearch.lab.runs.making import describe_run, metadata_path, write_metadata

    if request.signals is not None and request.unit != "arguments":
        raise InvalidParameter("--unit", request.unit, "arguments if --signals is given")
    if request.qrels is not None and request.signals is None:
        raise InvalidParameter("--qrels", str(request.qrels), problem="--qrels needs --signals")
    # A folder of devices, such as /dev, cannot take a file beside the run.
    has_metadata = not is_written_in_place(request.out)
    if has_metadata:
        # Fails before the work starts if the description could not be written.
        metadata_path(request.out)
    config = load_config(request.config, request.settings)
    tag = request.tag or f"argsearch-{config.name}"
    topics = read_topics(request.topics)
    engine = Engine.open(request.index)
    started = datetime.now(UTC)
    try:
        lines = _write(request, engine, topics, config, tag)
    except KeyboardInterrupt:
        terminal.say(f"{request.out} was not written", quiet=request.quiet)
        raise
    said = f"{lines:,} lines for {len(topics):,} topics"
    if has_metadata:
        command = mask(shlex.join(["argsearch", *sys.argv[1:]]))
        record = describe_run(engine, config, request.topics, started, tag=tag, command=command)
        said += f"; described in {write_metadata(request.out, record).name}"
    terminal.say(said, quiet=request.quiet)
    # Otherwise the path would be a line of the run itself.
    if not is_standard_output(request.out):
        print(request.out)
    return request.out


def _write(
    request: RunRequest, engine: Engine, topics: list[Topic], config: Configuration, tag: str
) -> int:
    """Write the run and, if requested, the signals. Return the number of lines in the run."""
    from argsearch.lab.runs import read_qrels, write_run
    from argsearch.lab.runs.making import rank_topics
    from argsearch.lab.runs.signals import written

    asked = {"field": request.field, "unit": request.unit}
    with ExitStack() as stack:
        signals = None
        if request.signals is not None:
            ids = [topic.query_id for topic in topics]
            grades = read_qrels(request.qrels).grades if request.qrels else None
            file = written(request.signals, engine.columns, ids, grades)
            signals = stack.enter_context(file)
        bar = terminal.Progress("topics", total=len(topics), quiet=request.quiet)
        progress = stack.enter_context(bar)

        def told(done: int, notes: Sequence[str]) -> None:
            """Show the notes and the progress of the run."""
            for note in notes:
                progress.note(note)
            progress.update("topics", done)

        rankings = rank_topics(
            engine, topics, config, request.k, **asked, signals=signals, progress=told
        )
        return write_run(request.out, rankings, tag)


def tira(
    input_: Path | None = option("--input DIR", "Topic folder; default: $inputDataset.", None),
    output: Path | None = option("--output DIR", "Folder for run.txt; default: $outputDir.", None),
    index: str | None = option(
        "--index INDEX",
        "The index; without it, the corpus in the input folder is indexed for this run.",
        None,
    ),
    k: Depth = 1000,
    tag: Tag = None,
    text: TopicField = "title",
    config: Config = "default",
    settings: Settings = None,
    quiet: Quiet = False,
) -> None:
    """Write run.txt in the form required by shared tasks on TIRA.

    Example: argsearch tira --index my-index --input input --output output
    """
    from argsearch.engine.config import load_config
    from argsearch.indexer.staging import scratch_folder

    source = _folder("--input", input_, "inputDataset")
    target = _folder("--output", output, "outputDir", make=True)
    _check_run_file(target, tag or f"argsearch-{load_config(config, tuple(settings or ())).name}")
    topics = _find(source, TOPICS, ("",), "topics")
    asked = (target / "run.txt", k, tag, text, config, tuple(settings or ()), quiet)
    if index is not None:
        write(RunRequest(str(topics), index, *asked))
        return
    corpus = _find(source, CORPUS_FILES, COMPRESSION_SUFFIXES, "corpus (or give --index)")
    with scratch_folder(".index-", target) as folder:
        request = RunRequest(str(topics), str(folder / "index"), *asked)
        _build(corpus, request)
        write(request)


def _build(corpus: Path, request: RunRequest) -> None:
    from argsearch.engine.config import load_config
    from argsearch.indexer.building.build import BuildRequest, build

    config = load_config(request.config, request.settings)
    with terminal.Progress("documents", quiet=request.quiet) as progress:
        wanted = BuildRequest([str(corpus)], request.index, config.index, config.name)
        build(wanted, progress.update)


def _folder(option: str, given: Path | None, variable: str, *, make: bool = False) -> Path:
    value = given or (Path(os.environ[variable]) if os.environ.get(variable) else None)
    if value is None:
        raise InvalidParameter(option, Missing(), f"a folder (or set ${variable})")
    if make:
        value.mkdir(parents=True, exist_ok=True)
    if not value.is_dir():
        raise InvalidParameter(option, str(value), "a folder that exists")
    return value


def _check_run_file(folder: Path, tag: str) -> None:
    """Raise InvalidParameter if the folder has a run.txt that argsearch did not write.

    A run with the right tag but without metadata was left by a command that was killed.
    """
    from argsearch.lab.runs.making import is_described

    run = folder / "run.txt"
    first = b""
    if run.is_file():
        with run.open("rb") as stream:
            first = stream.readline(LONGEST_ROW)
    # Do not replace a link with a missing target either: it may belong to somebody.
    if os.path.lexists(run) and not (is_described(run) or first.split()[5:] == [tag.encode()]):
        problem = f"--output {folder} has a run.txt of another program; choose another folder"
        raise InvalidParameter("--output", str(folder), problem=problem)


def _find(folder: Path, names: tuple[str, ...], endings: tuple[str, ...], what: str) -> Path:
    for name in names:
        for ending in endings:
            if (path := folder / f"{name}{ending}").is_file():
                return path
    raise InputError(f"{folder} has no {what}; it must have a file named {either(names)}")
