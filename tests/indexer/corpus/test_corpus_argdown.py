"""Argdown and Kialo's export as corpora: relations become stances, and what is wrong is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.indexer.corpus import Argument, Stance, mending, read
from argsearch.indexer.corpus.report import CorpusError

MAP = """\
===
title: Zoos
===

# A heading

[Zoos]: Zoos should be **closed**, // by whom?
  for ever. #animals #(big ones)
  + <Pain>: Animals \\[all\\] suffer, see [here](https://x.org/a) and https://y.org.
    {source: "Smith 2010", year: 2010}
    <- <Vets>: Vets care {well} for them.
  /* more
  lines */
  - [Species]
  -> [Keepers]: Keepers should have work.

[Species]: Zoos save species. {
  links:
    - https://a.org
}
  _ <Few>: Few of
    @[Species].

<Pain>
+> [Ban]: Ban zoos.

* Nobody replied.
"""

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


def test_every_relation_of_a_map_is_a_document(reading):
    arguments, report = reading("m.argdown", MAP.encode())
    zoos = "Zoos should be closed, for ever."
    pain = "Animals [all] suffer, see here and https://y.org."
    assert told(arguments) == [
        ("Pain", zoos, pain, "PRO"),
        ("Vets", pain, "Vets care {well} for them.", "CON"),
        ("Species", zoos, "Zoos save species.", "CON"),
        ("Zoos", "Keepers should have work.", zoos, "CON"),
        ("Few", "Zoos save species.", "Few of Species.", "CON"),
        ("Pain-2", "Ban zoos.", pain, "PRO"),
        ("97da686b2f14", None, "Nobody replied.", None),
    ]
    about = {one.id: one.context for one in arguments}
    assert about["m.argdown-Pain"] == {
        "discussionTitle": "Zoos", "title": "Pain", "source": "Smith 2010", "year": 2010
    }  # fmt: skip
    assert about["m.argdown-Species"]["links"] == ["https://a.org"]
    assert about["m.argdown-Zoos"]["tags"] == ["animals", "big ones"]
    assert report.sources[0].form == "Argdown"


STRUCTURE = """\
<Speech>: In short. {source: "C1"}

(1) [Absolute]: It is
an absolute right.
  - <Harm>: It harms.
(2) Bans violate it.
--
Modus ponens {uses: [1, 2]}
--
  <_ <Under>: Not so.
(3) Bans are wrong.
(4) What is wrong is bad.
----
(5) Bans are bad.
  -> [Bans]

[Bans]: Bans are fine,
(1) for a reason.

(1) Nothing follows.
"""


def test_every_inference_of_a_structure_is_a_document(reading):
    arguments, _ = reading("s.argdown", STRUCTURE.encode())
    said = [(one.conclusion, [p.text for p in one.premises], one.stance) for one in arguments]
    assert said == [
        ("Bans are bad.", ["In short."], "PRO"),
        ("It is an absolute right.", ["It harms."], "CON"),
        ("In short.", ["Not so."], "CON"),
        ("Bans are wrong.", ["It is an absolute right.", "Bans violate it."], "PRO"),
        ("Bans are bad.", ["Bans are wrong.", "What is wrong is bad."], "PRO"),
        ("Bans are fine, (1) for a reason.", ["Bans are bad."], "CON"),
        (None, ["Nothing follows."], None),
    ]
    assert [one.id for one in arguments][3:5] == ["s.argdown-Speech(3)", "s.argdown-Speech(5)"]
    assert arguments[4].context == {"source": "C1"}


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


def test_an_id_stays_where_other_lines_come(reading):
    first, _ = reading("m.argdown", MAP.encode())
    later, _ = reading("m.argdown", MAP.replace("# A", "[New]: New.\n  + Reason.\n\n# A").encode())
    assert {one.id for one in first} < {one.id for one in later}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.ad", "[a]: b\n  + c\n\n  - d", "line 4: '-' relates to nothing above it; allowed: ind"),
        ("a.ad", "[a]: b\n  + c {d: [}", r"line 2: metadata is '\{d: \[\}'; allowed: \{key: value"),
        ("a.ad", "[a]: b\n  + c {d: &e 1, f: *e}", "line 2: metadata is .* without aliases"),
        ("a.ad", "[a]: b\n  + c {id: d e}", "line 2: id is 'd e'; allowed: text without white sp"),
        ("a.ad", "// nothing", "holds no documents; give .*Argdown"),
        (
            "a.txt",
            "Discussion Title: a\n1. b\n1.2.1. Pro: c",
            "line 3: claim '1.2.1' is below '1.2'",
        ),
        (
            "a.txt",
            "Discussion Title: a\n1. b\n1.1. Pro: -> See 1.9.",
            "line 3: claim '1.1': '-> See",
        ),
        (
            "a.txt",
            "Discussion Title: a\n1. b\n1.1. Pro: -> See 1.1.",
            "leads nowhere; allowed: the n",
        ),
        ("a.txt", "Discussion Title: a\n1. b\n1. c", "line 3: claim '1' was on line 2 already"),
        ("a.txt", "Discussion Title: a\n1. \xff", "line 2: byte 0xff is not UTF-8; allowed: UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(name: str, text: str, said: str, tmp_path: Path):
    (tmp_path / name).write_text(text, encoding="latin-1")
    with pytest.raises(CorpusError, match=said) as caught:
        list(read(tmp_path / name))
    assert name in str(caught.value)


def test_what_is_bad_can_be_left_out(reading):
    bad = "[a]: b\n  + c {d: [}\n  - e\n\n+ f\n"
    arguments, report = reading("a.ad", bad.encode(), on_error="skip")
    assert [one.premise for one in arguments] == ["e", "f"]
    assert dict(report.reasons) == {"metadata": 1, "relation": 1}


def test_a_map_is_no_larger_than_memory_holds(reading, monkeypatch):
    monkeypatch.setattr(mending, "LARGEST_MAP", 1 << 20)
    with pytest.raises(CorpusError, match="has over 1 MiB; allowed: at most 1 MiB of one debate"):
        reading("a.argdown", b"x" * (1 << 20) + b"y")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "piece", ["{", "/*", "<!--", "[", "<", "#(", "@[", "\\", "*a", "} ", "==="]
)
def test_what_never_ends_is_read_once(piece: str, reading):
    arguments, _ = reading("a.argdown", (piece * 100_000 + "\n  + b").encode())
    assert arguments[0].premise == "b"


def test_white_space_ends_and_marks_are_mended(reading):
    text = "\ufeff[a]: b\0c\r\n\t- d\r\n\t\t+ e\r\n\t+ f\r\n"
    arguments, report = reading("a.argdown", text.encode())
    assert told(arguments)[0][1:] == ("b c", "d", Stance.CON)
    assert [(one.conclusion, one.premise) for one in arguments[1:]] == [("d", "e"), ("b c", "f")]
    assert report.replaced_characters == 1
