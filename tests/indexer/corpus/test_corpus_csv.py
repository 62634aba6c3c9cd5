"""CSV in args.me's own columns and in the simple ones."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.corpus import Argument, CorpusError, Premise, ReadReport, Stance, read

Reading = Callable[..., tuple[list[Argument], ReadReport]]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
IDS = st.from_regex(r"[A-Za-z0-9\-:.é😀]{1,12}", fullmatch=True)
ROWS = st.lists(
    st.tuples(IDS, st.none() | TEXT.filter(bool), TEXT, st.none() | st.sampled_from(Stance), TEXT),
    min_size=1,
    max_size=6,
    unique_by=lambda row: row[0],
)


def written(rows: list[list[str]], delimiter: str = ",", end: str = "\r\n") -> bytes:
    stream = io.StringIO(newline="")
    # Quoted throughout: before Python 3.13 the writer leaves a lone carriage return bare.
    quoting = csv.QUOTE_ALL if end == "\n" else csv.QUOTE_MINIMAL
    csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return stream.getvalue().encode()


def read_bytes(name: str, data: bytes) -> list[Argument]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return list(read(path))


@pytest.mark.thorough
@given(st.sampled_from([",", "\t", ";", "|"]), st.sampled_from(["\n", "\r\n"]), ROWS)
def test_the_simple_form(delimiter: str, end: str, rows: list[tuple[Any, ...]]) -> None:
    table = [["id", "conclusion", "premise", "stance", "topic"]]
    table += [[i, c or "", p, s or "", topic] for i, c, p, s, topic in rows]
    assert read_bytes("c.csv", written(table, delimiter, end)) == [
        Argument(i, c, (Premise(p, s),), {"topic": topic} if topic else {})
        for i, c, p, s, topic in rows
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("write", [repr, json.dumps], ids=["python", "json"])
@settings(max_examples=40)
@given(ROWS)
def test_args_mes_own_form(write: Callable[[Any], str], rows: list[tuple[Any, ...]]) -> None:
    table = [["conclusion", "premises", "context", "id", "sentences"]]
    expected = []
    for i, conclusion, text, stance, topic in rows:
        premises = [{"text": text, "stance": stance and stance.value, "annotations": []}] * 2
        context = {"sourceId": i, "topic": topic, "aspects": [{"rank": 1, "weight": 0.5}]}
        sentences = [{"sent_id": f"{i}__PREMISE__1", "sent_text": text}]
        cells = [conclusion or "", write(premises), write(context), i, write(sentences)]
        table.append(cells)
        kept = (Premise(text, stance),) * 2
        expected.append(Argument(i, conclusion, kept, context | {"sentences": sentences}))
    assert read_bytes("args_processed.csv", written(table)) == expected


def test_the_columns_of_the_shared_tasks_tables(reading: Reading) -> None:
    table = [
        ["Argument ID", "Conclusion", "Stance", "Premise", "Usage"],
        ["A01", "We should ban cars", "in favor of", "Air.", "train"],
        ["A02", "We should ban cars", "against", "Jobs.", ""],
    ]
    arguments, report = reading("arguments.tsv", written(table, "\t"))
    assert arguments == [
        Argument("A01", "We should ban cars", (Premise("Air.", Stance.PRO),), {"Usage": "train"}),
        Argument("A02", "We should ban cars", (Premise("Jobs.", Stance.CON),), {}),
    ]
    assert report.sources[0].form == "CSV"


@pytest.mark.thorough
def test_a_cell_of_ten_megabytes_is_read(reading: Reading) -> None:
    text = "word " * 2_000_000
    (argument,), _ = reading("c.csv", written([["id", "premise"], ["a", text]]))
    assert argument.premise == text


def test_cells_beside_the_premises_are_kept(reading: Reading) -> None:
    table = [["id", "premises", "stance", "premise"], ["a", '[{"text": "p"}]', "CON", "q"]]
    (argument,), _ = reading("c.csv", written(table))
    assert (argument.premise, argument.context) == ("p", {"stance": "CON", "premise": "q"})


def test_nul_and_surrogates_are_replaced_and_counted(reading: Reading) -> None:
    data = b"id,premises,premise\n" + rb"""a,"[{'text': 'x\ud800\0'}]",""" + b"\0\xed\xa0\x80\n"
    (argument,), report = reading("c.csv", data)
    assert (argument.premise, argument.context["premise"]) == ("x\ufffd ", " \ufffd")
    assert report.replaced_characters == 4


ROW = [
    (b"a,p\n", "document 1, line 2: it must have 3 cells, not 2"),
    (b"a,p,PRO,x\n", "document 1, line 2: it must have 3 cells, not 4"),
    (b"a,p,UP\n", "document 1, line 2: stance must be PRO, CON or null, not 'UP'"),
    (b",p,PRO\n", "document 1, line 2: id must be a string without white space of at most 512"),
    (b"a,\xe9,PRO\n", "document 1, line 2: byte 0xe9 is not UTF-8"),
    (b'a,"p"q,PRO\n', "document 1, line 2: it is not CSV (',' expected after '\"')"),
    (b'a,"p\n\nq\xff",PRO\n', "document 1, line 4: byte 0xff is not UTF-8"),
]


@pytest.mark.parametrize(("row", "message"), ROW)
def test_a_bad_row(reading: Reading, row: bytes, message: str) -> None:
    data = b"id,premise,stance\n" + row + b"b,q,CON\n"
    with pytest.raises(CorpusError) as caught:
        reading("c.csv", data)
    assert message in str(caught.value)
    arguments, report = reading("c.csv", data, on_error="skip")
    assert [argument.id for argument in arguments] == ["b"]
    assert report.skipped == 1


@pytest.mark.parametrize(
    "cell", ["nonsense(", "__import__('os')", "[1, {2}]", "[b'x']", "(" * 10_000]
)
def test_a_cell_that_is_no_literal(reading: Reading, cell: str) -> None:
    table = [["id", "premises"], ["a", cell], ["b", "[]"]]
    with pytest.raises(CorpusError, match="document 1, line 2: premises must be JSON or Python"):
        reading("c.csv", written(table))
