"""What an experiment is: a TOML file as frozen dataclasses; a wrong key or value names itself."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as data_field
from pathlib import Path
from typing import Any, TypeVar

from argsearch.engine.config import Config, load_config
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.indexer.format.settings import read_section, setting

SHIPPED = Path(__file__).resolve().parents[2] / "configs" / "experiments"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_REMOTE = ("irds:", "http://", "https://")

Part = TypeVar("Part")
Scalar = str | int | float | bool


class ExperimentError(ArgsearchError):
    """An experiment file that cannot be found, parsed or completed."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Setup:
    """Section [experiment]."""

    name: str = setting("", "the experiment's name; the file's name by default")
    description: str = setting("", "a sentence for the head of the report")
    out: str = setting("", "folder of the results; experiments/NAME by default")
    measures: str = setting("nDCG@5 nDCG@10", "measures by ir-measures' names, and znDCG@k")
    judged: str = setting(
        "both",
        "documents that count: all (unjudged ones are not relevant), only (judged ones), or both",
        choices=("all", "only", "both"),
    )
    in_corpus: bool = setting(False, "leave out judgements of documents that the corpus lacks")
    k: int = setting(1000, "arguments a topic, at most", low=1, high=1_000_000)
    ties: str = setting(
        "id",
        "order of equal scores: by id upwards, or downwards as trec_eval reads raw scores",
        choices=("id", "trec_eval"),
    )
    all_pairs: bool = setting(False, "compare every two systems, not each with the first")
    samples: int = setting(10_000, "bootstrap samples of an interval", low=1, high=10_000_000)
    permutations: int = setting(
        100_000, "sign flips of a randomisation test", low=1, high=10_000_000
    )
    seed: int = setting(0, "seed of intervals, tests and folds", low=0, high=2**31 - 1)
    plots: str = setting("svg", "form of the pictures, or none", choices=("svg", "png", "none"))
    seeds: tuple[int, ...] = ()
    """Seeds of k-means over which values are averaged; none: the configuration's own."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """One of [[corpora]]: sources to index, or an index that exists."""

    name: str = setting("", "name in tables")
    index: str = setting(
        "", "an index instead of a source: a directory or http(s)://host:port/name"
    )
    on_error: str = setting(
        "stop", "what a bad document does: stop, or be skipped", choices=("stop", "skip")
    )
    source: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """One of [[systems]]: a configuration and what is changed in it."""

    name: str
    config: Config


@dataclass(frozen=True, slots=True)
class TopicSet:
    """One of [[topics]]: a source of topics and its judgements by name."""

    name: str = setting("", "name in tables")
    source: str = setting("", "topics: Touché XML, TSV, JSON Lines, or irds:NAME")
    field: str = setting(
        "title", "text that is searched for", choices=("title", "description", "narrative")
    )
    qrels: Mapping[str, str] = data_field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GivenRun:
    """One of [[runs]]: a run file made elsewhere, evaluated beside the systems."""

    name: str = setting("", "name in tables")
    source: str = setting("", "the run file")
    topics: str = setting("", "name of the topics it answers; needed where there are several")


@dataclass(frozen=True, slots=True)
class Sweep:
    """Section [sweep]: a grid over keys of a configuration."""

    config: str = setting("dirichlet", "the configuration that the grid varies; also the baseline")
    folds: int = setting(
        0, "folds of the cross-validation over topics; 0 leaves one topic out", low=0, high=10_000
    )
    axes: Mapping[str, tuple[Scalar, ...]] = data_field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """A whole experiment, every path resolved."""

    path: Path
    setup: Setup
    corpora: tuple[Corpus, ...]
    systems: tuple[System, ...]
    topics: tuple[TopicSet, ...]
    runs: tuple[GivenRun, ...]
    sweep: Sweep | None

    @property
    def modes(self) -> tuple[bool, ...]:
        """The values of `judged_only` that are evaluated."""
        return {"all": (False,), "only": (True,), "both": (False, True)}[self.setup.judged]


_SECTIONS = ("experiment", "corpora", "systems", "topics", "runs", "sweep")


def read_plan(source: str | Path) -> ExperimentPlan:
    """The experiment in a TOML file, or a shipped one by its name.

    Input paths are relative to the file; `${NAME}` stands for an environment variable. Raises
    ExperimentError for a missing or malformed file and an unset variable, InvalidParameter for an
    unknown key or a value outside its range.
    """
    path = find(source)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(f"experiment {path} is not valid TOML: {error}") from error
    for section in content:
        if section not in _SECTIONS:
            raise InvalidParameter("experiment section", section, ", ".join(_SECTIONS))
    plan = _Reader(path).plan(content)
    _check(plan)
    return plan


def names() -> list[str]:
    """The names of the shipped experiments."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def find(source: str | Path) -> Path:
    """The path of an experiment: a file, or a shipped one by its name.

    Raises ExperimentError where there is neither.
    """
    path = Path(source)
    if path.is_file():
        return path
    if path.suffix != ".toml" and str(source) in names():
        return SHIPPED / f"{source}.toml"
    raise ExperimentError(f"no experiment file {str(source)!r}; shipped are: {', '.join(names())}")


