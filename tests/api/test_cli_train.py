"""`argsearch train quality` as typed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from argsearch.indexer.quality import load_quality_model
from tests.api.awkward import refused


@pytest.fixture
def judgements(tmp_path: Path) -> Path:
    path = tmp_path / "my-arguments.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Topic ID", "Premise", "Is Argument?", "Combined Quality"])
        for i in range(80):
            good = i % 4 != 0
            text = "The study suggests that schools matter. " * (i % 9 + 1) if good else f"lol {i}"
            writer.writerow([i // 4 % 4, text, good, float(i % 9) if good else -4.0])
    return path


@pytest.mark.thorough
def test_the_table_goes_to_output_and_the_rest_to_error(
    judgements: Path, tmp_path: Path, done
) -> None:
    out = tmp_path / "m.model"
    words = ["train", "quality", "--judgements", str(judgements), "--out", str(out)]
    output, error = done(*words, "--kind", "features", "--folds", "2")
    assert output.startswith("| model | left out | gate F1 |")
    assert output.count("\n| features | ") == 2 + 2 * 3
    assert "validating: 2 random folds" in error
    assert "trained on 80 items (60 arguments, 4 topics), SHA-256 " in error
    assert out.is_file()
    assert done(*words, "--kind", "features", "--folds", "2", "--quiet")[1] == ""


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    levels = ("overall quality", "cogency", "effectiveness", "reasonableness")
    header = ["annotator", "argumentative", *levels, "argument", "#id", "issue", "stance"]
    lines = ["\t".join(header)]
    for i in range(24):
        good = i % 2 == 0
        text = "Schools matter because children learn there. " * (i + 1) if good else f"lol {i}"
        for annotator in ("1", "2", "3"):
            given = ["3 (High)" if good else "1 (Low)"] * len(levels)
            row = [annotator, "y", *given, text, f"arg{i}", f"issue-{i // 8}", "yes"]
            lines.append("\t".join(row))
    path = tmp_path / "ratings.csv"
    path.write_bytes("\r".join(lines).encode("latin-1"))
    return path


def test_pairwise_prints_its_table_and_writes_a_model(ratings: Path, tmp_path: Path, done) -> None:
    from argsearch.indexer.quality.pairwise import load_pairwise_model

    out = tmp_path / "p.model"
    output, error = done("train", "pairwise", "--judgements", str(ratings), "--out", str(out))
    assert output.startswith("| | cogency | reasonableness | effectiveness | mean of the three |")
    assert "\n| model, unseen issues, all pairs | 1.000 [1.000, 1.000] |" in output
    assert "validating: one issue at a time" in error
    assert "trained on 144 pairs, 24 rated arguments, SHA-256 " in error
    good, chat = load_pairwise_model(str(out)).scores(["Schools matter because we learn", "lol 3"])
    assert (good > chat).all()


@pytest.mark.parametrize(
    ("kind", "options", "code", "message"),
    [
        ("quality", ["--kind", "best"], 2, "error: --kind must be h21, features or words"),
        ("quality", ["--folds", "0"], 2, "error: --folds must be"),
        ("quality", ["--judgements", "no.csv"], 1, "error: the judgements 'no.csv' do not exist"),
        ("quality", ["--corpus", "no.json"], 1, "no.json"),
        ("pairwise", ["--judgements", "no"], 1, "error: the judgements 'no' do not exist"),
        ("pairwise", ["--more", "mine.csv"], 1, "error: the judgements 'mine.csv' must have"),
        ("pairwise", ["--out", "no/where.model"], 2, "error: --out must be a file"),
    ],
)
def test_mistakes_are_one_line(
    judgements: Path, ratings: Path, tmp_path: Path, argsearch, kind, options, code, message
) -> None:
    judged = {"quality": judgements, "pairwise": ratings}[kind]
    words = f"train {kind} --judgements {judged} --out {tmp_path / 'm'} --quiet"
    refused(argsearch, " ".join([words, *options]), code, message)


LTR = """
[data]
source = "own.csv"
valid_topics = 1
test_topics = 1
[model]
encoder = "surface"
[training]
losses = ["hinge"]
seeds = 2
epochs = 2
"""


def test_learning_to_rank_is_trained_and_named(tmp_path: Path, done) -> None:
    rows = [f"t{i % 3},{'because ' * (i + 1)},{i}" for i in range(36)]
    (tmp_path / "own.csv").write_text("\n".join(["topic,text,score", *rows]))
    (tmp_path / "plan.toml").write_text(LTR)
    words = ["train", "ltr", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "model")]
    out, err = done(*words)
    assert "| hinge, mean of 2 seeds |" in out
    assert "| ensemble |" in out
    assert "hinge-0" in err
    assert "trained on 36 arguments on 3 topics, SHA-256" in err
    assert load_quality_model(str(tmp_path / "model")).predict(["because"]).shape == (1,)


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ("[training]\nlosses = ['none']", 2, "training.losses must be a list"),
        ("[training]\nepochs = 'many'", 2, "training.epochs must be a whole number"),
        ("[data]\nepochs = 1", 2, "no config key data.epochs; the keys of [data] are"),
        ("[data", 1, "plan.toml is not valid TOML"),
    ],
)
def test_a_wrong_training_file_is_one_line(argsearch, tmp_path, wrong, code, said) -> None:
    (tmp_path / "plan.toml").write_text(wrong)
    refused(argsearch, f"train ltr {tmp_path / 'plan.toml'} --out {tmp_path}", code, said)
