"""From topics to a run: rankings one by one, and the record of how they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from argsearch.engine.config import Config
from argsearch.engine.units import UNITS
from argsearch.lab.runs.metadata import RunRecord
from argsearch.lab.runs.topics import Topic

if TYPE_CHECKING:
    from argsearch.engine.engine import Engine
    from argsearch.engine.results.results import Results
    from argsearch.lab.runs.signals import Signals


class RankedTopic(NamedTuple):
    """One topic's ranking, as a run file has it."""

    query_id: str
    ids: list[str]
    scores: list[float]
    columns: list[str]
    """What stands in the second column of each line."""


_METHODS = {"dirichlet": "DirichletLM", "tfidf": "TF-IDF", "constant": "constant"}


def rank_topics(
    engine: Engine,
    topics: Sequence[Topic],
    config: Config,
    k: int,
    *,
    field: str = "title",
    unit: str = "arguments",
    signals: Signals | None = None,
    progress: Callable[[int, Sequence[str]], None] = lambda _done, _notes: None,
) -> Iterator[RankedTopic]:
    """The k best things of a unit (`argsearch.engine.units`) for each topic, one topic at a time.

    `field` is the text searched for (`title`, `description` or `narrative`); a topic without it is
    searched by its title. `signals` is the file that gets what is known of each argument;
    `progress` hears after each topic how many are done, and the results' notes.
    """
    for done, topic in enumerate(topics, 1):
        text = getattr(topic, field) or topic.title
        results: Results
        if signals is None:
            results = engine.rank(text, unit=unit, k=k, config=config)
        else:
            results = engine.search(text, k=k, config=config)  # as the unit `arguments` does
            signals.add(topic.query_id, results)
        hits = results.hits
        ids, scores = [hit.id for hit in hits], [hit.score for hit in hits]
        yield RankedTopic(topic.query_id, ids, scores, [UNITS[unit].column(hit) for hit in hits])
        progress(done, results.notes)


def describe_run(
    engine: Engine, config: Config, topics: str, *, tag: str, command: str
) -> RunRecord:
    """How a run was made, for `write_metadata`; `topics` is the name of their source."""
    corpus = engine.info.manifest.get("corpus", {})
    return RunRecord(
        tag=tag,
        name=config.name,
        command=command,
        method=config.to_dict(),
        stages=stages(config),
        corpus=str(corpus.get("name", "unknown")),
        corpus_sha256=str(corpus.get("sha256", "")),
        topics=topics if topics.startswith("irds:") else topics.rpartition("/")[2],
        fingerprint=engine.info.fingerprint,
    )


def stages(config: Config) -> tuple[dict[str, Any], ...]:
    """The configuration's ranking stages in ir-metadata's form."""
    retrieval, boost = config.retrieval, config.boost
    method = _METHODS.get(retrieval.model, retrieval.model.upper())
    found = [_stage(retrieval.model, method, retrieval.parameters())]
    if boost.cluster or boost.quality:
        parameters: dict[str, Any] = {
            "w_cluster": boost.cluster,
            "w_quality": boost.quality,
            "cosine": boost.cosine,
        }
        method = "relevance x cluster x quality (H21 Eq. 1)"
        found.append(_stage("boost", method, parameters) | {"reranks": retrieval.model})
    for step, depth in config.stages:
        parameters = {"depth": depth, **asdict(step)}  # type: ignore[call-overload]
        stage = _stage(step.name, step.name, parameters)
        found.append(stage | {"reranks": found[-1]["name"]})
    return tuple(found)


def _stage(name: str, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "method": method, "parameters": parameters}
