"""Training and cross-validation of quality models (`argsearch train quality`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.model_files import QUALITY
from argsearch.lab.judgements.webis import Judgements, read_judgements
from argsearch.lab.training.quality.trainers import (
    MODEL_KINDS,
    LengthTrainer,
    Trainer,
    corpus_name,
    fit,
    make_trainer,
)
from argsearch.lab.training.shape import (
    Progress,
    TrainedModel,
    check_file,
    markdown,
    silent,
    software,
)
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
    """A cross-validation scheme: each item's fold, int64[n]."""

    name: str
    folds: NDArray[np.int64]


@dataclass(frozen=True)
class QualityRow:
    """Figures of one model under one scheme; None if the model predicts no quality."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "model",
        "left out",
        "gate F1",
        "gate balanced accuracy",
        "MSE",
        "R2",
        "Pearson",
        "Pearson above 100 words",
    )

    model: str
    scheme: str
    gate: GateFigures
    regression: RegressionFigures | None

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table row."""
        gate, found = (self.gate.f1, self.gate.balanced_accuracy), self.regression
        figures = ["-"] * 4
        if found is not None:
            few = (found.r2, found.pearson, found.pearson_long)
            figures = [f"{found.mse:.4f}", *(f"{value:.3f}" for value in few)]
        return self.model, self.scheme, *(f"{value:.3f}" for value in gate), *figures


@dataclass(frozen=True)
class RuleRow:
    """Metrics of Q over all items, for one rule that combines gate and regression.

    The truth is the judged quality of an argument, and 0 for any other item.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "model",
        "left out",
        "Q",
        "MSE",
        "Pearson",
        "mean Pearson within a topic",
        "Pearson of arguments only",
    )

    model: str
    scheme: str
    rule: str
    mse: float
    pearson: float
    within_topics: float
    arguments_only: float

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table row."""
        few = (self.pearson, self.within_topics, self.arguments_only)
        figures = (f"{self.mse:.4f}", *(f"{value:.3f}" for value in few))
        return self.model, self.scheme, self.rule, *figures


@dataclass(frozen=True)
class Predictions:
    """Predictions of one model for held-out items: float64[n] each.

    `gate` > 0 means an argument; `chance` is its probability, or None if the gate has none.
    """

    model: str
    scheme: str
    gate: NDArray[np.float64]
    quality: NDArray[np.float64]
    chance: NDArray[np.float64] | None

    def row(self, judged: Judgements) -> QualityRow:
        """Return metrics for the gate over all items, and for the regression over the arguments."""
        good = judged.is_argument
        parts = judged.quality[good], self.quality[good], judged.words[good]
        gate = gate_figures(good, self.gate > 0)
        return QualityRow(self.model, self.scheme, gate, regression_figures(*parts))

    def rules(self, judged: Judgements) -> list[RuleRow]:
        """Return the metrics of every rule that combines gate and regression."""
        quality = np.clip(self.quality, 0.0, 1.0)
        ways = {"regression alone": quality, "0 where rejected": quality * (self.gate > 0)}
        if self.chance is not None:
            ways["P(argument) x regression"] = quality * self.chance
        truth, good, topics = judged.quality, judged.is_argument, judged.topics
        found = []
        for name, Q in ways.items():
            mse, everywhere = float(np.mean((Q - truth) ** 2)), pearson(Q, truth, 0.0)
            within = [pearson(Q[topics == t], truth[topics == t], 0.0) for t in np.unique(topics)]
            figures = mse, everywhere, float(np.mean(within)), pearson(Q[good], truth[good], 0.0)
            found.append(RuleRow(self.model, self.scheme, name, *figures))
        return found


def schemes(judged: Judgements, folds: int, seed: int) -> tuple[Scheme, Scheme]:
    """Return random folds and leave-one-topic-out folds, which simulate a new topic."""
    return (
        Scheme(f"{folds} random folds", random_folds(judged.is_argument, folds, seed)),
        Scheme("one topic at a time", group_folds(judged.topics, judged.topic_count)),
    )


def always_an_argument(judged: Judgements, scheme: Scheme) -> QualityRow:
    """Evaluate the baseline that accepts every item and predicts no quality."""
    everything = np.ones(len(judged.texts), dtype=np.bool_)
    gate = gate_figures(judged.is_argument, everything)
    return QualityRow("always an argument", scheme.name, gate, None)


