"""Kialo's export as a corpus: relations become stances, and what is wrong is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.indexer.corpus import Argument, mending, read
from argsearch.indexer.corpus.kialo import MOST_LINKS
from argsearch.indexer.corpus.report import CorpusError

EXPORT = """\
Discussion Title: Should zoos exist?

1. Zoos should exist.
1.1. Pro: They save [species](http://a.b/c).
1.1.1. Con: Few of them.
In thirty years.
1.2. Con: They hurt.
1.2.1. Con: -> See 1.1.1.
2. Thesis: Aquaria should.
2.1. Pro: Fish do not care.
"""


def told(arguments: list[Argument]) -> list[tuple[str, str | None, str, str | None]]:
    return [
        (one.id.partition("-")[2], one.conclusion, one.premise, one.stance) for one in arguments
    ]


def test_claims_of_an_export_are_for_and_against_the_ones_above(reading):
    arguments, report = reading("k.txt", EXPORT.encode())
    save, few = "They save species.", "Few of them.\nIn thirty years."
    assert told(arguments) == [
        ("1.1", "Zoos should exist.", save, "PRO"),
        ("1.1.1", save, few, "CON"),
        ("1.2", "Zoos should exist.", "They hurt.", "CON"),
        ("1.2.1", "They hurt.", few, "CON"),
        ("2.1", "Aquaria should.", "Fish do not care.", "PRO"),
    ]
    assert arguments[0].context == {
        "discussionTitle": "Should zoos exist?", "claim": "1.1", "sources": ["http://a.b/c"]
    }  # fmt: skip
    assert report.sources[0].form == "Kialo"
    assert report.made_id


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ("1. b\n1.2.1. Pro: c", "line 3: claim '1.2.1' is below '1.2'"),
        ("1. b\n1.1. Pro: -> See 1.9.", "line 3: claim '1.1': '-> See"),
        ("1. b\n1.1. Pro: -> See 1.1.", "does not lead to a text"),
        ("1. b\n1.1. Pro: c\n1.1. Con: d", r"line 4: claim '1\.1' is already on line 3"),
        ("1. b\n1.1. c", r"line 3: claim '1\.1' must begin with Pro: or Con:"),
        ("1. \xff", "line 2: byte 0xff is not UTF-8"),
        ("", "the source has no documents"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(claims: str, said: str, tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_text(f"Discussion Title: a\n{claims}", encoding="latin-1")
    with pytest.raises(CorpusError, match=said) as caught:
        list(read(file))
    assert "a.txt" in str(caught.value)


def test_a_bad_claim_can_be_left_out(reading):
    text = "Discussion Title: a\n1. b\n1.1. c\n1.2. Pro: d\n1.2. Con: e\n1.3. Con: f\n"
    arguments, report = reading("k.txt", text.encode(), on_error="skip")
    assert [one.premise for one in arguments] == ["d", "f"]
    assert dict(report.reasons) == {"stance": 1, "claim": 1}


def test_a_reference_may_lead_to_others_so_often(reading):
    def chain(length: int) -> bytes:
        """An export whose claim 1.1 is `length` references from a text."""
        lines = [f"1.{n}. Pro: -> See 1.{n + 1}." for n in range(1, length + 1)]
        return "\n".join(["Discussion Title: a\n1. b", *lines, f"1.{length + 1}. Con: c"]).encode()

    arguments, _ = reading("k.txt", chain(MOST_LINKS - 1))
    assert [one.premise for one in arguments] == ["c"] * MOST_LINKS
    assert MOST_LINKS == 8
    with pytest.raises(CorpusError, match=r"line 3: claim '1\.1': '-> See 1\.2\.' does not"):
        reading("k.txt", chain(MOST_LINKS))


@pytest.mark.parametrize("text", ["===\ntitle: a\n===\n\n[b]: c\n", "[b]: c\n  + <d>: e\n"])
def test_an_argument_map_is_no_corpus(text: str, reading):
    with pytest.raises(CorpusError, match=r"m\.argdown"):
        reading("m.argdown", text.encode())


def test_a_map_is_no_larger_than_memory_holds(reading, monkeypatch):
    monkeypatch.setattr(mending, "LARGEST_MAP", 1 << 20)
    with pytest.raises(CorpusError, match="a debate must have at most 1 MiB, but this one has"):
        reading("k.txt", b"Discussion Title: a\n".ljust(1 << 20, b"x") + b"y")


def test_a_line_that_begins_with_a_number_goes_on(reading):
    text = "Discussion Title: a\n1. b\n1990. That year\n1.1. PRO: c\n3. d\n1.\n2. e\n2.1. con: f"
    arguments, _ = reading("k.txt", text.encode())
    assert told(arguments) == [
        ("1.1", "b\n1990. That year", "c\n3. d\n1.", "PRO"),
        ("2.1", "e", "f", "CON"),
    ]


def test_a_thesis_of_kialos_export_may_stand_below_a_question(tmp_path):
    file = tmp_path / "kialo.txt"
    file.write_text(
        "Discussion Title: Zoos\n\n1. What of zoos?\n1.1. Thesis: Close them.\n"
        "1.1.1. Pro: They are cruel.\n"
        "3. Thesis: Keep them.\n3.1. Con: They are dear.\n"
    )
    found = [(one.conclusion, one.premise) for one in read(str(file))]
    assert found == [("Close them.", "They are cruel."), ("Keep them.", "They are dear.")]


def test_white_space_ends_and_marks_are_mended(reading):
    text = "\ufeffDiscussion Title: a\r\n1. b\0c\r\n\t1.1. Con: d\r\n1.1.1. Pro: e\r\n"
    arguments, report = reading("k.txt", text.encode())
    assert told(arguments) == [("1.1", "b c", "d", "CON"), ("1.1.1", "d", "e", "PRO")]
    assert report.replaced_characters == 1
