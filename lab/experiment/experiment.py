"""`run_experiment`: every run, table and picture of a plan, taking over what did not change."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from argsearch.engine.engine import Engine
from argsearch.indexer.errors import InvalidParameter, MissingExtra
from argsearch.indexer.format.manifest import checksum
from argsearch.lab.evaluation import Evaluation, parse_measures
from argsearch.lab.experiment.cache import Cache, digest
from argsearch.lab.experiment.evaluating import (
    ResultGroup,
    averaged,
    evaluate_runs,
    options,
    read_judgements,
    spread,
)
from argsearch.lab.experiment.indexes import Indexes, Observer, ranking_identity
from argsearch.lab.experiment.plan import Corpus, ExperimentPlan, System, TopicSet, slug
from argsearch.lab.experiment.plots import Album, Picture, Spot, available, spots
from argsearch.lab.experiment.report import (
    Section,
    group_section,
    sweep_section,
    write_report,
    write_values,
)
from argsearch.lab.experiment.sweep import Map, sweep_maps
from argsearch.lab.runs import Topic, read_topics, write_metadata, write_run
from argsearch.lab.runs.making import describe_run, rank_topics
from argsearch.lab.runs.writing import Ties

RUN = "run.txt.gz"


@dataclass(frozen=True, slots=True)
class RunJob:
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


def make_run(
    job: RunJob, topics: list[Topic], indexes: Indexes, cache: Cache, out: Path
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


def _write(
    job: RunJob, topics: list[Topic], engine: Engine, observer: Observer, path: Path
) -> None:
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment gave: its groups of results and the files written."""

    plan: ExperimentPlan
    out: Path
    groups: tuple[ResultGroup, ...]
    maps: tuple[Map, ...]
    sections: tuple[Section, ...]
    """The parts of the report, with their tables."""
    files: tuple[Path, ...]


class Silent:
    """An observer that says nothing."""

    def update(self, stage: str, done: int) -> None:
        """Nothing."""

    def note(self, message: str) -> None:
        """Nothing."""


def run_experiment(
    plan: ExperimentPlan,
    *,
    out: Path | None = None,
    cache: Cache | None = None,
    workers: int | None = None,
    observer: Observer | None = None,
) -> Outcome:
    """Do what a plan says and write runs, tables and pictures below `out`.

    `out` is the plan's folder, or experiments/NAME in the working folder, unless given; `cache`
    is .cache/experiments in the working folder; `workers` are the processes that build indexes.
    A stopped experiment goes on where it was. Raises what reading, indexing and searching raise.
    """
    parse_measures(plan.setup.measures)  # a misspelt measure is found before the long work
    target = out or _out(plan)
    target.mkdir(parents=True, exist_ok=True)
    store = cache or Cache(Path(".cache") / "experiments")
    indexes = Indexes(store, observer or Silent(), workers)
    try:
        lab = _Lab(plan, indexes, store, target)
        groups = lab.groups()
        maps = tuple(sweep_maps(plan, indexes, store))
        sections = lab.sections(groups, maps)
        files = write_values(target, groups, maps) + write_report(plan, target, sections)
        return Outcome(plan, target, groups, maps, tuple(sections), tuple(files))
    finally:
        indexes.close()


def _out(plan: ExperimentPlan) -> Path:
    if plan.setup.out:
        return plan.path.resolve().parent / plan.setup.out
    return Path("experiments") / plan.setup.name


