"""The model that ships: its bar, its range, and that a text's quality depends on nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.corpus import read
from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.quality import NoQuality, load_quality_model, scale_quality
from argsearch.indexer.quality.kinds import GatedQuality
from argsearch.lab.judgements.webis import read_judgements
from argsearch.lab.training.quality.trainers import SurfaceTrainer
from argsearch.lab.training.quality.training import (
    TrainingRequest,
    schemes,
    train_quality,
    validate,
)


@pytest.fixture(scope="module")
def default() -> GatedQuality:
    model = load_quality_model("default")
    assert isinstance(model, GatedQuality)
    return model


def figures(default: GatedQuality, scheme: str) -> dict[str, dict[str, float]]:
    rows = default.header["provenance"]["figures"]
    return next(r for r in rows if r["model"] == "features" and r["scheme"] == scheme)


def test_its_recorded_figures_reach_the_bar(default: GatedQuality) -> None:
    row = figures(default, "one topic at a time")
    assert row["regression"]["pearson"] >= 0.835
    assert row["regression"]["mse"] <= 0.0076
    assert row["regression"]["pearson_long"] >= 0.59
    assert row["gate"]["balanced_accuracy"] >= 0.82


@pytest.mark.data
def test_its_recorded_figures_are_what_the_judgements_give(
    default: GatedQuality, data_dir: Path
) -> None:
    judged = read_judgements(data_dir / "webis-argquality20")
    recorded = default.header["provenance"]["judgements"]
    assert (judged.sha256, len(judged.texts)) == (recorded["sha256"], 1610)
    assert (int(judged.is_argument.sum()), judged.topic_count) == (1271, 20)
    assert judged.lowest == pytest.approx(-3.53, abs=0.005)
    scheme = schemes(judged, 10, 0)[1]
    row = validate(judged, SurfaceTrainer(judged), scheme).row(judged)
    expected = figures(default, scheme.name)
    assert row.regression is not None
    assert row.regression.pearson == pytest.approx(expected["regression"]["pearson"], abs=1e-4)
    assert row.regression.mse == pytest.approx(expected["regression"]["mse"], abs=1e-5)
    assert row.gate.balanced_accuracy == pytest.approx(
        expected["gate"]["balanced_accuracy"], abs=0.005
    )


@pytest.mark.slow
@pytest.mark.data
def test_its_command_makes_the_same_model(
    default: GatedQuality, data_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "quality-default.safetensors"
    request = TrainingRequest(data_dir / "webis-argquality20", out, kind="features")
    train_quality(request)
    again = load_quality_model(str(out))
    assert isinstance(again, GatedQuality)
    assert again.header["provenance"]["command"] == default.header["provenance"]["command"]
    texts = read_judgements(data_dir / "webis-argquality20").texts
    np.testing.assert_allclose(again.predict(texts), default.predict(texts), atol=1e-3)


@pytest.mark.data
def test_it_agrees_with_relevance_judgements_better_than_length(
    default: GatedQuality, data_dir: Path
) -> None:
    corpus = read(data_dir / "argsme-subset" / "args-me-subset.json.xz")
    premises = {argument.id: argument.premise for argument in corpus}
    name = "touche2020-task1-relevance-args-me-corpus-version-2020-04-01-corrected.qrels"
    lines = (data_dir / "touche" / name).read_text(encoding="utf-8").splitlines()
    judged = [(doc, float(grade)) for _, _, doc, grade in map(str.split, lines) if doc in premises]
    texts, grades = [premises[doc] for doc, _ in judged], np.array([grade for _, grade in judged])
    length = np.log([len(text.split()) for text in texts])
    by_quality = np.corrcoef(default.predict(texts), grades)[0, 1]
    assert len(judged) == 705
    assert by_quality == pytest.approx(0.62, abs=0.01)
    assert by_quality > np.corrcoef(length, grades)[0, 1] + 0.05


@pytest.mark.data
def test_quality_stays_in_range_on_documents_ten_times_longer(
    default: GatedQuality, data_dir: Path
) -> None:
    texts = read_judgements(data_dir / "webis-argquality20").texts
    longest = max(texts, key=len)
    odd = [longest * 10, "!" * 30_000, "A " * 3000, "i. " * 3000, "therefore " * 3000, "é" * 20_000]
    found = default.predict([*odd, *(" ".join(texts[i : i + 20]) for i in range(0, 1600, 20))])
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (found <= 1).all()
    trained = default.predict(texts)
    assert found[6:].max() <= trained.max() + 0.05


@pytest.mark.parametrize("text", ["", "   \n", "!?…", "\x00", "—"])
def test_a_text_without_a_word_is_no_argument(default: GatedQuality, text: str) -> None:
    assert default.predict([text])[0] == 0.0
    assert np.isnan(default.raw([text])[0])


def test_lone_surrogates_and_other_scripts_are_texts(default: GatedQuality) -> None:
    found = default.predict(["\ud800\udfff argument", "教師は終身在職権を得るべきだ。", "😀 😀"])
    assert np.isfinite(found).all()


def test_clipping_and_minmax_read_missing_as_zero() -> None:
    raw = np.array([np.nan, -0.5, 0.25, 2.0], dtype=np.float32)
    assert scale_quality(raw, "clip").tolist() == [0.0, 0.0, 0.25, 1.0]
    assert scale_quality(raw, "minmax") == pytest.approx([0.0, 0.0, 0.3, 1.0])
    assert scale_quality([0.4, 0.4, np.nan], "minmax") == pytest.approx([0.4, 0.4, 0.0])
    assert scale_quality([], "minmax").shape == (0,)


def test_none_gives_every_text_zero() -> None:
    model = load_quality_model("none")
    assert isinstance(model, NoQuality)
    assert model.predict(["a", "b"]).tolist() == [0.0, 0.0]
    assert (model.name, model.sha256) == ("none", "")


def test_an_unknown_scale_is_named() -> None:
    with pytest.raises(InvalidParameter, match="quality_scale must be clip or minmax, not"):
        scale_quality([0.1], "zscore")
