"""`argsearch run`: topics in, a TREC run file out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli import options, terminal
from indexer.remote.address import mask

if TYPE_CHECKING:
    from engine import Engine
    from engine.config import Config
    from engine.runs import RunRecord, Topic

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
    config: str = "default"
    settings: Sequence[str] = field(default_factory=tuple)
    quiet: bool = False


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
    k: Annotated[int, typer.Option("-k", metavar="K", help="Arguments a topic, at most.")] = 1000,
    tag: Annotated[
        str | None, typer.Option(metavar="T", help="The run's tag; argsearch-CONFIG by default.")
    ] = None,
    config: options.Config = "default",
    settings: options.Settings = None,
    quiet: options.Quiet = False,
) -> None:
    """Rank for every topic; write a TREC run.

    An ir-metadata.yml that says how the run was made is written beside it.
    """
    write(RunRequest(str(topics), index, out, k, tag, config, tuple(settings or ()), quiet))


def write(request: RunRequest) -> Path:
    """Do the run; prints the run file's path and returns it."""
    from engine import Engine
    from engine.config import load_config
    from engine.runs import read_topics, write_metadata, write_run

    config = load_config(request.config, request.settings)
    tag = request.tag or f"argsearch-{config.name}"
    topics = read_topics(request.topics)
    engine = Engine.open(request.index)
    started = datetime.now(UTC)
    try:
        with terminal.Progress("topics", total=len(topics), quiet=request.quiet) as progress:
            rankings = _rank(engine, topics, config, request.k, progress)
            lines = write_run(request.out, rankings, tag)
    except KeyboardInterrupt:
        terminal.say(f"{request.out} was not written", quiet=request.quiet)
        raise
    record = _record(engine, config, request, tag)
    path = write_metadata(request.out, _timed(record, started))
    terminal.say(
        f"{lines:,} lines for {len(topics):,} topics; described in {path.name}", quiet=request.quiet
    )
    print(request.out)
    return request.out


def _rank(
    engine: Engine, topics: Sequence[Topic], config: Config, k: int, progress: terminal.Progress
) -> Iterator[tuple[str, list[str], list[float]]]:
    noted: set[str] = set()
    for done, topic in enumerate(topics, 1):
        results = engine.search(topic.title, k=k, config=config)
        for note in results.notes:
            if note not in noted:
                noted.add(note)
                progress.note(note)
        yield topic.query_id, list(results.hits.ids), results.ranking.scores.tolist()
        progress.update("topics", done)


def _record(engine: Engine, config: Config, request: RunRequest, tag: str) -> RunRecord:
    from engine.runs import RunRecord

    corpus = engine.info.manifest.get("corpus", {})
    return RunRecord(
        tag=tag,
        name=config.name,
        command=mask(shlex.join(["argsearch", *sys.argv[1:]])),
        method=config.to_dict(),
        stages=_stages(config),
        corpus=str(corpus.get("name", "unknown")),
        corpus_sha256=str(corpus.get("sha256", "")),
        topics=request.topics if request.topics.startswith("irds:") else Path(request.topics).name,
        fingerprint=engine.info.fingerprint,
    )


def _timed(record: RunRecord, started: datetime) -> RunRecord:
    from dataclasses import replace

    return replace(record, started=started, ended=datetime.now(UTC))


def _stages(config: Config) -> tuple[dict[str, Any], ...]:
    """The configuration's stages in ir-metadata's form."""
    retrieval, boost, rerank = config.retrieval, config.boost, config.rerank
    stages: list[dict[str, Any]] = [
        {
            "name": retrieval.model,
            "method": "DirichletLM" if retrieval.model == "dirichlet" else retrieval.model,
            "parameters": {"mu": retrieval.mu, "lengths": retrieval.lengths},
        }
    ]
    if boost.cluster or boost.quality:
        parameters = {
            "w_cluster": boost.cluster,
            "w_quality": boost.quality,
            "cosine": boost.cosine,
        }
        stages.append(
            {
                "name": "boost",
                "method": "relevance x cluster x quality (H21 Eq. 1)",
                "parameters": parameters,
                "reranks": retrieval.model,
            }
        )
    if rerank.method != "none":
        parameters = {"depth": rerank.depth, "trade_off": rerank.trade_off}
        stages.append(
            {
                "name": rerank.method,
                "method": rerank.method,
                "parameters": parameters,
                "reranks": stages[-1]["name"],
            }
        )
    return tuple(stages)
