"""The pairwise model: fitted as stated, the same in any batch, and refused when damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argsearch.indexer.model_files import PAIRWISE, ModelError
from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.quality.pairwise import (
    DEFAULT_PAIRWISE_FILE,
    SCORED_AT_ONCE,
    PairwiseModel,
    load_pairwise_model,
)
from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings, read_dagstuhl, text_pairs
from argsearch.lab.training.pairwise import (
    ALPHA,
    WORD_SCALE,
    Sources,
    Space,
    fit_pairwise,
    hits,
    rows,
    train_pairwise,
)
from argsearch.ranking.quality.surface import FEATURES

GOOD = (
    "Bottles can be recycled, and most towns now do so; a ban would only move the waste elsewhere. "
    "According to several studies, taxes on plastic reduce its use more than bans do."
)


@pytest.fixture(scope="module")
def default() -> PairwiseModel:
    return load_pairwise_model()


def judged(count: int) -> Sources:
    own = {}
    for d in DIMENSIONS:
        rows = [(f"{GOOD} {i}", f"lol {i} " * (i % 3 + 1), f"topic {i % 4}") for i in range(count)]
        own[d] = text_pairs(d, rows)
    return Sources(own, (own["cogency"],))


def test_fit_is_the_ridge_regression_of_its_docstring() -> None:
    from sklearn.linear_model import Ridge

    sources = judged(12)
    model = fit_pairwise(sources)
    pairs = sources.own["cogency"]
    space = Space.of(sources.texts)
    D = np.array([space.X[space.row[pairs.texts[a]]] - space.X[space.row[pairs.texts[b]]]
                  for a, b in zip(pairs.better, pairs.worse, strict=True)])  # fmt: skip
    # two sources of equal weight, the same pairs twice: Σ (1 − Dw)²·2/m + α‖w‖²
    theirs = Ridge(alpha=ALPHA * len(D) / 2, fit_intercept=False).fit(D, np.ones(len(D))).coef_
    np.testing.assert_allclose(model.surface[0], theirs[: len(FEATURES)], atol=1e-9)
    np.testing.assert_allclose(model.words[0], WORD_SCALE * theirs[len(FEATURES) :], atol=1e-9)
    scores = model.scores(sources.texts)[:, 0]
    np.testing.assert_allclose(scores, space.X @ theirs, atol=1e-5)


def test_topics_and_queries_are_left_out() -> None:
    sources = judged(12)
    less = sources.without(frozenset(["topic 1"]), frozenset(["topic 2"]))
    assert len(less.shared[0].better) == 9
    assert set(less.shared[0].topics) == {"topic 0", "topic 2", "topic 3"}
    assert set(less.own["cogency"].topics) == {"topic 0", "topic 1", "topic 3"}
    assert not any(text.startswith("lol 13 ") for text in less.texts)


def test_its_recorded_figures_reach_the_bar() -> None:
    header = PAIRWISE.read(DEFAULT_PAIRWISE_FILE).header["provenance"]
    figures = {(r["model"], r["pairs"]): r["shares"] for r in header["figures"]}
    everything = figures["model, unseen issues", "all pairs"][-1]
    assert everything["value"] >= 0.73
    assert everything["low"] > figures["longer wins", "all pairs"][-1]["low"]
    assert figures["model, unseen issues", "pairs 0.9 apart or more"][-1]["value"] >= 0.86
    assert figures["longer wins", "all pairs"][-1]["value"] == pytest.approx(0.700, abs=5e-4)


@pytest.mark.thorough
@settings(max_examples=50)
@given(st.lists(st.text(max_size=300), max_size=5))
def test_any_text_has_a_score(default: PairwiseModel, texts: list[str]) -> None:
    found = default.scores(texts)
    assert found.shape == (len(texts), 3)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


@pytest.mark.parametrize("size", [1, 7, SCORED_AT_ONCE])
def test_no_text_depends_on_its_batch(default: PairwiseModel, size: int) -> None:
    texts = [" ".join(GOOD.split()[i % 20 :]) * (i % 4) for i in range(60)]
    whole = default.scores(texts)
    parts = [default.scores(texts[i : i + size]) for i in range(0, len(texts), size)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_words_beyond_the_first_300_change_nothing(default: PairwiseModel) -> None:
    long = " ".join(f"word{i}" for i in range(300))
    more = [f"{long} because", f"{long} because they harm. Therefore!"]
    assert default.scores(more)[0].tolist() == default.scores(more)[1].tolist()


def test_a_damaged_or_foreign_file_is_refused(tmp_path: Path) -> None:
    content = DEFAULT_PAIRWISE_FILE.read_bytes()
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(content[:-2000] + bytes(1000) + content[-1000:])
    file = PAIRWISE.read(DEFAULT_PAIRWISE_FILE)
    other, narrow = tmp_path / "other.safetensors", tmp_path / "narrow.safetensors"
    PAIRWISE.write(other, {**file.header, "features": ["words"]}, file.arrays)
    PAIRWISE.write(narrow, file.header, {**file.arrays, "words": file.arrays["words"][:, 1:]})
    lacking = {name: array for name, array in file.arrays.items() if name != "idf"}
    PAIRWISE.write(tmp_path / "lacking.safetensors", file.header, lacking)
    quality = DEFAULT_PAIRWISE_FILE.with_name("quality-default.safetensors")
    for path, message in (
        (broken, "is damaged"),
        (other, "was trained on features that differ from those of this version"),
        (narrow, "is damaged .*words"),
        (tmp_path / "lacking.safetensors", "is damaged .*'idf'"),
        (quality, "is 'argsearch quality model' version 2, but this software reads 'argsearch"),
        (tmp_path / "none.safetensors", "cannot be read"),
    ):
        with pytest.raises(ModelError, match=message) as raised:
            load_pairwise_model(str(path))
        assert "argsearch train pairwise" in str(raised.value)
        assert "\n" not in str(raised.value)
    with pytest.raises(ModelError, match="is 'argsearch pairwise model'"):
        load_quality_model(str(DEFAULT_PAIRWISE_FILE))


def test_shares_by_hand() -> None:
    votes = np.array([[3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 2, 3], [1, 1, 2]], float)
    ratings = Ratings(
        "r", "", tuple("abcde"), ("q", "r"), ("i", "j"), np.array([0, 0, 0, 1, 1]),
        dict.fromkeys((*DIMENSIONS, "overall quality"), votes),
    )  # fmt: skip
    scores = np.array([2.0, 2.0, 1.0, 0.0, 1.0])
    assert hits(scores, ratings.pairs("cogency")).tolist() == [0.5, 1.0, 1.0, 0.0]
    everything, apart = rows("m", ratings, dict.fromkeys(DIMENSIONS, scores))
    assert [share.value for share in everything.shares] == [pytest.approx(2.5 / 4)] * 4
    assert everything.shares[0].low == 0.0
    assert everything.shares[0].high == pytest.approx(2.5 / 3)
    assert [share.value for share in apart.shares] == [pytest.approx(2.5 / 3)] * 4


@pytest.mark.data
@pytest.mark.slow
def test_its_command_makes_the_same_model(
    default: PairwiseModel, data_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pairwise-default.safetensors"
    more = (data_dir / "ukpconvarg1" / "UKPConvArg1-csv.tar.xz",)
    result = train_pairwise(data_dir / "dagstuhl-15512", out, more)
    again = load_pairwise_model(str(out))
    header = PAIRWISE.read(DEFAULT_PAIRWISE_FILE).header
    assert PAIRWISE.read(out).header["provenance"]["command"] == header["provenance"]["command"]
    texts = read_dagstuhl(data_dir / "dagstuhl-15512").texts
    np.testing.assert_allclose(again.scores(texts), default.scores(texts), atol=1e-3)
    recorded = [share["value"] for share in header["provenance"]["figures"][2]["shares"]]
    assert [s.value for s in result.rows[2].shares] == pytest.approx(recorded, abs=2e-3)
