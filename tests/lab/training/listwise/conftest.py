"""Arguments with a planted quality: the more often a text says why, the better it is."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from argsearch.lab.training.listwise.settings import TrainingPlan, read_plan

CONFIG = """
[data]
corpus = "csv"
source = "planted.csv"
valid_topics = 2
test_topics = 2

[model]
encoder = "surface"

[training]
losses = ["mse"]
target = "unit"
rate = 0.003
epochs = 6
"""


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """8 topics of 30 texts of 40 words, the share of `therefore` being the score."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("planted")
    with (folder / "planted.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["topic", "text", "score"])
        for topic in range(8):
            for _ in range(30):
                quality = rng.random()
                words = rng.choice(["therefore", "dude"], p=[quality, 1 - quality], size=40)
                writer.writerow([f"topic {topic}", " ".join(words), quality])
    return folder / "planted.csv"


@pytest.fixture(scope="session")
def config() -> str:
    """A short training of the planted texts."""
    return CONFIG


@pytest.fixture
def plan_of(planted: Path) -> Callable[..., TrainingPlan]:
    """A plan over the planted texts, some of its lines replaced."""

    def make(*replaced: tuple[str, str]) -> TrainingPlan:
        text = CONFIG
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        path = planted.parent / "planted.toml"
        path.write_text(text, encoding="utf-8")
        return read_plan(path)

    return make
