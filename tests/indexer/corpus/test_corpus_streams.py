"""Broken containers and paths that are no corpora: each ends in one clear line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from argsearch.indexer.corpus import Argument, CorpusError, ReadReport, read
from argsearch.indexer.corpus.jsonlines import lines
from argsearch.indexer.corpus.streams import _frames

Reading = Callable[..., tuple[list[Argument], ReadReport]]
Packing = tuple[str, Callable[[bytes], bytes]]
CUT = {
    ".gz": "the .gz stream is cut off",
    ".xz": "the .xz stream is cut off",
    ".zst": "the .zst stream is cut off",
    ".zip": "the .zip stream is damaged",
}


PACKED = pytest.mark.parametrize("packing", [".gz", ".xz", ".zst", ".zip"], indirect=True)
STREAMS = pytest.mark.parametrize("packing", [".gz", ".xz", ".zst"], indirect=True)


@pytest.mark.thorough
@PACKED
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_stream_cut_off_anywhere_stops(
    reading: Reading, packing: Packing, as_lines: bytes, on_error: str
) -> None:
    suffix, pack = packing
    packed = pack(as_lines)
    places = {8, len(packed) // 2, len(packed) - 20, len(packed) - 1}
    for place in places | set(random.Random(3).sample(range(8, len(packed)), 20)):
        with pytest.raises(CorpusError) as caught:
            reading("c.jsonl" + suffix, packed[:place], on_error=on_error)
        assert CUT[suffix] in str(caught.value), place
        assert "copy or download the file again" in str(caught.value)


@pytest.mark.thorough
def test_a_list_cut_off_anywhere_stops(reading: Reading, as_json: bytes) -> None:
    for place in random.Random(3).sample(range(1, len(as_json)), 30):
        with pytest.raises(CorpusError, match="the JSON is cut off"):
            reading("c.json", as_json[:place], on_error="skip")


@PACKED
def test_one_changed_byte_is_noticed(reading: Reading, packing: Packing, as_lines: bytes) -> None:
    suffix, pack = packing
    packed = bytearray(pack(as_lines))
    for place in random.Random(5).sample(range(len(packed) // 8, len(packed) * 7 // 8), 15):
        damaged = bytes(packed[:place]) + bytes([packed[place] ^ 0x55]) + bytes(packed[place + 1 :])
        with pytest.raises(CorpusError, match=f"the {suffix} stream is (damaged|cut off)"):
            reading("c.jsonl" + suffix, damaged)


@STREAMS
def test_joined_and_padded_streams_are_one(
    reading: Reading, packing: Packing, as_lines: bytes
) -> None:
    suffix, pack = packing
    half = as_lines.index(b"\n", len(as_lines) // 2) - 7
    joined = pack(as_lines[:half]) + bytes(8) + pack(as_lines[half:]) + bytes(4)
    assert len(reading("c.jsonl" + suffix, joined)[0]) == 300
    with pytest.raises(CorpusError, match="damaged|cut off"):
        reading("c.jsonl" + suffix, pack(as_lines) + b"trailing bytes")


def archive(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, data in members.items():
            made.writestr(name, data)
    return stream.getvalue()


def test_a_member_of_an_archive(reading: Reading, as_json: bytes, tmp_path: Path) -> None:
    members = {"a/": b"", "a/one.json": as_json, "two.json": as_json, "__MACOSX/a": b"x"}
    with pytest.raises(CorpusError) as caught:
        reading("c.zip", archive(members))
    assert str(caught.value).endswith(
        "2 members instead of one; it has a/one.json, two.json; name one, as c.zip/a/one.json"
    )
    report = ReadReport()
    assert len(list(read(tmp_path / "c.zip" / "a/one.json", report=report))) == 300
    assert report.name == "c.zip/a/one.json"
    with pytest.raises(CorpusError, match="no member 'three'; it has a/one.json, two.json"):
        list(read(tmp_path / "c.zip" / "three"))
    assert len(reading("d.zip", archive({"a/": b"", "a/one.json": as_json}))[0]) == 300
    with pytest.raises(CorpusError, match="0 members instead of one; it has no file"):
        reading("e.zip", archive({}))
    (tmp_path / "plain").write_bytes(as_json)
    with pytest.raises(CorpusError, match="plain is not a zip archive"):
        list(read(tmp_path / "plain" / "a"))


def test_packed_twice(reading: Reading, as_json: bytes) -> None:
    assert len(reading("c.zip", archive({"c.json.xz": lzma.compress(as_json)}))[0]) == 300
    with pytest.raises(CorpusError, match=r"the file must be plain, \.gz, \.xz, \.zst or \.zip"):
        reading("c.zip", archive({"c.zip": archive({"c.json": as_json})}))


def tar(data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as made:
        entry = tarfile.TarInfo("c.json")
        entry.size = len(data)
        made.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


FOREIGN = [
    (b"", "is empty; give a corpus with at least one document"),
    (b" \n\n", "is empty"),
    (gzip.compress(b"", mtime=0), "is empty"),
    (bz2.compress(b"{}"), "the file must be plain, .gz, .xz, .zst or .zip, not bzip2"),
    (b"%PDF-1.7", "the file must be plain, .gz, .xz, .zst or .zip, not PDF"),
    (gzip.compress(tar(b"{}")), "is a tar archive; unpack it and give the file inside"),
    (random.Random(1).randbytes(5000), "which is not text"),
    (b"\x7fELF\x02\x01\x01\0\0\0", "which is not text"),
    ('{"arguments": []}'.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    (b"hello world\nagain", "begins with 'hello world'"),
    pytest.param(b"x" * 140_000 + b"\nagain", "begins with 'xxxx", id="longer than a CSV cell"),
    (b"a,b\n1,2\n", "the file begins with 'a,b'"),
]


@pytest.mark.parametrize(("data", "message"), FOREIGN)
def test_what_is_no_corpus(reading: Reading, data: bytes, message: str) -> None:
    with pytest.raises(CorpusError) as caught:
        reading("c", data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isascii()


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_text("[]")
    with pytest.raises(CorpusError, match=r"no such file \(but there is corpus\.json\)"):
        list(read(tmp_path / "corpsu.json"))
    with pytest.raises(CorpusError, match=r"is a folder \(corpus\.json\)"):
        list(read(tmp_path))
    with pytest.raises(CorpusError, match="File name too long|no such file"):
        list(read("x" * 5000))  # that there is none is all that Python 3.14 says


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "c.json"))
        with pytest.raises(CorpusError, match=r"cannot be read \(No such device or address\)"):
            list(read(tmp_path / "c.json"))


def test_a_pipe_can_be_read(tmp_path: Path, as_lines: bytes) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(as_lines),), daemon=True)
    writer.start()
    assert len(list(read(path))) == 300
    writer.join(60)


@pytest.mark.thorough
def test_unpacking_goes_in_small_steps() -> None:
    bomb = lzma.compress(bytes(1 << 26))
    largest = total = 0
    for block in _frames(iter([bomb]), "xz"):
        largest, total = max(largest, len(block)), total + len(block)
    assert total == 1 << 26
    assert largest <= 1 << 25


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argsearch.indexer.corpus.jsonlines.LONGEST_RECORD", 1 << 20)
    endless = (b"x" * 1000 for _ in range(10**9))
    with pytest.raises(ValueError, match="each line must be one document of at most 1 MiB, but"):
        list(lines(endless))


def test_lines_are_those_of_the_whole() -> None:
    source = random.Random(7)
    whole = bytes(source.choice(b"ab\n") for _ in range(500))
    for _ in range(50):
        cuts = sorted(source.sample(range(500), 9))
        blocks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, 500], strict=True)]
        expected = whole.split(b"\n")
        assert list(lines(blocks)) == (expected if expected[-1] else expected[:-1])
