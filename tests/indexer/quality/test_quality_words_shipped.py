"""The model `words` that ships: its bar, and that its command makes its figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.quality.kinds import GatedQuality

MORE = (
    "ukpconvarg1/UKPConvArg1-csv.tar.xz",
    "ibm/argq-toledo2019.tar.xz",
    "ibm/eviconv",
    "ibm/argq-rank-30k",
    "dagstuhl-15512",
)
"""What the shipped model learned from beside the judgements."""


@pytest.fixture(scope="module")
def words() -> GatedQuality:
    model = load_quality_model("words")
    assert isinstance(model, GatedQuality)
    return model


def figures(model: object, name: str) -> dict[str, dict[str, float]]:
    rows = model.header["provenance"]["figures"]  # type: ignore[attr-defined]
    return next(r for r in rows if (r["model"], r["scheme"]) == (name, "one topic at a time"))


def test_its_figures_on_topics_left_out_are_above_the_default_s(words: GatedQuality) -> None:
    own, default = figures(words, "words"), figures(load_quality_model("default"), "features")
    assert own["regression"]["pearson"] >= default["regression"]["pearson"] + 0.006
    assert own["regression"]["pearson_long"] >= default["regression"]["pearson_long"] + 0.01
    assert own["regression"]["mse"] < default["regression"]["mse"]
    assert own["gate"]["balanced_accuracy"] >= default["gate"]["balanced_accuracy"]


def test_it_names_no_place_of_the_machine_it_was_made_on(words: GatedQuality) -> None:
    command = words.header["provenance"]["command"]
    assert command.startswith("argsearch train quality --judgements webis-argquality20 ")
    assert "/" not in command


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["default", "words"])
@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_text_has_a_quality_of_its_own(name: str, texts: list[str]) -> None:
    model = load_quality_model(name)
    found = model.predict(texts)
    assert found.dtype == np.float32
    assert ((found >= 0) & (found <= 1)).all()
    assert [float(model.predict([text])[0]) for text in texts] == found.tolist()


@pytest.mark.data
@pytest.mark.slow
def test_its_command_makes_the_same_model(words: GatedQuality, data_dir: Path) -> None:
    from argsearch.lab.judgements.webis import read_judgements
    from argsearch.lab.training.quality.trainers import WordsTrainer, fit, read_more

    judged = read_judgements(data_dir / "webis-argquality20")
    trainer = WordsTrainer(judged, read_more([data_dir / source for source in MORE]), str)
    again = fit(trainer, slice(None)).arrays
    np.testing.assert_array_equal(again["keys"], words.terms.keys)
    np.testing.assert_allclose(again["words"], words.model.words, rtol=1e-4, atol=1e-6)
