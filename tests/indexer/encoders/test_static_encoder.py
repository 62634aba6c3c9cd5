"""Static encoders of a file: the default one's kernels over another table, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from argsearch.api.cli.main import run
from argsearch.indexer import encoders
from argsearch.indexer.encoders import load_encoder, parse_spec
from argsearch.indexer.encoders.wordllama import open_model
from argsearch.indexer.model_files import STATIC_ENCODER, ModelError

TEXTS = [
    "should teachers get tenure",
    "",
    "Wind   power\tis cheap\n",
    "Ist Atomkraft sicher? 是的 😀",
]


def line(name: str) -> str:
    """An argument as a line of JSON."""
    return json.dumps({"id": name, "conclusion": f"zoos {name}", "premises": [{"text": "cages"}]})


def written(path: Path, vectors: np.ndarray) -> str:
    """A file of these vectors; returns the beginning of its SHA-256."""
    return STATIC_ENCODER.write(path, {}, {"vectors": vectors})[:16]


@pytest.fixture(scope="module")
def taught(tmp_path_factory) -> tuple[str, str]:
    """A file of the default's vectors with their numbers the other way round, and its digest."""
    path = tmp_path_factory.mktemp("static") / "taught.safetensors"
    return str(path), written(path, np.ascontiguousarray(open_model()[0][:, ::-1]))


@pytest.mark.thorough
def test_reads_by_its_table_as_the_default_by_its_own(taught):
    path, digest = taught
    encoder, default = load_encoder(f"static:{path}"), load_encoder("wordllama")
    assert encoder.name == f"static:{path}@{digest}"
    assert parse_spec(encoder.name).name == encoder.name
    assert parse_spec(encoder.name).light
    for tokens in (None, 3):
        sums = encoder.rows(TEXTS, tokens)
        assert np.array_equal(sums[:, ::-1], default.rows(TEXTS, tokens))
    assert np.array_equal(load_encoder(encoder.name).encode(TEXTS), encoder.encode(TEXTS))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        (np.zeros((3, 256), np.float16), r"vectors are float16\(3, 256\)"),
        (np.zeros((32_000, 256), np.float32), "vectors are float32"),
        (np.full((32_000, 256), np.nan, np.float16), "a number that is not below 16"),
        (np.full((32_000, 256), -16.0, np.float16), "a number that is not below 16"),
    ],
)
def test_a_table_of_another_kind_is_refused(tmp_path, vectors, said):
    written(path := tmp_path / "other.safetensors", vectors)
    with pytest.raises(ModelError, match=f"static encoder .*{said}.*argsearch train encoder"):
        load_encoder(f"static:{path}")


@pytest.mark.thorough
def test_a_file_that_is_missing_damaged_or_another_is_one_line(taught, tmp_path):
    path, digest = taught
    (broken := tmp_path / "broken.safetensors").write_bytes(Path(path).read_bytes()[:-9])
    for spec, said in (
        (f"static:{tmp_path / 'none'}", "cannot be read"),
        (f"static:{broken}", "is damaged"),
        (f"static:{path}@{'0' * 16}", rf"{digest}…, not the {'0' * 16}…"),
    ):
        with pytest.raises(ModelError, match=said) as caught:
            parse_spec(spec).encoder.find(parse_spec(spec).model)
        assert "\n" not in str(caught.value)


@pytest.mark.thorough
def test_an_index_refuses_another_file_in_its_place_until_it_is_made_anew(taught, tmp_path, capsys):
    shutil.copy(taught[0], path := tmp_path / "taught.safetensors")
    (corpus := tmp_path / "corpus.jsonl").write_text("\n".join(map(line, "abc")))
    (more := tmp_path / "more.jsonl").write_text(line("d"))
    making = ["index", str(corpus), "--out", str(index := tmp_path / "index"), "--quiet"]
    making += ["--set", f"index.encoder=static:{path}", "--with", "vectors"]
    asking = ["search", "zoos", "--index", str(index), "-k", "1"]
    assert run(making) == 0
    assert run(asking) == 0
    digest = json.loads((index / "manifest.json").read_bytes())["encoder"]
    assert digest == f"static:{path}@{taught[1]}"
    written(path, open_model()[0])
    capsys.readouterr()
    encoders._load.cache_clear()  # as another process has none of the first file
    for refused in (asking, ["add", str(index), str(more), "--quiet"]):
        assert run(refused) != 0
        error = capsys.readouterr().err
        assert taught[1] in error
        assert error.count("\n") == 1
    assert run(making) == 0
    assert run(asking) == 0
