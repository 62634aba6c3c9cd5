"""Argdown and Kialo's export as corpora: relations become stances, and what is wrong is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argsearch.indexer.corpus import Argument, ReadReport, Stance, argdown, mending, read
from argsearch.indexer.corpus.report import CorpusError, SourceReport

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


@pytest.mark.parametrize(("links", "reasons"), [(7, {}), (8, {"claim": 1})])
def test_of_a_chain_of_references_eight_claims_are_looked_at(reading, links, reasons):
    lines = ["Discussion Title: a", "1. b", "1.1. Pro: It hurts."]
    lines += [f"1.{at + 1}. Con: -> See 1.{at}." for at in range(1, links + 1)]
    arguments, report = reading("kialo.txt", "\n".join(lines).encode(), on_error="skip")
    assert [one.premise for one in arguments] == ["It hurts."] * 8
    assert dict(report.reasons) == reasons


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
        ("a.ad", "[a]: b\n  + c {d: !!bool x}", r"line 2: metadata is '\{d: !!bool x\}'; allowed"),
        ("a.ad", '[a]: b\n  + c {d: !!int ""}', "line 2: metadata is .*; allowed: "),
        ("a.ad", "[a]: b\n  + c {d: !!timestamp x}", "line 2: metadata is .*; allowed: "),
        (
            "a.txt",
            "Discussion Title: a\n1. b\n1.1. Pro: c\n1.1. Con: d",
            "line 4: claim '1.1' was on line 3 already",
        ),
        (
            "a.txt",
            "Discussion Title: a\n1. b\n1.1. c",
            "line 3: claim '1.1' has no stance; allowed",
        ),
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


IDS = """\
[Pain]: It hurts.
  + <Pain>: It aches.
  -> [Zoos]
  -> [Ban]

[Zoos]: Zoos.
  + Yes.
  - Yes.
  + <A B>: c
  + <A_B>: d
  + <Q>: q
  + <Q-2>: r
  + <Own>: e {id: "m.ad-F"}
  + <F>: f

[Ban]: Ban.
  + Yes.
  + <Q>

<Speech>

(1) One.
(2) Two.
----
(3) Three.

<Speech>

(1) Four.
----
(3) Five.

(1) Six.
----
(2) Seven.

