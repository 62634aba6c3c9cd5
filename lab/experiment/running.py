"""The runs of an experiment: each made once, kept in the cache, copied beside its tables."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from argsearch.engine.config import Config
from argsearch.engine.engine import Engine
from argsearch.lab.experiment.cache import Cache, digest, software
from argsearch.lab.experiment.indexes import Indexes, Observer
from argsearch.lab.experiment.plan import Corpus, System, TopicSet, slug
from argsearch.lab.runs import Topic, write_metadata, write_run
from argsearch.lab.runs.making import describe_run, rank_topics
from argsearch.lab.runs.writing import Ties

RUN = "run.txt.gz"
_CODE = ("engine", "indexer", "ranking")


@dataclass(frozen=True, slots=True)
class Job:
    """One run to make: a system on a corpus for a set of topics, the k best of each topic."""

    corpus: Corpus
    system: System
    topics: TopicSet
    k: int
    ties: Ties
    command: str

    @property
    def tag(self) -> str:
        """The run's tag."""
        return f"argsearch-{slug(self.system.name)}"


def ranking_identity(engine: Engine, config: Config) -> dict[str, object]:
    """What decides a ranking beside topics and k: the index, the configuration, the code."""
    sections = asdict(config)
    return {
        "index": engine.info.fingerprint,
        "config": {name: sections[name] for name in ("retrieval", "boost", "rerank")},
        "software": software(*_CODE),
    }


def make_run(
    job: Job, topics: list[Topic], indexes: Indexes, cache: Cache, out: Path
) -> tuple[Path, str]:
    """The run file of a job below `out` (with its ir-metadata.yml) and its key in the cache."""
    engine = indexes.engine(job.corpus, job.system.config)
    key = digest(
        {
            **ranking_identity(engine, job.system.config),
            "topics": [[t.query_id, getattr(t, job.topics.field) or t.title] for t in topics],
            "k": job.k,
            "ties": job.ties,
            "tag": job.tag,
        }
    )
    place = cache.place("runs", key)
    if not cache.has(place):
        with cache.folder(place) as folder:
            _write(job, topics, engine, indexes.observer, folder / RUN)
    target = out / slug(job.corpus.name) / slug(job.topics.name) / slug(job.system.name)
    shutil.copytree(place, target, dirs_exist_ok=True)
    return target / RUN, key


def _write(job: Job, topics: list[Topic], engine: Engine, observer: Observer, path: Path) -> None:
    config, noted = job.system.config, set[str]()

    def progress(done: int, notes: Sequence[str]) -> None:
        """Pass on how many topics are done, and each note once."""
        observer.update(f"run {job.system.name}", done)
        for note in notes:
            if note not in noted:
                noted.add(note)
                observer.note(f"{job.system.name}: {note}")

    started = datetime.now(UTC)
    rankings = rank_topics(engine, topics, config, job.k, field=job.topics.field, progress=progress)
    write_run(path, rankings, job.tag, ties=job.ties)
    record = describe_run(engine, config, job.topics.source, tag=job.tag, command=job.command)
    ties = "document id, ascending" if job.ties == "id" else "document id, descending"
    record = replace(record, name=job.system.name, ties=ties)
    write_metadata(path, replace(record, started=started, ended=datetime.now(UTC)))
