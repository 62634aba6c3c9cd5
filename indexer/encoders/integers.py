"""Integer products for an ONNX model that stores int8 weights but multiplies in float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RUNTIME_DOMAIN = "com.microsoft"
"""Domain of the operations that ONNX Runtime adds to ONNX."""
CONSTANTS: dict[str, NDArray[Any]] = {
    "row_step": np.array(1 / 127, np.float32),
    "zero_level": np.array(128, np.uint8),
    "unit": np.array(1, np.float32),
}
ROW_LEVELS = (
    "{x}_sizes = Abs({x})",
    "{x}_most = ReduceMax <axes = [-1]> ({x}_sizes)",
    "{x}_steps = Mul({x}_most, row_step)",
    "{x}_in_steps = Div({x}, {x}_steps)",
    "{x}_levels = QuantizeLinear({x}_in_steps, unit, zero_level)",
)
"""Quantise each row of x, the vector of one token, in steps of its largest absolute value / 127."""
PRODUCT = (
    "{y}_in_steps = com.microsoft.MatMulIntegerToFloat"
    "({x}_levels, {w}, unit, {y}_scales, zero_level)",
    "{y} = Mul({y}_in_steps, {x}_steps)",
)


def in_integers(file: Path) -> bytes:
    """Return a sentence encoder's ONNX form with integer products, which take half the time.

    The file computes y = x · (w · scales) in float32, with w int8[k, n] and scales float32[n]. Here
    x is quantised too, each row by itself, so that a row of y depends on no other row of x. Masks
    are left out, because a text that is read alone has no padding. The names of nodes are those of
    the verified file (`minilm.VERIFIED_FILES`).
    """
    from onnx import helper, load, numpy_helper
    from onnx.parser import parse_node

    model = load(file)
    graph = model.graph
    made_by = {name: node for node in graph.node for name in node.output}
    biases = {node.input[0]: node.input[1] for node in graph.node if node.op_type == "Add"}
    held = {one.name: one for one in graph.initializer}
    nodes, quantised = list[Any](), set[str]()
    for node in graph.node:
        y = node.output[0]
        weights = made_by.get(node.input[1]) if node.op_type == "MatMul" else None
        cast = weights and made_by.get(weights.input[0])
        # The values of attention add up over all tokens, and so would their errors.
        if weights and cast and cast.op_type == "Cast" and "value" not in biases[y]:
            names = {"x": node.input[0], "y": y, "w": cast.input[0]}
            lines = PRODUCT if names["x"] in quantised else ROW_LEVELS + PRODUCT
            nodes += [parse_node(line.format(**names)) for line in lines]
            quantised.add(names["x"])
            scales = numpy_helper.to_array(held[weights.input[1]]).ravel()
            graph.initializer.append(numpy_helper.from_array(scales, f"{y}_scales"))
        elif node.op_type == "Where" and made_by[node.input[0]].op_type == "IsNaN":
            nodes.append(helper.make_node("Identity", node.input[2:], node.output))
        elif y.startswith("gelu"):
            nodes.append(parse_node(f"{y} = {RUNTIME_DOMAIN}.Gelu({node.input[0]})"))
        else:
            if node.op_type == "Softmax":
                node.input[0] = made_by[node.input[0]].input[0]
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(_needed(nodes, {one.name for one in graph.output}))
    graph.initializer.extend(numpy_helper.from_array(v, name) for name, v in CONSTANTS.items())
    model.opset_import.append(helper.make_opsetid(RUNTIME_DOMAIN, 1))
    return bytes(model.SerializeToString())


def _needed(nodes: list[Any], names: set[str]) -> list[Any]:
    """Return the nodes that lead to some outputs; the runtime would run the others too."""
    kept = []
    for node in reversed(nodes):
        if names.intersection(node.output):
            kept.append(node)
            names.update(node.input)
    return kept[::-1]