@dataclass(frozen=True)
class _Reader:
    """Turns the parsed sections of one file into dataclasses."""

    path: Path

    def plan(self, content: Mapping[str, Any]) -> ExperimentPlan:
        """The plan of the file's content."""
        table = _table("experiment", content.get("experiment", {}))
        return ExperimentPlan(
            path=self.path,
            setup=self._setup({"name": self.path.stem, **table}),
            corpora=self._each(content, "corpora", self._corpus),
            systems=self._each(content, "systems", self._system),
            topics=self._each(content, "topics", self._topics),
            runs=self._each(content, "runs", self._run),
            sweep=self._sweep(content["sweep"]) if "sweep" in content else None,
        )

    def _setup(self, table: dict[str, Any]) -> Setup:
        seeds = table.pop("seeds", None)
        if seeds is not None:
            _check_values("experiment.seeds", seeds)
        for seed in seeds or ():
            load_config("default", [f"index.seed={literal(seed)}"])
        return replace(_section(Setup, "experiment", table, "seeds"), seeds=tuple(seeds or ()))

    def _each(
        self, content: Mapping[str, Any], section: str, read: Callable[[str, dict[str, Any]], Part]
    ) -> tuple[Part, ...]:
        tables = content.get(section, [])
        if not isinstance(tables, list):
            raise InvalidParameter(section, tables, f"a list: write [[{section}]]")
        parts = [read(f"{section}[{i}]", _table(section, t)) for i, t in enumerate(tables, 1)]
        _distinct(section, [part.name for part in parts])  # type: ignore[attr-defined]
        return tuple(parts)

    def _corpus(self, where: str, table: dict[str, Any]) -> Corpus:
        sources = table.pop("source", [])
        sources = [sources] if isinstance(sources, str) else sources
        if not isinstance(sources, list) or not all(isinstance(s, str) and s for s in sources):
            raise InvalidParameter(f"{where}.source", sources, "a path, or a list of paths")
        corpus = _section(Corpus, where, table, "source")
        if bool(sources) == bool(corpus.index):
            raise InvalidParameter(where, table, "either a source or an index")
        places = tuple(self._place(f"{where}.source", source) for source in sources)
        index = corpus.index and self._place(f"{where}.index", corpus.index)
        name = corpus.name or _stem(index or places[0])
        return Corpus(name, index, corpus.on_error, places)

    def _system(self, where: str, table: dict[str, Any]) -> System:
        changes = _flat(f"{where}.set", table.pop("set", {}))
        _known(where, table, ("name", "config", "set"))
        words = {key: _word(f"{where}.{key}", value) for key, value in table.items()}
        overrides = [f"{key}={literal(value)}" for key, value in changes.items()]
        config = load_config(self._config(f"{where}.config", words.get("config")), overrides)
        return System(words.get("name", config.name), config)

    def _config(self, where: str, spec: str | None) -> str:
        """A shipped name as it is; a path relative to the file."""
        if spec is None or not spec.endswith(".toml"):
            return spec or "default"
        return self._place(where, spec)

    def _topics(self, where: str, table: dict[str, Any]) -> TopicSet:
        qrels = _table(f"{where}.qrels", table.pop("qrels", {}))
        topics = _section(TopicSet, where, table, "qrels")
        source = self._needed(f"{where}.source", topics.source)
        places = {
            str(name): self._place(f"{where}.qrels.{name}", _word(f"{where}.qrels.{name}", path))
            for name, path in qrels.items()
        }
        return TopicSet(topics.name or _stem(source), source, topics.field, places)

    def _run(self, where: str, table: dict[str, Any]) -> GivenRun:
        run = read_section(GivenRun, where, table)
        source = self._needed(f"{where}.source", run.source)
        return GivenRun(run.name or _stem(source), source, run.topics)

    def _sweep(self, content: Any) -> Sweep:
        table = _table("sweep", content)
        axes = _flat("sweep.axes", table.pop("axes", {}))
        sweep = _section(Sweep, "sweep", table, "axes")
        if not axes:
            raise InvalidParameter("sweep.axes", axes, "one key or more, each a list of values")
        for key, values in axes.items():
            _check_values(f"sweep.axes.{key}", values)
        config = self._config("sweep.config", sweep.config)
        for key, value in [(k, v) for k, values in axes.items() for v in values]:
            load_config(config, [f"{key}={literal(value)}"])  # a wrong one is found before the work
        return Sweep(config, sweep.folds, {key: tuple(values) for key, values in axes.items()})

    def _needed(self, where: str, text: str) -> str:
        if not text:
            raise InvalidParameter(where, text, "a path (this key is needed)")
        return self._place(where, text)

    def _place(self, where: str, text: str) -> str:
        """A path relative to the file, with the environment's variables filled in."""
        for name in _VARIABLE.findall(text):
            if not os.environ.get(name):
                raise ExperimentError(
                    f"{self.path}: {where} needs the environment variable {name}, which is not "
                    f"set; run: export {name}=FOLDER"
                )
        filled = _VARIABLE.sub(lambda match: os.environ[match[1]], text)
        if filled.startswith(_REMOTE):
            return filled
        return str(self.path.resolve().parent / filled)


