"""How well a kind of model predicts judged items it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from indexer.quality.judgements import Judgements
from indexer.quality.trainers import Trainer
from ranking.quality.figures import (
    GateFigures,
    RegressionFigures,
    gate_figures,
    group_folds,
    random_folds,
    regression_figures,
)


@dataclass(frozen=True)
class Scheme:
    """A way of leaving items out: each item's fold, int64[n]."""

    name: str
    folds: NDArray[np.int64]


@dataclass(frozen=True)
class Row:
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


def schemes(judged: Judgements, folds: int, seed: int) -> tuple[Scheme, Scheme]:
    """Random folds, as H21, and one topic at a time, which says what a new topic gets."""
    return (
        Scheme(f"{folds} random folds", random_folds(judged.is_argument, folds, seed)),
        Scheme("one topic at a time", group_folds(judged.topics, judged.topic_count)),
    )


def validate(judged: Judgements, trainers: Sequence[Trainer], scheme: Scheme) -> list[Row]:
    """A row for "always an argument" and one for each trainer; quality is of the arguments only."""
    good, everything = judged.is_argument, np.ones(len(judged.texts), dtype=np.bool_)
    rows = [Row("always an argument", scheme.name, gate_figures(good, everything), None)]
    for trainer in trainers:
        gate, quality = np.empty((2, len(judged.texts)))
        for fold in np.unique(scheme.folds):
            out = np.flatnonzero(scheme.folds == fold)
            fitted = trainer.fit(np.flatnonzero(scheme.folds != fold))
            gate[out], quality[out] = fitted.score(out)
        regression = regression_figures(judged.quality[good], quality[good], judged.words[good])
        rows.append(Row(trainer.name, scheme.name, gate_figures(good, gate > 0), regression))
    return rows
