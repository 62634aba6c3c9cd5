"""The folder of a trained model: whole, foreign, newer and damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from argsearch.indexer.model_files import CARD, LTR, ModelError
from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.quality.listwise import HEADS_FILE
from argsearch.lab.training.listwise.settings import read_plan
from argsearch.lab.training.listwise.training import train_ltr
from tests.indexes import document, indexed


@pytest.fixture(scope="module")
def trained(planted: Path, config: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = planted.parent / "folder.toml"
    path.write_text(config.replace("epochs = 6", "epochs = 40").replace("mse", "logistic"))
    return train_ltr(read_plan(path), tmp_path_factory.mktemp("folder") / "model").path


@pytest.fixture
def model(trained: Path, tmp_path: Path) -> Path:
    """A copy of a trained model."""
    return Path(shutil.copytree(trained, tmp_path / "model"))


def rewrite(folder: Path, **changes: object) -> None:
    """The card changed by someone who knows how: its checksums are right."""
    card = json.loads((folder / CARD).read_text())
    aside = Path(shutil.copytree(folder, folder.with_name("aside")))
    (aside / CARD).unlink()
    for key in ("files", "checksum"):
        card.pop(key)
    LTR.finish_folder(aside, folder, card | changes)


def refused(folder: Path, match: str) -> None:
    with pytest.raises(ModelError, match=match) as caught:
        load_quality_model(str(folder))
    assert "\n" not in str(caught.value)
    assert "argsearch train ltr" in str(caught.value)


@pytest.mark.thorough
def test_a_flipped_byte_is_refused(model: Path) -> None:
    for name in (CARD, HEADS_FILE):
        content = (model / name).read_bytes()
        for position in range(0, len(content), 97):
            damaged = bytearray(content)
            damaged[position] ^= 0x01
            (model / name).write_bytes(damaged)
            refused(model, "damaged|is '|has no")
        (model / name).write_bytes(content)
    load_quality_model(str(model))


@pytest.mark.thorough
def test_a_missing_file_is_named(model: Path) -> None:
    (model / HEADS_FILE).unlink()
    refused(model, f"has no {HEADS_FILE}")
    (model / CARD).unlink()
    refused(model, f"has no {CARD}")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 3}, "version 3, but this software reads 'argsearch ltr model' version 2"),
        ({"features": ["share of wisdom"]}, "trained on features that differ from those of this"),
        ({"kind": "oracle"}, "unknown kind 'oracle'; the kinds are static, transformer"),
        ({"members": [{"name": "absent"}]}, "an array is missing or not valid"),
        ({"model": {"encoder": "surface", "topic": True}}, "needs each argument's topic"),
    ],
)
def test_another_card_is_refused(model: Path, changes: dict[str, object], said: str) -> None:
    rewrite(model, **changes)
    refused(model, said)


@pytest.mark.thorough
def test_an_index_names_it(model: Path, tmp_path: Path) -> None:
    from argsearch.engine import Engine
    from argsearch.indexer.format.settings import IndexSettings

    documents = [document("good", "c", "therefore " * 40), document("bad", "c", "dude " * 40)]
    settings = IndexSettings(encoder="none", quality_model=str(model))
    with Engine.open(indexed(tmp_path, documents, settings)) as engine:
        manifest = engine.backend.info.manifest
        assert manifest["quality_model"]["name"] == str(model)
        constant = ["retrieval.model=constant"]
        hits = engine.search("c", config="heimdall-2021", k=2, overrides=constant).hits
        assert [hit.id for hit in hits] == ["good", "bad"]
