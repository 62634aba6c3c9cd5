"""A model of the user's own reads the sides of the first hits; here it has random weights."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.engine.stance.judge import JUDGED_HITS, statement
from argsearch.engine.stance.model import JUDGED_WEIGHTS
from tests.in_process import in_process

pytestmark = [pytest.mark.sbert, pytest.mark.slow]

if find_spec("sentence_transformers") is None:
    pytest.skip("needs sentence-transformers: pip install -e '.[sbert]'", allow_module_level=True)

QUESTION = "Should zoos be closed?"
CODE = """
from pathlib import Path
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast
from argsearch.engine import Engine
from argsearch.engine.stance.claims import read_question
from argsearch.engine.stance.judge import Judge, statement

question, folder = sys.argv[2], Path(sys.argv[3])
words = "zoos should be closed animals are the a of and in for to it keep cruel".split()

def made(name, classes):
    out = folder / name
    out.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (out / "vocab.txt").write_text(chr(10).join(vocabulary))
    tokenizer = BertTokenizerFast(str(out / "vocab.txt"))
    tokenizer.save_pretrained(out)
    torch.manual_seed(3)
    sizes = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    labels = dict(enumerate(classes))
    config = BertConfig(
        vocab_size=len(tokenizer), initializer_range=1.0, id2label=labels,
        label2id={name: n for n, name in labels.items()}, **sizes
    )
    BertForSequenceClassification(config).save_pretrained(out)
    return str(out)

nli = made("nli", ("contradiction", "neutral", "ENTAILMENT"))
claim, texts = read_question(question), ["zoos are cruel", "keep the zoos", "zoos are cruel"]
judge = Judge(nli)
found["leanings"] = judge.leanings(claim, texts).tolist()
tokens = AutoTokenizer.from_pretrained(nli)(
    texts, [statement(claim.text)] * 3, padding=True, return_tensors="pt"
)
with torch.no_grad():
    logits = AutoModelForSequenceClassification.from_pretrained(nli).eval()(**tokens).logits
found["own"] = logits.softmax(1).tolist()

with Engine.open(sys.argv[1]) as engine:
    asked = dict(k=60, sides=True)
    read = dict(plain=[], judged=[f"stance.model={nli!r}"])
    for name, more in read.items():
        results = engine.search(question, overrides=["stance.near=false", *more], **asked)
        found[name] = [results.hits.ids, [side.probability for side in results.sides]]
    hit = results[0]
    found["balance"] = sum(results.balance.counts.values())  # reads more hits than the page has
    misspelt = engine.search("shoud zoos be closd", overrides=read["judged"], **asked)
    found["misspelt"] = len(misspelt.sides)
    found["lines"] = hit.side.explanation.lines()
    found["side"] = hit.side.likelier
    found["first"] = [hit.stance.value, judge.leanings(claim, [hit.conclusion])[0]]
    missing = str(folder / "none")
    def with_model(model):
        return engine.search(question, sides=True, overrides=[f"stance.model={model!r}"])

    found["missing"] = refusal(missing, lambda model: with_model(model).balance)
found["unknown"] = refusal(made("unknown", ("LABEL_0", "LABEL_1", "LABEL_2")), Judge)
found["several"] = refusal(made("several", ("for", "pro", "against")), Judge)
damaged = made("damaged", ("for", "against"))
Path(damaged, "config.json").write_text("{")
found["damaged"] = refusal(damaged, Judge)
"""


@pytest.fixture(scope="module")
def read(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a model of one small layer says, in a process of its own."""
    return in_process(CODE, sample_index, QUESTION, tmp_path_factory.mktemp("models"))


def test_leanings_are_the_probabilities_of_its_classes(read: dict[str, Any]) -> None:
    assert statement(QUESTION) == statement("Shouldn’t zoos be closed?") == "zoos should be closed"
    assert statement("Aren't zoos bad?") == "zoos are bad"
    assert statement("Can't zoos be good?") == "zoos can be good"
    own = np.array(read["own"])
    np.testing.assert_allclose(read["leanings"], own[:, 2] - own[:, 0], atol=1e-5)
    assert read["leanings"][0] == read["leanings"][2] != read["leanings"][1]


def test_it_reads_the_first_hits_and_changes_no_ranking(read: dict[str, Any]) -> None:
    (ids, plain), (same, judged) = read["plain"], read["judged"]
    assert ids == same
    changed = [a != b for a, b in zip(plain, judged, strict=True)]
    assert len(changed) > JUDGED_HITS
    assert all(changed[:3])
    assert not any(changed[JUDGED_HITS:])
    assert read["balance"] >= len(judged)
    assert read["misspelt"] > 0


def test_the_explanation_has_its_leanings(read: dict[str, Any]) -> None:
    stance, leaning = read["first"]
    summand = JUDGED_WEIGHTS["judged conclusion"] * leaning * (1 if stance == "PRO" else -1)
    (line,) = [one for one in read["lines"] if "the model's verdict on the conclusion" in one]
    sign = 1 if read["side"] == "for" else -1  # summands are for the likelier side
    assert float(line.split()[0].replace("−", "-")) == pytest.approx(sign * summand, abs=1e-3)
    assert any("the same for the best passage of the text" in one for one in read["lines"])


@pytest.mark.parametrize(
    ("what", "error", "says"),
    [
        ("unknown", "InvalidParameter", ["label_0, label_1, label_2", "id2label", "entailment"]),
        ("several", "InvalidParameter", ["for, pro, against", "id2label"]),
        ("missing", "EncoderUnavailable", ["there is no folder"]),
        ("damaged", "EncoderUnavailable", ["model", "cannot be loaded"]),
    ],
)
def test_other_models_are_refused(
    read: dict[str, Any], what: str, error: str, says: list[str]
) -> None:
    kind, message = read[what]
    assert kind == error
    assert all(text in message for text in says), message
    assert "\n" not in message
