"""Explanations that state their formula: each value is computed again from its details."""

from __future__ import annotations

import math
import re

from argsearch.ranking.explanation import Explanation

FUNCTIONS = {"ln": math.log, "log2": math.log2, "sqrt": math.sqrt, "max": max, "pi": math.pi}


def evaluate(formula: str, symbols: dict[str, float]) -> float:
    """The value of a formula such as `idf × tf / (tf + K)`; a symbol may be any text."""
    for name in sorted(symbols, key=len, reverse=True):
        formula = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f"({symbols[name]!r})", formula)
    code = formula.replace("×", "*").replace("^", "**")
    return float(eval(code, {"__builtins__": {}}, dict(FUNCTIONS)))


def assert_follows(node: Explanation) -> None:
    """Each node reads `symbol, meaning: formula` over the symbols of its details; leaves do not."""
    if not node.details:
        assert ": " not in node.description, node.description
        return
    _, colon, formula = node.description.rpartition(": ")
    assert colon, node.description
    symbols = {d.description.partition(",")[0].rpartition(": ")[2]: d.value for d in node.details}
    value = evaluate(formula, symbols)
    assert math.isclose(node.value, value, rel_tol=1e-9, abs_tol=1e-12), (node, value)
    for detail in node.details:
        assert_follows(detail)
