"""Training a cross-encoder of sides, in a process of its own: a tiny one, for a few steps."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.engine.stance.cross_encoder import CrossEncoder
from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.training.sides.training import (
    SHARES,
    SidesRequest,
    SidesRow,
    left_out,
    mixture,
)

CODE = """
import json, sys
from pathlib import Path
import torch
from transformers import BertConfig, BertModel, BertTokenizerFast
from argsearch.lab.training.sides import training
from argsearch.lab.training.sides.material import Material, SidePair

folder, data = map(Path, sys.argv[1:])
words = "[PAD] [UNK] [CLS] [SEP] [MASK] keep ban zoos golf tea good poor".split()
(folder / "vocab.txt").write_text("\\n".join(words))
torch.manual_seed(0)
config = BertConfig(vocab_size=len(words), hidden_size=32, num_hidden_layers=2,
                    num_attention_heads=2, intermediate_size=32, max_position_embeddings=256,
                    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
BertModel(config).save_pretrained(folder / "bert")
BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")

pairs = [SidePair(f"keep {x}", f"{x} {said}", side) for x in ("zoos", "golf", "tea")
         for said, side in (("good", 1), ("poor", -1))]
training.material = lambda *_: Material(pairs, {"subjects": pairs})

told = []
def network(name):
    return (folder / name / "network.onnx").read_bytes()

def train(name, seed, steps, int8=False):
    request = training.SidesRequest(data, folder / "bert", folder / name, steps, seed, (), int8)
    return training.train_sides(request, lambda *step: told.append(step))

whole, small = train("whole", 0, 400), train("small", 0, 400, True)
one, again, other = train("one", 0, 3), train("again", 0, 3), train("other", 1, 3)
print(json.dumps({
    "told": told[0] + told[1] + told[-1],
    "same": network("one") == network("again"),
    "other": network("other") == network("again"),
    "right": whole.rows[0].right[0],
    "table": whole.table(),
    "left": sorted(path.name for path in folder.iterdir()),
}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sides")


@pytest.fixture(scope="module")
def found(folder: Path, data_dir: Path) -> dict[str, Any]:
    if not all(map(find_spec, ("torch", "transformers", "onnx", "onnxruntime"))):
        pytest.skip("needs torch, transformers and onnx: pip install -e '.[ltr,onnx-export]'")
    command = [sys.executable, "-c", CODE, str(folder), str(data_dir)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.ltr
@pytest.mark.data
@pytest.mark.slow
def test_a_trained_folder_answers_as_it_learnt(found: dict[str, Any], folder: Path) -> None:
    assert found["right"] == 1.0
    assert found["same"]
    assert not found["other"]
    assert found["told"] == ["reading the material", 0, 400, "steps", 1, 400, "steps", 3, 3]
    assert "| subjects | 6 | 1.000 |" in found["table"]
    assert "| labelled pairs, by both | 67 |" in found["table"]
    assert found["left"] == ["again", "bert", "one", "other", "small", "vocab.txt", "whole"]
    for name in ("whole", "small"):
        reader = CrossEncoder.load(str(folder / name))
        read = reader.agreements("keep golf", ["golf good", "golf poor"])
        assert read["golf good"].probability > 0.5 > read["golf poor"].probability
    assert b"DynamicQuantizeLinear" in (folder / "small" / "network.onnx").read_bytes()


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    for out in (tmp_path / "full", tmp_path / "none" / "model"):
        with pytest.raises(InvalidParameter, match=r"^--out is .*; allowed: a new or empty folder"):
            SidesRequest(tmp_path, tmp_path, out).check()
    SidesRequest(tmp_path, tmp_path, tmp_path / "model").check()


def test_the_surest_come_first() -> None:
    row = SidesRow.of("x", np.array([5.0, -4, 3, -0.2, 0.1]), np.array([1, -1, 1, 1, -1]))
    assert SHARES == (1.0, 0.8, 0.6)
    assert row.right == (0.6, 0.75, 1.0)


def test_a_mixture_trusts_what_is_right() -> None:
    random = np.random.default_rng(0)
    sides = random.choice((-1, 1), 200)
    X = np.column_stack((random.normal(size=200), sides * 2.0 + random.normal(size=200)))
    words, read = mixture(X, sides)
    assert abs(words) < 0.5
    assert read > 1.0
    assert mixture(-X, -sides) == pytest.approx((words, read))
    questions = [str(i % 7) for i in range(200)]
    mixed = left_out(X, sides, questions)
    assert (np.sign(mixed) == sides).mean() > 0.9
    own = np.array(questions) == "3"
    X[own], sides[own] = -X[own], -sides[own]  # a question's own labels do not weigh it
    assert left_out(X, sides, questions)[own] == pytest.approx(-mixed[own])
