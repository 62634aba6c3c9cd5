"""Experiments on the sample corpus: numbers, what is taken over, runs, seeds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from argsearch.engine import Engine
from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.evaluation import Options, evaluate
from argsearch.lab.experiment import ExperimentPlan, read_plan, run_experiment
from argsearch.lab.experiment.cache import Cache
from argsearch.lab.runs import read_qrels, read_run, read_topics
from tests.lab.experiments import HEAD, SAMPLE, SYSTEMS, Observer, run, seeded, table


@pytest.mark.thorough
def test_numbers_are_those_of_search_and_evaluate(folder: Path, kept: Path) -> None:
    outcome = run(HEAD + SYSTEMS, folder, kept)
    (group,) = outcome.groups
    assert list(group.runs) == ["dirichlet", "with quality"]
    path = folder / "out/runs/arguments/topics/with-quality/run.txt.gz"
    assert group.runs["with quality"] == path
    engine = Engine.open(next((kept / "indexes").iterdir()))
    written = read_run(path)
    for topic in read_topics(SAMPLE / "topics.xml"):
        hits = engine.search(
            topic.title, k=1000, config="dirichlet", overrides=["boost.quality=2"]
        ).hits
        assert written.rankings[topic.query_id].ids == hits.ids
    for judged_only, found in group.evaluations.items():
        options = Options("nDCG@5 P@3", judged_only=judged_only, samples=100, permutations=100)
        qrels = {name: read_qrels(SAMPLE / f"{name}.qrels") for name in ("relevance", "quality")}
        expected = evaluate(qrels, group.runs, options)
        assert found.scores == expected.scores
        assert found.comparisons == expected.comparisons
    content = yaml.safe_load((path.parent / "ir-metadata.yml").read_text())
    assert content["method"]["name"] == "with quality"
    assert content["implementation"]["executable"]["cmd"] == "argsearch experiment study.toml"
    assert content["method"]["configuration"]["boost"]["quality"] == 2.0


@pytest.mark.thorough
def test_files_hold_the_same_numbers(folder: Path, kept: Path) -> None:
    outcome = run(HEAD + SYSTEMS, folder, kept)
    score = outcome.groups[0].evaluations[True].score("with quality", "nDCG@5", "quality")
    rows = table(folder / "out/results.csv")
    (row,) = [
        row
        for row in rows
        if (row["run"], row["measure"], row["judgements"], row["documents"], row["topic"])
        == ("with quality", "nDCG@5", "quality", "judged only", "all")
    ]
    assert float(row["value"]) == score.value
    topics = [row for row in rows if row["topic"] == "7" and row["run"] == "with quality"]
    assert len(topics) == 8
    content = json.loads((folder / "out/results.json").read_text())
    assert [part["documents"] for part in content] == ["all", "judged only"]
    for name in ("report.md", "tables.md", "tables.tex"):
        assert f"{score.value:.4f}" in (folder / "out" / name).read_text()
    assert {path.name for path in outcome.files} >= {"report.md", "results.csv", "tables.tex"}
    assert str(SAMPLE) not in (folder / "out/report.md").read_text()


@pytest.mark.thorough
def test_only_what_changed_is_computed(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, again, more, fewer, anew = (Observer() for _ in range(5))
    before = run(HEAD + SYSTEMS, folder, cache, first)
    assert (first.begun("index of"), first.begun("run ")) == (1, 2)
    after = run(HEAD + SYSTEMS, folder, cache, again)
    assert (again.begun("index of"), again.begun("run ")) == (0, 0)
    assert before.groups == after.groups
    run(HEAD + SYSTEMS.replace("quality = 2", "quality = 3"), folder, cache, more)
    assert (more.begun("index of"), more.begun("run ")) == (0, 1)
    run(HEAD + SYSTEMS.replace("quality = 2", "quality = 2, index.seed = 1"), folder, cache, fewer)
    assert (fewer.begun("index of"), fewer.begun("run ")) == (1, 1)
    run(HEAD + SYSTEMS, folder, Cache(cache, fresh=True), anew)
    assert (anew.begun("index of"), anew.begun("run ")) == (1, 2)


@pytest.mark.thorough
def test_a_damaged_index_of_the_cache_is_rebuilt(folder: Path, tmp_path: Path) -> None:
    cache, observer = tmp_path / "cache", Observer()
    before = run(HEAD + SYSTEMS, folder, cache)
    index = next((cache / "indexes").iterdir())
    (index / "text.docs.npy").unlink()
    after = run(HEAD + SYSTEMS, folder, cache, observer)
    assert observer.begun("index of") == 1
    assert any("text.docs.npy is missing" in note for note in observer.notes)
    assert before.groups == after.groups


@pytest.mark.thorough
def test_a_changed_corpus_or_topic_is_seen(folder: Path, tmp_path: Path) -> None:
    corpus = json.loads((SAMPLE / "arguments.json").read_text())
    topics = folder / "topics.tsv"
    topics.write_text("1\tschool uniforms\n2\tteacher tenure\n")
    (folder / "arguments.json").write_text(json.dumps(corpus))
    text = HEAD.replace(f"{SAMPLE}/arguments.json", "arguments.json")
    text = text.replace(f"{SAMPLE}/topics.xml", "topics.tsv") + SYSTEMS
    cache, observers = tmp_path / "cache", [Observer() for _ in range(3)]
    run(text, folder, cache, observers[0])
    topics.write_text("1\tschool uniforms\n2\tteachers get tenure\n")
    run(text, folder, cache, observers[1])
    corpus["arguments"].pop()
    (folder / "arguments.json").write_text(json.dumps(corpus))
    run(text, folder, cache, observers[2])
    assert [observer.begun("index of") for observer in observers] == [1, 0, 1]
    assert [observer.begun("run ") for observer in observers] == [2, 2, 2]


@pytest.mark.thorough
def test_judgements_within_the_corpus(folder: Path, kept: Path) -> None:
    qrels = folder / "more.qrels"
    qrels.write_text((SAMPLE / "relevance.qrels").read_text() + "1 0 absent 2\n99 0 gone 1\n")
    text = HEAD.replace(f"{SAMPLE}/relevance.qrels", "more.qrels") + SYSTEMS
    observer = Observer()
    without = run(text, folder, kept).groups[0].evaluations[False]
    within = run(
        text.replace("samples =", "in_corpus = true\nsamples ="), folder, kept, observer
    ).groups[0]
    plain = run(HEAD + SYSTEMS, folder, kept).groups[0].evaluations[False]
    assert within.evaluations[False].scores == plain.scores
    assert without.score("dirichlet", "nDCG@5").value < plain.score("dirichlet", "nDCG@5").value
    assert any("(20 of 21 topics); the others are ignored" in note for note in observer.notes)


@pytest.mark.thorough
def test_given_runs_stand_beside_systems(folder: Path, kept: Path) -> None:
    outcome = run(HEAD + SYSTEMS, folder, kept)
    given = folder / "given.txt.gz"
    given.write_bytes(outcome.groups[0].runs["with quality"].read_bytes())
    beside = run(HEAD + SYSTEMS + '[[runs]]\nsource = "given.txt.gz"\n', folder, kept)
    found = beside.groups[0].evaluations[False]
    assert found.runs == ("dirichlet", "with quality", "given")
    assert found.score("given", "nDCG@5") == replace(
        found.score("with quality", "nDCG@5"), run="given"
    )
    alone = HEAD.replace(f'[[corpora]]\nsource = "{SAMPLE}/arguments.json"\n', "")
    only = run(alone + '[[runs]]\nsource = "given.txt.gz"\n', folder, kept)
    assert only.groups[0].corpus == ""
    assert only.groups[0].evaluations[False].runs == ("given",)
    with pytest.raises(InvalidParameter, match="a run and a system are both named dirichlet"):
        run(HEAD + SYSTEMS + '[[runs]]\nname = "dirichlet"\nsource = "given.txt.gz"', folder, kept)


@pytest.mark.thorough
def test_a_corpus_may_be_an_index(folder: Path, kept: Path, sample_index: Path) -> None:
    text = HEAD.replace(f'source = "{SAMPLE}/arguments.json"', f'index = "{sample_index}"')
    found = run(text + SYSTEMS, folder, kept).groups[0]
    built = run(HEAD + SYSTEMS, folder, kept).groups[0]
    assert found.corpus == "index"
    assert found.evaluations[False].scores == built.evaluations[False].scores
    over = text + "[sweep.axes]\nindex.clusters = [2, 3]\n"
    with pytest.raises(InvalidParameter, match="a sweep over the index index cannot have seeds"):
        run(over, folder, kept)
    with pytest.raises(InvalidParameter, match=r"experiment.seeds must .*not \[1\]"):
        run(text.replace("samples =", "seeds = [1]\nsamples =") + SYSTEMS, folder, kept)


@pytest.mark.thorough
def test_systems_are_averaged_over_seeds(folder: Path, kept: Path) -> None:
    clusters = SYSTEMS + '[[systems]]\nconfig = "heimdall-2021"\n'
    one, two, both = (run(seeded(seeds) + clusters, folder, kept) for seeds in ([0], [1], [0, 1]))
    for mode, found in both.groups[0].evaluations.items():
        parts = [each.groups[0].evaluations[mode] for each in (one, two)]
        for score, *apart in zip(found.scores, *(each.scores for each in parts), strict=True):
            values = [each.value for each in apart]
            assert score.value == pytest.approx(np.mean(values), abs=1e-12)
            key = (mode, score.judgements, score.run, score.measure)
            assert both.groups[0].spread[key] == pytest.approx(np.std(values), abs=1e-12)
            if score.run != "heimdall-2021":
                assert score == apart[0] == apart[1]
            assert score.low is not None
            assert score.high is not None
            assert score.low <= score.value <= score.high
        ours = [item for item in found.comparisons if item.second == "heimdall-2021"]
        theirs = [item for item in parts[0].comparisons if item.second == "heimdall-2021"]
        assert len(ours) == len(theirs)
        assert any(a.difference != b.difference for a, b in zip(ours, theirs, strict=True))
        same = [[i for i in e.comparisons if i.second == "with quality"] for e in (found, parts[0])]
        assert [replace(i, p_t_holm=0, p_randomisation_holm=0) for i in same[0]] == [
            replace(i, p_t_holm=0, p_randomisation_holm=0) for i in same[1]
        ]
    assert "standard deviation over seeds" in (folder / "out/report.md").read_text()
    second = folder / "out/runs/seed-1/arguments/topics"
    assert sorted(path.name for path in second.iterdir()) == [
        "dirichlet",
        "heimdall-2021",
        "with-quality",
    ]


def test_a_misspelt_measure_is_found_before_any_work(folder: Path, kept: Path) -> None:
    observer = Observer()
    with pytest.raises(InvalidParameter, match="measure must .*not 'nope'"):
        run(HEAD.replace("nDCG@5", "nope") + SYSTEMS, folder, kept, observer)
    assert observer.stages == []


@pytest.mark.data
def test_the_known_baseline(data_dir: Path, tmp_path: Path) -> None:
    """Lucene's LMDirichlet on the same documents and judgements: .746/.646 and .858/.870."""
    shipped = read_plan("h21-args-me")
    setup = replace(shipped.setup, samples=10, permutations=10, seeds=())
    plan: ExperimentPlan = replace(shipped, setup=setup, systems=shipped.systems[:1])
    outcome = run_experiment(plan, out=tmp_path / "out", cache=Cache(tmp_path / "cache"))
    found = outcome.groups[0].evaluations
    values = [
        round(found[judged_only].score("dirichlet", measure).value, 3)
        for judged_only in (False, True)
        for measure in ("nDCG@5", "nDCG@10")
    ]
    assert values == [0.746, 0.646, 0.858, 0.870]
