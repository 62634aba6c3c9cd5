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
    twice = "<topics><topic number='7'><number>7</number><title>zoos</title></topic></topics>"
    assert read_topics(save(tmp_path, twice)) == [Topic("7", "zoos")]


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
        ("1\ta\n1\tb\n", 2, "topic '1' appears twice"),
        ("1\ta\n2 b\n", 2, "the line must have 2 columns, qid<TAB>text, not 1"),
        ("1\ta\tb\n", 1, "the line must have 2 columns, qid<TAB>text, not 3"),
        ("1\t \n", 1, "topic '1' has no title"),
        ("\ta\n", 1, "a topic has no number"),
        ("1 2\ta\n", 1, "topic number '1 2' contains a space, which run files do not"),
        ("", None, "the file has no topics"),
        ("<topics></topics>", None, "the file has no topics"),
        (TOUCHE_2020.replace("25", "1"), 12, "topic '1' appears twice"),
        (TOUCHE_2020.replace("<title>Tablets?</title>", ""), 12, "topic '25' has no title"),
        (TOUCHE_2020.replace("<number>25</number>", ""), 12, "has no number"),
        (TOUCHE_2020.replace("</narrative>", ""), 11, "the XML is not well-formed"),
        (TOUCHE_2020[:150], 8, "the XML is not well-formed"),
        ('{"qid": 1, "query": "a"}\n{"qid"\n', 2, "not JSON"),
        ('{"qid": 1, "query": "a"}\n[1]\n', 2, r"a topic must be an object, not \[1\]"),
        ('[{"qid": 1}]', None, "topic '1' has no title"),
        (
            '{"qid": 1, "query": "a"}\n{"qid": 2, "query": "\\ud800"}',
            2,
            "topic '2' has a lone surr",
        ),
        ('[{"qid": "\\udc00", "query": "a"}]', None, "has a lone surrogate"),
        ("[1,\n", 2, "not JSON"),
        ("[" * 500_000, None, "too many nested levels"),
        ('{"qid": 1, "query": ' + "[" * 500_000, 1, "too many nested levels"),
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
    with pytest.raises(RunFormatError, match="irds:no/such-set: ir_datasets has no such data set"):
        read_topics("irds:no/such-set")


# Each of these is the same two topics.
XML_FORMS = {
    "entities": """<!DOCTYPE t [<!ENTITY e "é"><!ENTITY c "caf&e;"><!ENTITY % p "x">]>
<topics><topic number="1"><title>&c; or tea?</title></topic>TWO</topics>""",
    "cdata": "<topics><topic><number>1</number><title><![CDATA[café]]> or tea?</title></topic>"
    "TWO</topics>",
    "comments": "<!-- <!ENTITY a 'b'> <topic> --><topics><?x <topic>?><topic><number>1</number>"
    "<title>café<!-- no --> or tea?</title></topic>TWO</topics>",
    "namespaces": """<t:topics xmlns:t="urn:t" xmlns="urn:d"><t:topic><number>1</number>
<t:title>café or tea?</t:title></t:topic>TWO</t:topics>""",
    "references": "<topics><topic id='1'><title>caf&#xe9;&#32;or tea&#63;</title></topic>"
    "TWO</topics>",
    "markup": "<topics><topic><number>1</number><title><i>ca<b>f</b>é</i> or tea?</title></topic>"
    "TWO</topics>",
    "line ends": "<topics>\r<topic\r><number>1</number><title>café\ror\u2028tea?</title></topic>"
    "\rTWO</topics>\r",
}
TWO = "<topic><number>2</number><title>A form\u0085feed?</title></topic>"


@pytest.mark.parametrize("form", XML_FORMS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "iso-8859-1"])
def test_whatever_xml_can_say(tmp_path: Path, form: str, encoding: str) -> None:
    text = XML_FORMS[form].replace("TWO", TWO)
    if encoding not in ("utf-8-sig", "utf-16"):
        text = f"<?xml version='1.0' encoding='{encoding.removesuffix('-be')}'?>{text}"
    if encoding == "iso-8859-1":
        text = text.replace("\u2028", "&#x2028;")
    path = tmp_path / "topics"
    path.write_bytes(text.encode(encoding))
    assert read_topics(path) == [Topic("1", "café or tea?"), Topic("2", "A form feed?")]


