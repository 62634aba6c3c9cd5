"""Training of the key point model, on ArgKP-2021 (key point matching) and debates.

The training data are short arguments with key points, and pairs of sentences from debates, which
are longer and less similar. One regression fits ArgKP-2021 and debates, with a constant for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.points.model import PointModel, pack
from argsearch.engine.points.sentences import directions, said, words_of
from argsearch.indexer.model_files import POINT_MODEL
from argsearch.lab.judgements.tables import decoded, table
from argsearch.lab.training.shape import Progress, TrainedModel, check_file, silent
from argsearch.lab.training.stance.training import existing
from argsearch.ranking.points import POINT_FEATURES, Floats, Limits, features, turn

FOLDER = "ibm/argkp-2021"
LABELS_FILE = Path(__file__).with_name("points.tsv")
"""Labelled pairs of debate sentences: addresses, label, annotator, and features.

The features were computed by `studies/points.py` at commit f2af40ff (docs/points.md).
"""
PAIRS_WEIGHT = 0.6
"""Total weight of these pairs relative to that of ArgKP-2021."""
SOURCE_CONSTANT = 4.0
"""Value that marks debate pairs; large, so that regularisation hardly shrinks its weight."""
POINT_LIMITS = Limits()
POINT_FOLDS = 6


@dataclass(frozen=True)
class MatchedSide:
    """Arguments and key points of one topic and stance, with their labels."""

    topic: str
    x: Floats
    """float64[arguments, key points, 16]."""
    labels: NDArray[np.int8]
    """int8[arguments, key points]: 1 for a match, 0 for no match, −1 for undecided."""


def train_points(data: Path, out: Path, progress: Progress = silent) -> TrainedModel:
    """Train on the training set of ArgKP-2021, and write the model file.

    Raises MaterialMissing if the folder lacks a file, and ArgsearchError for an unusable `out`.
    """
    check_file(out)
    train, test = list(read(data, "train")), list(read(data, "dev"))
    progress(f"{len(train)} sides of training topics, {len(test)} of others")
    model = PointModel(*fit(train), POINT_LIMITS)
    topics = sorted({one.topic for one in train})
    held: list[tuple[MatchedSide, Floats]] = []
    for fold in range(POINT_FOLDS):
        out_of = set(topics[fold::POINT_FOLDS])
        w, b = fit([one for one in train if one.topic not in out_of])
        held += [(one, one.x @ w + b) for one in train if one.topic in out_of]
    scored = [(one, one.x @ model.weights + model.bias) for one in test]
    sha256 = POINT_MODEL.write(out, *pack(model))
    pairs = sum(int((one.labels >= 0).sum()) for one in train)
    # Undecided pairs count as misses, or (relaxed) as hits.
    (strict, relaxed), (own_strict, own_relaxed) = (
        (precision(some, strict=True), precision(some, strict=False)) for some in (scored, held)
    )
    told = f"{pairs:,} pairs from {len(topics)} topics; mean average precision {strict:.3f} "
    told += f"(relaxed {relaxed:.3f}) on the development topics, {own_strict:.3f} "
    told += f"({own_relaxed:.3f}) on held-out topics"
    return TrainedModel(out, sha256, told)


def labelled() -> tuple[Floats, NDArray[np.int8]]:
    """Return the labelled pairs of debate sentences: their features, and labels 1 or 0."""
    lines = LABELS_FILE.read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    features = np.array([row[-len(POINT_FEATURES) :] for row in rows], np.float64)
    return features, np.array([row[3] for row in rows], np.int8)


def read(data: Path, part: str) -> Iterator[MatchedSide]:
    """Yield the sides (topic and stance) of a part of ArgKP-2021, in file order."""

    def rows(name: str, *columns: str) -> list[list[str]]:
        """Return the named columns of a file of the part."""
        path = existing(data / FOLDER / f"{name}_{part}.csv")
        return list(table(path, decoded(path), columns))

    judged = rows("labels", "arg_id", "key_point_id", "label")
    known = {(one[0], one[1]): int(one[2]) for one in judged}
    arguments = rows("arguments", "topic", "stance", "arg_id", "argument")
    points = rows("key_points", "topic", "stance", "key_point_id", "key_point")
    for topic, stance in dict.fromkeys((one[0], one[1]) for one in arguments):
        own, kp = (
            [one[2:] for one in some if one[:2] == [topic, stance]] for some in (arguments, points)
        )
        texts = [text for _, text in (*own, *kp)]
        numbers, vector = said(texts, [*map(words_of, texts)], range(len(texts)), topic)
        at = np.arange(len(own), len(texts))
        x = features(numbers, vector, at)
        turn(x, directions(texts), at)
        x = x[:, : len(own)]
        labels = [[known.get((a, k), -1) for k, _ in kp] for a, _ in own]
        yield MatchedSide(topic, x.transpose(1, 0, 2), np.array(labels, np.int8))


def fit(some: list[MatchedSide]) -> tuple[Floats, float]:
    """Fit a logistic regression; return its weights, and its constant for debate sentences."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    known = [one.labels >= 0 for one in some]
    x = np.concatenate([one.x[at] for one, at in zip(some, known, strict=True)])
    y = np.concatenate([one.labels[at] for one, at in zip(some, known, strict=True)])
    pairs, told = labelled()
    both = [len(y), len(told)]
    # The model is for sentences of debates, so their features set the scale.
    scaler = StandardScaler().fit(pairs)
    features = np.hstack(
        [scaler.transform(np.vstack([x, pairs])), np.repeat([0.0, SOURCE_CONSTANT], both)[:, None]]
    )
    each = np.repeat([1.0 / len(y), PAIRS_WEIGHT / len(told)], both)
    model = LogisticRegression(C=100.0, max_iter=3000)
    model.fit(features, np.concatenate([y, told]), sample_weight=each)
    *weights, own = model.coef_[0] / np.append(scaler.scale_, 1.0 / SOURCE_CONSTANT)
    return np.array(weights), float(model.intercept_[0] + own - weights @ scaler.mean_)


def precision(scored: list[tuple[MatchedSide, Floats]], *, strict: bool) -> float:
    """Return the mean average precision of the shared task (Friedman-Melamed et al. 2021).

    Each argument is paired with its best key point, and the half with the highest scores counts.
    Undecided pairs are misses (strict) or hits (relaxed).
    """
    found = []
    for one, scores in scored:
        best, half = scores.argmax(axis=1), len(scores) // 2
        order = np.argsort(-scores.max(axis=1), kind="stable")[:half]
        labels = one.labels[order, best[order]].astype(np.float64)
        labels[labels < 0] = 0.0 if strict else 1.0
        found.append(float((np.cumsum(labels) / np.arange(1, half + 1) * labels).sum() / half))
    return float(np.mean(found))
