"""Evaluates runs against judgements, with intervals and tests, and lists how two runs differ."""

from __future__ import annotations

import math
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.evaluation.measures import (
    DEFAULT_MEASURES,
    aggregate,
    is_mean,
    parse_measures,
    topic_values,
)
from argsearch.lab.runs import Qrels, Run, read_qrels, read_run

if TYPE_CHECKING:
    from argsearch.engine.engine import Engine

JUDGED = ("relevance", "quality", "coherence", "rhetorical", "logical", "dialectical")
"""Possible subjects of judgements, recognised by the file name; the first is the default."""
Grades = Mapping[str, Mapping[str, int]]
QrelsSource = Qrels | str | os.PathLike[str]
RunSource = Run | str | os.PathLike[str]
Change = Literal["rose", "fell", "entered", "left", "stayed"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two runs on one measure; difference = mean(second − first) over topics.

    The fields `better`, `worse`, and `equal` count topics. All p-values are two-sided. Fields that
    end in `_holm` are corrected over all comparisons with the same measure and judgements.
    """

    judgements: str
    measure: str
    first: str
    second: str
    difference: float
    better: int
    worse: int
    equal: int
    t: float
    p_t: float
    p_randomisation: float
    p_t_holm: float
    p_randomisation_holm: float


@dataclass(frozen=True, slots=True)
class Move:
    """A document in two rankings: its ranks (from 1; None if not in the first k) and its grade."""

    doc_id: str
    before: int | None
    after: int | None
    grade: int | None

    @property
    def change(self) -> Change:
        """Direction in which the document moved from the first run to the second."""
        if self.before is None:
            return "entered"
        if self.after is None:
            return "left"
        if self.after == self.before:
            return "stayed"
        return "rose" if self.after < self.before else "fell"


@dataclass(frozen=True, slots=True)
class TopicDiff:
    """Top-k documents of one topic, in the second run's order, then those that dropped out."""

    query_id: str
    moves: tuple[Move, ...]

    def count(self, change: Change) -> int:
        """Return the number of documents with this change."""
        return sum(move.change == change for move in self.moves)


@dataclass(frozen=True, slots=True)
class Options:
    """Evaluation options.

    With judged_only, unjudged documents are first removed from every ranking (condensed lists).
    With all_pairs, all pairs of runs are compared, otherwise each run with the first. `level` is
    the confidence of the intervals, `samples` the number of bootstrap samples, and `permutations`
    the number of sign flips (exact if 2^topics is not larger). `seed` makes both repeatable.
    """

    measures: str = DEFAULT_MEASURES
    judged_only: bool = False
    all_pairs: bool = False
    level: float = 0.95
    samples: int = 10_000
    permutations: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise InvalidParameter("level", self.level, "between 0 and 1, such as 0.95")
        for name in ("samples", "permutations"):
            if not 1 <= getattr(self, name) <= 10_000_000:
                raise InvalidParameter(name, getattr(self, name), "from 1 to 10,000,000")
        if self.seed < 0:
            raise InvalidParameter("seed", self.seed, "a whole number of at least 0")

    def compare(
        self, judgements: str, measure: str, values: Mapping[str, Mapping[str, float]]
    ) -> list[Comparison]:
        """Test pairs of runs on one measure's values per topic, with Holm's correction.

        Topics with an undefined value (NaN) in either run of a pair are excluded.
        """
        from argsearch.ranking.evaluation.significance import holm, paired_t, randomisation

        family = []
        for first, second in self.pairs(tuple(values)):
            both = [(values[first][q], values[second][q]) for q in values[first]]
            both = [(x, y) for x, y in both if not math.isnan(x) and not math.isnan(y)]
            names = (judgements, measure, first, second)
            if not both:
                family.append(Comparison(*names, math.nan, 0, 0, 0, *[math.nan] * 5))
                continue
            a, b = zip(*both, strict=True)
            t, p = paired_t(b, a), randomisation(b, a, self.permutations, self.seed).p
            better, worse = sum(y > x for x, y in both), sum(x > y for x, y in both)
            counts = better, worse, len(both) - better - worse
            # The Holm fields hold the uncorrected p-values until the whole family is known.
            family.append(Comparison(*names, t.difference, *counts, t.statistic, t.p, p, t.p, p))
        by_t = holm([item.p_t for item in family])
        by_randomisation = holm([item.p_randomisation for item in family])
        return [
            replace(item, p_t_holm=float(t), p_randomisation_holm=float(r))
            for item, t, r in zip(family, by_t, by_randomisation, strict=True)
        ]

    def interval(self, values: Sequence[float]) -> tuple[float, float]:
        """Return the bootstrap interval of the mean over topics."""
        from argsearch.ranking.evaluation.significance import bootstrap_interval

        found = bootstrap_interval(values, self.samples, self.level, self.seed)
        return found.low, found.high

    def pairs(self, runs: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs of runs to compare, as (first, second)."""
        return [pair for pair in combinations(runs, 2) if self.all_pairs or pair[0] == runs[0]]


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one run on one measure: the aggregate, its interval, and the value of each topic.

    `low` and `high`, the bounds of the interval, are None if the aggregate is a count and not a
    mean. The value of a topic is NaN where the measure is undefined.
    """

    judgements: str
    run: str
    measure: str
    value: float
    low: float | None
    high: float | None
    topics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of an evaluation; `remarks` lists problems with files and topics."""

    judgements: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    options: Options
    remarks: list[str] = field(default_factory=list)

    def score(self, run: str, measure: str, judgements: str | None = None) -> Score:
        """Return a run's score on a measure, by default with the first judgements."""
        wanted = (judgements or self.judgements[0], run, measure)
        for score in self.scores:
            if (score.judgements, score.run, score.measure) == wanted:
                return score
        known = f"the runs are {self.runs}, the measures {self.measures}"
        raise InvalidParameter("score", wanted, known, f"there is no score for {wanted}; {known}")


def evaluate(
    qrels: QrelsSource | Mapping[str, QrelsSource],
    runs: Sequence[RunSource] | Mapping[str, RunSource],
    options: Options | None = None,
    in_corpus: Engine | None = None,
) -> Evaluation:
    """Evaluate runs, with values identical to those of ir-measures.

    qrels: one file of judgements, or several files by name ({"relevance": …, "quality": …}).
    in_corpus: the engine of an index; judgements of documents outside the index are excluded.
    Values are averaged over the judged topics. A topic missing in a run gets the measure's default
    (0). Negative grades count as 0, as in trec_eval's gains. The program trec_eval itself reads -1
    and -2 as "unjudged" in condensed lists, and may crash on a topic that has no other grades.
    Raises RunFormatError for a malformed file, InvalidParameter for an invalid option or measure.
    """
    options = options or Options()
    measures = parse_measures(options.measures)
    judged, ranked = load_qrels(qrels, in_corpus), load_runs(runs)
    remarks = [remark for each in judged.values() for remark in each.remarks]
    remarks += [remark for each in ranked.values() for remark in each.remarks]
    scores: list[Score] = []
    compared: list[Comparison] = []
    for name, judgements in judged.items():
        grades = judgements.grades
        values = {}
        for run_name, run in ranked.items():
            remarks += _topic_remarks(name, grades, run_name, run)
            rankings = {query: ranking.ids for query, ranking in run.rankings.items()}
            if options.judged_only:
                both = [query for query in grades if query in rankings]
                rankings = {q: [doc for doc in rankings[q] if doc in grades[q]] for q in both}
            values[run_name] = topic_values(measures, judgements, rankings)
        for measure in measures:
            per_run = {run_name: table[measure] for run_name, table in values.items()}
            scores += [_score(name, r, measure, v, options, remarks) for r, v in per_run.items()]
            # A sum over topics, such as NumRet's, has no paired test.
            if is_mean(measure):
                compared += options.compare(name, str(measure), per_run)
    names = tuple(str(measure) for measure in measures)
    return Evaluation(
        tuple(judged), tuple(ranked), names, tuple(scores), tuple(compared), options, remarks
    )


def load_qrels(
    qrels: QrelsSource | Mapping[str, QrelsSource], in_corpus: Engine | None = None
) -> dict[str, Qrels]:
    """Read judgements and return them by name; `judged_name` names a single file.

    With `in_corpus`, judgements of documents outside its index are excluded, and a remark says so.
    """
    named = qrels if isinstance(qrels, Mapping) else {judged_name(qrels): qrels}
    read = {
        name: source if isinstance(source, Qrels) else read_qrels(Path(source))
        for name, source in named.items()
    }
    return {name: within(one, in_corpus, name) if in_corpus else one for name, one in read.items()}


def judged_name(qrels: QrelsSource) -> str:
    """Return the subject in JUDGED that a file's name contains: `2021-quality.qrels` → quality."""
    name = Path(qrels.path if isinstance(qrels, Qrels) else qrels).name.lower()
    return next((word for word in JUDGED if word in name), JUDGED[0])


def within(qrels: Qrels, engine: Engine, name: str) -> Qrels:
    """Keep only the judgements of documents in an index; a remark gives their number."""
    docs = {doc for judged in qrels.grades.values() for doc in judged}
    known = {doc for doc in docs if engine.argument(doc) is not None}
    grades = {query: _only(judged, known) for query, judged in qrels.grades.items()}
    # A topic without judgements would count as 0 for every run.
    grades = {query: judged for query, judged in grades.items() if judged}
    subtopics = {
        query: {part: _only(judged, known) for part, judged in parts.items()}
        for query, parts in qrels.subtopics.items()
        if query in grades
    }
    kept, all_ = (sum(map(len, some.values())) for some in (grades, qrels.grades))
    remark = (
        f"{name}: {kept:,} of {all_:,} judgements are about documents in the corpus "
        f"({len(grades):,} of {len(qrels.grades):,} topics); the others are ignored"
    )
    return Qrels(qrels.path, grades, [*qrels.remarks, remark], subtopics)


def _only(judged: Mapping[str, int], known: Container[str]) -> dict[str, int]:
    return {doc: grade for doc, grade in judged.items() if doc in known}


def load_runs(runs: Sequence[RunSource] | Mapping[str, RunSource]) -> dict[str, Run]:
    """Read runs; each is named by the shortest part of its path that is unique."""
    named = runs if isinstance(runs, Mapping) else dict(zip(_names(runs), runs, strict=True))
    return {
        name: source if isinstance(source, Run) else read_run(Path(source))
        for name, source in named.items()
    }


def _names(runs: Sequence[RunSource]) -> list[str]:
    if not runs:
        raise InvalidParameter("runs", [], "a list of at least one run file")
    paths = [Path(run.path if isinstance(run, Run) else run) for run in runs]
    stems = [_stem(path) for path in paths]
    longer = [f"{path.parent.name}/{stem}" for path, stem in zip(paths, stems, strict=True)]
    whole = [str(path) for path in paths]
    # An experiment names all its runs run.txt.gz, so their folders distinguish them.
    for names in (stems, longer, whole):
        if len(set(names)) == len(names):
            return names
    twice = next(name for name in whole if whole.count(name) > 1)
    raise InvalidParameter("runs", twice, "distinct", f"the run file {twice} is given twice")


def _stem(path: Path) -> str:
    name = path.name
    for suffix in (".gz", ".xz", ".bz2", ".txt", ".run", ".trec"):
        name = name.removesuffix(suffix)
    return name or path.name


def _topic_remarks(name: str, grades: Grades, run_name: str, run: Run) -> list[str]:
    missing = [query for query in grades if query not in run.rankings]
    unjudged = [query for query in run.rankings if query not in grades]
    remarks = []
    if len(missing) == len(grades):
        remarks.append(f"{run_name} has no topic of the {name} judgements; every value is 0")
    elif missing:
        remarks.append(
            f"{run_name}: {len(missing)} judged topics are missing and count as 0 (first: "
            f"{missing[0]})"
        )
    if unjudged:
        remarks.append(
            f"{run_name}: {len(unjudged)} topics have no {name} judgements and are not counted"
            f" (first: {unjudged[0]})"
        )
    return remarks


def _score(
    judgements: str,
    run: str,
    measure: Any,
    topics: Mapping[str, float],
    options: Options,
    remarks: list[str],
) -> Score:
    # NaN is the only value that does not equal itself.
    defined = [value for value in topics.values() if value == value]
    if len(defined) < len(topics):
        count = len(topics) - len(defined)
        remarks.append(f"{run}: {measure} is undefined for {count} topics, which are left out")
    low = high = None
    if defined and is_mean(measure):
        low, high = options.interval(defined)
    return Score(judgements, run, str(measure), aggregate(measure, topics), low, high, topics)


def diff(
    first: Run, second: Run, grades: Mapping[str, Mapping[str, int]], k: int = 10
) -> list[TopicDiff]:
    """List the documents in the first k of either run for each topic, with ranks and grades.

    All topics of both runs are listed, in the first run's order. A grade of None means unjudged.
    """
    found = []
    for query in dict.fromkeys([*first.rankings, *second.rankings]):
        before, after = _ranks(first, query, k), _ranks(second, query, k)
        judged = grades.get(query, {})
        moves = (
            Move(doc, before.get(doc), after.get(doc), judged.get(doc))
            for doc in dict.fromkeys([*after, *before])
        )
        found.append(TopicDiff(query, tuple(moves)))
    return found


def _ranks(run: Run, query: str, k: int) -> dict[str, int]:
    ranking = run.rankings.get(query)
    ids = ranking.ids[:k] if ranking is not None else []
    return {doc: rank for rank, doc in enumerate(ids, 1)}
