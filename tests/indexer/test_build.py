"""The path from a corpus to an index: what is written, that it is the same every time, damage."""

from __future__ import annotations

import json
import os
import shutil
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine.config import load_config
from argsearch.indexer.building import inversion, writing
from argsearch.indexer.building.build import BuildRequest, build, write_index
from argsearch.indexer.building.collect import Chunk, Collected, ForwardWriter
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.arrays import FILES, LARGE, Ids, open_arrays
from argsearch.indexer.format.manifest import IndexDamaged, IndexFormatUnsupported
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.processes import silent
from argsearch.indexer.staging import TargetNotAnIndex

SAMPLE = Path(__file__).parent.parent.parent / "indexer" / "sample" / "arguments.json"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def write_corpus(path: Path, documents: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return str(path)


def document(id: str, text: str, conclusion: str | None = "A claim") -> dict[str, object]:
    return {"id": id, "conclusion": conclusion, "premises": [{"text": text, "stance": "PRO"}]}


@pytest.mark.thorough
def test_the_same_corpus_gives_the_same_bytes(
    tmp_path: Path, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GROUP_POSTINGS", 1000)  # documents inverted in many groups
    monkeypatch.setattr(inversion, "RESIDENT_BYTES", 5000)  # of which each is read in many pieces
    default = load_config("default").index
    build(BuildRequest([str(SAMPLE)], tmp_path / "again", default, workers=2))
    assert contents(tmp_path / "again") == contents(sample_index)


def _gathered(folder: Path, chunks: int) -> Collected:
    each, zeros = np.ones(4096, np.int32), np.zeros(4096, np.int32)
    raw = {"quality": zeros.astype(np.float32), "stance": zeros.astype(np.uint8), "date": zeros}
    with ForwardWriter(folder) as collector:
        for chunk in range(chunks):
            collector.add(
                Chunk(
                    frames=[b"frame"] * 512,
                    terms=[b"word"],
                    starts=np.arange(4097),
                    term_ids=zeros,
                    tfs=each,
                    lengths=each,
                    signals={**raw, "source": [None] * 4096},
                    ids=[f"id-{chunk}-{i}" for i in range(4096)],
                    conclusions=["word"] * 4096,
                )
            )
        return collector.finish()


def _most_memory(folder: Path, chunks: int) -> int:
    """Bytes, maps of files aside, that it takes to gather and write chunks of 4,096 documents."""
    folder.mkdir()
    request = BuildRequest([], folder, IndexSettings(encoder="none", quality_model="none"))
    tracemalloc.start()
    try:
        collected = _gathered(folder, chunks)
        write_index(folder, collected, request, {"documents": 4096 * chunks}, None, silent)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
def test_a_build_holds_few_bytes_of_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GROUP_POSTINGS", 4096)
    sizes = 1, 4, 20  # the first one compiles
    _, few, many = (_most_memory(tmp_path / str(chunks), chunks) for chunks in sizes)
    assert many - few < 250 * 16 * 4096


def test_every_document_can_be_read_back(sample_index: Path) -> None:
    arrays, manifest = open_arrays(sample_index)
    store, ids = DocumentStore(arrays), Ids(arrays)
    corpus = {d["id"]: d for d in json.loads(SAMPLE.read_text())["arguments"]}
    assert manifest["counts"]["documents"] == len(corpus)
    for doc in range(len(corpus)):
        argument = store[doc]
        assert argument.id == ids[doc]
        assert ids.find(argument.id) == doc
        wanted = corpus[argument.id]
        assert argument.conclusion == wanted["conclusion"]
        assert [p.text for p in argument.premises] == [p["text"] for p in wanted["premises"]]
        assert argument.context == wanted["context"]
    assert ids.find("S-none") == -1
    ordered = [ids[doc] for doc in arrays.ids_order.tolist()]
    assert ordered == sorted(corpus)
    assert arrays.ids_ranks[arrays.ids_order].tolist() == list(range(len(corpus)))


def _open_whole(folder: Path) -> None:
    arrays, _ = open_arrays(folder)
    for field in LARGE:
        _ = getattr(arrays, field).whole


@pytest.mark.thorough
@pytest.mark.parametrize("file", [*FILES, manifests.NAME])
def test_one_flipped_byte_is_found_and_named(file: str, sample_index: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "index"
    shutil.copytree(sample_index, damaged)
    path = damaged / file
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(7)
    for at in {0, len(data) - 1, int(rng.integers(len(data)))}:
        flipped = bytearray(data)
        flipped[at] ^= 0x10
        path.write_bytes(flipped)
        for check in (_open_whole, manifests.verify):
            with pytest.raises((IndexDamaged, IndexFormatUnsupported)) as caught:
                check(damaged)
            assert file in str(caught.value)
            assert "argsearch index" in str(caught.value)
            assert "\n" not in str(caught.value)


def test_a_missing_or_shortened_file_is_named(sample_index: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "index"
    shutil.copytree(sample_index, damaged)
    path = damaged / "quality.npy"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(IndexDamaged, match=r"quality\.npy must have 1412 bytes, not 1408"):
        open_arrays(damaged)
    path.unlink()
    with pytest.raises(IndexDamaged, match=r"quality.npy is missing"):
        open_arrays(damaged)


@pytest.mark.parametrize(
    ("step", "remedy"), [(1, "upgrade argsearch or rebuild it"), (-1, "rebuild it")]
)
def test_an_index_of_another_format_is_refused(
    sample_index: Path, tmp_path: Path, step: int, remedy: str
) -> None:
    other, known = tmp_path / "index", manifests.INDEX_FORMAT
    shutil.copytree(sample_index, other)
    content = json.loads((other / manifests.NAME).read_text())
    content["format"] += step
    content["fingerprint"] = manifests.fingerprint(content)
    (other / manifests.NAME).write_text(json.dumps(content))
    said = f"has format {known + step}, but this software reads format {known}; {remedy}"
    with pytest.raises(IndexFormatUnsupported, match=said):
        open_arrays(other)


def test_a_word_that_occurs_70000_times_keeps_its_count(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c.jsonl", [document("a", "no " * 70_000, None)])
    settings = IndexSettings(encoder="none", quality_model="none")
    build(BuildRequest([corpus], tmp_path / "index", settings))
    arrays, _ = open_arrays(tmp_path / "index")
    assert arrays.text_tfs.whole.tolist() == [70_000]
    assert arrays.text_lengths.tolist() == [70_000]


def test_workers_is_checked(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="workers must .*not 0"):
        build(BuildRequest([str(SAMPLE)], tmp_path / "index", workers=0))


NAMELESS = os.fsdecode(b"caf\xe9")
"""A name that is not UTF-8: Latin-1, as old archives unpack to."""


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder of such a name."""
    folder = tmp_path / NAMELESS
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    return folder


@pytest.mark.parametrize(
    ("suffix", "text", "id"),
    [
        (".jsonl", '{"_id": "x", "text": "zoos save species"}', "x"),
        (".json", json.dumps([document("x", "zoos save species")]), "x"),
        (".csv", "id,premise\nx,zoos save species", "x"),
        (".csv", "claim,premise\nc,zoos save species", "caf\\xe9.csv-1"),
        (".txt", "Discussion Title: t\n1. c\n1.1. Pro: zoos save species", "caf\\xe9.txt-1.1"),
    ],
)
def test_names_of_corpora_need_not_be_utf_8(
    foreign: Path, tmp_path: Path, suffix: str, text: str, id: str
) -> None:
    from argsearch.engine import Engine

    corpus, index = foreign / f"{NAMELESS}{suffix}", tmp_path / "index"
    corpus.write_text(text)
    columns = {"conclusion": "claim"} if "claim" in text else {}
    wanted = IndexSettings(encoder="none")
    for _ in range(2):
        build(BuildRequest([str(corpus)], index, wanted, columns=columns))
    for address in (index, str(index)):
        with Engine.open(address) as engine:
            assert [hit.id for hit in engine.search("zoos")] == [id]
    manifest = json.loads((index / manifests.NAME).read_bytes())
    assert manifest["corpus"]["name"] == f"caf\\xe9{suffix}"


def test_an_index_in_a_folder_that_is_not_utf_8_is_refused_before_the_build(foreign: Path) -> None:
    from argsearch.engine import Engine

    with pytest.raises(TargetNotAnIndex, match="not UTF-8"):
        build(BuildRequest([str(foreign / "no-such-corpus.jsonl")], foreign / "index"))
    assert list(foreign.iterdir()) == []
    for address in (str(foreign / "index"), "\ud800"):
        with pytest.raises(InvalidParameter, match="address must .*not '"):
            Engine.open(address)
