"""Experiment files: what they mean, and one line for everything that is wrong in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.config import load_config
from argsearch.indexer.errors import ArgsearchError, InvalidParameter
from argsearch.lab.experiment import ExperimentError, read_plan
from argsearch.lab.experiment.plan import PLANS_FOLDER, Setup, literal, names, read_toml
from argsearch.lab.training.listwise import settings as listwise

WHOLE = """
[experiment]
description = "All of it"
out = "results"
measures = "nDCG@5"
judged = "only"
seeds = [1, 2]

[[corpora]]
source = ["a.json", "sub/b.jsonl"]

[[corpora]]
name = "served"
index = "http://localhost:9200/args"

[[topics]]
source = "${FOLDER}/topics.xml"
field = "description"
[topics.qrels]
relevance = "r.qrels"
quality = "/elsewhere/q.qrels"

[[systems]]
config = "heimdall-2021"

[[systems]]
name = "mine"
set = { boost.cluster = 2, boost.cosine = "clipped", "index.seed" = 3 }

[[runs]]
source = "given.txt.gz"

[sweep]
folds = 5
[sweep.axes]
boost.cluster = [0, 1.5]
"boost.cosine" = ["clipped", "shifted"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "my-study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDER", "/data")
    plan = read_plan(write(tmp_path, WHOLE))
    assert plan.setup == Setup("my-study", "All of it", "results", "nDCG@5", "only", seeds=(1, 2))
    assert plan.modes == (True,)
    first, served = plan.corpora
    assert first.source == (str(tmp_path / "a.json"), str(tmp_path / "sub/b.jsonl"))
    assert (first.name, served.name, served.index) == ("a", "served", "http://localhost:9200/args")
    (topics,) = plan.topics
    assert (topics.name, topics.source) == ("topics", "/data/topics.xml")
    assert (topics.field, list(topics.qrels)) == ("description", ["relevance", "quality"])
    assert topics.qrels["quality"] == "/elsewhere/q.qrels"
    assert [system.name for system in plan.systems] == ["heimdall-2021", "mine"]
    mine = plan.systems[1].config
    assert (mine.boost.cluster, mine.boost.cosine, mine.index.seed) == (2.0, "clipped", 3)
    assert plan.runs[0].name == "given"
    assert (plan.sweep.config, plan.sweep.folds) == ("dirichlet", 5)
    assert dict(plan.sweep.axes) == {
        "boost.cluster": (0, 1.5),
        "boost.cosine": ("clipped", "shifted"),
    }


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[experiment]", "[experimant]", "experiment section [experimant]"),
        ("measures =", "measure =", "experiment.measure"),
        ('"only"', '"some"', "experiment.judged must be all, only or both, not 'some'"),
        ("index =", "idx =", "key corpora[2].idx"),
        ("index =", 'source = "x"\nindex =', "corpora[2] needs a source or an index"),
        ('["a.json", "sub/b.jsonl"]', "[1]", "corpora[1].source must be a path or a list of"),
        ('name = "served"', 'name = "a"', "corpora would use the folder name a"),
        ("[[topics]]", "[topics]", "topics must be a list, not {'source'"),
        ('name = "mine"', 'name = "heimdall 2021"', "two systems would use the folder name h"),
        ('"r.qrels"', "5", "topics[1].qrels.relevance must be a non-empty text, not 5"),
        ('name = "mine"', "k = 5", "key systems[2].k"),
        ('"heimdall-2021"', '"heimdall"', "config must be a .toml file or one of bm25, bm25f"),
        ("boost.cluster = 2", "boost.clusters = 2", "config key boost.clusters"),
        ("boost.cluster = 2", "cluster = 2", "systems[2].set.cluster must be section.key ="),
        ("given.txt.gz", "", "runs[1].source must be a non-empty text, not ''"),
        ("seeds = [1, 2]", "seeds = [1, 1]", "experiment.seeds must be a list of at least one"),
        ("seeds = [1, 2]", "seeds = 1", "experiment.seeds must be a list of at least one value"),
        ("seeds = [1, 2]", "seeds = [-1]", "index.seed must be a whole number from 0 to"),
        ("[0, 1.5]", "[0, 2000]", "boost.cluster must be a number from -1000.0 to 1000.0, not"),
        ("[0, 1.5]", "[]", "sweep.axes.boost.cluster must be a list of at least one value"),
        ("${FOLDER}", "${NO_SUCH_FOLDER}", "environment variable NO_SUCH_FOLDER, which is not"),
        ("[experiment]", "[experiment", "is not valid TOML"),
        ("seeds = [1, 2]", f"seeds = {'9' * 5000}", "is not valid TOML: a number"),
        ("seeds = [1, 2]", f"seeds = {'[' * 5000}", "is not valid TOML: it has too many nested"),
    ],
)
def test_a_wrong_file_names_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, words: str
) -> None:
    monkeypatch.setenv("FOLDER", "/data")
    monkeypatch.delenv("NO_SUCH_FOLDER", raising=False)
    assert old in WHOLE
    with pytest.raises(ArgsearchError) as caught:
        read_plan(write(tmp_path, WHOLE.replace(old, new, 1)))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no [[topics]]"),
        ('[[topics]]\nsource = "t"\n', "no [[systems]], [[runs]] or [sweep]"),
        ('[[topics]]\nsource = "t"\n[[systems]]\n', "has no [[corpora]]"),
        (
            '[[topics]]\nsource = "t"\n[[corpora]]\nsource = "c"\n[sweep.axes]\nboost.cluster=[1]',
            "a sweep needs judgements",
        ),
        (
            '[[topics]]\nsource = "a"\n[[topics]]\nsource = "b"\n[[runs]]\nsource = "r"\n',
            "runs.r.topics must be a or b, not ''",
        ),
        ('[[topics]]\nsource = "t"\n[sweep]\nfolds = 0', "sweep.axes must be a table with a list"),
    ],
)
def test_an_incomplete_file_says_what_is_missing(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises((ExperimentError, InvalidParameter)) as caught:
        read_plan(write(tmp_path, text))
    assert words in str(caught.value)


def test_a_missing_file_names_the_shipped_ones() -> None:
    with pytest.raises(ExperimentError, match=r"'nope\.toml', only g19, h21-args-me, models"):
        read_plan("nope.toml")


RUN = [name for name in names() if "reproduction" not in read_toml(PLANS_FOLDER / f"{name}.toml")]


@pytest.mark.parametrize("name", RUN)
def test_shipped_files_are_valid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGSEARCH_DATA", "/data")
    plan = read_plan(name)
    assert plan.path == PLANS_FOLDER / f"{name}.toml"
    assert plan.setup.name == name
    assert plan.setup.description


@given(st.one_of(st.text(), st.integers(-(2**53), 2**53), st.booleans(), st.floats(-1e9, 1e9)))
def test_literals_are_toml(value: str | int | float | bool) -> None:
    import tomllib

    if isinstance(value, str) and not value.isprintable():
        return  # TOML forbids raw control characters; no key of a configuration holds them
    assert tomllib.loads(f"value = {literal(value)}")["value"] == value


@pytest.mark.parametrize(
    ("read", "shipped"),
    [
        (load_config, "default.toml"),
        (read_plan, "experiments/sample.toml"),
        (listwise.read_plan, "ltr/argq-bert.toml"),
    ],
)
def test_a_byte_order_mark_changes_nothing_and_every_fault_names_the_file(tmp_path, read, shipped):
    text = (PLANS_FOLDER.parent / shipped).read_text(encoding="utf-8")
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    plain = read(path)
    path.write_text(text, encoding="utf-8-sig")
    assert read(path) == plain
    for bad in (b"[", "a = 'é'".encode("latin-1"), text.encode("utf-16")):
        path.write_bytes(bad)
        with pytest.raises(ArgsearchError, match=r"own\.toml is not valid TOML"):
            read(path)
