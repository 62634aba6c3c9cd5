"""Make runs from topics, and record in `ir-metadata.yml` how a run was made.

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
"""Name of the software in the metadata of a run."""
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "wordllama", "ir-measures")
_METHODS = {"dirichlet": "DirichletLM", "tfidf": "TF-IDF", "constant": "constant"}


class RankedTopic(NamedTuple):
    """The ranking for one topic, as written to a run file."""

    query_id: str
    ids: list[str]
    scores: list[float]
    columns: list[str]
    """The second column of each line in the run file."""


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
    """Yield the ranking of the k best results of a unit (`argsearch.engine.units`) for each topic.

    Args: field: the text to search for (`title`, `description`, or `narrative`). Topics without
    that text use their title. If given, `signals` is the file for all known features of each
    result. The callback `progress` receives the number of topics done, and each new note once.
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
    """Describe a run that has just finished, as a record for `write_metadata`.

    The topics come from the source `topics`, and the run began at `started` (UTC). `name` replaces
    the configuration's name. `ties` is the order of equal scores, as given to `write_run`.
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
            "score ties": f"document id, {order}; the scores in the run strictly decrease",
            "retrieval": list(stages(config)),
            # Convert via JSON, because safe YAML supports neither tuples nor paths.
            "configuration": json.loads(json.dumps(config.to_dict(), default=str)),
        },
        "actor": {"team": "argsearch"},
        "data": {"test collection": _collection(engine, topics)},
    }


def stages(config: Config) -> tuple[dict[str, Any], ...]:
    """Return the configuration's ranking stages in the form of ir-metadata."""
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
    """Return the path of a run file's metadata: `ir-metadata.yml` in the same folder.

    If that file exists and does not belong to an argsearch run with the same file name, return
    `<run file>.ir-metadata.yml` instead. Raises RunFormatError if both names are taken.
    """
    run = Path(run_path)
    for path in _places(run):
        if not os.path.lexists(path) or _is_metadata_of(path, run):
            return path
    problem = "argsearch did not write this file, so it was kept; move it, or rename the run"
    raise RunFormatError(path, None, problem)


def is_described(run_path: str | Path) -> bool:
    """Return whether argsearch wrote metadata for a run file of that name."""
    run = Path(run_path)
    return any(_is_metadata_of(path, run) for path in _places(run))


def _places(run: Path) -> tuple[Path, Path]:
    return run.with_name(FILE_NAME), run.with_name(f"{run.name}.{FILE_NAME}")


def _is_metadata_of(path: Path, run: Path) -> bool:
    """Return whether a file is metadata that argsearch wrote for a run file of that name."""
    import yaml

    # Opening a named pipe would block.
    if not path.is_file():
        return False
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        repository = found["implementation"]["source"]["repository"]
        return (found["run"]["file"], repository) == (run.name, REPOSITORY)
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, RecursionError):
        return False


def write_metadata(run_path: str | Path, record: dict[str, Any]) -> Path:
    """Write the record from `describe_run` to the run's `metadata_path`, and return that path."""
    import yaml

    path, content = metadata_path(run_path), record | {"run": {"file": Path(run_path).name}}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    with replacing(path) as stream:
        stream.write(text.encode())
    return path


def _collection(engine: Engine, topics: str) -> dict[str, str]:
    corpus = engine.info.manifest.get("corpus", {})
    # Use only the file's name: this machine's folders mean nothing to other readers.
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
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return {}
    return {"ram": f"{size / 1024**3:.2f} GB"}
