"""Sweep over a grid of configurations: compute every cell's values, choose cells, make tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.config import Config, load_config
from argsearch.engine.engine import Engine
from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.evaluation.measures import parse_measures, topic_values
from argsearch.lab.evaluation.tables import Grid, csv_text
from argsearch.lab.experiment.cache import Indexes, digest, ranking_identity
from argsearch.lab.experiment.evaluating import MODES, JudgedTopics, read_judgements
from argsearch.lab.experiment.plan import (
    Corpus,
    ExperimentError,
    ExperimentPlan,
    Scalar,
    Sweep,
    TopicSet,
    literal,
)
from argsearch.lab.runs import Topic, read_topics
from argsearch.lab.runs.making import rank_topics
from argsearch.lab.runs.trec import ranked
from argsearch.ranking.evaluation.choice import HeldOut, best_mean, best_safe, folds, held_out
from argsearch.ranking.evaluation.significance import bootstrap_interval, paired_t


@dataclass(frozen=True, slots=True)
class SweepColumn:
    """A sweep column: a measure, a set of judgements, and whether only judged documents count."""

    judgements: str
    measure: str
    judged_only: bool

    @property
    def label(self) -> str:
        """Description of the column for tables."""
        return f"{self.judgements}, {self.measure}, {MODES[self.judged_only]}"


@dataclass(frozen=True, slots=True)
class Map:
    """Values of a grid for one corpus and topic set, averaged over seeds of k-means."""

    corpus: str
    topics: str
    axes: Mapping[str, tuple[Scalar, ...]]
    cells: tuple[tuple[Scalar, ...], ...]
    """Each cell's value on every axis. The last axis varies fastest."""
    columns: tuple[SweepColumn, ...]
    queries: tuple[str, ...]
    scores: NDArray[np.float64]
    """float64[cells, queries, columns], NaN if a topic is not judged or a value is undefined."""
    spread: NDArray[np.float64]
    """float64[cells, columns]: standard deviation of the mean over seeds; 0 for one seed."""
    baseline: NDArray[np.float64]
    """float64[queries, columns]: values of the sweep's unchanged configuration."""
    fold: NDArray[np.int64]
    """int64[queries]: the fold of each topic in the cross-validation."""

    @property
    def gains(self) -> NDArray[np.float64]:
        """Differences from the baseline, float64[cells, queries, columns]."""
        return self.scores - self.baseline

    def means(self) -> NDArray[np.float64]:
        """Return means over topics, float64[cells, columns]."""
        return np.asarray(np.nanmean(self.scores, axis=1))

    def best(self, column: int) -> tuple[int, HeldOut]:
        """Return a column's best cell, and the held-out scores of cells chosen on other folds."""
        scores = self.scores[:, :, column]
        return best_mean(scores), held_out(scores, self.fold, best_mean)

    def joint(self) -> tuple[int, HeldOut]:
        """Return the cell with the largest mean gain without any loss, and the held-out gains."""
        return best_safe(self.gains), held_out(self.gains, self.fold, best_safe)

    def describe(self, cell: int) -> str:
        """Return a description of a cell, such as `cluster 1, quality 0.5`."""
        pairs = zip(self.labels, self.cells[cell], strict=True)
        return ", ".join(f"{label} {plain(value)}" for label, value in pairs)

    @property
    def labels(self) -> list[str]:
        """Keys of the axes, without their section if they remain distinct."""
        short = [key.partition(".")[2] for key in self.axes]
        return short if len(set(short)) == len(short) else list(self.axes)


def plain(value: Scalar) -> str:
    """Format a value for a reader, such as 1 for 1.0 and true for True."""
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else literal(value)


def sweep_maps(plan: ExperimentPlan, indexes: Indexes) -> Iterator[Map]:
    """Yield the map of every corpus and topic set, if the plan has a sweep.

    Finished cells are cached, so that a stopped sweep can resume. Raises InvalidParameter if a
    corpus is an existing index but the plan has seeds or an index.* axis.
    """
    if plan.sweep is None:
        return
    # An existing index already has its seed and its clusters.
    moved = plan.setup.seeds or any(key.startswith("index.") for key in plan.sweep.axes)
    for corpus, topics in itertools.product(plan.corpora, plan.topics):
        if corpus.index and moved:
            problem = f"a sweep over the index {corpus.name} cannot have seeds or an index.* axis; "
            problem += "give the corpus a source instead"
            raise InvalidParameter("sweep over an index", corpus.name, problem=problem)
        base = indexes.engine(corpus, load_config(plan.sweep.config))
        asked, judged = read_topics(topics.source), read_judgements(topics, base, plan)
        yield _Grid(plan, plan.sweep, corpus, topics, asked, judged, indexes).map()


