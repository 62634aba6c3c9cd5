"""Make every run and table in a plan, reusing unchanged parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from argsearch.engine.engine import Engine
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import checksum
from argsearch.lab.evaluation import parse_measures
from argsearch.lab.experiment.cache import (
    Cache,
    Indexes,
    Observer,
    Silent,
    digest,
    ranking_identity,
)
from argsearch.lab.experiment.evaluating import (
    ResultGroup,
    averaged,
    evaluate_runs,
    read_judgements,
    spread,
)
from argsearch.lab.experiment.output import OutputFolder
from argsearch.lab.experiment.plan import Corpus, ExperimentPlan, System, TopicSet, slug
from argsearch.lab.experiment.report import (
    REPORT,
    SWEEP,
    TABLES,
    VALUE_FILES,
    Section,
    group_section,
    sweep_section,
    write_report,
    write_values,
)
from argsearch.lab.experiment.sweep import Map, sweep_maps
from argsearch.lab.runs import Topic, read_topics, write_run
from argsearch.lab.runs.making import FILE_NAME, describe_run, rank_topics, write_metadata

RUN = "run.txt.gz"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of an experiment: groups of values, the report's sections, and the files written."""

    groups: tuple[ResultGroup, ...]
    maps: tuple[Map, ...]
    sections: tuple[Section, ...]
    """Sections of the report, with their tables."""
    files: tuple[Path, ...]


def run_experiment(
    plan: ExperimentPlan,
    *,
    out: Path | None = None,
    cache: Cache | None = None,
    workers: int | None = None,
    observer: Observer | None = None,
) -> Outcome:
    """Run a plan, and write runs and tables to `out`.

    Args: out: by default the plan's folder, or else experiments/NAME in the working directory.
    cache: by default .cache/experiments there. workers: number of processes that build indexes. A
    stopped experiment resumes. Raises the errors of reading, indexing, and searching.
    """
    # Find a misspelt measure before the long work begins.
    parse_measures(plan.setup.measures)
    own = plan.path.resolve().parent / plan.setup.out if plan.setup.out else None
    target = out or own or Path("experiments") / plan.setup.name
    output = OutputFolder(target)
    swept = [SWEEP] if plan.sweep else []
    # Claim the files before the work, in case the folder cannot be used.
    output.claim(REPORT, TABLES["markdown"], TABLES["latex"], *VALUE_FILES, *swept)
    store = cache or Cache(Path(".cache") / "experiments")
    indexes = Indexes(store, observer or Silent(), workers)
    try:
        lab = _Lab(plan, indexes, output)
        groups = lab.groups()
        maps = tuple(sweep_maps(plan, indexes))
        sections = [*map(group_section, groups), *map(sweep_section, maps)]
        files = write_values(output, groups, maps) + write_report(plan, output, sections)
        return Outcome(groups, maps, tuple(sections), tuple(files))
    finally:
        indexes.close()