@pytest.mark.parametrize(
    ("declared", "content"), [("utf8", "é".encode()), ("utf-16", b"e"), ("x-none", "é".encode())]
)
def test_utf_8_is_read_as_such(tmp_path: Path, declared: str, content: bytes) -> None:
    path = tmp_path / "topics.xml"
    head = f"<?xml version='1.0' encoding='{declared}'?><topics><topic id='1'><title>".encode()
    path.write_bytes(head + content + b"</title></topic></topics>")
    assert read_topics(path) == [Topic("1", content.decode())]
    path.write_bytes(head + b"\xe9</title></topic></topics>")
    with pytest.raises(RunFormatError, match=r"encoding|not well-formed"):
        read_topics(path)


@pytest.mark.parametrize("file", ["/etc/hostname", "topics.dtd"])
def test_no_other_file_is_read(tmp_path: Path, file: str) -> None:
    path = save(tmp_path, f"<!DOCTYPE t [<!ENTITY a SYSTEM '{file}'>]><t>&a;</t>")
    with pytest.raises(RunFormatError, match="undefined entity"):
        read_topics(path)


def test_entities_do_not_unpack_to_gigabytes(tmp_path: Path) -> None:
    """Neither nested ones nor many long ones."""
    laughs = "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12))
    path = save(tmp_path, f"<!DOCTYPE t [<!ENTITY a0 'haha'>{laughs}]><t>&a11;</t>")
    with pytest.raises(RunFormatError, match="amplification|more than 64 MiB"):
        read_topics(path)
    wide = "x" * 1_000_000
    path = save(tmp_path, f"<!DOCTYPE t [<!ENTITY a '{wide}'>]><t>{'&a;' * 70}</t>")
    with pytest.raises(RunFormatError, match="amplification|more than 64 MiB"):
        read_topics(path)


ODD = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What only `str.splitlines` takes for the end of a line."""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("odd", ODD)
def test_only_line_feeds_and_carriage_returns_end_a_line(
    tmp_path: Path, odd: str, end: str
) -> None:
    """In every reader of the lab and of corpora; the faulty last line has its own number."""
    from argsearch.indexer.corpus import read
    from argsearch.indexer.corpus.report import CorpusError
    from argsearch.lab.judgements.comparisons import read_items, read_table
    from argsearch.lab.judgements.scored import plain_table
    from argsearch.lab.judgements.tables import JudgementsError
    from argsearch.lab.runs import read_qrels, read_run

    def saved(*lines: str, name: str = "file") -> Path:
        path = tmp_path / name
        path.write_bytes("".join(line + end for line in lines).encode())
        return path

    text = f"a{odd}b"
    topics = [Topic("1", "a b"), Topic("2", "c")]
    assert read_topics(saved(f"1\t{text}", "2\tc")) == topics
    rows = [json.dumps({"qid": q, "query": t}, ensure_ascii=False) for q, t in (("1", text), "2c")]
    assert read_topics(saved(*rows)) == topics
    for bad in (["1\t" + text, "2 c"], [*rows[:1], "{"]):
        with pytest.raises(RunFormatError) as caught:
            read_topics(saved(*bad))
        assert caught.value.line == 2
    assert read_items(saved(text, "c")) == [text, "c"]
    table = saved("topic,text,score,part", f"t,{text},1,train", f't,"{text}{end}",2,test')
    assert [(row["text"], line) for line, row in read_table(table)] == [
        (text, 2),
        (f"{text}{end}", 4),
    ]
    with pytest.raises(JudgementsError, match="one topic|two|need|have"):
        plain_table(saved("topic,text,score,part", f"t,{text},x,train"))
    if not odd.isascii():
        # An id of odd white space is one word, as for trec_eval.
        assert read_qrels(saved(f"1 0 {text} 1", "1 0 c 0")).grades == {"1": {text: 1, "c": 0}}
        run = read_run(saved(f"1 Q0 {text} 1 2 t", "1 Q0 c 2 1 t"))
        assert run.rankings["1"].ids == [text, "c"]
    with pytest.raises(RunFormatError) as caught:
        read_qrels(saved("1 0 a 1", "1 0 b 1", "1 0 c"))
    assert caught.value.line == 3
    for name, lines in {
        "a.csv": ["id,conclusion,premise,stance", f"x,c,{text},PRO", "y,c,d,CON"],
        "a.jsonl": [
            json.dumps({"_id": i, "text": t}, ensure_ascii=False) for i, t in (("x", text), "yd")
        ],
        "a.txt": ["Discussion Title: t", "1. c", f"1.1. Pro: {text}", "1.2. Con: d"],
    }.items():
        found = [one.premises[0].text for one in read(saved(*lines, name=name))]
        assert found == [text, "d"], name
        with pytest.raises(CorpusError, match=f"line {len(lines) + 1}"):
            list(read(saved(*lines, "1.9.9. Pro: x" if name == "a.txt" else '{"', name=name)))