@dataclass(frozen=True)
class _Grid:
    """A running sweep."""

    plan: ExperimentPlan
    sweep: Sweep
    corpus: Corpus
    topics: TopicSet
    asked: list[Topic]
    judged: JudgedTopics
    indexes: Indexes

    def map(self) -> Map:
        """Compute every cell's scores, averaged over seeds."""
        cells = tuple(itertools.product(*self.sweep.axes.values()))
        measures = parse_measures(self.plan.setup.measures)
        kinds = itertools.product(self.judged.qrels, self.plan.modes, measures)
        queries = self._queries()
        scores, spread = [], []
        stage = f"sweep of {len(cells)} cells on {self.corpus.name}, {self.topics.name}"
        for done, cell in enumerate(cells, 1):
            per_seed = np.array(list(self._seeds(cell, queries)))
            scores.append(per_seed.mean(axis=0))
            spread.append(np.nanmean(per_seed, axis=1).std(axis=0))
            self.indexes.observer.update(stage, done)
        base = np.array(list(self._seeds(None, queries)))
        return Map(
            corpus=self.corpus.name,
            topics=self.topics.name,
            axes=self.sweep.axes,
            cells=cells,
            columns=tuple(SweepColumn(name, str(m), mode) for name, mode, m in kinds),
            queries=tuple(queries),
            scores=np.array(scores),
            spread=np.array(spread),
            baseline=base.mean(axis=0),
            fold=folds(len(queries), self.sweep.folds, self.plan.setup.seed),
        )

    def _queries(self) -> list[str]:
        """Return the ids of topics that have judgements of any kind, in the topics' order."""
        asked = [topic.query_id for topic in self.asked]
        for name, qrels in self.judged.qrels.items():
            if (count := sum(query in qrels.grades for query in asked)) < 2:
                raise ExperimentError(
                    f"{self.plan.path}: a sweep needs at least 2 judged topics, but {name} judges "
                    f"{count} of {self.topics.name}"
                )
        kinds = [qrels.grades for qrels in self.judged.qrels.values()]
        queries = [query for query in asked if any(query in grades for grades in kinds)]
        if self.sweep.folds == 1 or self.sweep.folds > len(queries):
            allowed = f"0 (leave one topic out) or from 2 to {len(queries)}"
            raise InvalidParameter("sweep.folds", self.sweep.folds, allowed)
        return queries

    def _seeds(
        self, cell: tuple[Scalar, ...] | None, queries: Sequence[str]
    ) -> Iterator[list[list[float]]]:
        """Yield a cell's values [queries, columns] per seed, or once if seeds have no effect."""
        pairs = zip(self.sweep.axes, cell, strict=True) if cell is not None else ()
        overrides = [f"{key}={literal(value)}" for key, value in pairs]
        for seed in self.plan.setup.seeds or (None,):
            seeded = [] if seed is None else [f"index.seed={seed}"]
            config = load_config(self.sweep.config, [*seeded, *overrides])
            engine = self.indexes.engine(self.corpus, config)
            key = self._key(engine, config)
            if (values := self.indexes.cache.read("sweeps", key)) is None:
                values = self._values(engine, config, queries)
                self.indexes.cache.write("sweeps", key, values)
            yield values
            # If clusters have no weight, the seed of k-means has no effect, so one seed is enough.
            if config.boost.cluster == 0.0:
                return

    def _key(self, engine: Engine, config: Config) -> str:
        setup = self.plan.setup
        return digest(
            {
                **ranking_identity(engine, config),
                "topics": [[t.query_id, getattr(t, self.topics.field)] for t in self.asked],
                "judged": [self.judged.key, list(self.judged.qrels)],
                "how": [setup.measures, setup.judged, setup.k, setup.ties],
            }
        )

    def _values(self, engine: Engine, config: Config, queries: Sequence[str]) -> list[list[float]]:
        setup, columns = self.plan.setup, []
        measures = parse_measures(setup.measures)
        asked = [topic for topic in self.asked if topic.query_id in set(queries)]
        found = rank_topics(engine, asked, config, setup.k, field=self.topics.field)
        order = {q: [doc for _, doc in ranked(ids, s, setup.ties)] for q, ids, s, _ in found}
        # Cut the rankings: a measure at rank ten does not need a thousand documents per topic.
        cut = _cut(measures)
        for qrels in self.judged.qrels.values():
            grades = qrels.grades
            for mode in self.plan.modes:
                rankings = {
                    query: [d for d in order[query] if not mode or d in grades[query]][:cut]
                    for query in queries
                    if query in grades
                }
                values = topic_values(measures, qrels, rankings)
                columns += [values[measure] for measure in measures]
        return [[column.get(query, float("nan")) for column in columns] for query in queries]


