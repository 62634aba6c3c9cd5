"""The page of formulas names every model that a configuration can ask for, and its parameters."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from argsearch.engine.config import Retrieval
from argsearch.ranking.similarities.registry import SIMILARITIES

PAGE = (Path(__file__).parents[2] / "docs" / "formulas.md").read_text("utf-8")


@pytest.mark.parametrize("model", SIMILARITIES)
def test_a_model_has_its_section(model: str) -> None:
    assert f"\n### `{model}`: " in PAGE


@pytest.mark.parametrize("name", [field.name for field in fields(Retrieval)])
def test_a_parameter_is_named(name: str) -> None:
    written = (f"`{name}`", f"`retrieval.{name}", f"\n{name} = ", f", {name} = ")
    assert any(form in PAGE for form in written)
