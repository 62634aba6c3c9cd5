"""The part `meaning`: rows of the right texts, each embedded once; stopped, gone on with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.analysis.passages import passage_texts
from argsearch.indexer.building.build import BuildRequest, build
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format import manifest
from argsearch.indexer.format.arrays import open_arrays
from argsearch.indexer.format.parts import open_part
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.format.store import DocumentStore
from argsearch.indexer.parts import meaning
from argsearch.indexer.parts.adding import add_parts
from argsearch.indexer.staging import TargetNotAnIndex
from argsearch.ranking.vectors import quantise
from tests.indexer.test_counter_part import of_texts
from tests.indexes import SAMPLE

ASKED = {"meaning_encoder": "wordllama"}


def rows(index: Path):
    return open_part(index, manifest.read(index), "meaning", 2)


def test_rows_are_those_of_conclusions_and_of_passages(sample_index, tmp_path):
    index = shutil.copytree(sample_index, tmp_path / "index")
    add_parts(index, ["meaning"], settings=ASKED)
    (opened, _), part, encoder = open_arrays(index), rows(index), load_encoder("wordllama")
    store, docs = DocumentStore(opened), opened.conclusion_docs
    for doc in range(0, len(opened.quality), 37):
        claim = int(np.searchsorted(docs, doc, side="right")) - 1
        begin, end = part["passage_starts"][doc : doc + 2]
        texts = [("conclusions", claim, store[doc].conclusion or "")]
        found = part["passage_of"][begin:end].tolist()
        for row, text in zip(found, passage_texts(store[doc].premise), strict=True):
            texts.append(("passages", row, text))
        for array, row, text in texts:
            levels = quantise(encoder.encode([text], meaning.PIECES))[0][0]
            assert (part[array][row] == levels).all()
            length = np.sqrt((levels.astype(np.float64) ** 2).sum())
            assert part[f"{array}_scales"][row] == pytest.approx(1 / length)


def test_equal_texts_are_embedded_once_and_what_is_not_there_is_zeros(tmp_path, monkeypatch):
    pairs = [("zoos", ["lions"]), ("zoos", ["lions"]), (None, ["zoos"]), ("lions", [" "])]
    index = of_texts(tmp_path, pairs)
    monkeypatch.setattr(meaning, "probe", lambda _: [])
    monkeypatch.setattr(meaning, "quantise", lambda of: made.append(len(of)) or quantise(of))
    made: list[int] = []
    add_parts(index, ["meaning"], settings=ASKED)
    part = rows(index)
    assert made == [3]  # zoos, lions, and none
    assert np.sort(np.diff(part["passage_starts"])).tolist() == [0, 1, 1, 1]
    assert np.bincount(part["passage_of"]).tolist() in ([1, 2], [2, 1])
    assert (part["passages_scales"] > 0).all()
    assert (part["conclusions_scales"] == 0).sum() == 1


def test_without_a_name_the_encoder_is_the_parts_or_the_indexs_own(
    sample_index, tmp_path, monkeypatch
):
    # tests/indexer/encoders/test_minilm.py shows what the extra changes
    monkeypatch.setattr(meaning.MiniLmEncoder, "is_installed", lambda: False)
    index, other = shutil.copytree(sample_index, tmp_path / "index"), tmp_path / "other"
    add_parts(index, ["meaning"])
    assert rows(index).settings["encoder"] == "wordllama"
    build(BuildRequest([SAMPLE], other, IndexSettings(encoder="none", quality_model="none")))
    with pytest.raises(InvalidParameter, match=r"add --set index\.meaning_encoder=minilm"):
        add_parts(other, ["meaning"])
    add_parts(other, ["meaning"], settings=ASKED)
    add_parts(other, ["meaning"])
    assert rows(other).settings["encoder"] == "wordllama"


class Stopped(Exception):
    """Stands for a kill between two chunks."""


@pytest.mark.thorough
def test_a_stopped_build_goes_on_and_gives_the_same_bytes(sample_index, tmp_path, monkeypatch):
    whole, index = (shutil.copytree(sample_index, tmp_path / name) for name in ("whole", "index"))
    add_parts(whole, ["meaning"], settings=ASKED)
    made: list[int] = []

    def counted(vectors):
        if len(made) == 1 and not kept.exists():
            raise AssertionError("the first chunk was not kept")
        made.append(len(vectors))
        if len(made) == 2 and stop:
            raise Stopped
        return quantise(vectors)

    kept, stop = tmp_path / ".index.embedded", True
    monkeypatch.setattr(meaning, "CHUNK_TEXTS", 64)
    monkeypatch.setattr(meaning, "probe", lambda _: rows(whole).settings["probe"])
    monkeypatch.setattr(meaning, "quantise", counted)
    with pytest.raises(Stopped):
        add_parts(index, ["meaning"], settings=ASKED)
    assert "meaning" not in manifest.read(index).get("parts", {})

    stop = False
    torn = kept.read_bytes()
    kept.write_bytes(torn + b"\x00" * 100)  # a chunk that was not written whole
    add_parts(index, ["meaning"], settings=ASKED)
    part = rows(whole)
    texts = {one.tobytes() for name in ("passages", "conclusions") for one in part[name]}
    assert sum(made) == len(texts) + made[1]  # but the chunk that stopped, none was made twice
    assert not kept.exists()
    for array in rows(whole).arrays:
        assert rows(whole)[array].tobytes() == rows(index)[array].tobytes()
    assert manifest.read(whole)["fingerprint"] == manifest.read(index)["fingerprint"]


def test_what_was_kept_of_another_build_is_not_taken(sample_index, tmp_path):
    index = shutil.copytree(sample_index, tmp_path / "index")
    (tmp_path / ".index.embedded").write_bytes(b'["part.meaning.0", 256, 256]\n' + b"x" * 10**6)
    add_parts(index, ["meaning"], settings=ASKED)
    assert np.abs(rows(index)["passages"].astype(int)).max(axis=1).min() in (0, 127)
    assert not (tmp_path / ".index.embedded").exists()


@pytest.mark.parametrize("kind", ["text", "link", "pipe"])
def test_another_programs_file_of_that_name_stays(sample_index, tmp_path, kind):
    index, path = shutil.copytree(sample_index, tmp_path / "index"), tmp_path / ".index.embedded"
    (tmp_path / "mine").write_text("mine")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("mine")
    else:
        path.write_text("mine")
    with pytest.raises(TargetNotAnIndex, match="belongs to another program, so it was left"):
        add_parts(index, ["meaning"], settings=ASKED)
    assert path.is_symlink() == (kind == "link")
    assert path.is_fifo() == (kind == "pipe")
    assert (tmp_path / "mine" if kind != "text" else path).read_text() == "mine"
    assert manifest.read(index) == manifest.read(sample_index)
