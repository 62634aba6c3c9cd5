"""Signals of a run's lines: read by scikit-learn, equal to explanations, columns and documents."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs import RunFormatError, Topic, read_run, write_run
from argsearch.lab.runs.making import rank_topics
from argsearch.lab.runs.signals import FACTORS, features, written
from tests.engine.narrowing import COLUMNS, Plain, built

TOPICS = [Topic("7", "w0 w1 zoos"), Topic("3", "unknown"), Topic("12", "taxes w9")]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.open(built(tmp_path_factory.mktemp("signals"), n=150))


def make(engine: Engine, path: Path, config: str = "default", topics: list[Topic] = TOPICS) -> Path:
    run = path.with_name("run.txt")
    with written(path, engine.columns, [topic.query_id for topic in topics]) as signals:
        asked = rank_topics(engine, topics, load_config(config), 120, signals=signals)
        write_run(run, asked, "t")
    return run


@pytest.mark.thorough
@pytest.mark.parametrize("config", ["default", "bm25", "heimdall-2021-run4", "heimdall-mmr"])
def test_svmlight_has_a_row_for_each_line(engine: Engine, tmp_path: Path, config: str) -> None:
    path, plain = tmp_path / "signals.svm", Plain(engine)
    run = read_run(make(engine, path, config))
    rows, labels, qids = load_svmlight_file(str(path), query_id=True)
    names = [feature.name for feature in features(engine.columns)]
    assert names == [*FACTORS, "quality", "stance=PRO", "stance=CON", "cluster", "words", "date"]
    head = [line for line in path.read_text().splitlines() if line.startswith("#")]
    assert [line.split()[2].rstrip(":") for line in head[1:]] == names
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    docs = [line.partition(" # ")[2] for line in lines]
    assert docs == [id for qid in run.rankings for id in run.rankings[qid].ids]
    wanted = [int(qid) for qid, ranking in run.rankings.items() for _ in ranking.ids]
    assert qids.tolist() == wanted
    assert set(labels) == {0.0}
    found = {name: rows.toarray()[:, i] for i, name in enumerate(names)}
    hits = {
        (topic.query_id, hit.id): hit
        for topic in TOPICS
        for hit in engine.search(topic.title, k=120, config=config)
    }
    for i, (qid, id) in enumerate(zip(qids, docs, strict=True)):
        hit = hits[str(qid), id]
        assert found["S"][i] == hit.score
        for factor in ("R", "C", "Q", "P"):
            node = hit.explanation.find(factor)
            assert found[factor][i] == (0.0 if node is None else node.value)
        for column in ("quality", "cluster", "words", "date"):
            assert found[column][i] == np.float64(plain.value(column, id) or 0.0)
        stance = plain.value("stance", id)
        pro, con = found["stance=PRO"][i], found["stance=CON"][i]
        assert (pro, con) == (stance == "PRO", stance == "CON")


@pytest.mark.thorough
def test_csv_has_labels_too(engine: Engine, tmp_path: Path) -> None:
    path, plain = tmp_path / "signals.csv", Plain(engine)
    run = read_run(make(engine, path))
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["topic", "id", "rank", *FACTORS, *COLUMNS]
    assert [(row["topic"], row["id"]) for row in rows] == [
        (qid, id) for qid in ("7", "12") for id in run.rankings[qid].ids
    ]
    assert [int(row["rank"]) for row in rows if row["topic"] == "12"] == list(
        range(1, len(run.rankings["12"].ids) + 1)
    )
    for row in rows:
        for column in COLUMNS:
            value = plain.value(column, row["id"])
            assert row[column] == ("" if value is None else str(value))


def test_grades_are_the_labels(engine: Engine, tmp_path: Path) -> None:
    topics = [Topic("7", "w0 w1 zoos")]
    hits = engine.search("w0 w1 zoos", k=3).hits
    grades = {"7": {hits[0].id: 2, hits[1].id: -2}, "8": {hits[2].id: 1}}
    for name, given in (("signals.svm", ["2", "0", "0"]), ("signals.csv", ["2", "-2", ""])):
        with written(tmp_path / name, engine.columns, ["7"], grades) as signals:
            list(rank_topics(engine, topics, load_config("default"), 3, signals=signals))
        text = (tmp_path / name).read_text()
        if name.endswith("csv"):
            found = [row["grade"] for row in csv.DictReader(text.splitlines())]
        else:
            assert text.startswith("# the grade (0 if unjudged), qid, ")
            found = [line[0] for line in text.splitlines() if line[0] != "#"]
        assert found == given


def test_what_cannot_be_written_says_so(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"--signals must be a name that ends in \.svm"):
        make(engine, tmp_path / "signals.parquet")
    with pytest.raises(RunFormatError, match="ranked twice"):
        make(engine, tmp_path / "signals.svm", topics=[TOPICS[0], TOPICS[0]])
    assert not list(tmp_path.iterdir())
