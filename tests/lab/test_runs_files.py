"""Run files and judgements: what is written, what is read, what is refused and with which words."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import P

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.runs import RunFormatError, read_qrels, read_run, write_run
from argsearch.lab.runs.trec import LARGEST_GRADE

GOOD = "1 Q0 a 1 3.5 t\n1 Q0 b 2 2.5 t\n2 Q0 a 1 1.0 t\n"


def save(folder: Path, text: str | bytes, name: str = "run.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_write_then_read(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    lines = write_run(path, [("1", ["b", "a", "c"], [1.0, 2.0, 1.0]), ("2", [], [])], "tag")
    assert lines == 3
    assert path.read_text() == "1 Q0 a 1 2.0 tag\n1 Q0 b 2 1.0 tag\n1 Q0 c 3 0.99999994 tag\n"
    run = read_run(path)
    assert run.tag == "tag"
    assert run.rankings["1"].ids == ["a", "b", "c"]
    assert run.remarks == []
    assert list(tmp_path.iterdir()) == [path]


def test_gzip_by_name_and_equal_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "one.txt.gz", tmp_path / "two.txt.gz"
    for path in (first, second):
        write_run(path, [("1", ["a"], [1.0])], "t")
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()) == b"1 Q0 a 1 1.0 t\n"
    assert read_run(first).rankings["1"].ids == ["a"]


ids = st.lists(st.text("abcxyz-019", min_size=1, max_size=5), unique=True, max_size=30)
scores = st.floats(-1e30, 1e30, allow_nan=False) | st.sampled_from([0.0, 1.0, 1.00000001, -0.0])


@pytest.mark.thorough
@settings(max_examples=150)
@given(documents=ids, data=st.data())
def test_written_order_is_the_order_trec_eval_sees(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str], data: st.DataObject
) -> None:
    values = data.draw(st.lists(scores, min_size=len(documents), max_size=len(documents)))
    path = tmp_path_factory.mktemp("runs") / "run.txt"
    write_run(path, [("1", documents, values), ("2", ["z"], [0.0])], "t")
    run = read_run(path)
    assert run.remarks == []
    expected = [doc for _, doc in sorted(zip([-v for v in values], documents, strict=True))]
    if documents:
        assert run.rankings["1"].ids == expected
    for rank, doc in enumerate(expected[:5], 1):
        judged = [ir_measures.Qrel("1", doc, 1)]
        rows = [line.split() for line in path.read_text().splitlines()]
        scored = [ir_measures.ScoredDoc(row[0], row[2], float(row[4])) for row in rows]
        assert ir_measures.calc_aggregate([P @ rank], judged, scored)[P @ rank] == 1 / rank
        if rank > 1:
            assert ir_measures.calc_aggregate([P @ (rank - 1)], judged, scored)[P @ (rank - 1)] == 0


@pytest.mark.parametrize(
    ("ranking", "words"),
    [
        (("1", ["a", "a"], [2.0, 1.0]), "document 'a' appears twice in topic '1'"),
        (("1", ["a"], [math.nan]), "score nan of document 'a' in topic '1' is not finite"),
        (("1", ["a"], [math.inf]), "is not finite"),
        (("1", ["a b"], [1.0]), "id 'a b' must be a word without white space or lone"),
        (("", ["a"], [1.0]), "id '' must be a word without white space or lone surrogates"),
        (("1", ["\udce9"], [1.0]), "or lone surrogates"),
        (("1", ["a"], [1.0, 2.0]), "topic '1' has 1 documents and 2 scores"),
    ],
)
def test_refuses_to_write(
    tmp_path: Path, ranking: tuple[str, list[str], list[float]], words: str
) -> None:
    path = save(tmp_path, "old content")
    with pytest.raises(RunFormatError, match=words):
        write_run(path, [("0", ["x"], [1.0]), ranking], "t")
    assert path.read_text() == "old content"
    assert list(tmp_path.iterdir()) == [path]


def test_refuses_a_topic_twice_and_a_bad_tag(tmp_path: Path) -> None:
    with pytest.raises(RunFormatError, match="topic '1' is ranked twice"):
        write_run(tmp_path / "run.txt", [("1", ["a"], [1.0]), ("1", ["b"], [1.0])], "t")
    for tag in ("", "two words", "caf\udce9"):
        with pytest.raises(InvalidParameter, match="one word without spaces"):
            write_run(tmp_path / "run.txt", [], tag)
    with pytest.raises(RunFormatError, match="cannot be written"):
        write_run(tmp_path / "no" / "run.txt", [], "t")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            GOOD + "2 Q0 b 2 0.5\n",
            4,
            r"it must have 6 columns \(qid Q0 docid rank score tag\), not",
        ),
        ("1 0 a 1\n", 1, "looks like a file of judgements"),
        ("1 Q0 a 1 3 t\n1 Q0 b 2\n\n1 Q0 c 3 1 t x y\n", 2, r"it must have 6 columns \(qid Q0"),
        (GOOD + "2 Q0 a 2 0.5 t\n", 4, r"document 'a' appears twice in topic '2' \(also line 3\)"),
        (GOOD + "2 Q0 b 2 nan t\n", 4, "score must be a finite number, not 'nan'"),
        (GOOD + "2 Q0 b 2 -inf t\n", 4, "score must be a finite number, not '-inf'"),
        (GOOD + "2 Q0 b 2 1e999 t\n", 4, "score must be a finite number, not '1e999'"),
        (GOOD + "2 Q0 b 2 1_0 t\n", 4, "score must be a finite number, not '1_0'"),
        (GOOD + "2 Q0 b 2 0,5 t\n", 4, "score must be a finite number, not '0,5'"),
        (GOOD.encode() + b"2 Q0 \xff 2 0.5 t\n", 4, "byte 0xff is not UTF-8"),
        (GOOD.encode() + b"2 Q0 \0 2 0.5 t\n", 4, "NUL byte"),
        ("", None, "the file has no lines of the form `qid "),
        ("\n\n", None, "the file has no lines of the form `qid "),
    ],
)
def test_refuses_to_read_a_run(
    tmp_path: Path, text: str | bytes, line: int | None, words: str
) -> None:
    path = save(tmp_path, text)
    with pytest.raises(RunFormatError, match=words) as caught:
        read_run(path)
    assert caught.value.line == line
    prefix = f"{path}:{line}: " if line else f"{path}: "
    assert str(caught.value).startswith(prefix)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n1 Q0 c 3 2 t\n", ":1: 2 scores tied within their topic"),
        ("1 Q0 c 1 2.00000001 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n", ":1: 1 scores tied"),
        ("1 Q0 b 2 1 t\n1 Q0 c 1 2 t\n", ":1: 1 topics whose lines are out of order"),
        ("1 Q0 c 2 2 t\n1 Q0 b 1 1 t\n", ":1: 1 topics whose ranks disagree with the scores"),
        ("1 Q0 c 1 2 t\n1 Q0 b 1 1 t\n", ":1: 1 topics whose ranks disagree with the scores"),
        ("1 Q0 c one 2 t\n1 Q0 b two 1 t\n", ":1: 2 ranks that are not whole numbers"),
        (f"1 Q0 c {'9' * 20} 2 t\n1 Q0 b 2 1 t\n", ":1: 1 ranks that are not whole numbers"),
        (f"1 Q0 c {'9' * 5000} 2 t\n1 Q0 b 2 1 t\n", ":1: 1 ranks that are not whole numbers"),
        ("1 Q0 c 1 2 t\r\n1 Q0 b 2 1 t\r\n", ":1: 2 lines with Windows line endings"),
        (b"\xef\xbb\xbf1 Q0 c 1 2 t\n1 Q0 b 2 1 t\n", ":1: 1 byte-order mark"),
        ("1 Q0 c 1 2 t\n\n1 Q0 b 2 1 t\n\n", ":2: 2 blank lines"),
        ("# ir_metadata.start\n# tag: t\n1 Q0 c 1 2 t\n1 Q0 b 2 1 t\n", ":1: 2 comment lines"),
        ("1 Q0 c 1 2 t\n1 Q0 b 2 1 u\n", ":2: 2 different run tags"),
    ],
)
def test_accepts_and_counts(tmp_path: Path, text: str | bytes, remark: str) -> None:
    path = save(tmp_path, text)
    run = read_run(path)
    assert run.rankings["1"].ids[:2] == ["c", "b"]
    assert len(run.remarks) == 1
    assert run.remarks[0].startswith(f"{path}{remark}")


def test_topics_in_pieces_and_no_last_newline(tmp_path: Path) -> None:
    run = read_run(save(tmp_path, "1 Q0 a 1 3 t\n2 Q0 b 1 3 t\n1 Q0 c 2 2 t"))
    assert run.rankings["1"].ids == ["a", "c"]
    assert len(run.rankings["2"]) == 1


@pytest.mark.parametrize("name", ["run.txt.gz", "run.txt.xz", "run.txt.bz2"])
def test_damaged_compressed_files(tmp_path: Path, name: str) -> None:
    whole = tmp_path / "run.txt.gz"
    write_run(whole, [("1", [f"d{i}" for i in range(500)], list(range(500)))], "t")
    path = save(tmp_path, whole.read_bytes()[:-40], name)
    with pytest.raises(RunFormatError, match=f"{name}: "):
        read_run(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(RunFormatError, match="no such file"):
        read_run(tmp_path / "none.txt")
    with pytest.raises(RunFormatError, match="is a folder"):
        read_qrels(tmp_path)


def test_qrels(tmp_path: Path) -> None:
    qrels = read_qrels(save(tmp_path, "1 0 a 1\n1 0 b -2\n1 0 a 1\n2 0 a 4.0\n"))
    assert qrels.grades == {"1": {"a": 1, "b": -2}, "2": {"a": 4}}
    assert qrels.not_negative() == {"1": {"a": 1, "b": 0}, "2": {"a": 4}}
    extreme = read_qrels(save(tmp_path, f"1 0 a {LARGEST_GRADE}\n1 0 b -{LARGEST_GRADE}\n"))
    assert extreme.grades == {"1": {"a": 1_000_000, "b": -1_000_000}}
    assert [remark.split(": ", 1)[1] for remark in qrels.remarks] == [
        "1 negative grades, which count as 0",
        "1 judgements repeated with the same grade",
        "1 grades with a decimal point, read as whole numbers",
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("1 0 a 1\n1 0 a 2\n", 2, "document 'a' of topic '1' has the grades 1 and 2"),
        ("1 0 a 1\n1 0 b 1.5\n", 2, r"grade must .*not '1\.5'"),
        ("1 0 a 1\n1 0 b nan\n", 2, "grade must .*not 'nan'"),
        ("1 0 a 1\n1 0 b inf\n", 2, "grade must .*not 'inf'"),
        ("1 0 a 1\n1 0 b x\n", 2, "grade must .*not 'x'"),
        ("1 0 a 1\n1 0 b 1000001\n", 2, "from -1,000,000 to 1,000,000"),
        ("1 0 a 4294967296\n", 1, "grade must .*not '4294967296'"),
        ("1 0 a -2000000000\n", 1, "from -1,000,000 to 1,000,000"),
        ("1 0 a 1e20\n", 1, "from -1,000,000 to 1,000,000"),
        ("1 0 a " + "9" * 5000, 1, "from -1,000,000 to 1,000,000"),
        ("1 0 a 1 9\n", 1, r"it must have 4 columns \(qid iteration docid grade\), not 5"),
        (GOOD, 1, "looks like a run file"),
        ("", None, "the file has no lines of the form `qid "),
    ],
)
def test_refuses_qrels(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    with pytest.raises(RunFormatError, match=words) as caught:
        read_qrels(save(tmp_path, text, "judged.qrels"))
    assert caught.value.line == line
