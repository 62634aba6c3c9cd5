"""From a sentence-transformers folder to one that `onnx:` reads, in single precision or int8."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import loading, require, session_of
from argsearch.indexer.encoders.onnx import INPUTS, MODEL, OPTIONAL, REQUIRED, OnnxEncoder
from argsearch.indexer.errors import InvalidParameter

EXTRA = "onnx-export"
VECTORS = "last_hidden_state"
"""The model's output: the vectors of tokens, named as on the hub."""
OPSET = 17
"""The version of the standard's operators: the first with normalised layers as one of them."""
MICROSOFT = "com.microsoft"
"""The domain of the operators that ONNX Runtime adds to the standard's."""
SAMPLE = Path(__file__).parents[1] / "sample" / "arguments.json"
CALIBRATED, TOKENS = 4, 128
"""Every fourth text of the sample corpus is calibrated on, the others check it; tokens of each."""
ALPHA = 0.75
"""How much of the unevenness of inputs goes over to the weights (of .5 to 1 measured the best)."""
LARGEST, ROWS, TINY = 127, 2000, 1e-9
NEAR = 0.98
"""Mean cosine with single precision below which int8 is refused; for MiniLM it is above .99."""

Floats = NDArray[np.float32]
Given = dict[str, NDArray[np.int64]]


def export(source: Path, out: Path, int8: bool, say: Callable[[str], None]) -> OnnxEncoder:
    """Write a model in ONNX form to a new folder, and return the encoder that it makes.

    A folder that has the model in ONNX form already is only quantised, which needs no torch.
    Raises InvalidParameter where `source` is no folder or `out` is something, MissingExtra, and
    EncoderUnavailable where the model is not what `onnx:` reads or int8 loses too much.
    """
    if not source.is_dir():
        raise InvalidParameter("FOLDER", str(source), "a sentence-transformers model's folder")
    if os.path.lexists(out) or not out.parent.is_dir():
        raise InvalidParameter("--out", str(out), "a new folder in one that exists")
    require("onnxruntime", "ONNX Runtime", "onnx")
    require("onnx", "the package onnx", EXTRA)
    whole = source / MODEL
    with (
        TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as made,
        loading(f"onnx:{source}", "give a sentence-transformers model's folder"),
    ):
        folder = Path(made) / out.name
        (folder / MODEL).parent.mkdir(parents=True)
        for name in (*REQUIRED, *OPTIONAL):
            if (source / name).is_file():
                (folder / name).parent.mkdir(exist_ok=True)
                shutil.copyfile(source / name, folder / name)
        if whole.is_file():
            shutil.copyfile(whole, folder / MODEL)
        else:
            require("transformers", "transformers", EXTRA)
            say("writing the model in ONNX form")
            _write(source, folder / MODEL)
        encoder = OnnxEncoder(str(folder))
        if int8:
            say("quantising to int8, calibrated on the sample corpus")
            near = _quantised(encoder, folder)
            say(f"mean cosine with single precision on the sample corpus: {near:.4f}")
        folder.rename(out)
    return OnnxEncoder(str(out))


def _quantised(encoder: OnnxEncoder, folder: Path) -> float:
    """Write int8 over the model; its rows' mean cosine with those before; raises ValueError."""
    documents = orjson.loads(SAMPLE.read_bytes())["arguments"]
    texts = [one["premises"][0]["text"] for one in documents]
    texts += filter(None, dict.fromkeys(one["conclusion"] for one in documents))
    calibrated = [encoder.given(text, TOKENS) for text in texts[::CALIBRATED]]
    _quantise(folder / MODEL, calibrated)
    others = [text for number, text in enumerate(texts) if number % CALIBRATED]
    whole, int8 = (one.encode(others, TOKENS) for one in (encoder, OnnxEncoder(str(folder))))
    near = float((whole * int8).sum(1).mean())
    if near < NEAR:
        raise ValueError(f"in int8 its rows' mean cosine with single precision is only {near:.3f}")
    return near


def _write(source: Path, file: Path) -> None:
    """Trace the model on two texts of equal length, both free in what is written."""
    import torch
    from transformers import AutoModel
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
    model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    taken = [name for name in signature(model.forward).parameters if name in INPUTS]
    texts = torch.ones((2, 9), dtype=torch.int64)
    given = tuple(texts * (name != "token_type_ids") for name in taken)

    class Tokens(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        """From pieces to their vectors, without what a model gives beside them."""

        model: Any

        def forward(self, *given: Any) -> Any:
            """float32[texts, tokens, d]."""
            return self.model(**dict(zip(taken, given, strict=True))).last_hidden_state

    tokens = Tokens()
    tokens.model = model
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # of the tracing exporter's age, and of what it traces
        torch.onnx.export(
            tokens,
            given,
            str(file),
            input_names=taken,
            output_names=[VECTORS],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in (*taken, VECTORS)},
            opset_version=OPSET,
            dynamo=False,
        )


