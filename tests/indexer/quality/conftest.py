"""Small made-up judgements, so that training is tested without the real ones."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

WRITTEN = ["Therefore", "the evidence", "of a study", "suggests that", "education", "matters,"]
CHATTER = ["lol", "i dont", "u r wrong", "ok", "dude", "!!!"]


def make_rows(n: int = 120, topics: int = 4) -> list[dict[str, object]]:
    """Judged texts: written ones are arguments, better when longer; short chatter is none."""
    rng = np.random.default_rng(0)
    made: list[dict[str, object]] = []
    for i in range(n):
        good = i % 4 != 0
        length = int(rng.integers(20, 120)) if good else int(rng.integers(1, 8))
        text = " ".join(rng.choice(WRITTEN if good else CHATTER, size=length))
        quality = length / 20 - 3 + rng.normal() * 0.1 if good else -4.0
        made.append(
            {
                "Topic ID": f"t{i // 4 % topics}",
                "Premise": text,
                "Is Argument?": good,
                "Combined Quality": quality,
            }
        )
    return made


@pytest.fixture
def judged_rows() -> list[dict[str, object]]:
    """120 judged texts, every fourth none, 4 topics."""
    return make_rows()


@pytest.fixture
def write_judgements(judged_rows: list[dict[str, object]], tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as a judgements file and returns its path."""

    def write(
        content: list[dict[str, object]] = judged_rows, name: str = "my-arguments.csv"
    ) -> Path:
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(content[0]))
            writer.writeheader()
            writer.writerows(content)
        return path

    return write
