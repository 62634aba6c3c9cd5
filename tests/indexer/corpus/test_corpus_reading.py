"""Every form in every packing, read back; reports; bad documents stopped at or skipped."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.corpus import (
    Argument,
    CorpusError,
    Premise,
    ReadReport,
    Stance,
    argsme_json,
    read,
    read_many,
)
from argsearch.indexer.corpus.report import DocumentFault
from argsearch.indexer.errors import InvalidParameter

Reading = Callable[..., tuple[list[Argument], ReadReport]]

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
IDS = st.from_regex(r"[A-Za-z0-9\-:.é😀]{1,12}", fullmatch=True)
ARGUMENTS = st.builds(
    Argument,
    IDS,
    st.none() | TEXT,
    st.lists(st.builds(Premise, TEXT, st.none() | st.sampled_from(Stance)), max_size=3).map(tuple),
    st.dictionaries(TEXT, VALUES, max_size=3),
)
CORPORA = st.lists(ARGUMENTS, min_size=1, max_size=6, unique_by=lambda argument: argument.id)


def lines(arguments: list[Argument]) -> bytes:
    return b"".join(orjson.dumps(a.to_json()) + b"\n" for a in arguments)


def listed(arguments: list[Argument]) -> bytes:
    return json.dumps([a.to_json() for a in arguments]).encode()


def corpus(arguments: list[Argument]) -> bytes:
    return json.dumps({"version": 1, "arguments": [a.to_json() for a in arguments]}).encode()


def pretty(arguments: list[Argument]) -> bytes:
    whole = {"arguments": [a.to_json() for a in arguments]}
    return json.dumps(whole, indent=2, ensure_ascii=False).encode()


@pytest.mark.thorough
@given(
    st.sampled_from([lines, listed, corpus, pretty]),
    st.sampled_from(["c.json", "c.jsonl", "c"]),
    CORPORA,
)
def test_what_is_written_is_read(form: Any, name: str, arguments: list[Argument]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(form(arguments))
        assert list(read(path)) == arguments


@pytest.mark.thorough
def test_every_form_in_every_packing(
    reading: Reading,
    packing: tuple[str, Callable[[bytes], bytes]],
    as_lines: bytes,
    as_json: bytes,
    documents: list[dict[str, Any]],
) -> None:
    suffix, pack = packing
    for name, data in (("c.jsonl", as_lines), ("c.json", as_json)):
        packed = pack(data)
        arguments, report = reading(name + suffix, packed)
        assert [argument.to_json() for argument in arguments] == documents
        assert report.sha256 == sha256(packed).hexdigest()
        assert [(one.bytes, one.name) for one in report.sources] == [(len(packed), name + suffix)]
        assert report.name == name + suffix
        assert report.sources[0].documents == report.documents == 300


@pytest.mark.thorough
def test_a_packing_is_told_by_its_bytes_not_by_its_name(
    reading: Reading, packing: tuple[str, Callable[[bytes], bytes]], as_lines: bytes
) -> None:
    for name in ("c", "c.json", "c.csv.gz", "c.zip"):
        assert len(reading(name, packing[1](as_lines))[0]) == 300


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["c.json", "c.jsonl", "c.csv", "c.txt"])
def test_a_form_is_told_by_its_bytes_where_they_tell(
    reading: Reading, name: str, as_lines: bytes, as_json: bytes
) -> None:
    table = b"id,conclusion,premise,stance\n1,c,p,PRO\n"
    forms = {"JSON Lines": as_lines, "args.me JSON": as_json, "CSV": table}
    for form, data in forms.items():
        assert reading(name, data)[1].sources[0].form == form
        assert reading(name, b"\xef\xbb\xbf" + data)[1].sources[0].form == form


def test_one_long_document_on_a_line_is_json_lines_by_any_name(reading: Reading) -> None:
    document = {"id": "a", "premises": [{"text": "word " * 50_000, "stance": "CON"}]}
    assert reading("c.json", orjson.dumps(document))[1].sources[0].form == "JSON Lines"


@pytest.mark.parametrize("name", ["c.json", "c.jsonl"])
def test_lone_surrogates_and_nul_are_replaced_and_counted(reading: Reading, name: str) -> None:
    document = {
        "id": "a",
        "conclusion": "x\ud800y",
        "premises": [{"text": "\udc00 \0 \U0001f600", "stance": "PRO"}],
        "context": {"topic": "\udbff"},
    }
    data = json.dumps({"arguments": [document]} if name == "c.json" else document).encode()
    (argument,), report = reading(name, data)
    assert (argument.conclusion, argument.premise) == ("x\ufffdy", "\ufffd   \U0001f600")
    assert argument.context == {"topic": "\ufffd"}
    assert report.replaced_characters == 4
    assert report.summary()[-1] == "4 replaced characters (NUL, lone surrogates)"
    orjson.dumps(argument.to_json())


def test_the_first_of_each_id_is_kept(reading: Reading) -> None:
    texts = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4"), ("a", "5")]
    data = [{"id": i, "conclusion": "c", "premises": [{"text": t}]} for i, t in texts]
    arguments, report = reading("c.json", orjson.dumps(data))
    assert [(a.id, a.premise) for a in arguments] == [("a", "1"), ("b", "2"), ("c", "4")]
    assert (report.documents, report.duplicates) == (3, 2)
    assert report.duplicate_examples == ["a", "a"]
    assert "2 with an id that already exists (skipped)" in report.summary()


def test_several_sources_share_their_ids(tmp_path: Path) -> None:
    for name, ids in (("x.jsonl", "ab"), ("y.jsonl", "bc"), ("z.jsonl", "abc")):
        made = [Argument(i, name, (Premise("p"),)) for i in ids]
        (tmp_path / name).write_bytes(lines(made))
    report = ReadReport()
    sources = [tmp_path / name for name in ("x.jsonl", "y.jsonl", "z.jsonl")]
    assert [(a.id, a.conclusion) for a in read_many(sources, report=report)] == [
        ("a", "x.jsonl"),
        ("b", "x.jsonl"),
        ("c", "y.jsonl"),
    ]
    assert (report.documents, report.duplicates) == (3, 4)
    assert [source.documents for source in report.sources] == [2, 1, 0]
    digests = [sha256(source.read_bytes()).hexdigest() for source in sources]
    assert [source.sha256 for source in report.sources] == digests
    assert report.sha256 == sha256("".join(d + "\n" for d in digests).encode()).hexdigest()
    assert report.name == "x.jsonl + y.jsonl + z.jsonl"


def test_a_bad_document_stops_the_reading_or_is_skipped(reading: Reading) -> None:
    good = b'{"id": "a", "premises": [{"text": "p"}]}\n'
    bad = b'{"premises": []}\n'
    data = good + b"\n  \n" + bad + b"{nonsense\n" + good.replace(b'"a"', b'"b"')
    with pytest.raises(CorpusError) as caught:
        reading("c.jsonl", data)
    assert caught.value.position == "document 2, line 4"
    assert str(caught.value).endswith(
        "c.jsonl: document 2, line 4: id is missing; it must be a string without white "
        "space of at most 512 bytes; fix the document, or leave bad documents out with "
        "on_error=skip (--on-error skip)"
    )
    arguments, report = reading("c.jsonl", data, on_error="skip")
    assert [argument.id for argument in arguments] == ["a", "b"]
    assert (report.documents, report.skipped) == (2, 2)
    assert report.reasons == {"id": 1, "json": 1}
    assert [
        "line 4: id is missing" in e or "line 5: it is invalid JSON" in e
        for e in report.skipped_examples
    ] == [True, True]
    assert "2 skipped (id 1, json 1)" in report.summary()


def test_a_bad_document_in_a_list_is_skipped(reading: Reading) -> None:
    data = orjson.dumps(
        [{"id": "a", "premises": []}, {"id": "b", "premises": 3}, {"id": "c", "premises": []}]
    )
    with pytest.raises(CorpusError, match="document 2, before byte 75: premises must .*not 3"):
        reading("c.json", data)
    arguments, report = reading("c.json", data, on_error="skip")
    assert [argument.id for argument in arguments] == ["a", "c"]
    assert report.reasons == {"premises": 1}


def test_only_the_first_few_skipped_are_named(reading: Reading) -> None:
    data = b'{"id": "a", "premises": []}\n' + b'{"id": 1.5}\n' * 20
    _, report = reading("c.jsonl", data, on_error="skip")
    assert (report.skipped, len(report.skipped_examples)) == (20, 5)


def test_when_every_document_is_bad_skipping_is_no_remedy(reading: Reading) -> None:
    with pytest.raises(CorpusError, match="all 3 documents are bad"):
        reading("c.jsonl", b"{}\n{}\n{}\n", on_error="skip")


LINE = [
    (b'{"id": "a", "pre', "ends inside a JSON object"),
    (b'{"id": "a" "premises": []}', "is invalid JSON at column 12"),
    (b'{"id": "a", "premises": [], "context": {"x": NaN}}', "is invalid JSON at column 46"),
    (b'{"id": "\xe9", "premises": []}', "byte 9 of the line is 0xe9, which is not UTF-8"),
    (b'{"id": "a", "premises": [], "context": ' + b"[" * 3000 + b"]" * 3000 + b"}", "depth limit"),
    (b'"text"', "it must be an object with id, conclusion, premises and context, not 'text'"),
]


@pytest.mark.parametrize(("line", "message"), LINE)
def test_a_line_that_is_no_document(reading: Reading, line: bytes, message: str) -> None:
    good = b'{"id": "g", "premises": []}\n'
    with pytest.raises(CorpusError) as caught:
        reading("c.jsonl", good + line + b"\n")
    assert "document 2, line 2: " in str(caught.value)
    assert message in str(caught.value)
    assert len(reading("c.jsonl", good + line, on_error="skip")[0]) == 1


LIST = [
    (b'[{"id": "a", "premises": []}, nonsense]', "document 1: has a JSON error before byte"),
    (b'[{"id": "a", "premises": []}] []', "has a JSON error before byte"),
    (b'[{"id": "a", "premises": [{"text": "\xe9"}]}]', "has a JSON error before byte"),
    (b'[{"id": "a", "premises": [], "context": {"x": NaN}}]', "has a JSON error before byte"),
    (b'{"arguments": 5}', "the source has no documents"),
    (b'{"arguments": []}', "the source has no documents"),
    (b"[]", "the source has no documents"),
    (b'{"documents": [{"id": "a", "premises": []}]}', "the source has no documents"),
    (b'[{"id": "a", "premises": [], "context": {"x": ' + b"[" * 100_000, "nested levels"),
    (b'{"id": "a",\n "premises": []}', 'line 1: it ends inside a JSON object: \'{"id": "a",\''),
]
TABLE = [
    (b'id,premise,stance\na,p,PRO\nb,"q,CON\n', "line 3 ends inside a quoted cell"),
    (b"name,text\na,p\n", "the header row must have the columns id, conclusion, premise, stance"),
    (b"id,premise,premise\n", "the header row repeats premise"),
    (b"id,premise\n", "the source has no documents"),
    ("id,prémise\n".encode("latin-1"), "not UTF-8: b'id,pr\\xe9mise'"),
]
BROKEN = [*(("c.json", *one) for one in LIST), *(("c.csv", *one) for one in TABLE)]


@pytest.mark.parametrize(("name", "data", "message"), BROKEN)
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_broken_list_or_table_always_stops(
    reading: Reading, name: str, data: bytes, message: str, on_error: str
) -> None:
    with pytest.raises(CorpusError) as caught:
        reading(name, data, on_error=on_error)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["c.json", "c.jsonl"])
def test_numbers_of_any_size(reading: Reading, name: str) -> None:
    context = f'{{"most": {2**64 - 1}, "more": {2**64}, "least": {-(2**63)}}}'
    document = f'{{"id": "a", "premises": [], "context": {context}}}'
    (argument,), _ = reading(name, (f"[{document}]" if name == "c.json" else document).encode())
    assert argument.context == {"most": 2**64 - 1, "more": 2.0**64, "least": -(2**63)}
    assert type(argument.context["more"]) is float


@pytest.mark.parametrize("name", ["c.json", "c.jsonl", "c.json.zst"])
@pytest.mark.parametrize(
    "number",
    ["9" * 4301, "-" + "9" * 400_000, "9" * 400, "1e400", "-1.5E+" + "9" * 20, "1e" + "9" * 5000],
)
def test_a_number_too_large_is_a_bad_document(reading: Reading, name: str, number: str) -> None:
    documents = [f'{{"id": "{id}", "premises": [], "context": {{"n": 1}}}}' for id in "abc"]
    documents[1] = documents[1].replace("1", number)
    data = "\n".join(documents) if "jsonl" in name else f"[{','.join(documents)}]"
    content = zstandard.compress(data.encode()) if name.endswith("zst") else data.encode()
    arguments, report = reading(name, content, on_error="skip")
    assert [argument.id for argument in arguments] == ["a", "c"]
    assert report.reasons == {"json": 1}
    said = r"document 2, (before byte|line) [\d,]+: .*(infinity|too large)"
    with pytest.raises(CorpusError, match=said):
        reading(name, content)


@pytest.mark.parametrize("size", [1, 7, 161, 5000, 1 << 20])
def test_long_numbers_are_found_wherever_blocks_end(size: int) -> None:
    digits, least = "7" * 5000, f"2.5E-{'9' * 20}"
    data = (
        f'[{{"a": {digits}, "b": "{digits}"}}, {{"a": "\\"{digits}", "b": [{digits}.5e-5000]}},'
        f' {{"a": 0.{digits}, "b": {digits}E-5000}}, {{"{digits}": -{digits}}}, {{"last": 12}},'
        f' {{"{least}": -{least}, "a": "{least}", "b": [10e-{"0" * 20}1]}}, 1e{digits}]'
    ).encode()
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    first, second, third, fourth, last, small, large = (
        value for _, value in argsme_json.records(blocks, ReadReport(), bare=True)
    )
    assert type(first) is type(fourth) is type(large) is DocumentFault
    assert small == {least: 0.0, "a": least, "b": [1.0]}
    assert second == {"a": f'"{digits}', "b": [0.7777777777777778]}
    assert third == {"a": 0.7777777777777778, "b": 0.7777777777777778}
    assert last == {"last": 12}


def test_brackets_in_text_are_no_nesting(reading: Reading) -> None:
    text = '[[{"\\' * 5000
    data = json.dumps([{"id": str(i), "premises": [{"text": text}]} for i in range(40)]).encode()
    arguments, _ = reading("c.json", data)
    assert {argument.premise for argument in arguments} == {text}


def test_standard_input_is_json_lines_and_may_be_packed(
    monkeypatch: pytest.MonkeyPatch, packing: tuple[str, Callable[[bytes], bytes]], as_lines: bytes
) -> None:
    suffix, pack = packing
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(as_lines))))
    report = ReadReport()
    if suffix == ".zip":
        with pytest.raises(CorpusError, match=r"standard input: the file must be plain, \.gz"):
            list(read("-", report=report))
        return
    assert len(list(read("-", report=report))) == 300
    assert (report.name, report.sha256) == ("standard input", sha256(pack(as_lines)).hexdigest())


def test_wrong_words() -> None:
    with pytest.raises(InvalidParameter, match="on_error must be stop or skip, not 'ignore'"):
        read("c.json", on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="at most once"):
        read_many(["-", "-"])
    with pytest.raises(InvalidParameter, match=r"one source, not \[\]"):
        read_many([])


def test_reading_that_ends_early_names_no_digest(tmp_path: Path, as_lines: bytes) -> None:
    (tmp_path / "c.jsonl").write_bytes(as_lines + b"\n" * (1 << 20))
    report = ReadReport()
    arguments = read(tmp_path / "c.jsonl", report=report)
    assert next(iter(arguments)).id == "d0"
    del arguments
    assert (report.documents, report.sources[0].sha256) == (1, "")


@pytest.mark.thorough
def test_a_list_is_never_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    premises = [{"text": "word " * 2000, "stance": "PRO"}]
    with path.open("w") as stream:
        stream.write('{"arguments": [')
        for i in range(2000):
            separator = "," if i else ""
            stream.write(separator + json.dumps({"id": str(i), "premises": premises}))
        stream.write("]}")
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    try:
        assert sum(1 for _ in read(path)) == 2000
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