def _quantise(file: Path, texts: list[Given]) -> None:
    """Write the model with int8 products of its weights, each with a fixed scale (W8A8).

    For inputs x and weights W, x·W = (x/s)·(sW): s_j = max|x_j|^α / max|W_j|^(1-α) evens out the
    inputs' channels (SmoothQuant: Xiao et al. 2023, Eq. 4), of which a few are far larger than
    others. Then sW is rounded to int8, each column on a scale of its own, and x/s to uint8 on one
    scale, the least wrong (in mean square) on the texts. Raises ValueError without such products.
    """
    import onnx
    from onnx.helper import make_node, make_opsetid
    from onnx.numpy_helper import to_array

    model = onnx.load(str(file))
    weights = {one.name: one for one in model.graph.initializer}
    products: dict[str, list[Any]] = {}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            products.setdefault(node.input[0], []).append(node)
    if not products:
        raise ValueError("it has no products with weights in single precision")
    seen = _inputs_seen(model, list(products), texts)
    made: dict[str, list[Any]] = {}
    constants: dict[str, Any] = {}
    for given, nodes in products.items():
        W = [to_array(weights[node.input[1]]) for node in nodes]
        s = _evened(seen[given], np.concatenate(W, 1))
        even, x, by, scale, zero = (f"{given}_{part}" for part in ("even", "x", "s", "scale", "0"))
        constants[by] = 1 / s
        constants[scale], constants[zero] = _range(seen[given] / s)
        made[given] = [
            make_node("Mul", [given, by], [even]),
            make_node("QuantizeLinear", [even, scale, zero], [x]),
        ]
        for node, w in zip(nodes, W, strict=True):
            out = node.output[0]
            levels, step, none = (f"{out}_{part}" for part in ("levels", "step", "0"))
            constants[step] = np.maximum(np.abs(w * s[:, None]).max(0), TINY) / np.float32(LARGEST)
            constants[levels] = np.rint(w * s[:, None] / constants[step]).astype(np.int8)
            constants[none] = np.zeros(len(constants[step]), np.int8)
            operands = [x, levels, scale, step, zero, none]
            node.CopyFrom(make_node("MatMulIntegerToFloat", operands, [out], domain=MICROSOFT))
    _assemble(model, constants, made)
    model.opset_import.append(make_opsetid(MICROSOFT, 1))
    onnx.save(model, str(file))


def _assemble(model: Any, constants: dict[str, Any], made: dict[str, list[Any]]) -> None:
    """Put what was made of an output behind the node that gives it; drop weights without use."""
    from onnx.numpy_helper import from_array

    nodes = list(model.graph.node)
    del model.graph.node[:]
    for node in nodes:
        model.graph.node.append(node)
        for output in node.output:
            model.graph.node.extend(made.get(output, []))
    used = {name for node in nodes for name in node.input}
    kept = [one for one in model.graph.initializer if one.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    model.graph.initializer.extend(from_array(array, name) for name, array in constants.items())


def _inputs_seen(model: Any, names: list[str], texts: list[Given]) -> dict[str, Floats]:
    """What weights are multiplied by as the model reads texts: float32[tokens, channels] each."""
    import onnx

    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    kind = onnx.TensorProto.FLOAT
    probe.graph.output.extend(onnx.helper.make_tensor_value_info(n, kind, None) for n in names)
    session = session_of(probe.SerializeToString())
    found = [[rows[0] for rows in session.run(names, given)] for given in texts]
    return {
        name: np.concatenate(rows)
        for name, rows in zip(names, zip(*found, strict=True), strict=True)
    }


def _evened(x: Floats, W: Floats) -> Floats:
    """s of SmoothQuant's Eq. 4 for inputs [n, channels] and weights [channels, columns]."""
    largest = np.maximum(np.abs(x).max(0), TINY) ** ALPHA
    return np.asarray(largest / np.maximum(np.abs(W).max(1), TINY) ** (1 - ALPHA), np.float32)


def _range(x: Floats) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Scale and zero point of uint8, of those for 30 to 100 % of the range the least wrong."""
    some = x[:: max(1, len(x) // ROWS)]
    best = (np.inf, 0.0, 0)
    for part in np.linspace(0.3, 1, 36):
        low, high = part * min(0.0, float(x.min())), part * max(0.0, float(x.max()))
        scale = max(high - low, TINY) / 255
        zero = round(-low / scale)
        wrong = (np.clip(np.rint(some / scale) + zero, 0, 255) - zero) * scale - some
        best = min(best, (float((wrong * wrong).mean()), scale, zero))
    return np.array(best[1], np.float32), np.array(best[2], np.uint8)
