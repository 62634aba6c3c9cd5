"""`argsearch train quality` as typed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from api.cli.main import run


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


def test_the_table_goes_to_output_and_the_rest_to_error(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "m.npz"
    words = ["train", "quality", "--judgements", str(judgements), "--out", str(out)]
    assert run([*words, "--kind", "features", "--folds", "2"]) == 0
    output, error = capsys.readouterr()
    assert output.startswith("| model | left out | gate F1 |")
    assert output.count("\n| features | ") == 2 + 2 * 3
    assert "validating: 2 random folds" in error
    assert "trained on 80 items (60 arguments, 4 topics), SHA-256 " in error
    assert out.is_file()


def test_quiet_says_nothing_on_error(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "quality", "--judgements", str(judgements), "--out", str(tmp_path / "m.npz")]
    assert run([*words, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--kind", "best"], 2, "error: --kind is 'best'; allowed: h21, features"),
        (["--folds", "0"], 2, "error: --folds is 0"),
        (["--judgements", "no.csv"], 1, "error: judgements 'no.csv' do not exist"),
        (["--corpus", "no.json"], 1, "no.json"),
    ],
)
def test_mistakes_are_one_line(
    judgements: Path,
    tmp_path: Path,
    options: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["train", "quality", "--judgements", str(judgements), "--out", str(tmp_path / "m.npz")]
    assert run([*words, "--quiet", *options]) == code
    output, error = capsys.readouterr()
    assert output == ""
    assert message in error
    assert error.count("\n") == 1


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "quality", "--help"]) == 0
    assert "Example: argsearch train quality" in capsys.readouterr().out