def _cut(measures: Sequence[Any]) -> int | None:
    """Return the largest cutoff rank of the measures, or None if a measure has no cutoff."""
    cuts = [getattr(m, "k", None) or getattr(m, "params", {}).get("cutoff") for m in measures]
    known = [cut for cut in cuts if cut is not None]
    return max(known) if len(known) == len(cuts) else None


TOP = 12
"""Number of rows in the table of the best cells."""
_CHOICE = ("baseline", "best cell", "score", "± seeds")
_HEADER = ("judgements, measure", *_CHOICE, "held-out score", "held-out gain [95 %]", "p (t)")


def sweep_grids(found: Map) -> list[Grid]:
    """Build tables: the cell chosen per column, the cell chosen for all, and the best cells."""
    title = f"{found.corpus} · {found.topics}: sweep"
    count = len(np.unique(found.fold))
    folds = f"{count} folds" if count < len(found.queries) else "leaving one topic out"
    bests = [found.best(i) for i in range(len(found.columns))]
    own = [_row(found, i, cell, held.values) for i, (cell, held) in enumerate(bests)]
    grids = [Grid(f"{title}, tuned for each measure ({folds})", _HEADER, own)]
    if len(found.columns) > 1:
        cell, held = found.joint()
        scores = (held.values + found.baseline).T
        rows = [_row(found, i, cell, values) for i, values in enumerate(scores)]
        caption = f"{title}, one choice for all measures, without a loss where possible ({folds})"
        grids.append(Grid(caption, _HEADER, rows))
    return [*grids, _best_cells(found, title)]


def _row(found: Map, i: int, cell: int, held: NDArray[np.float64]) -> tuple[str, ...]:
    base, numbers = found.baseline[:, i], (found.means()[cell, i], found.spread[cell, i])
    before = (found.columns[i].label, f"{np.nanmean(base):.4f}", found.describe(cell))
    shown = (f"{number:.4f}" for number in (*numbers, np.nanmean(held)))
    return (*before, *shown, *_gain(held, base))


def _gain(values: NDArray[np.float64], base: NDArray[np.float64]) -> tuple[str, str]:
    """Return as text the mean gain with its interval, and the p-value of a paired t test."""
    gains = values - base
    defined = ~np.isnan(gains)
    if not defined.any():
        return ("–", "–")
    interval = bootstrap_interval(gains[defined])
    p = paired_t(values[defined], base[defined]).p
    text = f"{gains[defined].mean():+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]"
    return text, "–" if np.isnan(p) else f"{p:.2g}"


def _best_cells(found: Map, title: str) -> Grid:
    gains = np.nanmean(found.gains, axis=1)
    order = np.argsort(-gains.mean(axis=1), kind="stable")[:TOP]
    rows = [
        (found.describe(i), *(f"{gain:+.4f}" for gain in (some.mean(), some.min(), *some)))
        for i, some in zip(order.tolist(), gains[order], strict=True)
    ]
    header = ("cell", "mean gain", "smallest", *(column.label for column in found.columns))
    caption = f"{title}, the {len(rows)} best of {len(found.cells)} cells (gain over the baseline)"
    return Grid(caption, header, rows)


def sweep_csv(maps: Sequence[Map]) -> str:
    """Return CSV with every cell's values on the axes, and mean, gain, and spread by column."""
    rows: list[list[object]] = []
    for found in maps:
        head = ("judgements", "measure", "documents", "mean", "gain", "seeds_sd")
        rows = rows or [["corpus", "topics", *found.axes, *head]]
        means, gains = found.means(), np.nanmean(found.gains, axis=1)
        for c, cell in enumerate(found.cells):
            for i, column in enumerate(found.columns):
                values = map(float, (means[c, i], gains[c, i], found.spread[c, i]))
                kind = (column.judgements, column.measure, MODES[column.judged_only])
                place = (found.corpus, found.topics, *map(plain, cell))
                rows.append([*place, *kind, *values])
    return csv_text(rows)
