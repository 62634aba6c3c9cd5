"""Computes measures per topic: those of ir-measures by name, and the project's own znDCG@k."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs import Qrels
from argsearch.lab.runs.trec import LARGEST_GRADE

DEFAULT_MEASURES = "nDCG@5 nDCG@10 Judged@10"
_AT_ONCE = 500
"""Number of topics evaluated together, so that a large run is never all in memory as dicts."""
_WHOLE = re.compile(r"(?<![\d.])\d+")
_ZNDCG = re.compile(r"znDCG@(\d+)")
_MEASURE = re.compile(r"(\w+)(?:\(([^()]*)\))?(?:@(\d+(?:\.\d+)?))?")
_NODES = {ast.Call, ast.Name, ast.Load, ast.keyword, ast.Constant, ast.Dict}

Grades = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class ZNDCG:
    """znDCG@k (G19): gains are z-scores over a topic's judged documents, 0 for other documents."""

    k: int

    def __str__(self) -> str:
        return f"znDCG@{self.k}"


def parse_measures(text: str) -> list[Any]:
    """Parse names such as `nDCG@5 P(rel=2)@10 znDCG@50`, separated by white space or commas.

    Returns distinct Measure objects of ir-measures and ZNDCG objects, in order. Raises
    InvalidParameter for an unknown measure, a cutoff below 1, a number that is too large, or a
    provider that is not installed (the message says what to install).
    """
    # A comma or blank in brackets belongs to the measure: nDCG(gains={0: 0, 1: 5})@5.
    names = re.findall(r"(?:[^\s,(]|\([^()]*\)|\()+", text)
    if not names:
        raise InvalidParameter("measures", text, f"one or more names, such as {DEFAULT_MEASURES!r}")
    return list(dict.fromkeys(_parse(name) for name in names))


def _parse(name: str) -> Any:
    import ir_measures

    allowed = "a measure of ir-measures, such as nDCG@5, P@10, AP or Judged@10, or znDCG@50"
    # Length first, because Python refuses to parse a number with thousands of digits.
    if any(len(n) > 7 or int(n) > LARGEST_GRADE for n in _WHOLE.findall(name)):
        said = f"{allowed}, with cutoffs, grades and gains up to {LARGEST_GRADE:,}"
        raise InvalidParameter("measure", name, said)
    own = _ZNDCG.fullmatch(name)
    if own and int(own[1]) >= 1:
        return ZNDCG(int(own[1]))
    # ir-measures and its providers reject a name with any of these errors.
    kinds = ValueError, NameError, KeyError, AssertionError, AttributeError, RuntimeError, TypeError
    try:
        measure = _read(name)
        measure.validate_params()
        cutoff = measure.params.get("cutoff", 1)
        if isinstance(cutoff, int) and cutoff >= 1:
            # This raises an error now, before any file is read, if a provider is not installed.
            # There are two subtopics, because pyndeval warns if there are none.
            two = [ir_measures.Qrel("1", doc, 1, doc) for doc in "ab"]
            ir_measures.evaluator([measure], two)
            return measure
    except kinds as error:
        said = " ".join(str(error).split())
        raise InvalidParameter("measure", name, f"{allowed}; {said}") from error
    raise InvalidParameter("measure", name, f"{allowed}, with a cutoff of at least 1")


def _read(name: str) -> Any:
    """Build the measure with a name such as `P(rel=2)@10`; parse its values here.

    ir-measures 0.4.3 parses values with ast.Num, which Python 3.14 removed (ir-measures issue 80).
    """
    import ir_measures

    parts = _MEASURE.fullmatch(name)
    try:
        call: Any = ast.parse(f"of({parts[2] or ''})" if parts else "", mode="eval").body
        # As in ir-measures, every value has a name, and lists and negative numbers are not allowed.
        if not {type(node) for node in ast.walk(call)} <= _NODES or call.args:
            return ir_measures.parse_measure(name)
        values = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
    except (SyntaxError, ValueError):
        # ir-measures raises an error that describes the problem.
        return ir_measures.parse_measure(name)
    assert parts is not None
    measure = ir_measures.parse_measure(parts[1])(**values)
    return measure @ ast.literal_eval(parts[3]) if parts[3] else measure


def topic_values(
    measures: Sequence[Any], judgements: Qrels, rankings: Mapping[str, Sequence[str]]
) -> dict[Any, dict[str, float]]:
    """Return each measure's value for every judged topic; `rankings` has ids by topic, best first.

    A topic that the run lacks gets the measure's default. NaN marks a topic for which znDCG is
    undefined (see `ranking.evaluation.zndcg.z_ndcg`). Raises InvalidParameter for measures that
    ir-measures cannot compute, or cannot compute with subtopics.
    """
    if judgements.subtopics:
        _refuse_subtopics(measures, judgements.subtopics)
    grades = judgements.not_negative()
    values: dict[Any, dict[str, float]] = {measure: {} for measure in measures}
    for measure in measures:
        if isinstance(measure, ZNDCG):
            found = ((q, _zndcg(measure.k, grades[q], rankings.get(q, ()))) for q in grades)
            values[measure].update(found)
    known = [measure for measure in measures if not isinstance(measure, ZNDCG)]
    queries = list(grades) if known else []
    for first in range(0, len(queries), _AT_ONCE):
        batch = {str(i): query for i, query in enumerate(queries[first : first + _AT_ONCE], 1)}
        judged, run = _numbered(batch, judgements, rankings)
        # Compute one measure at a time: among several, providers give zeros for two that share a
        # name or a generator (ir-measures 0.4.3).
        for measure in known:
            given = _provided(measure, judged, run)
            if not given.keys() <= batch.keys():
                _refuse(measure, "it gave values for other topics")
            for number, query in batch.items():
                # Only Accuracy leaves out topics, if the run has no relevant document for them.
                if number not in given and measure.NAME != "Accuracy" and grades[query]:
                    _refuse(measure, f"it gave no value for topic {query!r}")
                values[measure][query] = given.get(number, float(measure.DEFAULT))
    return values


