"""Read an experiment's plan from a TOML file into dataclasses. Errors name the bad key."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as data_field
from pathlib import Path
from typing import Any, Literal, TypeVar

from argsearch.engine.config import Config, load_config
from argsearch.indexer.errors import ArgsearchError, InvalidParameter, Missing, either
from argsearch.indexer.format.settings import parse_toml, read_section, setting
from argsearch.lab.evaluation import Options

PLANS_FOLDER = Path(__file__).resolve().parents[2] / "configs" / "experiments"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_REMOTE = ("irds:", "http://", "https://")

Part = TypeVar("Part", "Corpus", "System", "TopicSet", "GivenRun")
Scalar = str | int | float | bool


class ExperimentError(ArgsearchError):
    """An experiment file that cannot be found, parsed or completed."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Setup:
    """Section [experiment]."""

    name: str = setting("", "the experiment's name; the file's name by default")
    description: str = setting("", "a sentence for the top of the report")
    out: str = setting("", "folder of the results; experiments/NAME by default")
    measures: str = setting("nDCG@5 nDCG@10", "measures by their ir-measures names, and znDCG@k")
    judged: str = setting(
        "both",
        "documents that count: all (unjudged ones are not relevant), only (judged ones), or both",
        choices=("all", "only", "both"),
    )
    in_corpus: bool = setting(False, "leave out judgements of documents that the corpus lacks")
    k: int = setting(1000, "maximum number of arguments per topic", low=1, high=1_000_000)
    ties: Literal["id", "trec_eval"] = setting(
        "id",
        "order of equal scores: by ascending id, or by descending id as in trec_eval",
        choices=("id", "trec_eval"),
    )
    all_pairs: bool = setting(False, "compare all pairs of systems, not only each with the first")
    samples: int = setting(10_000, "bootstrap samples per interval", low=1, high=10_000_000)
    permutations: int = setting(
        100_000, "sign flips per randomisation test", low=1, high=10_000_000
    )
    seed: int = setting(0, "seed of intervals, tests and folds", low=0, high=2**31 - 1)
    seeds: tuple[int, ...] = ()
    """k-means seeds to average over. If empty, the configuration's own seed is used."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """An item of [[corpora]]: sources to index, or an existing index."""

    name: str = setting("", "name in tables")
    index: str = setting(
        "", "an index instead of a source: a directory or http(s)://host:port/name"
    )
    on_error: Literal["stop", "skip"] = setting(
        "stop", "on a bad document: stop, or skip it", choices=("stop", "skip")
    )
    source: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """An item of [[systems]]: a configuration with overrides."""

    name: str
    config: Config


@dataclass(frozen=True, slots=True)
class TopicSet:
    """An item of [[topics]]: a source of topics and its named judgements."""

    name: str = setting("", "name in tables")
    source: str = setting("", "topics: Touché XML, TSV, JSON Lines, or irds:NAME")
    field: str = setting(
        "title", "text of a topic to search for", choices=("title", "description", "narrative")
    )
    qrels: Mapping[str, str] = data_field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GivenRun:
    """An item of [[runs]]: an existing run file, evaluated along with the systems."""

    name: str = setting("", "name in tables")
    source: str = setting("", "the run file")
    topics: str = setting("", "name of the run's topics; required if there are several")


@dataclass(frozen=True, slots=True)
class Sweep:
    """Section [sweep]: a grid of configuration values."""

    config: str = setting("dirichlet", "the configuration that the grid varies; also the baseline")
    folds: int = setting(
        0, "folds of the cross-validation over topics; 0 leaves one topic out", low=0, high=10_000
    )
    axes: Mapping[str, tuple[Scalar, ...]] = data_field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """A complete experiment with resolved paths."""

    path: Path
    setup: Setup
    corpora: tuple[Corpus, ...]
    systems: tuple[System, ...]
    topics: tuple[TopicSet, ...]
    runs: tuple[GivenRun, ...]
    sweep: Sweep | None

    @property
    def modes(self) -> tuple[bool, ...]:
        """Values of `judged_only` to evaluate."""
        return {"all": (False,), "only": (True,), "both": (False, True)}[self.setup.judged]

    def options(self, judged_only: bool) -> Options:
        """Return the evaluation options for a value of `judged_only`."""
        setup = self.setup
        sampling = {"samples": setup.samples, "permutations": setup.permutations}
        return Options(setup.measures, judged_only, setup.all_pairs, seed=setup.seed, **sampling)


_SECTIONS = ("experiment", "corpora", "systems", "topics", "runs", "sweep")


def read_plan(source: str | Path) -> ExperimentPlan:
    """Read an experiment from a TOML file, or a shipped experiment by its name.

    Input paths are relative to the file. `${NAME}` stands for an environment variable. Raises
    ExperimentError if the file is missing or malformed, or if a variable is not set. Raises
    InvalidParameter if a key is unknown or a value out of range.
    """
    path = find(source)
    content = read_toml(path)
    for section in content:
        if section not in _SECTIONS:
            allowed = ", ".join(_SECTIONS)
            problem = f"there is no experiment section [{section}]; the sections are {allowed}"
            raise InvalidParameter("experiment section", section, allowed, problem)
    plan = _Reader(path).plan(content)
    _check(plan)
    return plan


def read_toml(path: Path) -> dict[str, Any]:
    """Read the content of an experiment file. Raises ExperimentError if the file is not TOML."""
    try:
        return parse_toml(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ExperimentError(f"experiment {path} is not valid TOML: {error}") from error


def names() -> list[str]:
    """Return the names of the shipped experiments."""
    return sorted(path.stem for path in PLANS_FOLDER.glob("*.toml"))


def find(source: str | Path) -> Path:
    """Return the path of an experiment file, or of a shipped experiment given by its name.

    Raises ExperimentError if neither exists.
    """
    path = Path(source)
    if path.is_file():
        return path
    if path.suffix != ".toml" and str(source) in names():
        return PLANS_FOLDER / f"{source}.toml"
    raise ExperimentError(f"there is no experiment {str(source)!r}, only {', '.join(names())}")


def place(file: Path, where: str, text: str) -> str:
    """Expand environment variables in a path, and resolve it relative to the experiment's file.

    Raises InvalidParameter for an empty path, and ExperimentError for a variable that is not set.
    """
    if not text:
        raise InvalidParameter(where, Missing(), "a path")
    for name in _VARIABLE.findall(text):
        if not os.environ.get(name):
            raise ExperimentError(
                f"{file}: {where} needs the environment variable {name}, which is not "
                f"set; run: export {name}=FOLDER"
            )
    filled = _VARIABLE.sub(lambda match: os.environ[match[1]], text)
    return filled if filled.startswith(_REMOTE) else str(file.resolve().parent / filled)


@dataclass(frozen=True)
class _Reader:
    """Parser for one file: it converts TOML sections to dataclasses."""

    path: Path

    def plan(self, content: Mapping[str, Any]) -> ExperimentPlan:
        """Build the plan from the file's content."""
        table = as_table("experiment", content.get("experiment", {}))
        return ExperimentPlan(
            path=self.path,
            setup=_setup({"name": self.path.stem, **table}),
            corpora=_each(content, "corpora", self._corpus),
            systems=_each(content, "systems", self._system),
            topics=_each(content, "topics", self._topics),
            runs=_each(content, "runs", self._run),
            sweep=self._sweep(content["sweep"]) if "sweep" in content else None,
        )

    def _corpus(self, where: str, table: dict[str, Any]) -> Corpus:
        sources = table.pop("source", [])
        sources = [sources] if isinstance(sources, str) else sources
        if not isinstance(sources, list) or not all(isinstance(s, str) and s for s in sources):
            raise InvalidParameter(f"{where}.source", sources, "a path or a list of paths")
        corpus = read_section(Corpus, where, table)
        if bool(sources) == bool(corpus.index):
            raise InvalidParameter(where, table, problem=f"{where} needs a source or an index")
        places = tuple(place(self.path, f"{where}.source", source) for source in sources)
        index = corpus.index and place(self.path, f"{where}.index", corpus.index)
        return Corpus(corpus.name or _stem(index or places[0]), index, corpus.on_error, places)

    def _system(self, where: str, table: dict[str, Any]) -> System:
        changes = _flat(f"{where}.set", table.pop("set", {}))
        for key in table:
            if key not in ("name", "config"):
                problem = f"there is no key {where}.{key}; the keys are name, config, set"
                raise InvalidParameter(f"key {where}.{key}", table[key], problem=problem)
        words = {key: _word(f"{where}.{key}", value) for key, value in table.items()}
        overrides = [f"{key}={literal(value)}" for key, value in changes.items()]
        config = load_config(self._config(where, words.get("config", "default")), overrides)
        return System(words.get("name", config.name), config)

    def _config(self, where: str, spec: str) -> str:
        """Resolve a path relative to the file, or return the name of a shipped configuration."""
        return place(self.path, f"{where}.config", spec) if spec.endswith(".toml") else spec

    def _topics(self, where: str, table: dict[str, Any]) -> TopicSet:
        qrels = as_table(f"{where}.qrels", table.pop("qrels", {}))
        topics = read_section(TopicSet, where, table)
        source = place(self.path, f"{where}.source", topics.source)
        places = {
            name: place(self.path, at, _word(at, path))
            for name, path in qrels.items()
            for at in (f"{where}.qrels.{name}",)
        }
        return TopicSet(topics.name or _stem(source), source, topics.field, places)

    def _run(self, where: str, table: dict[str, Any]) -> GivenRun:
        run = read_section(GivenRun, where, table)
        source = place(self.path, f"{where}.source", run.source)
        return GivenRun(run.name or _stem(source), source, run.topics)

    def _sweep(self, content: Any) -> Sweep:
        table = as_table("sweep", content)
        axes = _flat("sweep.axes", table.pop("axes", {}))
        sweep = read_section(Sweep, "sweep", table)
        if not axes:
            raise InvalidParameter("sweep.axes", axes, "a table with a list of values for each key")
        config = self._config("sweep", sweep.config)
        for key, values in axes.items():
            _check_values(f"sweep.axes.{key}", values)
            # Check values now instead of in the middle of the sweep.
            for value in values:
                load_config(config, [f"{key}={literal(value)}"])
        return Sweep(config, sweep.folds, {key: tuple(values) for key, values in axes.items()})


