"""`argsearch judge` as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.judgements.comparisons import COMPARISON_METHODS, LIMITS, FitOptions
from tests.api.awkward import refused


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("items.txt").write_text("".join(f"d{i}\n" for i in range(12)))
    Path("pairs.csv").write_text("first,second,outcome\nx,y,A\ny,z,A\nu,v,tie\n")
    Path("votes.csv").write_text("unit,who,grade\n1,a,1\n1,b,1\n2,a,2\n2,b,1\n")
    return tmp_path


def test_design(folder: Path, done) -> None:
    out, err = done("judge", "design", "items.txt", "--groups", "4")
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["first", "second"]
    assert len(rows) == 1 + 4 * (9 + 3)
    assert err == "12 items in 4 groups: 48 pairs, 72.7% of all\n"


def test_ids_that_begin_as_formulas(folder: Path, done) -> None:
    """They have an apostrophe in each table, which is taken off where a table comes back."""
    ids = ["=a", "-b", "+c", "'=a", "e", "f"]
    Path("items.txt").write_text("\n".join(ids))
    out, _ = done("judge", "design", "items.txt", "--groups", "1")
    rows = list(csv.reader(io.StringIO(out)))[1:]
    assert {one for row in rows for one in row} == {"'=a", "'-b", "'+c", "''=a", "e", "f"}
    Path("pairs.csv").write_text(
        "first,second,outcome\n" + "".join(f"{a},{b},A\n" for a, b in rows)
    )
    out, _ = done("judge", "fit", "pairs.csv", "--format", "json")
    assert {row["id"] for row in json.loads(out)} == set(ids)


def test_fit(folder: Path, done) -> None:
    out, err = done("judge", "fit", "pairs.csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["x", "u", "v", "y", "z"]
    assert rows[0]["wins"] == "1"
    assert "converged after" in err
    assert "2 groups of items are not connected" in err
    command = ["judge", "fit", "pairs.csv", "--method", "elo", "--k", "10", "--format", "json"]
    out, err = done(*command, "--quiet")
    assert json.loads(out)[0] == {
        "id": "x", "score": 1005.0, "wins": 1, "losses": 0, "ties": 0, "component": 0,
    }  # fmt: skip
    assert err == ""


def test_agreement(folder: Path, done) -> None:
    command = "judge agreement votes.csv --unit unit --label grade --annotator who --format json"
    out, err = done(*command.split())
    values = {row["coefficient"]: row["value"] for row in json.loads(out)}
    assert values["Cohen's kappa, mean of annotator pairs"] == 0.0
    assert values["Fleiss' kappa"] == pytest.approx(-1 / 3)
    assert err == "4 votes on 2 units\n"


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("fit none.csv", 1, "none.csv: there is no such file"),
        ("fit votes.csv", 1, "must be first, second and outcome"),
        ("fit pairs.csv --method borda", 2, "method must be"),
        ("fit pairs.csv --format xml", 2, "--format must be csv or json, not 'xml'"),
        ("design items.txt --groups 0", 2, "--groups must be"),
        ("agreement votes.csv --unit unit --label nope", 2, "has no column 'nope'"),
    ],
)
def test_errors_are_one_line(folder: Path, argsearch, command: str, code: int, words: str) -> None:
    refused(argsearch, f"judge {command} --quiet", code, words)


@pytest.mark.parametrize(("name", "limits"), LIMITS.items())
def test_the_command_and_python_have_the_same_limits(
    folder: Path, argsearch, done, name: str, limits: tuple[float, float]
) -> None:
    option = "--lambda" if name == "lam" else f"--{name}"
    for method in COMPARISON_METHODS:
        for end, beyond in zip(limits, (limits[0] - 1e-7, limits[1] * 1.01), strict=True):
            with pytest.raises(InvalidParameter, match=rf"{name} must be a number from"):
                FitOptions(method, **{name: beyond})
            said = f"{option} must be a number from {limits[0]} to {limits[1]}, not '{beyond!r}'"
            refused(argsearch, f"judge fit pairs.csv {option}={beyond!r} --quiet", 2, said)
            command = ["judge", "fit", "pairs.csv", "--method", method, f"{option}={end!r}"]
            rows = done(*command, "--quiet")[0].splitlines()[1:]
            assert all(math.isfinite(float(row.split(",")[1])) for row in rows), rows
