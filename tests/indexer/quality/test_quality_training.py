"""From judgements to a model file: both kinds, the table, and judgements that cannot be used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.quality import load_quality_model
from argsearch.lab.judgements.tables import JudgementsError
from argsearch.lab.judgements.webis import read_judgements
from argsearch.lab.training.quality.trainers import HeimdallTrainer
from argsearch.lab.training.quality.training import (
    Predictions,
    TrainingRequest,
    schemes,
    train_quality,
    validate,
)
from argsearch.lab.training.shape import TrainedModel

Writer = Callable[..., Path]
Rows = list[dict[str, object]]


def train(write: Writer, kind: str, **options: object) -> TrainedModel:
    path = write()
    request = TrainingRequest(path, path.parent / f"{kind}.model", kind=kind, folds=3, **options)  # type: ignore[arg-type]
    return train_quality(request)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["h21", "features"])
def test_a_trained_model_tells_arguments_from_chatter(write_judgements: Writer, kind: str) -> None:
    result = train(write_judgements, kind)
    judged = read_judgements(write_judgements())
    model = load_quality_model(str(result.path))
    found = model.predict(judged.texts)
    assert model.sha256 == result.sha256 == hashlib.sha256(result.path.read_bytes()).hexdigest()
    assert found[judged.is_argument].mean() > 0.3
    assert found[~judged.is_argument].max() < 0.2
    good = judged.is_argument
    assert np.corrcoef(found[good], judged.quality[good])[0, 1] > (
        0.9 if kind == "features" else 0.3
    )


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["h21", "features"])
def test_the_same_judgements_give_the_same_bytes(write_judgements: Writer, kind: str) -> None:
    first = train(write_judgements, kind).path.read_bytes()
    assert train(write_judgements, kind).path.read_bytes() == first


@pytest.mark.thorough
def test_the_stored_h21_model_decides_as_scikit_learn(write_judgements: Writer) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import SVC, SVR

    judged = read_judgements(write_judgements())
    vectors = TfidfVectorizer(stop_words="english", max_features=2**18)
    X, good = vectors.fit_transform(judged.texts), judged.is_argument
    svc, svr = SVC().fit(X, good), SVR().fit(X[good], judged.quality[good])
    texts = ["the evidence of a study suggests education", "lol dude", "study lol lol matters"]
    Z = vectors.transform(texts)
    expected = np.where(svc.predict(Z), svr.predict(Z), np.nan)
    model = load_quality_model(str(train(write_judgements, "h21").path))
    assert model.raw(texts) == pytest.approx(expected, abs=1e-6, nan_ok=True)
    assert model.raw(["", "unknown words only"]) == pytest.approx([np.nan] * 2, nan_ok=True)


@pytest.mark.thorough
def test_h21_learns_its_terms_from_the_corpus(write_judgements: Writer, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    documents = [
        {
            "id": str(i),
            "conclusion": "c",
            "premises": [{"text": text, "stance": "PRO"}],
            "context": {},
        }
        for i, text in enumerate(["education matters", "the study suggests evidence", "tenure"])
    ]
    corpus.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    result = train(write_judgements, "h21", corpus=str(corpus))
    header = load_quality_model(str(result.path)).header  # type: ignore[attr-defined]
    assert header["tfidf"]["terms"] == 6
    assert header["provenance"]["corpus"] == {
        "name": "corpus.jsonl",
        "sha256": hashlib.sha256(corpus.read_bytes()).hexdigest(),
        "documents": 3,
    }
    assert str(tmp_path) not in json.dumps(header)


def test_rules_are_figured_by_hand(write_judgements: Writer) -> None:
    judged = read_judgements(write_judgements())
    n, good = len(judged.texts), judged.is_argument
    perfect = Predictions("m", "s", np.where(good, 1.0, -1.0), judged.quality + 0.0, None)
    alone, rejected = perfect.rules(judged)
    assert (rejected.mse, rejected.pearson, rejected.within_topics) == pytest.approx((0, 1, 1))
    assert alone.arguments_only == pytest.approx(1)
    careless = Predictions("m", "s", np.ones(n), np.full(n, 0.5), None).rules(judged)[1]
    assert careless.mse == pytest.approx(np.mean((0.5 - judged.quality) ** 2))
    assert careless.pearson == 0


@pytest.mark.thorough
def test_no_fold_is_scored_by_a_model_that_saw_it(write_judgements: Writer) -> None:
    judged = read_judgements(write_judgements())
    scheme = schemes(judged, 3, 0)[1]
    seen: list[set[int]] = []

    class Spy(HeimdallTrainer):
        def fit(self, items):  # type: ignore[no-untyped-def]
            seen.append(set(items.tolist()))
            return super().fit(items)

    predictions = validate(judged, Spy(judged, None), scheme)
    assert predictions.chance is None
    everything = set(range(len(judged.texts)))
    assert [everything - s for s in seen] == [
        set(np.flatnonzero(judged.topics == topic).tolist()) for topic in range(4)
    ]


def test_quality_is_rescaled_over_the_arguments_only(write_judgements: Writer) -> None:
    judged = read_judgements(write_judgements())
    good = judged.quality[judged.is_argument]
    assert (good.min(), good.max()) == (0.0, 1.0)
    assert (judged.quality[~judged.is_argument] == 0).all()
    assert judged.lowest > -4.0


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("Is Argument?", "maybe", "need True or False in 'Is Argument\\?' .* item 6 has 'maybe'"),
        ("Combined Quality", "good", "need a number in 'Combined Quality', but item 6 has 'good'"),
        ("Combined Quality", "nan", "need a number in 'Combined Quality', but item 6 has 'nan'"),
        ("Topic ID", "", "item 6"),
    ],
)
def test_a_bad_row_is_named(
    write_judgements: Writer, judged_rows: Rows, column: str, value: str, message: str
) -> None:
    judged_rows[5] = {**judged_rows[5], "Is Argument?": True, column: value}
    with pytest.raises(JudgementsError, match=message):
        read_judgements(write_judgements(judged_rows))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda row: {k: v for k, v in row.items() if k != "Combined Quality"}, "no column 'Com"),
        (
            lambda row: row if row["Is Argument?"] else row | {"Topic ID": "t0"},
            "from two topics",
        ),
        (lambda row: row if row["Is Argument?"] else None, "need at least 40 items"),
        (lambda row: None if row["Is Argument?"] else row, "need at least 40 items"),
    ],
    ids=["no column", "a class in one topic", "arguments alone", "no argument"],
)
def test_too_little_to_learn_from_is_named(
    write_judgements: Writer, judged_rows: Rows, changed: Callable[..., Any], said: str
) -> None:
    rows = [row for row in map(changed, judged_rows) if row]
    with pytest.raises(JudgementsError, match=said):
        read_judgements(write_judgements(rows))


def test_missing_and_ambiguous_places_are_named(write_judgements: Writer, tmp_path: Path) -> None:
    with pytest.raises(JudgementsError, match="do not exist"):
        read_judgements(tmp_path / "no.csv")
    with pytest.raises(JudgementsError, match="exactly one file .*, not 0"):
        read_judgements(tmp_path)
    path = write_judgements()
    assert read_judgements(tmp_path).file == path.name
    write_judgements(name="other-arguments.csv")
    with pytest.raises(JudgementsError, match="exactly one file .*, not 2"):
        read_judgements(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00" * 50)
    with pytest.raises(JudgementsError, match="cannot be read as UTF-8 CSV"):
        read_judgements(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "h22"}, "--kind must be h21, features or words, not 'h22'"),
        ({"folds": 1}, "--folds must be from 2 to 100, not 1"),
        ({"seed": -1}, "--seed must be from 0 to 2,147,483,647, not -1"),
        ({"kind": "features", "corpus": "c.json"}, "--corpus is only for h21"),
        ({"out": Path("no-such-folder") / "m.model"}, r"be a file in a folder that exists, not"),
    ],
)
def test_requests_out_of_range_are_refused_before_any_work(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    values: dict[str, Any] = {
        "judgements": tmp_path / "no.csv",
        "out": tmp_path / "m.model",
        **options,
    }
    with pytest.raises(InvalidParameter, match=message):
        train_quality(TrainingRequest(**values))