def slug(name: str) -> str:
    """A name as a file's name: letters, digits, dots and hyphens."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "unnamed"


def literal(value: Scalar) -> str:
    """A value as TOML writes it."""
    import json

    return json.dumps(value, ensure_ascii=False)


def _section(section: Callable[..., Part], where: str, table: dict[str, Any], *more: str) -> Part:
    """As `read_section`, for sections with keys (`more`) that were read before."""
    _known(where, table, [f.name for f in fields(section)])  # type: ignore[arg-type]
    for key in more:
        if key in table:
            raise InvalidParameter(f"{where}.{key}", table[key], "once")
    return read_section(section, where, table)


def _known(where: str, table: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in table:
        if key not in keys:
            raise InvalidParameter(f"key {where}.{key}", table[key], f"the keys {', '.join(keys)}")


def _table(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidParameter(where, value, "a table of keys and values")
    return dict(value)


def _word(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidParameter(where, value, "a non-empty text")
    return value


def _flat(where: str, value: Any) -> dict[str, Any]:
    """`{boost = {cluster = 1}}` and `{"boost.cluster" = 1}` as section.key → value."""
    flat: dict[str, Any] = {}
    for key, inner in _table(where, value).items():
        if isinstance(inner, Mapping):
            flat.update({f"{key}.{name}": item for name, item in inner.items()})
        elif "." in key:
            flat[key] = inner
        else:
            raise InvalidParameter(f"{where}.{key}", inner, "section.key = value")
    return flat


def _check_values(where: str, values: Any) -> None:
    if not isinstance(values, list) or not values or len(set(map(repr, values))) < len(values):
        raise InvalidParameter(where, values, "a list of one value or more, each once")


def _distinct(section: str, names: Sequence[str]) -> None:
    folders = [slug(name) for name in names]
    for name in names:
        if folders.count(slug(name)) > 1:
            allowed = "each name once, also as the name of a folder"
            raise InvalidParameter(f"{section} name", name, allowed)


def _stem(source: str) -> str:
    name = source.rstrip("/").rpartition("/")[2]
    return name.partition(".")[0] or name


def _check(plan: ExperimentPlan) -> None:
    if not plan.topics:
        raise ExperimentError(f"{plan.path} has no [[topics]]; an experiment needs one or more")
    if not (plan.systems or plan.runs or plan.sweep):
        raise ExperimentError(f"{plan.path} has no [[systems]], no [[runs]] and no [sweep]")
    if (plan.systems or plan.sweep) and not plan.corpora:
        raise ExperimentError(f"{plan.path} has no [[corpora]]; systems need one or more")
    known = [topics.name for topics in plan.topics]
    for run in plan.runs:
        if run.topics not in known and (run.topics or len(known) > 1):
            raise InvalidParameter(f"runs.{run.name}.topics", run.topics, ", ".join(known))
    if plan.sweep and not all(topics.qrels for topics in plan.topics):
        raise ExperimentError(f"{plan.path}: a sweep needs judgements: [topics.qrels]")