(1) Eight.
----
(2) Nine.
"""


def test_no_two_documents_of_a_map_have_one_id(reading):
    arguments, report = reading("m.ad", IDS.encode())
    assert report.duplicates == 0
    ids = {one.premise: one.id.removeprefix("m.ad-") for one in arguments}
    assert ids["It aches."] == "<Pain>"
    assert (ids["c"], ids["d"], ids["e"], ids["f"]) == ("A_B", "A_B-2", "F", "F-2")
    said = [(one.premise, one.conclusion, one.id.removeprefix("m.ad-")) for one in arguments]
    assert [id for text, _, id in said if text in ("q", "r")] == ["Q", "Q-2-2", "Q-2"]
    assert [id for text, _, id in said if text == "It hurts."] == ["[Pain]", "[Pain]-2"]
    assert [about for text, about, _ in said if text == "Yes."] == ["Zoos.", "Zoos.", "Ban."]
    assert [id for _, about, id in said if about in ("Three.", "Five.")] == [
        "Speech(3)",
        "Speech(3)-2",
    ]
    assert {"Six.", "Eight."} < ids.keys()
    twice, _ = reading("n.ad", b"[a]: b {id: 5}\n  -> c\n  -> d")
    assert [one.id for one in twice] == ["5", "5-2"]


@pytest.mark.parametrize(
    ("text", "premise", "more"),
    [
        ("Vets care {well}. {a: 1}", "Vets care {well}.", {"a": 1}),
        ("Vets care {well}, yes. {a: 1}", "Vets care {well}, yes.", {"a": 1}),
        ("Vets { care. {a: {b: 1}, c: 2}", "Vets { care.", {"a": {"b": 1}, "c": 2}),
        ("Vets {care.\n\nMore: {a: 1}", "Vets {care.", {}),
        ('Vets {"a": "{x} y}", b: \'{\'}', "Vets", {"a": "{x} y}", "b": "{"}),
        ('Vets {"premises": [\n  {"text": "d"}\n]\n}', "d", {}),
        ('Vets {"premises": [\n  {"text": "d"}\n]}', "d", {}),
    ],
)
def test_braces_are_metadata_at_the_end_of_a_line(text: str, premise: str, more: Any, reading):
    arguments, _ = reading("a.ad", f"[z]: Zoos.\n  + {text}".encode())
    assert (arguments[0].premise, arguments[0].context) == (premise, more)


def test_front_matter_that_no_yaml_reads_is_passed_over(reading):
    arguments, _ = reading("a.ad", b"===\ntitle: !!bool x\n===\n\n[a]: b\n  + c")
    assert arguments[0].context == {}


def test_a_line_that_begins_with_a_number_goes_on(reading):
    text = "Discussion Title: a\n1. b\n1990. That year\n1.1. PRO: c\n3. d\n1.\n2. e\n2.1. con: f"
    arguments, _ = reading("k.txt", text.encode())
    assert told(arguments) == [
        ("1.1", "b\n1990. That year", "c\n3. d\n1.", "PRO"),
        ("2.1", "e", "f", "CON"),
    ]


class Counted:
    """A pattern that counts the characters it passes; what it makes counts what is done to it."""

    passed = 0

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pattern, name)

    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        found = self.pattern.search(text, at)
        Counted.passed += (found.end() if found else len(text)) - at
        return found

    def finditer(self, text: str, at: int = 0) -> Iterator[re.Match[str]]:
        for found in self.pattern.finditer(text, at):
            Counted.passed += found.end() - at
            at = found.end()
            yield found
        Counted.passed += len(text) - at

    def sub(self, by: Any, text: str) -> str:
        return Text(self.pattern.sub(by, text))


class Text(str):
    def __getitem__(self, at: Any) -> str:
        found = Text(super().__getitem__(at))
        Counted.passed += len(found)
        return found

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.passed += len(self)
        return super().__eq__(other)

    def strip(self, chars: str | None = None) -> str:
        return Text(super().strip(chars))

    def rstrip(self, chars: str | None = None) -> str:
        return Text(super().rstrip(chars))

    def find(self, part: str, at: int = 0) -> int:  # type: ignore[override]
        found = super().find(part, at)
        Counted.passed += (len(self) if found < 0 else found) - at
        return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        *(
            one * 50_000
            for one in (
                "{",
                "/*",
                "<!--",
                "[",
                "<",
                "#(",
                "@[",
                "\\",
                "*a",
                "} ",
                "===",
                "{a} x",
                "{a},",
            )
        ),
        *("{" * 50_000 + "} x", "{" * 50_000 + "}" * 50_000, '{"' * 50_000 + "}", "{a: '" * 50_000),
        "a " + "#a " * 50_000,
        "a " + " ".join(f"#{n}" for n in range(50_000)),
        "\n\n".join(f"[a]: {n}" for n in range(5_000)),
    ],
    ids=lambda text: f"{text[:5]}-{text[-5:]}",
)
def test_what_never_ends_is_read_once(text: str, monkeypatch):
    for name, value in vars(argdown).copy().items():
        if isinstance(value, re.Pattern):
            monkeypatch.setattr(argdown, name, Counted(value))
    whole = argdown.whole_text
    monkeypatch.setattr(argdown, "whole_text", lambda *given: Text(whole(*given)))
    monkeypatch.setattr(Counted, "passed", 0)
    report = ReadReport()
    report.sources.append(SourceReport("a.argdown"))
    made = dict(argdown.records([(text + "\n  + b").encode()], report))
    assert made[text.count("\n") + 2]["premises"] == [{"text": "b", "stance": "PRO"}]
    assert Counted.passed < 9 * len(text)


def test_white_space_ends_and_marks_are_mended(reading):
    text = "\ufeff[a]: b\0c\r\n\t- d\r\n\t\t+ e\r\n\t+ f\r\n"
    arguments, report = reading("a.argdown", text.encode())
    assert told(arguments)[0][1:] == ("b c", "d", Stance.CON)
    assert [(one.conclusion, one.premise) for one in arguments[1:]] == [("d", "e"), ("b c", "f")]
    assert report.replaced_characters == 1


def test_a_thesis_of_kialos_export_may_stand_below_a_question(tmp_path):
    file = tmp_path / "kialo.txt"
    file.write_text(
        "Discussion Title: Zoos\n\n1. What of zoos?\n1.1. Thesis: Close them.\n"
        "1.1.1. Pro: They are cruel.\n"
        "3. Thesis: Keep them.\n3.1. Con: They are dear.\n"
    )
    found = [(one.conclusion, one.premise) for one in read(str(file))]
    assert found == [("Close them.", "They are cruel."), ("Keep them.", "They are dear.")]
