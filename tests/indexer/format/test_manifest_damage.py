"""A manifest that a hand has edited, its fingerprint made to fit: one clear line, never a crash."""

from __future__ import annotations

import copy
import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argsearch.api.cli.main import run
from argsearch.engine import Engine
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.manifest import IndexDamaged, IndexMissing

ESCAPE = "\x1b[31mred\x1b[0m\x9b2J\x07"


@pytest.fixture
def index(sample_index: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_index, tmp_path / "index"))


def read(index: Path) -> dict[str, Any]:
    return dict(json.loads((index / manifests.NAME).read_text()))


def write(index: Path, content: Any) -> None:
    """The manifest with a fingerprint that fits, where one can be made."""
    with suppress(TypeError, AttributeError):
        content = manifests.sealed(content)
    (index / manifests.NAME).write_text(json.dumps(content))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("counts.documents", "many", "counts.documents must be a whole number, not 'many'"),
        ("counts.documents", -5, "counts.documents must be a whole number, not -5"),
        ("counts.documents", 2.5, "counts.documents must be a whole number, not 2.5"),
        ("counts.documents", True, "counts.documents must be a whole number, not True"),
        ("counts.tokens", None, "counts.tokens is missing"),
        ("counts.documents", 7, "counts.documents must be 321, as in the arrays, not 7"),
        ("counts.tokens", 1, "counts.tokens must be 28198, as in the arrays, not 1"),
        ("counts", [], "counts must be a table, not []"),
        ("files", "none", "files must be a table, not 'none'"),
        ("encoder", ["wordllama"], "encoder must be a text, not ['wordllama']"),
        ("settings", 5, "settings must be a table, not 5"),
        ("settings.clusters", "300", "settings.clusters must be of the same type as 300, not"),
        ("quality_model", "none", "quality_model must be a table, or null for none, not 'none'"),
        ("corpus", "mine", "corpus must be a table, not 'mine'"),
        ("format", True, "does not match its fingerprint"),
    ],
)
def test_an_edit_is_one_clear_line(index: Path, key: str, value: object, said: str) -> None:
    content = read(index)
    *path, last = key.split(".")
    inner = content
    for part in path:
        inner = inner[part]
    inner[last] = value
    write(index, content)
    with pytest.raises(IndexDamaged) as caught:
        Engine.open(index)
    assert said in str(caught.value)
    assert f"argsearch index CORPUS --out {index}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/passwd", "a/b", "..", ".hidden", "", "a\x00b", "a\nb", "x" * 300, "-rf"],
)
def test_no_name_reaches_outside_of_the_folder(index: Path, name: str) -> None:
    (index.parent / "secret").write_text("secret")
    content = read(index)
    content["files"][name] = {"bytes": 6, "sha256": "0" * 64}
    write(index, content)
    for reading in (manifests.read, manifests.verify):
        with pytest.raises(IndexDamaged, match="a name in files must .*not '"):
            reading(index)


@pytest.mark.parametrize("entry", [5, {}, {"bytes": "9", "sha256": "0" * 64}, {"bytes": 9}])
def test_a_file_that_is_not_described_is_named(index: Path, entry: object) -> None:
    content = read(index)
    content["files"]["quality.npy"] = entry
    write(index, content)
    with pytest.raises(IndexDamaged, match=r"files\.quality\.npy"):
        manifests.verify(index)


def test_keys_of_later_versions_are_let_through(index: Path) -> None:
    content = read(index)
    content["news"] = {"any": ["thing"]}
    content["counts"]["pairs"] = "many"
    content["settings"]["later"] = [1]
    write(index, content)
    assert Engine.open(index).info.manifest["news"] == {"any": ["thing"]}


@pytest.mark.parametrize(
    "header",
    [
        *(b"{'descr': '<f4', (", b"\x00" * 40, b"{'descr': [[[[", b"(" * 60),
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (), }",  # an array without dimensions
    ],
)
def test_a_header_that_is_no_header_is_one_line(index: Path, header: bytes) -> None:
    path = index / "quality.npy"
    data = path.read_bytes()
    path.write_bytes(data[:10] + header.ljust(117) + b"\n" + data[128:])
    content = read(index)
    content["files"]["quality.npy"] = manifests.entry(path)
    write(index, content)
    with pytest.raises(IndexDamaged, match=r"quality\.npy cannot be read|len\(\) of unsized"):
        Engine.open(index)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"format":' * 900 + "1" + "}" * 900, "5", "[]", "null"]
)
def test_what_is_no_manifest_at_all_is_one_line(index: Path, text: str) -> None:
    (index / manifests.NAME).write_text(text)
    with pytest.raises(IndexDamaged, match="is damaged .*; if it is an index, delete the folder"):
        manifests.read(index)


@pytest.mark.parametrize("text", ['{"name": "x", "version": 3}', '{"a":' * 900 + "1" + "}" * 900])
def test_another_programs_manifest_is_no_damaged_index(index: Path, text: str) -> None:
    (index / manifests.NAME).write_text(text)
    with pytest.raises(IndexMissing, match="another program wrote its manifest.json") as caught:
        manifests.read(index)
    assert str(caught.value).endswith(f"--out {index / 'index'}")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words", [["info"], ["info", "--format", "json"], ["verify"], ["search", "zoo"]]
)
def test_texts_of_a_manifest_steer_no_terminal(
    index: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    content = read(index)
    content["corpus"][ESCAPE] = ESCAPE
    content["config"] = ESCAPE
    content["encoder"] = f"use:{ESCAPE}"
    content["settings"]["encoder"] = ESCAPE
    write(index, content)
    run([*words, "--index", str(index)] if words[0] == "search" else [*words, str(index)])
    told = capsys.readouterr()
    said = told.out + told.err
    assert "red" in said or words[0] != "info"  # the others may name other causes first
    assert not {"\x1b", "\x9b", "\x07"} & set(said)
    if "json" in words:
        assert json.loads(told.out)["config"] == ESCAPE


texts = st.text(max_size=20) | st.just(ESCAPE)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to every value inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = [path] if path else []
    for key, each in inner:
        found += places(each, (*path, key)) if isinstance(each, dict | list) else [(*path, key)]
    return found


@pytest.mark.thorough
def test_mutations_end_in_one_line_or_an_answer(sample_index: Path, tmp_path: Path) -> None:
    index = Path(shutil.copytree(sample_index, tmp_path / "index"))
    whole = read(index)

    @settings(max_examples=150, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data: st.DataObject) -> None:
        content = copy.deepcopy(whole)
        for _ in range(data.draw(st.integers(1, 3))):
            *path, last = data.draw(st.sampled_from(places(content)))
            inner = content
            for part in path:
                inner = inner[part]
            match data.draw(st.sampled_from(["replace", "remove", "rename"])):
                case "replace":
                    inner[last] = data.draw(values)
                case "remove":
                    del inner[last]
                case "rename" if isinstance(inner, dict):
                    inner[data.draw(st.text(max_size=30))] = inner.pop(last)
        write(index, content)
        said = ""
        try:
            with Engine.open(index) as engine:
                assert engine.search("should teachers get tenure").hits[0].id
        except ArgsearchError as error:
            said = str(error)
        assert "\n" not in said

    check()


@pytest.mark.parametrize("key", ["kind", "dtype"])
def test_a_column_described_at_length_is_refused_in_one_short_line(index, key):
    content = read(index)
    column = next(one for one in content["columns"] if key in one)
    column[key] = "x" * 5000
    write(index, content)
    with pytest.raises(IndexDamaged) as raised:
        Engine.open(index)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 1000
