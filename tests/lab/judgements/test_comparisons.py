"""Pairwise judgements from files: what is read, fitted, designed, agreed."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.judgements.comparisons import (
    FitOptions,
    agreement,
    design,
    fit,
    read_comparisons,
    read_items,
    read_votes,
)
from argsearch.lab.runs import RunFormatError
from argsearch.ranking.preference import bradley_terry


def save(folder: Path, text: str) -> Path:
    path = folder / "judged.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "first,second,outcome\nx,y,A\ny,z,B\nx,z,tie\n",
        "first\tsecond\toutcome\nx\ty\t1\ny\tz\t-1\nx\tz\t0\n",
        "first;second;winner\nx;y;first\ny;z;second\nx;z;=\n",
        '\ufeff"Argument ID A","Argument ID B","Comparison"\r\nx,y,A\r\ny,z,B\r\nx,z,Tie\r\n',
    ],
)
def test_forms_of_comparisons(tmp_path: Path, text: str) -> None:
    pairs = read_comparisons(save(tmp_path, text))
    assert pairs.ids == ["x", "y", "z"]
    assert pairs.data.first.tolist() == [0, 1, 0]
    assert pairs.data.second.tolist() == [1, 2, 2]
    assert pairs.data.outcome.tolist() == [1, -1, 0]


def test_an_item_in_two_topics_is_two_items(tmp_path: Path) -> None:
    pairs = read_comparisons(save(tmp_path, "topic,first,second,outcome\n1,x,y,A\n2,x,z,B\n"))
    assert pairs.ids == ["1/x", "1/y", "2/x", "2/z"]
    assert fit(pairs).components == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("first,second,outcome\nx,y,C\n", 2, r"outcome must be A, B or tie \(1, -1 or 0\), not"),
        ("first,second,outcome\nx,y,A\nx,x,A\n", 3, "item 'x' is compared with itself"),
        ("first,second,outcome\nx,y\n", 2, "it must have 3 columns, as the header does"),
        ("first,second,outcome\nx,y,A,\n", 2, "it must have 3 columns, as the header does"),
        ('first,second,outcome\nx,"y,A\n', 3, "not CSV"),
        ("left,right,outcome\nx,y,A\n", 1, "the columns must be first, second and outcome, not "),
        ("first,second,result\nx,y,A\n", 1, "the columns must be first, second and outcome, not "),
        ("first,second,outcome\n", None, "the file has no rows after the header"),
        ("", None, "the file has no rows after the header"),
    ],
)
def test_refused_comparisons(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    with pytest.raises(RunFormatError, match=words) as caught:
        read_comparisons(save(tmp_path, text))
    if line != 3:
        assert caught.value.line == line


def test_fit_methods(tmp_path: Path) -> None:
    pairs = read_comparisons(save(tmp_path, "first,second,outcome\nx,y,A\ny,z,A\nx,z,tie\n"))
    fitted = fit(pairs)
    assert (fitted.wins, fitted.losses, fitted.ties) == ([1, 1, 0], [0, 1, 1], [1, 0, 1])
    assert fitted.components == 1
    assert fitted.convergence.startswith("converged after")
    assert fitted.scores == pytest.approx(bradley_terry(pairs.data).scores.tolist())
    assert fit(pairs, FitOptions("winrate")).scores == [0.75, 0.5, 0.25]
    elo = fit(pairs, FitOptions("elo", k=10)).scores
    assert sum(elo) == pytest.approx(3000)
    with pytest.raises(InvalidParameter, match="method must .*not 'borda'"):
        FitOptions("borda")
    for wrong in ({"lam": 0}, {"lam": float("nan")}, {"method": "elo", "k": -1}):
        with pytest.raises(InvalidParameter, match="must be a number from"):
            FitOptions(**wrong)


def test_design_is_seeded_and_refuses(tmp_path: Path) -> None:
    ids = [f"d{i}" for i in range(16)]
    plan = design(ids, 4, seed=1)
    assert plan == design(ids, 4, seed=1)
    assert plan.pairs != design(ids, 4, seed=2).pairs
    assert plan.share == len({frozenset(pair) for pair in plan.pairs}) / 120
    with pytest.raises(InvalidParameter, match="groups must .*not 17"):
        design(ids, 17)
    with pytest.raises(InvalidParameter, match="the item 'a' is given twice"):
        design(["a", "a"], 1)
    assert read_items(save(tmp_path, "a\n\n b \n")) == ["a", "b"]
    with pytest.raises(RunFormatError, match=r"item 'a' appears twice \(also on line 1\)"):
        read_items(save(tmp_path, "a\na\n"))
    with pytest.raises(RunFormatError, match="the file has no items"):
        read_items(save(tmp_path, "\n"))


def test_agreement(tmp_path: Path) -> None:
    text = "unit,who,grade\n1,a,1\n1,b,1\n2,a,2\n2,b,2\n3,a,1\n3,b,2\n4,a,\n4,b,\n"
    result = agreement(read_votes(save(tmp_path, text), ["unit"], "grade", "who"))
    assert result["Krippendorff's alpha, nominal"] == pytest.approx(4 / 9)
    assert result["Cohen's kappa, mean of annotator pairs"] == pytest.approx(0.4)
    words = "unit,who,grade\n1,a,yes\n1,b,yes\n2,a,no\n2,b,no\n"
    assert agreement(read_votes(save(tmp_path, words), ["unit"], "grade")) == {
        "Krippendorff's alpha, nominal": 1.0,
        "Fleiss' kappa": 1.0,
    }
    with pytest.raises(InvalidParameter, match="column 'x'; its columns are unit, who, grade"):
        read_votes(save(tmp_path, words), ["x"], "grade")