def _setup(table: dict[str, Any]) -> Setup:
    seeds = table.pop("seeds", None)
    if seeds is not None:
        _check_values("experiment.seeds", seeds)
    for seed in seeds or ():
        # Check the seed as a value of the configuration's key `index.seed`.
        load_config("default", [f"index.seed={literal(seed)}"])
    return replace(read_section(Setup, "experiment", table), seeds=tuple(seeds or ()))


def _each(
    content: Mapping[str, Any], section: str, read: Callable[[str, dict[str, Any]], Part]
) -> tuple[Part, ...]:
    tables = content.get(section, [])
    if not isinstance(tables, list):
        raise InvalidParameter(section, tables, f"a list; write [[{section}]]")
    parts = [read(f"{section}[{i}]", as_table(section, t)) for i, t in enumerate(tables, 1)]
    # Names become names of folders and files. There, `a b` and `a-b` are equal.
    folders = [slug(part.name) for part in parts]
    for part, folder in zip(parts, folders, strict=True):
        if folders.count(folder) > 1:
            problem = f"two {section} would use the folder name {folder}; rename one of them"
            raise InvalidParameter(f"{section} name", part.name, problem=problem)
    return tuple(parts)


def slug(name: str) -> str:
    """Convert a name to a file name of letters, digits, dots, and hyphens."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "unnamed"


def literal(value: Scalar) -> str:
    """Return a value in TOML syntax."""
    # JSON and TOML write strings, numbers, and booleans alike.
    return json.dumps(value, ensure_ascii=False)


def as_table(where: str, value: Any) -> dict[str, Any]:
    """Return a copy of a table. Raises InvalidParameter if the value is not a table."""
    if not isinstance(value, Mapping):
        raise InvalidParameter(where, value, "a table of keys and values")
    return dict(value)


def _word(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidParameter(where, value, "a non-empty text")
    return value


def _flat(where: str, value: Any) -> dict[str, Any]:
    """Flatten `{boost = {cluster = 1}}` and `{"boost.cluster" = 1}` to section.key → value."""
    flat: dict[str, Any] = {}
    for key, inner in as_table(where, value).items():
        if isinstance(inner, Mapping):
            flat.update({f"{key}.{name}": item for name, item in inner.items()})
        elif "." in key:
            flat[key] = inner
        else:
            raise InvalidParameter(f"{where}.{key}", inner, "section.key = value")
    return flat


def _check_values(where: str, values: Any) -> None:
    # Compare by repr, because 1, 1.0, and True are equal in Python but differ as values of a key.
    if not isinstance(values, list) or not values or len(set(map(repr, values))) < len(values):
        raise InvalidParameter(where, values, "a list of at least one value without repetitions")


def _stem(source: str) -> str:
    name = source.rstrip("/").rpartition("/")[2]
    return name.partition(".")[0] or name


def _check(plan: ExperimentPlan) -> None:
    if not plan.topics:
        raise ExperimentError(f"{plan.path} has no [[topics]]; an experiment needs at least one")
    if not (plan.systems or plan.runs or plan.sweep):
        raise ExperimentError(f"{plan.path} has no [[systems]], [[runs]] or [sweep]")
    if (plan.systems or plan.sweep) and not plan.corpora:
        raise ExperimentError(f"{plan.path} has no [[corpora]]; add at least one")
    known = [topics.name for topics in plan.topics]
    for run in plan.runs:
        if run.topics not in known and (run.topics or len(known) > 1):
            raise InvalidParameter(f"runs.{run.name}.topics", run.topics, either(known))
    if plan.sweep and not all(topics.qrels for topics in plan.topics):
        raise ExperimentError(f"{plan.path}: a sweep needs judgements; add [topics.qrels]")
