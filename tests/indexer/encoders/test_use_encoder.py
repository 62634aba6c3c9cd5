"""Universal Sentence Encoder: the real lite weights, and the string form on a tiny SavedModel."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

pytestmark = [pytest.mark.use, pytest.mark.slow]

if find_spec("tensorflow_hub") is None:
    pytest.skip("needs tensorflow: pip install -e '.[use]'", allow_module_level=True)

LITE = """
spec = "use:" + sys.argv[1]
encoder = load_encoder(spec)
found["named"] = [encoder.name == spec, encoder.dimensions]

from argsearch.indexer.encoders.use import piece_ids
signature, tokenizer = encoder._embed.args

def ids_of(text):
    return piece_ids(tokenizer, text)

# Its own tokenizer's ids for this sentence, as the model's authors print them.
found["ids"] = ids_of("Hello, how are you?")
found["spaces"] = ids_of("  Hello,\\thow\\n are  you? ") == found["ids"]
found["reserved"] = ids_of("<s> </s> extra_token_id_1")[:3]
found["colon"] = ids_of("see: http://x.y")

import tensorflow as tf
ids = [341, 4125, 8, 140, 31, 19, 54]
direct = signature(
    indices=tf.constant([[0, i] for i in range(len(ids))], tf.int64),
    values=tf.constant(ids, tf.int64),
)["embeddings"].numpy()[0]
row = encoder.encode(["Hello, how are you?"])[0]
found["direct"] = float(direct @ row / np.linalg.norm(direct))

texts = ["should teachers get tenure", "professors deserve job security", "",
         "should abortion be legal", " \\n", "wind power", "\\u200b", "x " * 30_000, "\\ud83d"]
rows = encoder.encode(texts)
found["shape"] = [list(rows.shape), str(rows.dtype)]
found["norms"] = np.linalg.norm(rows, axis=1).tolist()
found["near_far"] = [float(rows[0] @ rows[1]), float(rows[0] @ rows[3])]
alone = np.concatenate([encoder.encode([text]) for text in texts])
found["company"] = float(np.abs(alone - rows).max())
many = [f"argument {i} about wind power" for i in range(300)]
found["bytes"] = digest(encoder.encode(many))
found["again"] = digest(encoder.encode(many)) == found["bytes"]
found["empty"] = list(encoder.encode([]).shape)
long = ["wind power " * 9, "wind power " * 200]
apart = [float(np.ptp(encoder.encode(long, tokens), 0).max()) for tokens in (5, None)]
found["few"] = apart[0] < 1e-5 < apart[1]
"""


@pytest.fixture(scope="module")
def lite(in_process, models_dir):
    return in_process(LITE, models_dir / "use-lite")


def test_lite_pieces_are_those_of_its_authors(lite):
    assert lite["ids"] == [341, 4125, 8, 140, 31, 19, 54]
    assert lite["spaces"]
    assert not {1, 2, 3} & set(lite["reserved"]), "reserved pieces are not read from text"
    assert lite["colon"][1] == 57
    assert 255 in lite["colon"]
    assert lite["few"], "no more pieces are read than asked for"


def test_lite_rows_are_the_models_own(lite):
    assert lite["named"] == [True, 512]
    assert lite["direct"] == pytest.approx(1, abs=1e-6)
    assert lite["shape"] == [[9, 512], "float32"]
    assert lite["norms"] == pytest.approx([1, 1, 0, 1, 0, 1, 1, 1, 1], abs=1e-5)
    assert lite["empty"] == [0, 512]
    near, far = lite["near_far"]
    assert near > far + 0.2
    assert lite["company"] < 1e-5


def test_lite_bytes_repeat_whatever_the_threads(lite, in_process, models_dir):
    code = """
import os
os.environ["OMP_NUM_THREADS"] = os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
many = [f"argument {i} about wind power" for i in range(300)]
found["bytes"] = digest(load_encoder("use:" + sys.argv[1]).encode(many))
"""
    assert lite["again"]
    assert in_process(code, models_dir / "use-lite")["bytes"] == lite["bytes"]


STRINGS = """
import os, pathlib
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
folder = pathlib.Path(sys.argv[1])

class Lengths(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def __call__(self, texts):
        size = tf.cast(tf.strings.length(texts), tf.float32)
        return tf.stack([size, 3 * tf.ones_like(size), tf.zeros_like(size)], axis=1)

class Numbers(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, numbers):
        return numbers

class Silent(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def other(self, texts):
        return texts

for kind in (Lengths, Numbers, Silent):
    tf.saved_model.save(kind(), str(folder / kind.__name__))

encoder = load_encoder(f"use:{folder / 'Lengths'}")
found["dimensions"] = encoder.dimensions
found["rows"] = encoder.encode(["four", "", "1234567890"] * 100).tolist()
found["tokens"] = refusal(f"use:{folder / 'Lengths'}", lambda s: encoder.encode(["four"], 64))
found["numbers"] = refusal(f"use:{folder / 'Numbers'}")
found["silent"] = refusal(f"use:{folder / 'Silent'}")
found["absent"] = refusal(f"use:{folder / 'absent'}")
found["absent, checked"] = refusal(f"use:{folder / 'absent'}", check_encoder)
found["no model"] = refusal(f"use:{folder}")
garbage = folder / "garbage"
garbage.mkdir()
(garbage / "saved_model.pb").write_bytes(b"\\xff" * 100)
found["garbage"] = refusal(f"use:{garbage}")
found["unreachable"] = refusal("use:http://127.0.0.1:9/some/model/1")
"""


@pytest.fixture(scope="module")
def strings(in_process, tmp_path_factory):
    return in_process(STRINGS, tmp_path_factory.mktemp("models"))


def test_a_model_that_is_called_with_strings(strings):
    assert strings["dimensions"] == 3
    rows = np.array(strings["rows"])
    np.testing.assert_allclose(rows[0], [4 / 5, 3 / 5, 0], atol=1e-6)
    np.testing.assert_allclose(rows[1], 0)
    np.testing.assert_allclose(rows[2], np.array([10, 3, 0]) / np.sqrt(109), atol=1e-6)
    assert (rows.reshape(100, 9) == rows[:3].ravel()).all()
    kind, message = strings["tokens"]
    assert kind == "InvalidParameter"
    assert "tokens must be None, not 64" in message


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("numbers", "cannot be loaded"),
        ("silent", "is not a Universal Sentence Encoder"),
        ("absent", "there is no folder"),
        ("absent, checked", "there is no folder"),
        ("no model", "neither 'saved_model.pb'"),
        ("garbage", "cannot be loaded"),
        ("unreachable", "Connection refused"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_line(strings, case, words):
    kind, message = strings[case]
    assert kind == "EncoderUnavailable"
    assert words in message
    assert message.startswith("encoder use:")
    assert "give the folder of a" in message
    assert "\n" not in message
