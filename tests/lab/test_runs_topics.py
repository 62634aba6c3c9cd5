"""Topics in every form of the field, and what is said of malformed ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from argsearch.lab.runs import RunFormatError, Topic, read_topics

TOUCHE_2020 = """<?xml version="1.0" encoding="UTF-8"?>
<topics>
<topic>
<number>1</number>
<title>Should teachers
 get tenure?</title>
<description>
A user &amp; more.
</description>
<narrative>Highly relevant.</narrative>
</topic>
<topic>
<number>25</number>
<title>Tablets?</title>
</topic>
</topics>
"""
TOUCHE_2022_TASK_2 = """<topics><topic><number>2</number><title>Which is better?</title>
<objects>laptop, desktop</objects><description>d</description></topic></topics>"""
TIRA_XML = """<topics ir-datasets-id="x"><topic number="51"><query>do we need sex education</query>
<original_query><query_id>51</query_id><title>Do we need sex education?</title>
<description>d</description></original_query></topic></topics>"""


def save(folder: Path, text: str, name: str = "topics") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_touche_xml(tmp_path: Path) -> None:
    assert read_topics(save(tmp_path, TOUCHE_2020)) == [
        Topic("1", "Should teachers get tenure?", "A user & more.", "Highly relevant."),
        Topic("25", "Tablets?"),
    ]
    assert read_topics(save(tmp_path, TOUCHE_2022_TASK_2)) == [Topic("2", "Which is better?", "d")]
    assert read_topics(save(tmp_path, TIRA_XML)) == [Topic("51", "Do we need sex education?", "d")]


def test_tsv_with_byte_order_mark_and_gzip(tmp_path: Path) -> None:
    text = "\ufeff1\tone topic\r\n\nq-2\tzwei Wörter\n"
    expected = [Topic("1", "one topic"), Topic("q-2", "zwei Wörter")]
    assert read_topics(save(tmp_path, text)) == expected
    packed = tmp_path / "topics.tsv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_topics(str(packed)) == expected


@pytest.mark.parametrize(
    "record",
    [
        {"qid": 1, "query": "tenure"},
        {"query_id": "1", "title": "tenure"},
        {"_id": "1", "text": "tenure", "metadata": {}},
        {"number": "1", "title": "tenure"},
        {"qid": "1", "query": "Tenure", "original_query": {"query_id": "1", "title": "tenure"}},
    ],
)
def test_json_forms(tmp_path: Path, record: dict[str, object]) -> None:
    line = json.dumps(record)
    assert read_topics(save(tmp_path, f"{line}\n\n")) == [Topic("1", "tenure")]
    assert read_topics(save(tmp_path, f"[{line}]")) == [Topic("1", "tenure")]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("1\ta\n1\tb\n", 2, "topic '1' is there twice"),
        ("1\ta\n2 b\n", 2, "1 tab-separated columns, 2 are needed"),
        ("1\ta\tb\n", 1, "3 tab-separated columns"),
        ("1\t \n", 1, "topic '1' has no title"),
        ("\ta\n", 1, "a topic has no number"),
        ("1 2\ta\n", 1, "topic number '1 2' holds a space"),
        ("", None, "holds no topics"),
        ("<topics></topics>", None, "holds no topics"),
        (TOUCHE_2020.replace("25", "1"), 12, "topic '1' is there twice"),
        (TOUCHE_2020.replace("<title>Tablets?</title>", ""), 12, "topic '25' has no title"),
        (TOUCHE_2020.replace("<number>25</number>", ""), 12, "has no number"),
        (TOUCHE_2020.replace("</narrative>", ""), 11, "not well-formed XML"),
        (TOUCHE_2020[:150], 8, "not well-formed XML"),
        ('{"qid": 1, "query": "a"}\n{"qid"\n', 2, "not JSON"),
        ('{"qid": 1, "query": "a"}\n[1]\n', 2, "a topic is an object"),
        ('[{"qid": 1}]', None, "topic '1' has no title"),
        ("[1,\n", 2, "not JSON"),
        ("[" * 500_000, None, "nested too deep"),
        ('{"qid": 1, "query": ' + "[" * 500_000, 1, "nested too deep"),
        ('[{"qid": ' + "9" * 5_000 + ', "query": "a"}]', None, "not JSON"),
    ],
)
def test_malformed(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    path = save(tmp_path, text)
    with pytest.raises(RunFormatError, match=words) as caught:
        read_topics(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(str(path))


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "topics.tsv"
    path.write_bytes(b"1\tone\n2\tzw\xf6lf\n")
    with pytest.raises(RunFormatError, match=":2: byte 0xf6 is not UTF-8"):
        read_topics(path)


@pytest.mark.datasets
def test_ir_datasets_unknown_name() -> None:
    pytest.importorskip("ir_datasets", reason="install the extra `datasets`")
    with pytest.raises(RunFormatError, match="knows no such data set"):
        read_topics("irds:no/such-set")


def test_entities_are_refused(tmp_path: Path) -> None:
    """The few lines that would unpack to gigabytes, before any is."""
    path = tmp_path / "topics.xml"
    path.write_text('<!DOCTYPE t [\n<!ENTITY a "ha">\n<!ENTITY b "&a;&a;">]><t>&b;</t>')
    with pytest.raises(RunFormatError, match=r"topics\.xml:2: declares an entity"):
        read_topics(path)
