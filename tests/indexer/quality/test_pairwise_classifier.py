"""D20's own classifiers as what beats what: each ordered pair of a group, with its claim."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import PAIRWISE, ModelError
from argsearch.indexer.quality import classifiers
from argsearch.indexer.quality.classifiers import PairwiseClassifier, make_classifier, with_query
from argsearch.indexer.quality.pairwise import load_pairwise_model

D, N = 3, 12
STARTS = np.array([0, 4, 4, 5, 9])
"""Two claims: four premises for it, none against; one for it, four against."""
PREMISE = np.array([0, 1, 2, 3, 1, 4, 5, 6, 2])


@pytest.fixture
def model() -> PairwiseClassifier:
    rng = np.random.default_rng(1)
    parts = rng.normal(size=(N, 3 * D))
    better, worse = rng.permutation(N), rng.permutation(N)
    keep = better != worse
    pairs = (better[keep], worse[keep]), (worse[keep][:5], better[keep][:5])
    sides = tuple(zip(*pairs, strict=True))
    return PairwiseClassifier("m", "", "naive Bayes", "wordllama", ("a", "b"), parts, *sides)


def vectors() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.normal(size=(2, D)).astype(np.float32), rng.normal(size=(7, D)).astype(np.float32)


@pytest.mark.parametrize("together", [1, 5, 4096])
def test_dcf_is_that_of_asking_one_pair_at_a_time(
    model: PairwiseClassifier, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classifiers, "PAIRS_AT_ONCE", together)
    claims, premises = vectors()
    expected = np.zeros((2, len(PREMISE)), int)
    for d, (better, worse) in enumerate(zip(model.better, model.worse, strict=True)):
        both = [*zip(better, worse, strict=True), *zip(worse, better, strict=True)]
        X = [np.hstack([model.parts[i], model.parts[j]]) for i, j in both]
        fitted = make_classifier("naive Bayes").fit(X, [True] * len(better) + [False] * len(worse))
        for group, (start, end) in enumerate(pairwise(STARTS.tolist())):
            claim = claims[group // 2].astype(float)
            for one in range(start, end):
                for other in set(range(start, end)) - {one}:
                    p, q = (premises[[PREMISE[at]]].astype(float) for at in (one, other))
                    row = np.hstack([with_query(p, claim), with_query(q, claim)])
                    expected[d, one] += bool(fitted.predict(row)[0])
    found = model.dcf(STARTS, PREMISE, claims, premises)
    assert found.tolist() == expected.tolist()
    assert 0 < found.sum() < 2 * 24


def test_a_file_comes_back(model: PairwiseClassifier, tmp_path: Path) -> None:
    header = {"classifier": "naive Bayes", "encoder": "wordllama", "dimensions": ["a", "b"]}
    path = tmp_path / "m.safetensors"
    PAIRWISE.write(path, header, model.pack())
    again = load_pairwise_model(str(path))
    assert isinstance(again, PairwiseClassifier)
    assert (again.kind, again.encoder, again.dimensions) == ("naive Bayes", "wordllama", ("a", "b"))
    found = [each.dcf(STARTS, PREMISE, *vectors()).tolist() for each in (model, again)]
    assert found[0] == found[1]
    broken = {**model.pack(), "better_0": np.array([99])}
    PAIRWISE.write(path, header, broken)
    with pytest.raises(ModelError, match=r"a pair names an argument that does not exist\)"):
        load_pairwise_model(str(path))


def test_no_group_of_two_asks_nothing(model: PairwiseClassifier) -> None:
    for starts in ([0], [0, 0, 0], [0, 1, 2]):
        links = np.arange(starts[-1])
        found = model.dcf(np.array(starts), links, *vectors())
        assert found.tolist() == np.zeros((2, len(links)), int).tolist()


def test_no_such_classifier() -> None:
    with pytest.raises(InvalidParameter, match="classifier must be random forest, SGD, .*, not"):
        make_classifier("best")
