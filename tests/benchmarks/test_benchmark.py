"""The benchmark's own judgement: equal answers pass, others do not, and tables say the ratio."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest

from argsearch.engine import Engine
from argsearch.engine.results.results import Hits
from argsearch.indexer.corpus import read
from benchmarks import (
    building,
    corpora,
    goals,
    jobs,
    others,
    plan,
    querying,
    report,
    serving,
    starting,
)
from benchmarks.corpora import Question
from benchmarks.exactness import Answer, AnswersDiffer, check, check_all
from benchmarks.load import request
from benchmarks.measuring import Times, median_times
from benchmarks.postings import exhaustive, postings_read
from tests.golden import lucene_referee
from tests.servers.launcher import ServerUnavailableError

pytestmark = pytest.mark.processes

SAMPLE = Path(__file__).parents[2] / "indexer" / "sample" / "arguments.json"
QUERIES = ["should teachers get tenure", "death penalty", "remote work and the office"]
OURS = Answer(["a", "b", "c"], [3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    "theirs",
    [
        OURS,
        Answer(["a", "b", "c"], [3.00001, 2.0, 1.0]),
        Answer(["a", "b", "d"], [3.0, 2.0, 1.000001]),
    ],
    ids=["same", "single precision", "another with the last score"],
)
def test_equal_answers_pass(theirs: Answer) -> None:
    check("peer", "q", OURS, theirs)


@pytest.mark.parametrize(
    "theirs",
    [
        Answer(["a", "b"], [3.0, 2.0]),
        Answer(["a", "b", "c"], [3.0, 2.0, 1.001]),
        Answer(["b", "a", "c"], [3.0, 2.0, 1.0]),
        Answer(["a", "d", "c"], [3.0, 2.0, 1.0]),
    ],
    ids=["fewer", "another score", "another order", "another document"],
)
def test_different_answers_are_named(theirs: Answer) -> None:
    with pytest.raises(AnswersDiffer, match="peer, 'q'"):
        check_all("peer", {"q": OURS}, {"q": theirs})


def test_documents_with_one_score_may_change_places() -> None:
    ours = Answer(["a", "b", "c"], [2.0, 2.0, 1.0])
    check("peer", "q", ours, Answer(["b", "a", "c"], [2.0, 2.0, 1.0]))


def test_times_are_medians_of_the_later_rounds() -> None:
    times = Times.of([[9.0, 9.0, 1.0, 1.0], [9.0, 9.0, 3.0, 3.0]])
    assert (times.p50, times.queries) == (2.0, 2)
    assert median_times([replace(times, p50=value) for value in (5.0, 1.0, 2.0)]).p50 == 2.0


def test_skipping_blocks_is_held_to_reading_everything(sample_index: Path) -> None:
    engine = Engine.open(sample_index)
    results = engine.search(QUERIES[0], k=5, config="heimdall-2021")
    exhaustive(results)
    total, some = postings_read(results)
    assert 0 < some <= total
    candidates = results.hits.candidates
    ranking = candidates.source
    source = replace(ranking, scores=results.hits.scores * (1 + 1e-15))
    wrong = Hits(replace(candidates, source=source), "arguments")
    with pytest.raises(AnswersDiffer, match="tenure"):
        exhaustive(replace(results, hits=wrong))


def test_jobs_answer_and_time(sample_index: Path) -> None:
    index = str(sample_index)
    answer = jobs.answer_engine(index, QUERIES, "heimdall-2021", 10)
    assert [len(ids) for ids, _ in answer["answers"]] == [10] * len(QUERIES)
    timed = jobs.query_engine(index, QUERIES, [("dirichlet", 3)], rounds=2)
    assert [len(times) for times in timed["times"]["dirichlet,3"]] == [2] * len(QUERIES)
    factors = jobs.factors(index, QUERIES, "heimdall-2021")
    assert factors["quality_weight"] == 5.0
    assert jobs.open_index(index)["seconds"] > 0


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> plan.Plan:
    """A plan over the sample corpus, in a cache of its own."""
    lines = [orjson.dumps(a.to_json()) + b"\n" for a in read(SAMPLE)]
    (tmp_path / "posts.jsonl").write_bytes(b"".join(lines))
    monkeypatch.setattr(corpora, "CACHE", tmp_path)
    monkeypatch.setattr(plan, "CACHE", tmp_path)
    monkeypatch.setattr(corpora, "touche", lambda: [Question(q, q) for q in QUERIES])
    return replace(plan.QUICK, documents=len(lines), conclusions=5, rounds=2, servers=())


def test_corpora_of_every_size(tiny: plan.Plan) -> None:
    assert tiny.corpus == corpora.all_posts()
    assert corpora.count(corpora.posts(20)) == 20
    ids = [argument.id for argument in read(corpora.posts(2 * tiny.documents + 5))]
    assert len(set(ids)) == 2 * tiny.documents + 5
    first = corpora.conclusions(tiny.corpus, 5)
    assert first == corpora.conclusions(tiny.corpus, 5)
    assert len({question.text for question in first}) == 5


@pytest.fixture
def lucene() -> None:
    """Lucene is there, or the test is skipped."""
    try:
        lucene_referee.classpath()
    except ServerUnavailableError as missing:
        pytest.skip(str(missing))


@pytest.mark.slow
@pytest.mark.lucene
@pytest.mark.usefixtures("lucene")
def test_a_whole_comparison_with_lucene(tiny: plan.Plan) -> None:
    built = building.measure(tiny)
    found = querying.measure(tiny)
    results = {
        "documents": tiny.documents,
        "machine": {"cores": 2, "memory": 1.0, "load": 0.0, "date": "2026-01-01"},
        "build": built,
        "query": found,
        "others": {
            "built": {"bm25s": {"seconds": 1.0, "bytes": 1 << 20}},
            "times": {"bm25s,10": found["times"]["touche"]["Lucene plain,10"]},
        },
    }
    text = report.text(json.loads(json.dumps(results)))
    assert "* 3 queries, k = 1000: Lucene plain, Lucene bm25, Lucene function" in text
    assert "* 5 queries, k = 10: reading every posting" in text
    assert "| argsearch, text index and store |" in text
    assert "| bm25s, tokens given by argsearch | 1.0 |" in text
    assert "| `add` of 1,000 documents | with four more |" in text
    assert "| part premises | with four more |" in text
    assert text.count("| bm25s | 10 |") == 1


@pytest.mark.slow
@pytest.mark.lucene
@pytest.mark.usefixtures("lucene")
@pytest.mark.parametrize("name", plan.FULL.others)
def test_the_speed_of_others_is_measured(tiny: plan.Plan, name: str) -> None:
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed: pip install -e '.[bench]'")
    options = plan.QUICK.others.get(name, {})
    found = others.measure(replace(tiny, others={name: options, "not_installed": {}}))
    assert list(found["times"]) == [f"{name},{k}" for k in plan.CUTOFFS]
    assert all(one["queries"] == len(QUERIES) for (one,) in found["times"].values())
    assert list(found["built"]) == [name]
    assert min(found["built"][name][what] for what in ("seconds", "bytes")) > 0


def test_a_load_request_is_whole() -> None:
    assert request("/x").endswith(b"\r\n\r\n")
    assert request("/x", b"{}").endswith(b"content-length: 2\r\n\r\n{}")


def test_ratios_are_ours_over_theirs() -> None:
    ours, theirs = (SimpleNamespace(p50=p, p95=2 * p) for p in (1.0, 4.0))
    times = {
        name: [asdict(Times(one.p50, one.p95, 9.0, 3))] * 2
        for name, one in (("a,10", ours), ("b,10", theirs))
    }
    assert goals.ratios(times, "a,10", "b,10") == [(0.25, 0.25)] * 2


def test_a_goal_is_met_when_every_pass_reaches_it() -> None:
    assert goals.Goal("p50", 0.5, [0.1, 0.5]).row() == ["p50", "≤ 0.5", "0.1, 0.5", "yes"]
    assert goals.Goal("p50", 0.5, [0.1, 0.51], " ms").row()[1:] == [
        "≤ 0.5 ms",
        "0.1, 0.51",
        "**no**",
    ]
    assert goals.Goal("rate", 15, [15.0, 16.0], more=True).met
    assert not goals.Goal("rate", 15, [14.9, 16.0], more=True).met


@pytest.mark.slow
def test_starting_and_serving_are_measured(tiny: plan.Plan) -> None:
    short = replace(tiny, load_seconds=0.5, cold_runs=1)
    building.ours(short, "argsearch", ())
    results = {"start": starting.start(short), "serve": starting.serve(short)}
    met = {goal.name: goal.met for goal in goals.goals(results)}
    assert met["errors"]
    assert met["own memory of each of two workers"]
    loads = results["serve"]["loads"]
    assert [(one["workers"], one["clients"]) for one in loads] == [
        (1, 1),
        (1, 32),
        (2, 1),
        (2, 32),
    ] * 2
    assert all(one["requests"] > 0 for one in loads)
    assert list(results["serve"]["page"]) == [*serving.PAGE, serving.MOVED]
    assert all(one["requests"] and not one["errors"] for one in results["serve"]["page"].values())
