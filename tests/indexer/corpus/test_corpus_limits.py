"""What is too large or too deep to be a document, a line or a model: refused, the limit named."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
import zlib
from pathlib import Path

import pytest

from argsearch.indexer.corpus import jsonlines, read_many
from argsearch.indexer.corpus.report import CorpusError
from argsearch.indexer.model_files import QUALITY, ModelError
from argsearch.lab.runs import text
from argsearch.lab.runs.text import RunFormatError
from argsearch.lab.runs.topics import read_topics
from argsearch.lab.runs.trec import read_qrels, read_run

MIB = 1 << 20


def bomb(before: bytes, mebibytes: int) -> bytes:
    """A .xz of some bytes and many blanks, a few kilobytes for each hundred mebibytes."""
    packer = lzma.LZMACompressor(preset=0)
    parts = [packer.compress(before)]
    parts += [packer.compress(b"x" * MIB) for _ in range(mebibytes)]
    return b"".join([*parts, packer.flush()])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "before", "said"),
    [
        ("a.json", b'[{"id": "a", "premises": []}, {"id": "', "the document that begins after"),
        ("a.json", b'{"arguments": [{"id": "', "the document that begins after byte 0 must have"),
        ("a.jsonl", b'{"id": "a", "premises": []}\n{"id": "', "each line must be one document of"),
        pytest.param(
            "a.csv",
            b'id,premise\na,b\nc,"' + b"d\n" * 2_200_000,
            "a row must have at most 4 Mi char",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_no_document_is_larger(
    name: str, before: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonlines, "LONGEST_RECORD", 4 * MIB)
    path = tmp_path / f"{name}.xz"
    path.write_bytes(bomb(before, 40))
    assert path.stat().st_size < MIB
    with pytest.raises(CorpusError, match=said) as caught:
        list(read_many([str(path)], on_error="skip"))
    assert "must " in str(caught.value)


@pytest.mark.slow
def test_a_stream_may_not_ask_for_any_memory(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 3 << 29}]
    path = tmp_path / "a.jsonl.xz"
    path.write_bytes(lzma.compress(b'{"id": "a", "premises": []}\n', filters=filters))
    assert len(list(read_many([str(path)]))) == 1
    content = bytearray(path.read_bytes())
    assert content.count(b"\x21\x01\x25") == 1  # LZMA2, its properties: 1.5 GiB
    at = content.index(b"\x21\x01\x25")
    content[at + 2] = 0x27  # 3 GiB
    end = 12 + 4 * (content[12] + 1)
    content[end - 4 : end] = zlib.crc32(content[12 : end - 4]).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=r"the \.xz stream is damaged after 0 .*[Mm]emory"):
        list(read_many([str(path)]))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("read", "line"), [(read_qrels, b"1 0 a 1\n"), (read_run, b"1 Q0 a 1 2.0 tag\n")]
)
def test_no_line_of_a_run_is_longer(read, line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(line + b"1 " * 6 * MIB, 1))
    with pytest.raises(RunFormatError, match=r"a\.txt\.gz:2: it has more than 1,048,576"):
        read(path)


def test_topics_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LARGEST", MIB)
    path = tmp_path / "topics.xml.gz"
    path.write_bytes(gzip.compress(b"<topics>" + b" " * 2 * MIB))
    with pytest.raises(RunFormatError, match="unpacked"):
        read_topics(path)


def test_a_model_is_no_bomb(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("header.npy", "w", force_zip64=True) as member,
    ):
        for _ in range(9):
            member.write(bytes(MIB))
    path = tmp_path / "model.npz"
    path.write_bytes(stream.getvalue())
    assert len(stream.getvalue()) < MIB
    with pytest.raises(ModelError, match="is an .npz file"):  # and never unpacked
        QUALITY.read(path)