def _refuse_subtopics(measures: Sequence[Any], subtopics: Mapping[str, Grades]) -> None:
    from ir_measures import pyndeval

    aware = {str(measure.NAME) for measure in pyndeval.SUPPORTED_MEASURES} | {"Judged"}
    for measure in measures:
        if isinstance(measure, ZNDCG) or measure.NAME not in aware:
            query, parts = next(item for item in subtopics.items() if len(item[1]) > 1)
            said = f"one of {', '.join(sorted(aware))}; column 2 of the judgements has subtopics "
            said += f"({', '.join(list(parts)[:3])} of topic {query}); for other measures, write "
            said += "0 there"
            raise InvalidParameter("measure", str(measure), said)


def _numbered(
    batch: Mapping[str, str], judgements: Qrels, rankings: Mapping[str, Sequence[str]]
) -> tuple[list[Any], dict[str, dict[str, float]]]:
    """Return the judgements and the run of a batch (number → query), with numbered ids.

    gdeval truncates ids at a hyphen and rejects ids that are not numbers. Each provider orders
    equal scores differently, so scores are descending whole numbers, which float32 holds exactly.
    """
    import ir_measures

    judged, run = [], {}
    for number, query in batch.items():
        ids = rankings.get(query, ())
        known = dict.fromkeys([*ids, *judgements.grades[query]])
        names = {doc: str(i) for i, doc in enumerate(known)}
        parts = judgements.subtopics.get(query, {"0": judgements.grades[query]})
        judged += [
            ir_measures.Qrel(number, names[doc], max(0, grade), str(i))
            for i, graded in enumerate(parts.values())
            for doc, grade in graded.items()
        ]
        if ids:
            run[number] = {names[doc]: float(len(ids) - i) for i, doc in enumerate(ids)}
    return judged, run


def _provided(
    measure: Any, judged: list[Any], run: dict[str, dict[str, float]]
) -> dict[str, float]:
    """Return the values that ir-measures computes for a measure, by topic number."""
    import ir_measures

    exponential = measure.params.get("dcg") == "exp-log2"
    if exponential or measure.NAME == "ERR":
        # nDCG takes gains up to LARGEST_GRADE; for ERR, gdeval only knows grades up to 4.
        allowed = 19 if exponential else 4
        if (highest := max((one.relevance for one in judged), default=0)) > allowed:
            said = f"{measure} takes grades up to {allowed}, but the judgements go up to {highest}"
            _refuse(measure, said)
    asked = measure
    if exponential:
        # ir-measures would use gdeval, which gives five decimals and takes grades up to 4.
        gains = {grade: 2**grade - 1 for grade in range(highest + 1)}
        asked = ir_measures.nDCG(gains=gains) @ measure.params["cutoff"]
    try:
        found = ir_measures.evaluator([asked], judged).iter_calc(run)
        return {metric.query_id: float(metric.value) for metric in found}
        # A provider may raise anything, such as ZeroDivisionError or its own AssertionError.
    except Exception as error:
        _refuse(measure, f"it raised {type(error).__name__}", error)


def _refuse(measure: Any, why: str, cause: Exception | None = None) -> NoReturn:
    said = f"one that ir-measures can compute for these files; {why}"
    raise InvalidParameter("measures", str(measure), said) from cause


def _zndcg(k: int, judgements: Mapping[str, int], ids: Sequence[str]) -> float:
    from argsearch.ranking.evaluation.zndcg import z_ndcg
    from argsearch.ranking.numbers import z_scores

    gains = z_scores([float(grade) for grade in judgements.values()])
    gain = dict(zip(judgements, gains.tolist(), strict=True))
    return z_ndcg([gain.get(doc, 0.0) for doc in ids[:k]], gains, k)


def aggregate(measure: Any, values: Mapping[str, float]) -> float:
    """Aggregate values as the measure does, ignoring NaN: the mean, or for counts the sum."""
    defined = [value for value in values.values() if not math.isnan(value)]
    if isinstance(measure, ZNDCG):
        # The exact sum does not depend on the order of topics.
        return math.fsum(defined) / len(defined) if defined else float("nan")
    aggregator = measure.aggregator()
    for value in defined:
        aggregator.add(value)
    return float(aggregator.result())


def is_mean(measure: Any) -> bool:
    """Return whether the aggregate is a mean over topics, so that an interval makes sense."""
    if isinstance(measure, ZNDCG):
        return True
    from ir_measures import MeanAgg

    return isinstance(measure.aggregator(), MeanAgg)