def validate(judged: Judgements, trainer: Trainer, scheme: Scheme) -> Predictions:
    """Predict each item with a model trained on the other folds."""
    gate, quality, chance = np.empty((3, len(judged.texts)))
    for fold in np.unique(scheme.folds):
        out, rest = (np.flatnonzero(side) for side in (scheme.folds == fold, scheme.folds != fold))
        gate[out], quality[out] = fit(trainer, rest).score(out)
        # The balanced gate assumes that half of all items are arguments; restore their true share.
        chance[out] = sigmoid(gate[out] + prior_shift(judged.is_argument[rest]))
    soft = chance if trainer.soft else None
    return Predictions(trainer.name, scheme.name, gate, quality, soft)


@dataclass(frozen=True)
class TrainingRequest:
    """Training data, model kind, and output file of a quality model."""

    judgements: Path
    """CSV file in the format of Webis-ArgQuality-20, or its folder."""
    out: Path
    """Model file to write."""
    kind: str = "h21"
    """`h21`: TF-IDF with support vectors; `features`: surface features; `words`: with terms."""
    corpus: str | None = None
    """Corpus whose premises TF-IDF is fitted to (only for H21); None: the judged texts."""
    folds: int = 10
    seed: int = 0
    more: tuple[Path, ...] = ()
    """Further corpora of scored arguments (only for `words`; `read_more`)."""

    def check(self) -> None:
        """Raise InvalidParameter for a value out of range."""
        if self.kind not in MODEL_KINDS:
            raise InvalidParameter("--kind", self.kind, either(MODEL_KINDS))
        if not 2 <= self.folds <= 100:
            raise InvalidParameter("--folds", self.folds, "from 2 to 100")
        if not 0 <= self.seed < 2**31:
            raise InvalidParameter("--seed", self.seed, "from 0 to 2,147,483,647")
        check_file(self.out)
        if self.corpus is not None and self.kind != "h21":
            raise InvalidParameter("--corpus", self.corpus, problem="--corpus is only for h21")
        if self.more and self.kind != "words":
            raise InvalidParameter("--more", self.more[0], problem="--more is only for words")

    def command(self) -> str:
        """Return the command that builds the same file, with file names instead of local paths."""
        corpus = f" --corpus {corpus_name(self.corpus)}" if self.corpus else ""
        more = "".join(f" --more {Path(path).name}" for path in self.more)
        return (
            f"argsearch train quality --judgements {Path(self.judgements).name} --kind {self.kind}"
            f"{corpus}{more} --folds {self.folds} --seed {self.seed} --out {Path(self.out).name}"
        )


def train_quality(request: TrainingRequest, tell: Progress = silent) -> TrainedModel:
    """Validate and train a quality model, and write its file.

    The figures come from models that have not seen the predicted items: with random folds (as in
    H21), and with one topic left out at a time. The model in the file is trained on everything.
    Raises InvalidParameter, JudgementsError, CorpusError, and ArgsearchError.
    """
    request.check()
    judged = read_judgements(request.judgements)
    trainer = make_trainer(request.kind, judged, request.corpus, tell, request.more)
    baseline = LengthTrainer(judged)
    rows, rules = list[QualityRow](), list[RuleRow]()
    for scheme in schemes(judged, request.folds, request.seed):
        tell(f"validating: {scheme.name}")
        predictions = validate(judged, trainer, scheme)
        rows.append(always_an_argument(judged, scheme))
        rows.append(validate(judged, baseline, scheme).row(judged))
        rows.append(predictions.row(judged))
        rules.extend(predictions.rules(judged))
    tell("training on all items")
    fitted = fit(trainer, slice(None))
    items, arguments = len(judged.texts), int(judged.is_argument.sum())
    provenance = {
        "command": request.command(),
        "judgements": {
            "file": judged.file,
            "sha256": judged.sha256,
            "items": items,
            "arguments": arguments,
            "topics": judged.topic_count,
            "lowest quality": judged.lowest,
            "highest quality": judged.highest,
        },
        "corpus": trainer.corpus,
        "seed": request.seed,
        "software": software("scipy", "scikit-learn"),
        "figures": [asdict(row) for row in rows],
    }
    header = {"kind": request.kind, **fitted.settings, "provenance": provenance}
    sha256 = QUALITY.write(request.out, header, fitted.arrays)
    tables = (
        markdown(QualityRow.COLUMNS, (row.cells() for row in rows), 2),
        markdown(RuleRow.COLUMNS, (rule.cells() for rule in rules), 3),
    )
    told = f"{items:,} items ({arguments:,} arguments, {judged.topic_count} topics)"
    return TrainedModel(request.out, sha256, told, (*rows, *rules), tables)
