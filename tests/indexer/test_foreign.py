"""Folders that would be replaced: what argsearch did not write is named, and nothing is touched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from argsearch.api.cli.main import run
from argsearch.indexer.building.changing import add, rebuild, remove
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.foreign import remove_files
from argsearch.indexer.format import manifest as manifests
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.model_files import LTR, check_model_folder
from argsearch.indexer.parts.adding import add_parts
from argsearch.indexer.staging import TargetNotAnIndex
from tests.api.awkward import one_line_error
from tests.indexes import SAMPLE, Built

PLAIN = IndexSettings(encoder="none", quality_model="none")


@pytest.fixture
def index(built: Built, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built(settings=PLAIN), tmp_path / "index"))


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def other_corpus(folder: Path) -> Path:
    path = folder / "other.jsonl"
    path.write_text('{"id": "a", "conclusion": "Zoos", "premises": [{"text": "b"}]}\n')
    return path


COMMANDS = [
    ["index", "CORPUS", "--out"],
    ["index", "CORPUS", "--force", "--out"],
    ["index", "--rebuild", "--out"],
    ["index", "--with", "near_duplicates", "--out"],
    ["add"],
    ["remove"],
]


@pytest.mark.parametrize("out", ["proj", "."])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_another_programs_folder_stays(tmp_path, monkeypatch, capsys, words, out) -> None:
    project = tmp_path / "proj"
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref")
    (project / "src" / "main.js").write_text("mine")
    (project / "manifest.json").write_text('{"name":"x"}')
    before = tree(project)
    if out == ".":
        monkeypatch.chdir(project)
    place = str(project) if out == "proj" else "."
    line = [str(SAMPLE) if word == "CORPUS" else word for word in words] + [place]
    line += {"add": [str(SAMPLE)], "remove": ["id"]}.get(words[0], [])
    assert run(line) == 1
    said = one_line_error(capsys.readouterr().err)
    if "--with" not in words:
        assert "was left unchanged: its manifest.json is damaged or belongs to" in said
        assert "'.git/', 'manifest.json', 'src/'" in said
    assert f"--out {place}\n" not in said, "the command that would destroy it"
    assert tree(project) == before
    assert [path.name for path in tmp_path.iterdir()] == ["proj"]


@pytest.mark.parametrize("foreign", ["notes.txt", "b/manifest.json", "part.mine.npy", "empty/"])
def test_a_users_files_in_an_index_stay(index: Path, tmp_path: Path, foreign: str, capsys) -> None:
    path = index / foreign
    path.parent.mkdir(exist_ok=True)
    if foreign.endswith("/"):
        path.mkdir()
    else:
        path.write_text('{"format": 3}')
    before, corpus = tree(index), str(other_corpus(tmp_path))
    named = foreign if foreign.count("/") == 0 else f"{foreign.split('/', 1)[0]}/"
    said = f"it has '{named}', which argsearch did not write"
    for change in (
        lambda: add(index, [corpus]),
        lambda: remove(index, [json.loads(SAMPLE.read_text())["arguments"][0]["id"]]),
        lambda: rebuild(index),
    ):
        with pytest.raises(TargetNotAnIndex, match=said):
            change()
    for words in ([str(SAMPLE)], [corpus, "--force"], [str(SAMPLE), "--rebuild"]):
        assert run(["index", *words, "--out", str(index)]) == 1
        assert said in capsys.readouterr().err
    assert tree(index) == before
    add_parts(index, ["near_duplicates"])
    assert {name: tree(index)[name] for name in before if not name.startswith("manifest")} == {
        name: content for name, content in before.items() if not name.startswith("manifest")
    }


@pytest.mark.parametrize("damage", ["newer", "digest", "no corpus"])
def test_an_index_that_cannot_be_read_is_replaced_with_force_only(
    index: Path, tmp_path: Path, damage: str, capsys
) -> None:
    content = json.loads((index / manifests.NAME).read_text())
    if damage == "newer":
        content["format"] = manifests.INDEX_FORMAT + 1
    elif damage == "digest":
        content["counts"]["documents"] = 1
    else:
        del content["corpus"]
    (index / manifests.NAME).write_text(json.dumps(content))
    before, words = tree(index), ["index", str(other_corpus(tmp_path)), "--out", str(index)]
    assert run(words) == 2
    assert "or use --force" in one_line_error(capsys.readouterr().err)
    assert tree(index) == before
    assert run([*words, "--force", "--quiet"]) == 0
    assert manifests.verify(index)["counts"]["documents"] == 1


@pytest.mark.parametrize("last", ["a", "b/c", "z"])
def test_what_tells_whose_the_files_are_goes_last(tmp_path: Path, monkeypatch, last: str) -> None:
    names, removed = ["a", "b/c", "z"], []
    monkeypatch.setattr(Path, "unlink", lambda path, **_asked: removed.append(path))
    remove_files(tmp_path, frozenset(names), last=last)
    assert removed[-1] == tmp_path / last
    assert sorted(removed) == [tmp_path / name for name in names]


def model(folder: Path) -> Path:
    aside = folder / "aside"
    (aside / "encoder").mkdir(parents=True)
    (aside / "encoder" / "config.json").write_text("{}")
    LTR.finish_folder(aside, folder / "model", {})
    return folder / "model"


@pytest.mark.parametrize(
    "card",
    ['{"model_config": {}}', '{"format": "layers-model", "files": {}, "checksum": "1"}', "["],
)
def test_another_programs_model_stays(tmp_path: Path, card: str) -> None:
    out = tmp_path / "keras"
    out.mkdir()
    (out / "model.json").write_text(card)
    (out / "weights.h5").write_text("weights")
    before, aside = tree(out), tmp_path / "aside"
    aside.mkdir()
    with pytest.raises(InvalidParameter, match="'model.json', 'weights.h5', which argsearch did"):
        check_model_folder(out)
    with pytest.raises(InvalidParameter, match="which argsearch did not write"):
        LTR.finish_folder(aside, out, {})
    assert tree(out) == before


@pytest.mark.parametrize("name", ["../thesis.txt", "a/../../thesis.txt", "ABSOLUTE"])
def test_a_card_that_lists_files_elsewhere_is_none_of_ours(tmp_path: Path, name: str) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("mine")
    out, aside = tmp_path / "out", tmp_path / "aside"
    (out / "a").mkdir(parents=True)
    aside.mkdir()
    files = {str(thesis) if name == "ABSOLUTE" else name: "1"}
    card = {"format": "argsearch ltr model", "files": files, "checksum": "1"}
    (out / "model.json").write_text(json.dumps(card))
    with pytest.raises(InvalidParameter, match="which argsearch did not write"):
        LTR.finish_folder(aside, out, {})
    assert thesis.read_text() == "mine"


def test_a_model_takes_the_place_of_a_model_with_nothing_beside_it(tmp_path: Path) -> None:
    out = model(tmp_path)
    (tmp_path / "link").symlink_to("model")
    (out / "encoder" / "notes.txt").write_text("mine")
    before = tree(out)
    with pytest.raises(InvalidParameter, match=r"this one has 'encoder/notes\.txt', which"):
        model(tmp_path)
    assert tree(out) == before
    (out / "encoder" / "notes.txt").unlink()
    shutil.rmtree(tmp_path / "aside")
    assert model(tmp_path) == out
    LTR.finish_folder(
        Path(shutil.copytree(out / "encoder", tmp_path / "new")), tmp_path / "link", {}
    )
    assert (tmp_path / "link").is_symlink()
    assert sorted(tree(out)) == ["config.json", "model.json"]
