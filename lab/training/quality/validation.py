"""How well a kind of model predicts judged items it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.lab.judgements.webis import Judgements
from argsearch.lab.training.quality.trainers import Trainer, fit
from argsearch.ranking.numbers import pearson, sigmoid
from argsearch.ranking.quality.figures import (
    GateFigures,
    RegressionFigures,
    gate_figures,
    group_folds,
    random_folds,
    regression_figures,
)
from argsearch.ranking.quality.linear import prior_shift


@dataclass(frozen=True)
class Scheme:
    """A way of leaving items out: each item's fold, int64[n]."""

    name: str
    folds: NDArray[np.int64]


@dataclass(frozen=True)
class QualityRow:
    """The figures of one model under one scheme; None where the model predicts no quality."""

    HEADER: ClassVar[str] = (
        "| model | left out | gate F1 | gate balanced accuracy | MSE | R2 | Pearson "
        "| Pearson above 100 words |"
    )
    RULE: ClassVar[str] = "|---|---|---:|---:|---:|---:|---:|---:|"

    model: str
    scheme: str
    gate: GateFigures
    regression: RegressionFigures | None

    def line(self) -> str:
        """The row of the table."""
        cells = [
            self.model,
            self.scheme,
            f"{self.gate.f1:.3f}",
            f"{self.gate.balanced_accuracy:.3f}",
        ]
        if self.regression is None:
            cells += ["-"] * 4
        else:
            figures = self.regression
            cells += [f"{figures.mse:.4f}", f"{figures.r2:.3f}"]
            cells += [f"{figures.pearson:.3f}", f"{figures.pearson_long:.3f}"]
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class RuleRow:
    """How Q of all items fits when gate and regression are joined by one rule.

    The truth is the judged quality of an argument and 0 of any other item.
    """

    HEADER: ClassVar[str] = (
        "| model | left out | Q | MSE | Pearson | mean Pearson within a topic "
        "| Pearson of arguments only |"
    )
    RULE: ClassVar[str] = "|---|---|---|---:|---:|---:|---:|"

    model: str
    scheme: str
    rule: str
    mse: float
    pearson: float
    within_topics: float
    arguments_only: float

    def line(self) -> str:
        """The row of the table."""
        values = (self.mse, self.pearson, self.within_topics, self.arguments_only)
        cells = [self.model, self.scheme, self.rule, f"{values[0]:.4f}"]
        return f"| {' | '.join([*cells, *(f'{value:.3f}' for value in values[1:])])} |"


@dataclass(frozen=True)
class Predictions:
    """Out-of-fold predictions of one model: float64[n] each.

    `gate` > 0 means an argument; `chance` is its probability, None where the gate gives none.
    """

    model: str
    scheme: str
    gate: NDArray[np.float64]
    quality: NDArray[np.float64]
    chance: NDArray[np.float64] | None

    def row(self, judged: Judgements) -> QualityRow:
        """Gate over all items, regression over the arguments."""
        good = judged.is_argument
        parts = judged.quality[good], self.quality[good], judged.words[good]
        gate = gate_figures(good, self.gate > 0)
        return QualityRow(self.model, self.scheme, gate, regression_figures(*parts))

    def rules(self, judged: Judgements) -> list[RuleRow]:
        """The ways to join gate and regression."""
        quality = np.clip(self.quality, 0.0, 1.0)
        ways = {"regression alone": quality, "0 where rejected": quality * (self.gate > 0)}
        if self.chance is not None:
            ways["P(argument) x regression"] = quality * self.chance
        return [self._rule(judged, name, Q) for name, Q in ways.items()]

    def _rule(self, judged: Judgements, name: str, Q: NDArray[np.float64]) -> RuleRow:
        truth, good, topics = judged.quality, judged.is_argument, judged.topics
        within = [pearson(Q[topics == t], truth[topics == t], 0.0) for t in np.unique(topics)]
        mse, everywhere = float(np.mean((Q - truth) ** 2)), pearson(Q, truth, 0.0)
        among = pearson(Q[good], truth[good], 0.0)
        return RuleRow(
            self.model, self.scheme, name, mse, everywhere, float(np.mean(within)), among
        )


def schemes(judged: Judgements, folds: int, seed: int) -> tuple[Scheme, Scheme]:
    """Random folds, as H21, and one topic at a time, which says what a new topic gets."""
    return (
        Scheme(f"{folds} random folds", random_folds(judged.is_argument, folds, seed)),
        Scheme("one topic at a time", group_folds(judged.topics, judged.topic_count)),
    )


def always_an_argument(judged: Judgements, scheme: Scheme) -> QualityRow:
    """The baseline that accepts everything and says nothing of quality."""
    everything = np.ones(len(judged.texts), dtype=np.bool_)
    gate = gate_figures(judged.is_argument, everything)
    return QualityRow("always an argument", scheme.name, gate, None)


def validate(judged: Judgements, trainer: Trainer, scheme: Scheme) -> Predictions:
    """Predict each item by a model that was trained on the other folds alone."""
    gate, quality, chance = np.empty((3, len(judged.texts)))
    for fold in np.unique(scheme.folds):
        out, rest = (np.flatnonzero(side) for side in (scheme.folds == fold, scheme.folds != fold))
        gate[out], quality[out] = fit(trainer, rest).score(out)
        chance[out] = sigmoid(gate[out] + prior_shift(judged.is_argument[rest]))
    soft = chance if trainer.soft else None
    return Predictions(trainer.name, scheme.name, gate, quality, soft)
