"""Published tables made again: what counts as moved, what the page keeps, and its quick part."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studies.reproduce.__main__ import PAGE, SYSTEMS, main, tables
from studies.reproduce.table import PUBLISHED, Page, Table, alike, moved, published

ROWS = [("mse", ".530 (.45)", "1,038"), ("hinge", "−.12", "2 × 3e-5")]


def table(rows=ROWS, **more) -> Table:
    return Table("ukp", "Ranks", ("loss", "r", "n"), lambda: rows, **more)


def page(tmp_path: Path, text: str = "before\n<!-- f22 -->\n<!-- end f22 -->\nafter\n") -> Page:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return Page(path)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (".530 (.45)", ".534 (.45)", True),
        (".530 (.45)", ".536 (.45)", False),
        (".530 (.45)", ".530 (.45, 2 topics undefined)", False),
        ("−.003", ".002", True),
        ("−.53", ".53", False),
        ("1,038", "1,039", False),
        ("4e-15", "0", True),
        ("same", "differs", False),
    ],
)
def test_a_number_may_move_by_the_tolerance_and_a_word_may_not(old, new, same) -> None:
    assert alike(old, new, 0.005) is same


def test_what_moved_is_named_with_table_cell_before_and_now(tmp_path) -> None:
    kept, one = page(tmp_path), table()
    kept.write("f22", one, one.rows())
    before = Page(kept.path).rows("f22", "ukp")
    assert before == ROWS
    assert moved(one, before, ROWS, whole=True) == []
    now = [("mse", ".541 (.45)", "1,038"), ("softmax", ".1", "3")]
    assert moved(one, before, now, whole=True) == [
        "ukp: mse, r: before .530 (.45), now .541 (.45)",
        "ukp: softmax: not on the page",
        "ukp: hinge: on the page, but not made",
    ]
    assert len(moved(one, before, now, whole=False)) == 2  # a quick run makes fewer rows


def test_a_table_takes_its_place_on_the_page_again(tmp_path) -> None:
    kept, one = page(tmp_path), table(command="argsearch x", note="Why.", published=["f22.tsv"])
    other = Table("other", "More", ("a", "b"), lambda: [("x", "1")])
    kept.write("f22", one, ROWS)
    kept.write("f22", other, other.rows())
    once = kept.path.read_text(encoding="utf-8")
    kept.write("f22", one, ROWS)
    assert kept.path.read_text(encoding="utf-8") == once
    assert once.startswith("before\n<!-- f22 -->\n<!-- f22: ukp -->\n**Ranks**\n\n| loss | r | n |")
    line = "`f22 --only ukp`, `argsearch x`; published: `f22.tsv`\n\nWhy."
    assert line in once
    assert once.endswith("\n<!-- end f22 -->\nafter\n")
    kept.keep("f22", ["other"])
    assert list(Page(kept.path).blocks("f22")) == ["other"]


def test_rows_have_a_cell_a_column_and_a_name_each() -> None:
    with pytest.raises(ValueError, match="2 cells for 3 columns"):
        table([("mse", ".5")]).rows()
    with pytest.raises(ValueError, match="two rows of one name"):
        table([ROWS[0], ROWS[0]]).rows()
    assert len(table([ROWS[0], ("mse", "2", "3")], keys=2).rows()) == 2


def test_the_page_holds_every_table_and_names_published_files_that_are_there(tmp_path) -> None:
    kept = Page(PAGE)
    for system in SYSTEMS:
        made = list(tables(system, tmp_path, quick=False))
        assert [one.name for one in made] == list(kept.blocks(system))
        for one in made:
            assert len(kept.rows(system, one.name)) > 0
            assert [name for name in one.published if not (PUBLISHED / name).is_file()] == []
    assert all(len(published(path.name)) > 1 for path in PUBLISHED.iterdir())


def test_a_table_whose_module_is_missing_is_left_out(tmp_path, monkeypatch, capsys) -> None:
    made = table(needs="no_such_module")
    monkeypatch.setattr("studies.reproduce.__main__.tables", lambda *_: [made])
    monkeypatch.setenv("ARGSEARCH_DATA", str(tmp_path))
    path = page(tmp_path).path
    assert main(["f22", "--resume", "--page", str(path)]) == 0
    assert "f22 ukp: left out, no_such_module is missing" in capsys.readouterr().err


def said_of(system: str) -> list[tuple[str, str]]:
    """What is published, and the verdict, in the table above the marks."""
    above = PAGE.read_text(encoding="utf-8").partition(f"<!-- {system} -->")[0]
    rows = above[above.rindex(f"\n## {system.upper()}: ") :].partition("| --- | --- |\n")[2]
    lines = [row.strip("| ").split(" | ") for row in rows.splitlines() if row.startswith("| ")]
    return [(left, said) for left, said in lines]


VERDICT = re.compile(
    r"\bsame\b|\bdiffers?\b.*\b(because|unknown)\b|\bcannot be had because\b"
    r"|\bnot (measured|stated)\b"
)
"""What a row may say of a published thing; a reason that nobody checked is called unknown."""


@pytest.mark.parametrize("system", SYSTEMS)
def test_everything_published_is_same_or_has_its_reason(system: str) -> None:
    verdicts = said_of(system)
    assert len(verdicts) > 5
    for _, said in verdicts:
        assert VERDICT.search(said), said


def test_every_published_file_is_named_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [path.name for path in PUBLISHED.iterdir() if path.name not in text] == []


@pytest.mark.data
@pytest.mark.slow
def test_the_quick_part_is_as_on_the_page(data_dir: Path, capsys) -> None:
    assert main(["--quick", "--data", str(data_dir)]) == 0, capsys.readouterr().err