@dataclass(frozen=True)
class _Lab:
    """A running experiment."""

    plan: ExperimentPlan
    indexes: Indexes
    out: OutputFolder

    def groups(self) -> tuple[ResultGroup, ...]:
        """Return the results of every corpus with every topic set."""
        if not (self.plan.systems or self.plan.runs):
            return ()
        corpora = self.plan.corpora if self.plan.systems else ()
        return tuple(
            self._group(corpus, topics)
            for corpus in corpora or (None,)
            for topics in self.plan.topics
        )

    def _group(self, corpus: Corpus | None, topics: TopicSet) -> ResultGroup:
        seeds = self.plan.setup.seeds if self.plan.systems else ()
        if corpus and corpus.index and seeds:
            allowed = "empty if a corpus is already an index"
            raise InvalidParameter("experiment.seeds", list(seeds), allowed)
        asked = read_topics(topics.source)
        made = [self._made(corpus, topics, asked, seed) for seed in seeds or (None,)]
        judged = read_judgements(topics, self._engine(corpus), self.plan)
        for remark in judged.remarks:
            self.indexes.observer.note(remark)
        evaluations, deviations = {}, {}
        for judged_only in self.plan.modes if topics.qrels else ():
            self.indexes.observer.update(f"evaluation of {topics.name}", 0)
            wanted = self.plan.options(judged_only)
            found = [evaluate_runs(*each, judged, wanted, self.indexes.cache) for each in made]
            evaluations[judged_only] = averaged(found)
            deviations.update({(judged_only, *key): sd for key, sd in spread(found).items()})
        name = corpus.name if corpus else ""
        said = [remark for each in evaluations.values() for remark in each.remarks]
        remarks = tuple(dict.fromkeys([*judged.remarks, *said]))
        return ResultGroup(name, topics.name, judged, evaluations, deviations, made[0][0], remarks)

    def _made(
        self, corpus: Corpus | None, topics: TopicSet, asked: list[Topic], seed: int | None
    ) -> tuple[dict[str, Path], dict[str, str]]:
        """Return the runs of all systems and the plan's own runs, by name, and their digests.

        If clusters have no weight, seeds have no effect, so all runs use the first seed.
        """
        first = next(iter(self.plan.setup.seeds), None)
        out = PurePosixPath("runs", "" if seed == first else f"seed-{seed}")
        runs: dict[str, Path] = {}
        keys: dict[str, str] = {}
        for system in self.plan.systems:
            if corpus is not None:
                moved = _seeded(system, seed if system.config.boost.cluster else first)
                folder = out / slug(corpus.name) / slug(topics.name) / slug(system.name)
                keys[system.name] = self._run(corpus, moved, topics, asked, folder)
                runs[system.name] = self.out.folder / folder / RUN
        for run in self.plan.runs:
            if run.topics in ("", topics.name):
                if run.name in runs:
                    problem = f"a run and a system are both named {run.name}; rename one of them"
                    raise InvalidParameter("runs name", run.name, problem=problem)
                runs[run.name] = Path(run.source)
                keys[run.name] = checksum(Path(run.source))
        return runs, keys

    def _run(
        self,
        corpus: Corpus,
        system: System,
        topics: TopicSet,
        asked: list[Topic],
        folder: PurePosixPath,
    ) -> str:
        """Write a system's run and its ir-metadata.yml to a folder, and return the run's cache key.

        folder: relative to the output folder.
        """
        self.out.claim(str(folder / RUN), str(folder / FILE_NAME))
        setup, engine = self.plan.setup, self.indexes.engine(corpus, system.config)
        tag = f"argsearch-{slug(system.name)}"
        key = digest(
            {
                **ranking_identity(engine, system.config),
                # Use only the searched texts: editing a comment in the file changes nothing.
                "topics": [[t.query_id, getattr(t, topics.field) or t.title] for t in asked],
                "how": [setup.k, setup.ties, tag],
            }
        )
        place, observer = self.indexes.cache.place("runs", key), self.indexes.observer

        def progress(done: int, notes: Sequence[str]) -> None:
            """Forward the number of topics done, and the notes."""
            observer.update(f"run {system.name}", done)
            for note in notes:
                observer.note(f"{system.name}: {note}")

        if not self.indexes.cache.has(place):
            config, field, started = system.config, topics.field, datetime.now(UTC)
            rankings = rank_topics(engine, asked, config, setup.k, field=field, progress=progress)
            command = f"argsearch experiment {self.plan.path.name}"
            with self.indexes.cache.folder(place) as aside:
                write_run(aside / RUN, rankings, tag, ties=setup.ties)
                record = describe_run(
                    engine,
                    config,
                    topics.source,
                    started,
                    tag=tag,
                    command=command,
                    name=system.name,
                    ties=setup.ties,
                )
                write_metadata(aside / RUN, record)
        for name in (RUN, FILE_NAME):
            self.out.copy(place / name, str(folder / name))
        return key

    def _engine(self, corpus: Corpus | None) -> Engine | None:
        """Return the engine of the first system."""
        if corpus is None or not self.plan.systems:
            return None
        first = next(iter(self.plan.setup.seeds), None)
        return self.indexes.engine(corpus, _seeded(self.plan.systems[0], first).config)


def _seeded(system: System, seed: int | None) -> System:
    """Return the system with another seed of k-means."""
    if seed is None:
        return system
    index = replace(system.config.index, seed=seed)
    return replace(system, config=replace(system.config, index=index))
