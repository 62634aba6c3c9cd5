"""A transformer with a scoring head, in a process of its own: a tiny one, made here."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.ltr, pytest.mark.slow]

if find_spec("torch") is None or find_spec("transformers") is None:
    pytest.skip("needs torch and transformers: pip install -e '.[ltr]'", allow_module_level=True)

CODE = """
import json, sys, numpy as np, torch
from pathlib import Path
from transformers import BertConfig, BertModel, BertTokenizerFast
from argsearch.indexer.quality import load_quality_model
from argsearch.lab.training.listwise.settings import read_plan
from argsearch.lab.training.listwise.training import train_ltr

folder = Path(sys.argv[1])
words = "[PAD] [UNK] [CLS] [SEP] [MASK] therefore dude topic 0 1 2 3 4 5 6 7".split()
(folder / "vocab.txt").write_text("\\n".join(words))
torch.manual_seed(0)
config = BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=1,
                    num_attention_heads=2, intermediate_size=16, max_position_embeddings=64)
BertModel(config).save_pretrained(folder / "bert")
BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")

def plan(topic, pooling):
    text = Path(sys.argv[2]).read_text()
    text = text.replace('"surface"', f'"transformer:{folder}/bert"\\ntopic = {topic}\\n'
                        f'pooling = "{pooling}"\\ntokens = 48\\ndropout = 0.1\\n'
                        f'precision = "{"bfloat16" if pooling == "cls" else "float32"}"')
    text = text.replace('["mse"]', '["mse", "hinge"]')
    path = Path(sys.argv[2]).with_name(f"transformer-{topic}.toml")
    path.write_text(text)
    return read_plan(path)

def contents(place):
    return {p.name: p.read_bytes() for p in place.rglob("*.*")}

found = {}
whole = train_ltr(plan("false", "mean"), folder / "whole")
train_ltr(plan("false", "mean"), folder / "again")
found["same"] = contents(folder / "whole") == contents(folder / "again")
found["spearman"] = [row.figures[1] for row in whole.rows]
model = load_quality_model(str(folder / "whole"))
texts = ["therefore " * 40, "dude " * 40, "", "x", "therefore " * 5000, "論拠"]
rows = model.predict(texts)
found["Q"] = rows.tolist()
found["alone"] = [float(model.predict([text])[0]) for text in texts]
topical = train_ltr(plan("true", "cls"), folder / "topical")
found["bfloat16"] = [row.figures[1] for row in topical.rows]
from dataclasses import replace
from argsearch.indexer.quality.transformer import Scorer
scorer = Scorer(folder / "bert", plan("false", "mean").model, trained=False)
exact = scorer.score(texts)
scorer.settings = replace(scorer.settings, precision="bfloat16")
found["apart"] = float(np.abs(scorer.score(texts) - exact).max())
found["spread"] = float(np.ptp(exact))
try:
    load_quality_model(str(folder / "topical"))
except Exception as error:
    found["topical"] = str(error)
path = folder / "whole" / "mse-0.safetensors"
damaged = bytearray(path.read_bytes())
damaged[-3] ^= 1
path.write_bytes(damaged)
try:
    load_quality_model(str(folder / "whole"))
except Exception as error:
    found["damaged"] = str(error)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(planted: Path, config: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("transformer")
    path = planted.parent / "transformer.toml"
    path.write_text(config.replace("rate = 0.003", "rate = 0.01"))
    command = [sys.executable, "-c", CODE, str(folder), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_it_learns(found: dict[str, Any]) -> None:
    for key in ("spearman", "bfloat16"):
        assert min(found[key][:3]) > 0.5  # both losses, and their ensemble


def test_the_same_training_gives_the_same_bytes(found: dict[str, Any]) -> None:
    assert found["same"]


def test_predictions_are_in_range_and_depend_on_no_other_text(found: dict[str, Any]) -> None:
    assert all(0 <= q <= 1 for q in found["Q"])
    assert found["Q"][0] > found["Q"][1]
    assert found["Q"][2] == 0.0
    assert found["alone"] == found["Q"]


def test_bfloat16_is_used_and_is_near(found: dict[str, Any]) -> None:
    assert 0 < found["apart"] < 0.1 * found["spread"]


def test_what_is_refused(found: dict[str, Any]) -> None:
    assert "needs each argument's topic" in found["topical"]
    assert "has a damaged mse-0.safetensors" in found["damaged"]