@dataclass(frozen=True)
class _Lab:
    """One experiment at work."""

    plan: ExperimentPlan
    indexes: Indexes
    cache: Cache
    out: Path

    def groups(self) -> tuple[ResultGroup, ...]:
        """The results of every corpus with every topic set."""
        if not (self.plan.systems or self.plan.runs):
            return ()
        corpora = self.plan.corpora if self.plan.systems else ()
        return tuple(
            self._group(corpus, topics)
            for corpus in corpora or (None,)
            for topics in self.plan.topics
        )

    def sections(self, groups: Sequence[ResultGroup], maps: Sequence[Map]) -> list[Section]:
        """The parts of the report, with pictures where they are wanted and can be drawn."""
        album = self._album()
        if album is None:
            return [*map(group_section, groups), *map(sweep_section, maps)]
        self.indexes.observer.update("pictures", 0)
        return [
            *(group_section(group, self._pictures(album, group)) for group in groups),
            *(sweep_section(found, tuple(album.sweep(found))) for found in maps),
        ]

    def _album(self) -> Album | None:
        if self.plan.setup.plots == "none":
            return None
        if available():
            return Album(self.out, self.plan.setup.plots, self.cache)
        self.indexes.observer.note(f"tables only: {MissingExtra('matplotlib', 'plots')}")
        return None

    def _pictures(self, album: Album, group: ResultGroup) -> tuple[Picture, ...]:
        drawn, found = tuple(album.group(group)), self._spots(group)
        return (*drawn, *album.quality(group, found)) if found else drawn

    def _spots(self, group: ResultGroup) -> dict[str, list[Spot]]:
        """The documents that each system retrieved, where the index is a directory."""
        grades = next((each.grades for each in group.judged.qrels.values()), {})
        corpus = next((c for c in self.plan.corpora if c.name == group.corpus), None)
        found: dict[str, list[Spot]] = {}
        for system in self.plan.systems:
            engine = self._engine(corpus, system)
            if engine is not None and engine.backend.directory is not None:
                found[system.name] = spots(
                    engine.backend.directory, group.runs[system.name], grades
                )
        return found

    def _group(self, corpus: Corpus | None, topics: TopicSet) -> ResultGroup:
        seeds = self.plan.setup.seeds if self.plan.systems else ()
        if corpus and corpus.index and seeds:
            allowed = "none where a corpus is an index already"
            raise InvalidParameter("experiment.seeds", list(seeds), allowed)
        asked = read_topics(topics.source)
        made = [self._made(corpus, topics, asked, seed) for seed in seeds or (None,)]
        judged = read_judgements(topics, self._engine(corpus), self.plan)
        for remark in judged.remarks:
            self.indexes.observer.note(remark)
        evaluations, deviations = {}, {}
        for judged_only in self.plan.modes if topics.qrels else ():
            self.indexes.observer.update(f"evaluation of {topics.name}", 0)
            wanted = options(self.plan, judged_only)
            found = [evaluate_runs(*each, judged, wanted, self.cache) for each in made]
            evaluations[judged_only] = averaged(found)
            deviations.update({(judged_only, *key): sd for key, sd in spread(found).items()})
        name = corpus.name if corpus else ""
        remarks = _remarks(judged.remarks, evaluations)
        return ResultGroup(name, topics.name, judged, evaluations, deviations, made[0][0], remarks)

    def _made(
        self, corpus: Corpus | None, topics: TopicSet, asked: list[Topic], seed: int | None
    ) -> tuple[dict[str, Path], dict[str, str]]:
        """The runs of every system, and those given, by name; and their digests.

        Without weight of clusters no seed changes anything: the first one stands for all.
        """
        setup, command = self.plan.setup, f"argsearch experiment {self.plan.path.name}"
        ties: Ties = "trec_eval" if setup.ties == "trec_eval" else "id"
        out = self.out / "runs"
        if seed is not None and seed != setup.seeds[0]:
            out = self.out / "runs" / f"seed-{seed}"
        runs: dict[str, Path] = {}
        keys: dict[str, str] = {}
        for system in self.plan.systems:
            if corpus is not None:
                moved = seed if system.config.boost.cluster else next(iter(setup.seeds), None)
                job = RunJob(corpus, _seeded(system, moved), topics, setup.k, ties, command)
                made = make_run(job, asked, self.indexes, self.cache, out)
                runs[system.name], keys[system.name] = made
        for run in self.plan.runs:
            if run.topics in ("", topics.name):
                if run.name in runs:
                    raise InvalidParameter("runs name", run.name, "a name that no system has")
                runs[run.name] = Path(run.source)
                keys[run.name] = checksum(Path(run.source))
        return runs, keys

    def _engine(self, corpus: Corpus | None, system: System | None = None) -> Engine | None:
        """The engine of a system (the first, unless given)."""
        if corpus is None or not self.plan.systems:
            return None
        seeds = self.plan.setup.seeds
        wanted = _seeded(system or self.plan.systems[0], seeds[0] if seeds else None)
        return self.indexes.engine(corpus, wanted.config)


def _seeded(system: System, seed: int | None) -> System:
    """The system with another seed of k-means."""
    if seed is None:
        return system
    index = replace(system.config.index, seed=seed)
    return replace(system, config=replace(system.config, index=index))


def _remarks(judged: tuple[str, ...], evaluations: Mapping[bool, Evaluation]) -> tuple[str, ...]:
    said = [remark for evaluation in evaluations.values() for remark in evaluation.remarks]
    return tuple(dict.fromkeys([*judged, *said]))
