"""Named output files: links are followed, pipes and devices are written to, files are whole."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from argsearch.api.cli.main import run
from argsearch.indexer.model_files import QUALITY
from argsearch.indexer.output import as_it_was, write_csv, writing
from argsearch.lab.runs.text import replacing
from tests.indexes import Built

WRITERS = {
    "writing": lambda path: _write(writing(path)),
    "replacing": lambda path: _write(replacing(path)),
    "model": lambda path: QUALITY.write(path, {}, {}),
}


def _write(opened) -> None:
    with opened as stream:
        stream.write(b"new")


def expected(writer: str) -> bytes:
    """What a writer writes, into a file of its own."""
    plain = Path(os.environ["PYTEST_ROOM"], "plain")
    WRITERS[writer](plain)
    return plain.read_bytes()


@pytest.fixture(params=sorted(WRITERS))
def writer(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PYTEST_ROOM", str(tmp_path))
    return request.param


def read_in_a_thread(pipe: Path) -> tuple[threading.Thread, list[bytes]]:
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    thread.start()
    return thread, found


def test_a_link_stays_and_its_target_is_written(tmp_path: Path, writer: str) -> None:
    (tmp_path / "folder").mkdir()
    real, link = tmp_path / "folder" / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to("folder/real")
    WRITERS[writer](link)
    assert link.readlink() == Path("folder/real")
    assert real.read_bytes() == expected(writer)
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["real"]


def test_a_link_to_nothing_is_written_through(tmp_path: Path, writer: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "new")
    WRITERS[writer](tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_bytes() == expected(writer)


def test_a_pipes_reader_gets_all(tmp_path: Path, writer: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    thread, found = read_in_a_thread(tmp_path / "pipe")
    WRITERS[writer](tmp_path / "pipe")
    thread.join(60)
    assert found == [expected(writer)]
    assert (tmp_path / "pipe").is_fifo()


def test_a_device_stays_a_device(writer: str) -> None:
    WRITERS[writer](Path("/dev/null"))
    assert Path("/dev/null").is_char_device()


def test_a_file_keeps_its_mode_and_after_an_error_its_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with pytest.raises(RuntimeError), writing(path) as stream:
        stream.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    with writing(path) as stream:
        stream.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_standard_output_in_a_file_is_a_whole_run(built: Built, tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tzoos\n")
    words = ["run", tmp_path / "topics.tsv", "--index", built(), "--config", "dirichlet", "--out"]
    command = [sys.executable, "-m", "argsearch", *map(str, words)]
    with (tmp_path / "shell").open("wb") as out:
        subprocess.run([*command, "/dev/stdout", "--quiet"], stdout=out, check=True)
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "other").symlink_to("link")
    for name in ("other", "/../dev/stdout"):
        (tmp_path / "log").write_bytes(b"before\n")
        with (tmp_path / "log").open("ab") as log:
            out_of = f"{tmp_path}/{name}" if name[0] != "/" else f"//..{name[3:]}"
            subprocess.run([*command, out_of, "--quiet"], stdout=log, check=True)
        assert (tmp_path / "log").read_bytes() == b"before\n" + (tmp_path / "shell").read_bytes()
    for name in ("link", "other", "log"):
        (tmp_path / name).unlink()
    assert run([*map(str, words), str(tmp_path / "run")]) == 0
    assert (tmp_path / "shell").read_bytes() == (tmp_path / "run").read_bytes()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"topics.tsv", "shell", "run", "ir-metadata.yml"}, "none for what is no file"


@pytest.mark.parametrize("out", ["pipe", "/dev/null"])
def test_a_run_into_a_pipe_or_a_device(
    built: Built, tmp_path: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "topics.tsv").write_text("1\tzoos\n")
    os.mkfifo(tmp_path / "pipe")
    thread, found = read_in_a_thread(tmp_path / "pipe")
    words = ["run", tmp_path / "topics.tsv", "--index", built(), "--out", tmp_path / out]
    there = Path("/dev/ir-metadata.yml").exists()
    code = run(list(map(str, words)))
    if out != "pipe":
        (tmp_path / "pipe").write_bytes(b"1 end")
    thread.join(60)
    assert code == 0
    assert "described in" not in capsys.readouterr().err
    assert found[0].startswith(b"1 ")
    assert (tmp_path / "pipe").is_fifo()
    assert Path("/dev/ir-metadata.yml").exists() == there


@pytest.mark.parametrize("out", ["pipe", "/dev/null"])
def test_no_index_in_a_pipe_or_a_device(tmp_path: Path, out: str, capsys) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "a", "premises": [{"text": "b"}]}\n')
    os.mkfifo(tmp_path / "pipe")
    assert run(["index", str(tmp_path / "c.jsonl"), "--out", str(tmp_path / out)]) == 1
    assert "is not an index, so it was kept" in capsys.readouterr().err
    assert (tmp_path / "pipe").is_fifo()
    assert Path("/dev/null").is_char_device()


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "-2+3", "-1.5+A1", "+0.5.1"]
BEFORE = ["", "\t", "\r", "\n", "\r\n", "\ufeff", " ", "\xa0", "\u200b", "\0", "\x1b", "\ufeff\n"]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("formula", [*FORMULAS, "＝1+1", "＋1", "－1", "＠SUM(A1)", "﹦1"])
def test_no_cell_is_a_formula(before: str, formula: str) -> None:
    text = io.StringIO(newline="")
    write_csv(text, [(before + formula, 1, None), (2.0, "=", "x")])
    rows = list(csv.reader(io.StringIO(text.getvalue(), newline="")))
    assert rows == [[f"'{before}{formula}", "1", ""], ["2.0", "'=", "x"]]
    assert as_it_was(rows[0][0]) == before + formula


def test_other_cells_stay_as_they_are() -> None:
    cells = ["", "a=b", "'1", "1-2", "–", "“=”", "(=)", "+0.1234", "-0.5", "½", " a", "\u200ba"]
    numbers = [-1, -1e-05, 0.1 + 0.2]
    text = io.StringIO(newline="")
    write_csv(text, [[*cells, *numbers]])
    (row,) = csv.reader(io.StringIO(text.getvalue(), newline=""))
    assert row == [*cells, *map(repr, numbers)]


def test_all_csv_is_written_so() -> None:
    """No other module has a writer of its own."""
    house = Path(__file__).resolve().parents[2]
    rooms = ("api", "engine", "indexer", "lab", "ranking")
    files = [path for room in rooms for path in (house / room).rglob("*.py")]
    writers = [p.name for p in files if re.search(r"csv\.(Dict)?[wW]riter", p.read_text("utf-8"))]
    assert writers == ["output.py"]
