"""Training the stance model on a little material, and what it refuses."""

import lzma

import numpy as np
import pytest

from argsearch.engine.stance.claims import read_claim
from argsearch.engine.stance.model import ON, StanceModel, Weights, pack
from argsearch.engine.stance.wording import ends
from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.training.stance.training import (
    ARGUMENTS,
    CORPUS,
    Held,
    MaterialMissing,
    SidedText,
    bags,
    fit_attitude,
    fit_weights,
    predict,
    rank_30k,
    scale,
    train_stance,
)

TOPICS = ("We should ban whaling", "We should subsidize opera", "Chess should be mandatory")
PRAISE, BLAME = "{} is useful and helps everyone", "{} is cruel and should be banned"


def material():
    for topic in TOPICS:
        claim = read_claim(topic)
        for i in range(10):
            for text, attitude in ((PRAISE, 1), (BLAME, -1)):
                words = f"{text.format(claim.phrase)} {'indeed ' * i}"
                yield SidedText(topic, words, attitude * claim.polarity)


@pytest.fixture(scope="module")
def fitted():
    texts = bags(list(material()))
    rows = np.arange(len(texts.subjects))
    return texts, rows, *fit_attitude(texts, rows)


def test_the_attitude_is_learnt_whatever_the_topics_direction(fitted):
    texts, rows, names, attitude = fitted
    assert (np.sign(predict(texts, names, attitude, rows)) == texts.attitude).all()
    assert names[: attitude.words] == sorted(names[: attitude.words])


def test_the_model_counts_terms_as_training_did(fitted):
    texts, rows, names, attitude = fitted
    weights = Weights(dict.fromkeys(ON, 0.0), 1.0, 0.6)
    model = StanceModel(names, attitude, weights)
    expected = predict(texts, names, attitude, rows)
    for one, value in zip(material(), expected, strict=True):
        _, counted = model.terms.read([ends(one.text)], [True], read_claim(one.topic).subject)
        assert attitude(*counted) == [pytest.approx(value, abs=1e-12)]
    header, arrays = pack(model)
    assert header["weights"]["threshold"] == 0.6
    assert arrays["terms"].tobytes().decode().split("\n") == names


def test_the_scale_makes_probabilities_true():
    right = np.arange(1000) % 10 != 0
    held = Held(np.full(1000, 0.5), right, ["a"] * 1000)
    assert 1 / (1 + np.exp(-0.5 * scale(held))) == pytest.approx(0.9, abs=1e-3)


def test_only_sure_stances_are_learnt_from(tmp_path):
    path = tmp_path / ARGUMENTS
    path.parent.mkdir(parents=True)
    rows = ["argument,topic,stance_WA,stance_WA_conf", "a,t,1,0.9", "b,t,-1,0.7", "c,t,0,1"]
    path.write_bytes(lzma.compress("\n".join(rows).encode()))
    assert rank_30k(tmp_path) == [SidedText("t", "a", 1)]


def test_missing_data_and_a_bad_target_are_said_in_one_line(tmp_path):
    with pytest.raises(MaterialMissing, match="--data must be the folder with"):
        train_stance(tmp_path, tmp_path / "model.safetensors")
    with pytest.raises(InvalidParameter, match="--out"):
        train_stance(tmp_path, tmp_path)


@pytest.mark.data
def test_the_shipped_weights_are_those_of_the_labelled_pairs(data_dir):
    from argsearch.lab.training.stance.training import PAIRS, read_pairs

    model = StanceModel.load()
    again = fit_weights(model, read_pairs(PAIRS, data_dir / CORPUS), model.weights.text)
    assert again.on == pytest.approx(model.weights.on, rel=1e-3)
