"""Model files: whole, foreign, newer and damaged."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.model_files import QUALITY, ModelError
from argsearch.indexer.model_places import model_path
from argsearch.indexer.quality import DEFAULT_FILE, load_quality_model

ARRAYS = {"weights": np.arange(12.0).reshape(3, 4), "ids": np.array([1, 2], dtype=np.int32)}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    QUALITY.write(path, {"kind": "features", "note": "é"}, ARRAYS)
    found = QUALITY.read(path)
    assert found.header == {
        "format": "argsearch quality model", "version": 2, "kind": "features", "note": "é",
    }  # fmt: skip
    assert found.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found.arrays[name], array)
        assert found.arrays[name].dtype == array.dtype


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        QUALITY.write(tmp_path / name, {"kind": "features"}, ARRAYS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.thorough
def test_a_flipped_byte_is_found_or_changes_nothing(tmp_path: Path) -> None:
    content = DEFAULT_FILE.read_bytes()
    whole = QUALITY.read(DEFAULT_FILE)
    path = tmp_path / "m.safetensors"
    refused = 0
    for position in range(0, len(content), 11):
        damaged = bytearray(content)
        damaged[position] ^= 0x41
        path.write_bytes(damaged)
        try:
            found = QUALITY.read(path)
        except ModelError:
            refused += 1
            continue
        assert found.header == whole.header  # a flip in a space
        for name, array in whole.arrays.items():
            np.testing.assert_array_equal(found.arrays[name], array)
    assert refused > len(content) / 11 * 0.9


def archived() -> bytes:
    """A model as an earlier version wrote it."""
    stream = io.BytesIO()
    header = np.array([{"kind": "features"}], dtype=object)
    np.savez(stream, header=header, checksum=np.zeros(32))
    return stream.getvalue()


WHOLE = DEFAULT_FILE.read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((WHOLE[: len(WHOLE) * share // 100], "is damaged") for share in (0, 10, 50, 99)),
        (b"hello", "is damaged"),
        (pickle.dumps({"weights": 1}), "is damaged"),
        (archived(), r"is an \.npz file, written by an earlier"),
        (None, "No such file"),
    ],
    ids=["nothing", "a tenth", "half", "nearly all", "hello", "pickle", "archive", "missing"],
)
def test_what_is_no_whole_model_is_refused(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "m.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=said) as caught:
        load_quality_model(str(path))
    assert "\n" not in str(caught.value)
    assert "argsearch train quality" in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no model.json"):
        load_quality_model(str(tmp_path))


@pytest.mark.parametrize(
    ("version", "header", "said"),
    [
        (3, {"kind": "features"}, "version 3, but this software reads 'argsearch quality model'"),
        (2, {"kind": "oracle"}, "kind 'oracle'"),
        (2, {"kind": "features", "features": ["words"]}, "trained on features that differ from"),
    ],
)
def test_a_model_of_another_form_is_named(
    tmp_path: Path, version: int, header: dict[str, object], said: str
) -> None:
    path = tmp_path / "m.safetensors"
    replace(QUALITY, version=version).write(path, header, ARRAYS)
    with pytest.raises(ModelError, match=said):
        load_quality_model(str(path))


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    whole = QUALITY.read(DEFAULT_FILE)
    arrays = {name: array for name, array in whole.arrays.items() if name != "standard"}
    QUALITY.write(tmp_path / "m.safetensors", whole.header, arrays)
    with pytest.raises(ModelError, match="standard"):
        load_quality_model(str(tmp_path / "m.safetensors"))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArgsearchError, match="cannot write the quality model"):
        QUALITY.write(tmp_path / "no" / "m.safetensors", {"kind": "features"}, ARRAYS)


def test_the_header_is_readable_without_this_software(tmp_path: Path) -> None:
    with safe_open(DEFAULT_FILE, "numpy") as file:
        header = json.loads(json.loads(file.metadata()["argsearch"])["header"])
    assert header["provenance"]["software"].keys() >= {"python", "numpy", "scikit-learn"}
    assert "/" not in header["provenance"]["command"]


def test_a_relative_model_lies_in_the_models_folder_or_here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARGSEARCH_MODELS", raising=False)
    (tmp_path / "models").mkdir()
    for folder in (tmp_path, tmp_path / "models"):
        (folder / "both").write_text("x")
    assert model_path("both") == Path("both")
    monkeypatch.setenv("ARGSEARCH_MODELS", str(tmp_path / "models"))
    assert model_path("both") == tmp_path / "models" / "both"
    assert model_path("none") == Path("none")
    assert model_path(str(tmp_path / "both")) == tmp_path / "both"
