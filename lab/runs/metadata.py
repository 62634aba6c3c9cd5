"""`ir-metadata.yml`: how a run was made, in the PRIMAD form of ir-metadata.org (version 0.1)."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from argsearch.lab.runs.text import replacing

FILE_NAME = "ir-metadata.yml"
_LIBRARIES = ("argsearch", "numpy", "scipy", "scikit-learn", "numba", "wordllama", "ir-measures")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What only the caller knows of a run; the platform is looked up by `write_metadata`.

    `name` is the configuration's name, `method` its values as a nested mapping, `stages` the
    ranking stages in ir-metadata's form (name, method, parameters, `reranks`), `started` and
    `ended` are in UTC, `topics` and `corpus` are names that mean something to a reader.
    """

    tag: str
    name: str
    description: str = "Ranked arguments, by argsearch"
    command: str = ""
    method: Mapping[str, Any] = field(default_factory=dict)
    stages: tuple[Mapping[str, Any], ...] = ()
    corpus: str = "unknown"
    corpus_sha256: str = ""
    topics: str = "unknown"
    fingerprint: str = ""
    team: str = "argsearch"
    ties: str = "document id, ascending"
    started: datetime | None = None
    ended: datetime | None = None


def write_metadata(run_path: str | Path, record: RunRecord) -> Path:
    """Write the metadata beside a run file and return the path written.

    The name is `ir-metadata.yml`. Where a file of that name describes another run of the same
    folder, it is left alone and the name becomes `<run file>.ir-metadata.yml`.
    """
    import yaml

    run = Path(run_path)
    path = run.with_name(FILE_NAME)
    if path.exists() and _describes(path) not in (run.name, None):
        path = run.with_name(f"{run.name}.{FILE_NAME}")
    content = _content(run, record)
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    with replacing(path) as stream:
        stream.write(text.encode())
    return path


def _describes(path: Path) -> str | None:
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return str(content["run"]["file"])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError):
        return None


def _content(run: Path, record: RunRecord) -> dict[str, Any]:
    ended = record.ended or datetime.now(UTC)
    started = record.started or ended
    return {
        "schema-version": "0.1",
        "run-version": "1.0",
        "tag": record.tag,
        "run": {"file": run.name},
        "platform": _platform(),
        "research goal": {"description": "Retrieval of relevant, high-quality arguments"},
        "implementation": _implementation(record),
        "resources": {
            "started": started.isoformat(timespec="seconds"),
            "ended": ended.isoformat(timespec="seconds"),
            "runtime": {"wallclock": f"{(ended - started).total_seconds():.3f} s"},
        },
        "method": {
            "automatic": True,
            "name": record.name,
            "description": record.description,
            "score ties": f"{record.ties}; written scores strictly decrease",
            "retrieval": [dict(stage) for stage in record.stages] or [{"name": record.name}],
            "configuration": json.loads(json.dumps(dict(record.method), default=str)),
        },
        "actor": {"team": record.team},
        "data": _data(record),
    }


def _implementation(record: RunRecord) -> dict[str, Any]:
    return {
        "executable": {"cmd": record.command or "argsearch"},
        "source": {
            "lang": ["python"],
            "repository": "argsearch",
            "version": _version("argsearch") or "unknown",
        },
    }


def _data(record: RunRecord) -> dict[str, Any]:
    collection = {"name": record.corpus, "topics": record.topics}
    if record.corpus_sha256:
        collection["sha256"] = record.corpus_sha256
    if record.fingerprint:
        collection["index fingerprint"] = record.fingerprint
    for source in (record.topics, record.corpus):
        if source.startswith("irds:"):
            collection["ir_datasets"] = source.removeprefix("irds:")
            break
    return {"test collection": collection}


def _platform() -> dict[str, Any]:
    hardware: dict[str, Any] = {
        "cpu": {
            "model": _cpu_model(),
            "architecture": platform.machine(),
            "operation mode": f"{sys.maxsize.bit_length() + 1}-bit",
            "number of cores": os.cpu_count() or 1,
        }
    }
    if (ram := _ram()) is not None:
        hardware["ram"] = ram
    versions = {name: _version(name) for name in _LIBRARIES}
    libraries = [f"{name} {version}" for name, version in versions.items() if version]
    return {
        "hardware": hardware,
        "operating system": {"kernel": platform.release(), "platform": platform.system()},
        "software": {
            "python": platform.python_version(),
            "libraries": {"python": libraries},
        },
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _ram() -> str | None:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
    return f"{size / 1024**3:.2f} GB"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
