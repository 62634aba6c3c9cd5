"""Measures by the names of ir-measures, and the project's own znDCG@k; values per topic."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs import TopicRanking
from argsearch.lab.runs.trec import LARGEST_GRADE

DEFAULT_MEASURES = "nDCG@5 nDCG@10 Judged@10"
_AT_ONCE = 500
"""Topics that are evaluated together, so that a large run is never whole in memory as dicts."""
_WHOLE = re.compile(r"(?<![\d.])\d+")
_ZNDCG = re.compile(r"znDCG@(\d+)")
_MEASURE = re.compile(r"(\w+)(?:\(([^()]*)\))?(?:@(\d+(?:\.\d+)?))?")
_NODES = {ast.Call, ast.Name, ast.Load, ast.keyword, ast.Constant, ast.Dict}

Grades = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class ZNDCG:
    """znDCG@k (G19): gains z-normalised over a topic's judged documents; unjudged ones gain 0."""

    k: int

    def __str__(self) -> str:
        return f"znDCG@{self.k}"


def parse_measures(text: str) -> list[Any]:
    """Parse names such as `nDCG@5 P(rel=2)@10 znDCG@50`, separated by white space or commas.

    Returns ir-measures' Measure objects and ZNDCG ones, in order, each once. Raises
    InvalidParameter for an unknown measure, a cutoff below 1, too large a number and a measure
    whose provider is not installed (the message says what to install).
    """
    # A comma or blank in brackets is the measure's own: nDCG(gains={0: 0, 1: 5})@5.
    names = re.findall(r"(?:[^\s,(]|\([^()]*\)|\()+", text)
    if not names:
        raise InvalidParameter("measures", text, f"one or more names, such as {DEFAULT_MEASURES!r}")
    return list(dict.fromkeys(_parse(name) for name in names))


def _parse(name: str) -> Any:
    import ir_measures

    allowed = "ir-measures' names, such as nDCG@5, P@10, AP, Judged@10, and znDCG@50"
    # By its length first: Python refuses to read a number of thousands of digits.
    if any(len(n) > 7 or int(n) > LARGEST_GRADE for n in _WHOLE.findall(name)):
        said = f"{allowed}, with cutoffs, grades and gains to {LARGEST_GRADE:,}"
        raise InvalidParameter("measure", name, said)
    own = _ZNDCG.fullmatch(name)
    if own and int(own[1]) >= 1:
        return ZNDCG(int(own[1]))
    unknown = (ValueError, NameError, KeyError, AssertionError, AttributeError, RuntimeError)
    try:
        measure = _read(name)
        measure.validate_params()
        cutoff = measure.params.get("cutoff", 1)
        if isinstance(cutoff, int) and cutoff >= 1:
            # A provider that is not installed says so here, before any file is read.
            ir_measures.evaluator([measure], {"1": {"a": 1}})
            return measure
    except unknown as error:
        said = " ".join(str(error).split())
        raise InvalidParameter("measure", name, f"{allowed} ({said})") from error
    raise InvalidParameter("measure", name, f"{allowed}, with a cutoff from 1")


def _read(name: str) -> Any:
    """The measure of a name such as `P(rel=2)@10`, its values read here.

    ir-measures 0.4.3 reads values by ast.Num, which Python 3.14 lacks (its issue 80).
    """
    import ir_measures

    parts = _MEASURE.fullmatch(name)
    try:
        call: Any = ast.parse(f"of({parts[2] or ''})" if parts else "", mode="eval").body
        # As ir-measures: every value has a name, and none is a list or a negative number.
        if not {type(node) for node in ast.walk(call)} <= _NODES or call.args:
            return ir_measures.parse_measure(name)
        values = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
    except (SyntaxError, ValueError):
        # ir-measures' own words say what is wrong with it.
        return ir_measures.parse_measure(name)
    assert parts is not None
    measure = ir_measures.parse_measure(parts[1])(**values)
    return measure @ ast.literal_eval(parts[3]) if parts[3] else measure


def topic_values(
    measures: Sequence[Any], grades: Grades, rankings: Mapping[str, TopicRanking]
) -> dict[Any, dict[str, float]]:
    """Each measure's value for every judged topic; a topic absent from the run gets its default.

    NaN marks a topic for which znDCG is undefined (see `ranking.evaluation.zndcg.z_ndcg`). Raises
    InvalidParameter for measures that ir-measures cannot compute.
    """
    values: dict[Any, dict[str, float]] = {measure: {} for measure in measures}
    known = [measure for measure in measures if not isinstance(measure, ZNDCG)]
    if known:
        import ir_measures

        queries = list(grades)
        for first in range(0, len(queries), _AT_ONCE):
            batch = queries[first : first + _AT_ONCE]
            judged = {query: dict(grades[query]) for query in batch}
            run = {
                query: dict(zip(rankings[query].ids, rankings[query].scores, strict=True))
                for query in batch
                if query in rankings and len(rankings[query])
            }
            try:
                for metric in ir_measures.evaluator(known, judged).iter_calc(run):
                    if metric.query_id in judged:
                        values[metric.measure][metric.query_id] = float(metric.value)
            # Whatever one of the providers meets: a division by zero, an assertion of its own.
            except Exception as error:
                said = f"those that ir-measures computes of these files ({type(error).__name__})"
                raise InvalidParameter("measures", " ".join(map(str, known)), said) from error
    for measure in measures:
        if isinstance(measure, ZNDCG):
            for query, judgements in grades.items():
                ids = rankings[query].ids if query in rankings else []
                values[measure][query] = _zndcg(measure.k, judgements, ids)
    # Each provider has an order of its own; tables follow that of the judgements.
    return {measure: {q: values[measure][q] for q in grades} for measure in measures}


def _zndcg(k: int, judgements: Mapping[str, int], ids: Sequence[str]) -> float:
    from argsearch.ranking.evaluation.zndcg import z_ndcg
    from argsearch.ranking.numbers import z_scores

    gains = z_scores([float(grade) for grade in judgements.values()])
    gain = dict(zip(judgements, gains.tolist(), strict=True))
    return z_ndcg([gain.get(doc, 0.0) for doc in ids[:k]], gains, k)


def aggregate(measure: Any, values: Mapping[str, float]) -> float:
    """The measure's own aggregate (mean, or sum for counts such as NumRet) without NaN topics."""
    defined = [value for value in values.values() if not math.isnan(value)]
    if isinstance(measure, ZNDCG):
        # The exact sum does not depend on the order of topics.
        return math.fsum(defined) / len(defined) if defined else float("nan")
    aggregator = measure.aggregator()
    for value in defined:
        aggregator.add(value)
    return float(aggregator.result())


def is_mean(measure: Any) -> bool:
    """Whether the aggregate is a mean over topics, so that an interval makes sense."""
    if isinstance(measure, ZNDCG):
        return True
    from ir_measures import MeanAgg

    return isinstance(measure.aggregator(), MeanAgg)
