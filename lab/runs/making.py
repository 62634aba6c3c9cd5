"""From topics to a run: rankings one by one, and `ir-metadata.yml`, how they were made.

The record has the PRIMAD form of ir-metadata.org (version 0.1).
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from argsearch.engine.config import Config
from argsearch.engine.units import UNITS
from argsearch.lab.runs.text import RunFormatError, replacing
from argsearch.lab.runs.topics import Topic
from argsearch.lab.runs.trec import Ties
from argsearch.version import __version__

if TYPE_CHECKING:
    from argsearch.engine.engine import Engine
    from argsearch.lab.runs.signals import Signals

FILE_NAME = "ir-metadata.yml"
REPOSITORY = "argsearch"
"""What the metadata call the software that made a run."""
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "wordllama", "ir-measures")
_METHODS = {"dirichlet": "DirichletLM", "tfidf": "TF-IDF", "constant": "constant"}


class RankedTopic(NamedTuple):
    """One topic's ranking, as a run file has it."""

    query_id: str
    ids: list[str]
    scores: list[float]
    columns: list[str]
    """What stands in the second column of each line."""


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
    `progress` hears after each topic how many are done, and each of the results' notes once.
    """
    noted: set[str] = set()
    for done, topic in enumerate(topics, 1):
        text = getattr(topic, field) or topic.title
        results = engine.rank(text, unit=unit, k=k, config=config)
        if signals is not None:
            signals.add(topic.query_id, results)
        hits = results.hits
        ids, scores = [hit.id for hit in hits], [hit.score for hit in hits]
        yield RankedTopic(topic.query_id, ids, scores, [UNITS[unit].column(hit) for hit in hits])
        new = [note for note in dict.fromkeys(results.notes) if note not in noted]
        noted.update(new)
        progress(done, new)


def describe_run(
    engine: Engine,
    config: Config,
    topics: str,
    started: datetime,
    *,
    tag: str,
    command: str,
    name: str = "",
    ties: Ties = "id",
) -> dict[str, Any]:
    """How a run that ends now was made, in the form of ir-metadata, for `write_metadata`.

    `topics` is the name of their source, `started` is in UTC, `name` stands for the configuration's
    own, and `ties` is the order in which `write_run` was asked to write equal scores.
    """
    ended, order = datetime.now(UTC), "ascending" if ties == "id" else "descending"
    return {
        "schema-version": "0.1",
        "run-version": "1.0",
        "tag": tag,
        "run": {},
        "platform": _platform(),
        "research goal": {"description": "Retrieval of relevant, high-quality arguments"},
        "implementation": {
            "executable": {"cmd": command},
            "source": {"lang": ["python"], "repository": REPOSITORY, "version": __version__},
        },
        "resources": {
            "started": started.isoformat(timespec="seconds"),
            "ended": ended.isoformat(timespec="seconds"),
            "runtime": {"wallclock": f"{(ended - started).total_seconds():.3f} s"},
        },
        "method": {
            "automatic": True,
            "name": name or config.name,
            "description": "Ranked arguments, by argsearch",
            "score ties": f"document id, {order}; written scores strictly decrease",
            "retrieval": list(stages(config)),
            # Through JSON, since YAML's safe form knows neither tuples nor paths.
            "configuration": json.loads(json.dumps(config.to_dict(), default=str)),
        },
        "actor": {"team": "argsearch"},
        "data": {"test collection": _collection(engine, topics)},
    }


def stages(config: Config) -> tuple[dict[str, Any], ...]:
    """The configuration's ranking stages in ir-metadata's form."""
    retrieval, boost = config.retrieval, config.boost
    method = _METHODS.get(retrieval.model, retrieval.model.upper())
    found = [_stage(retrieval.model, method, retrieval.parameters())]
    if boost.cluster or boost.quality:
        weights = {"w_cluster": boost.cluster, "w_quality": boost.quality, "cosine": boost.cosine}
        method = "relevance x cluster x quality (H21 Eq. 1)"
        found.append(_stage("boost", method, weights) | {"reranks": retrieval.model})
    for step, depth in config.stages:
        parameters = {"depth": depth, **asdict(step)}  # type: ignore[call-overload]
        stage = _stage(step.name, step.name, parameters)
        found.append(stage | {"reranks": found[-1]["name"]})
    return tuple(found)


def _stage(name: str, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "method": method, "parameters": parameters}


def metadata_path(run_path: str | Path) -> Path:
    """Return where the metadata of a run file go: `ir-metadata.yml` beside it.

    If a file of that name is not of an argsearch run of the same file name, it is left alone, and
    the path is `<run file>.ir-metadata.yml`. Raises RunFormatError if that is taken, too.
    """
    run = Path(run_path)
    for path in _places(run):
        if not os.path.lexists(path) or _is_metadata_of(path, run):
            return path
    problem = "was not written by argsearch and is left alone; move it, or name the run otherwise"
    raise RunFormatError(path, None, problem)


def is_described(run_path: str | Path) -> bool:
    """Return whether argsearch wrote metadata for a run file of that name."""
    run = Path(run_path)
    return any(_is_metadata_of(path, run) for path in _places(run))


def _places(run: Path) -> tuple[Path, Path]:
    return run.with_name(FILE_NAME), run.with_name(f"{run.name}.{FILE_NAME}")


def _is_metadata_of(path: Path, run: Path) -> bool:
    """Return whether argsearch wrote a file of metadata, for a run file of that name."""
    import yaml

    # A pipe of that name would be waited for.
    if not path.is_file():
        return False
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        repository = found["implementation"]["source"]["repository"]
        return (found["run"]["file"], repository) == (run.name, REPOSITORY)
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, RecursionError):
        return False


def write_metadata(run_path: str | Path, record: dict[str, Any]) -> Path:
    """Write what `describe_run` says of a run to its `metadata_path`, and return that."""
    import yaml

    path, content = metadata_path(run_path), record | {"run": {"file": Path(run_path).name}}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    with replacing(path) as stream:
        stream.write(text.encode())
    return path


def _collection(engine: Engine, topics: str) -> dict[str, str]:
    corpus = engine.info.manifest.get("corpus", {})
    # A file's name alone: folders of this machine say nothing to a reader elsewhere.
    named = topics if topics.startswith("irds:") else topics.rpartition("/")[2]
    collection = {"name": str(corpus.get("name", "unknown")), "topics": named}
    if sha256 := str(corpus.get("sha256", "")):
        collection["sha256"] = sha256
    collection["index fingerprint"] = engine.info.fingerprint
    for source in (collection["name"], named):
        if source.startswith("irds:"):
            collection["ir_datasets"] = source.removeprefix("irds:")
    return collection


def _platform() -> dict[str, Any]:
    cpu = {
        "model": _cpu_model(),
        "architecture": platform.machine(),
        "operation mode": f"{sys.maxsize.bit_length() + 1}-bit",
        "number of cores": os.cpu_count() or 1,
    }
    numbers = {"argsearch": __version__, **{name: _installed(name) for name in _LIBRARIES}}
    libraries = [f"{name} {number}" for name, number in numbers.items() if number]
    return {
        "hardware": {"cpu": cpu, **_ram()},
        "operating system": {"kernel": platform.release(), "platform": platform.system()},
        "software": {"python": platform.python_version(), "libraries": {"python": libraries}},
    }


def _installed(package: str) -> str | None:
    """The version of a distribution; None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _ram() -> dict[str, str]:
    """The memory, where the system tells it."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return {}
    return {"ram": f"{size / 1024**3:.2f} GB"}
