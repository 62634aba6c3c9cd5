"""A tiny model of sides: a real network and tokenizer whose answers can be told by hand.

A pair's logits are the sum of its words' rows: "good" and "keep" agree, "ban" and "harmful"
disagree, any other word says nothing.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine.stance.cross_encoder import INPUTS
from argsearch.indexer.model_files import SIDES_FOLDER

WORDS = {"[UNK]": 0, "good": 2, "keep": 2, "ban": -2, "harmful": -2}
WEIGHTS = {"words": 0.5, "read": 1.5}


def write(folder: Path, **card: object) -> Path:
    """Write it to a new folder."""
    if find_spec("onnxruntime") is None or find_spec("onnx") is None:
        pytest.skip("needs onnxruntime and onnx: pip install -e '.[onnx-export]'")
    from onnx import TensorProto, helper, numpy_helper, save
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    aside = folder.with_name(f"{folder.name}.aside")
    aside.mkdir()
    rows = np.array([[w, -w, 0] for w in WORDS.values()], np.float32) / 2
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["n", "t"]) for n in INPUTS]
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["rows", "input_ids"], ["of words"]),
            helper.make_node("ReduceSum", ["of words", "axes"], ["logits"], keepdims=0),
        ],
        "sides",
        inputs,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 3])],
        [
            numpy_helper.from_array(rows, "rows"),
            numpy_helper.from_array(np.array([1], np.int64), "axes"),
        ],
    )
    opset = [helper.make_opsetid("", 17)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=8), aside / "network.onnx")
    vocabulary = {word: i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(aside / "tokenizer.json"))
    SIDES_FOLDER.finish_folder(aside, folder, {"network": "network.onnx", "mixed": WEIGHTS, **card})
    return folder
