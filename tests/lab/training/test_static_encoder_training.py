"""Training a static encoder: its gradient, what it learns, and that the bytes repeat."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from argsearch.api.cli.main import run
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.model_files import STATIC_ENCODER
from argsearch.lab.training.static_encoder import (
    TEMPERATURE,
    EncoderRequest,
    LeftOutFigures,
    PairedTexts,
    PieceRuns,
    gradient,
    train_encoder,
)

SUBJECTS = ("zoos", "taxes", "tenure", "nuclear power", "school uniforms", "homework", "abortion")


def corpus(path: Path, conclusions: int) -> str:
    """A corpus in which only a corpus tells that one word stands for another."""
    rows = [
        {
            "id": f"{i}-{j}",
            "conclusion": f"{SUBJECTS[i % 7]} number {i}",
            "premises": [{"text": f"quux{'abcdefg'[i % 7] * 3} point {i} by person {j}"}],
        }
        for i in range(conclusions)
        for j in range(6)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def loss(premises, conclusions, vectors, own):
    """InfoNCE both ways, written plainly."""
    u, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (premises, conclusions))
    cosines, total = u @ v.T / TEMPERATURE, 0.0
    for i in range(len(own)):
        others = [j for j in range(len(own)) if j == i or own[j] != own[i]]
        for one in (cosines[i, others], cosines[others, i]):
            total += np.log(np.exp(one).sum()) - cosines[i, i]
    return total / 2 / len(own)


def test_the_gradient_is_the_losses_by_finite_differences():
    random = np.random.default_rng(0)
    vectors, own = random.normal(size=(9, 4)), np.array([0, 1, 0, 2])
    counts = [random.integers(0, 3, (4, 9)).astype(float) + np.eye(4, 9) for _ in range(2)]
    for one in counts:
        one[:, 8] = 0  # a piece that does not occur
    rows, found = gradient(*map(csr_matrix, counts), vectors, own)
    assert rows.tolist() == list(range(8))
    for at in np.ndindex(8, 4):
        ends = []
        for step in (1e-5, -1e-5):
            moved = vectors.copy()
            moved[at] += step
            ends.append(loss(counts[0] @ moved, counts[1] @ moved, moved, own))
        assert found[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=2e-4)


def test_the_figures_are_of_the_part_among_all_by_conclusions():
    """Each text one piece, whose vector is its own; premise 2 is nearest to conclusion 0."""
    vectors = np.zeros((32_000, 256), np.float32)
    vectors[[1, 2, 3], [0, 1, 2]] = 1
    premises = PieceRuns(np.array([1, 2, 1, 2], np.int32), np.arange(5))
    conclusions = PieceRuns(np.array([1, 2, 3], np.int32), np.arange(4))
    own, part = np.array([0, 1, 2, 1]), np.array([0, 2, 2], np.int8)
    found = PairedTexts(premises, conclusions, own, part).found(vectors, 2)
    assert found == LeftOutFigures(0.5, 1.0, 0.75, 1.0)


@pytest.mark.thorough
def test_learns_what_stands_for_what_and_repeats_its_bytes(tmp_path, capsys):
    made = corpus(tmp_path / "c.jsonl", 70)
    words = ["train", "encoder", made, "--out"]
    for name in ("one", "two"):
        assert run([*words, str(tmp_path / name)]) == 0
    output, error = capsys.readouterr()
    assert output.startswith("| vectors | own conclusion first |")
    assert "420 arguments with 70 conclusions" in error
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    header = STATIC_ENCODER.read(tmp_path / "one").header
    assert header["corpus"][0][0] == "c.jsonl"
    assert header["epochs"] > 0
    figures = header["left out"]
    assert figures["this"]["reciprocal_rank"] > figures["wordllama"]["reciprocal_rank"] + 0.05
    cosines = []
    for spec in ("wordllama", f"static:{tmp_path / 'one'}"):
        zoos, *terms = load_encoder(spec).encode(["zoos", "quuxaaa", "quuxccc"])
        cosines.append(zoos @ terms[0] - zoos @ terms[1])
    assert cosines[1] > cosines[0]


def test_too_few_conclusions_are_refused(tmp_path):
    made = corpus(tmp_path / "c.jsonl", 39)
    with pytest.raises(ArgsearchError, match="39 distinct conclusions .* from 40 at least"):
        train_encoder(EncoderRequest([made], tmp_path / "out"))
    assert not (tmp_path / "out").exists()
