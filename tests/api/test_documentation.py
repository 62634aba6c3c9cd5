"""What a user can type is helped and documented; a new option fails here until it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from argsearch.api.cli.main import COMMANDS
from argsearch.api.http.app import create_app
from argsearch.api.http.schemas import QUERIES, ArgsMeQuery, CounterQuery
from argsearch.engine.config import names
from docs import reference

DOCS = Path(__file__).parent.parent.parent / "docs"
LEAVES = dict(reference.leaves())


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_command_is_registered():
    assert {name.split()[0] for name in LEAVES} == set(COMMANDS)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_and_option_has_help(name):
    command = LEAVES[name]
    assert command.help
    assert (command.epilog or "").startswith(f"Example: argsearch {name}")
    for parameter in command.params:
        assert getattr(parameter, "help", None), f"{parameter.name} of {name} has no help"


@pytest.mark.parametrize(
    ("document", "reference_of"),
    [("commands.md", reference.commands), ("configuration.md", reference.configuration)],
)
def test_the_reference_is_that_of_the_program(document, reference_of):
    assert reference.renewed(read(document), reference_of()) == read(document), (
        "write it anew with: python -m docs.reference"
    )


@pytest.mark.thorough
@pytest.mark.parametrize("name", names())
def test_every_shipped_configuration_is_described(name):
    start = f"* `{name}`: "
    row = next(line for line in read("configuration.md").splitlines() if line.startswith(start))
    assert len(row) > len(start) + 10, f"begin {name}.toml with a comment of what it is"


def test_every_path_and_parameter_of_the_api_is_described(tmp_path):
    document = read("http-api.md")
    for path, methods in create_app(tmp_path).openapi()["paths"].items():
        assert all(f"`{method.upper()} {path}`" in document for method in methods)
    queries = (*QUERIES.values(), ArgsMeQuery, CounterQuery)
    for name in (name for query in queries for name in query.model_fields):
        assert f"`{name}`" in document


def test_a_document_without_marks_is_refused():
    with pytest.raises(ValueError, match="no marks"):
        reference.renewed("text", "reference")
