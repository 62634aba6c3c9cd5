"""Training: judgements in, a model file and honest figures out (`argsearch train quality`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter
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
from argsearch.lab.training.shape import Progress, check_file, markdown, silent, software
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
        """The row of the table."""
        gate, found = (self.gate.f1, self.gate.balanced_accuracy), self.regression
        figures = ["-"] * 4
        if found is not None:
            few = (found.r2, found.pearson, found.pearson_long)
            figures = [f"{found.mse:.4f}", *(f"{value:.3f}" for value in few)]
        return self.model, self.scheme, *(f"{value:.3f}" for value in gate), *figures


@dataclass(frozen=True)
class RuleRow:
    """How Q of all items fits when gate and regression are joined by one rule.

    The truth is the judged quality of an argument and 0 of any other item.
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
        """The row of the table."""
        few = (self.pearson, self.within_topics, self.arguments_only)
        figures = (f"{self.mse:.4f}", *(f"{value:.3f}" for value in few))
        return self.model, self.scheme, self.rule, *figures


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
        truth, good, topics = judged.quality, judged.is_argument, judged.topics
        found = []
        for name, Q in ways.items():
            mse, everywhere = float(np.mean((Q - truth) ** 2)), pearson(Q, truth, 0.0)
            within = [pearson(Q[topics == t], truth[topics == t], 0.0) for t in np.unique(topics)]
            figures = mse, everywhere, float(np.mean(within)), pearson(Q[good], truth[good], 0.0)
            found.append(RuleRow(self.model, self.scheme, name, *figures))
        return found


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
        # The gate learned as if half of all items were arguments: back to their true share.
        chance[out] = sigmoid(gate[out] + prior_shift(judged.is_argument[rest]))
    soft = chance if trainer.soft else None
    return Predictions(trainer.name, scheme.name, gate, quality, soft)


@dataclass(frozen=True)
class TrainingRequest:
    """What to train on, what, and where to."""

    judgements: Path
    """A CSV file in the form of Webis-ArgQuality-20, or the folder that holds it."""
    out: Path
    """The model file to write."""
    kind: str = "h21"
    """`h21`: TF-IDF with support vectors; `features`: surface features; `words`: and terms."""
    corpus: str | None = None
    """H21 only: the corpus whose premises TF-IDF is fitted on; None = the judged texts."""
    folds: int = 10
    seed: int = 0
    more: tuple[Path, ...] = ()
    """`words` only: further corpora of scored arguments (`read_more`)."""

    def check(self) -> None:
        """Raise InvalidParameter for a value outside its range."""
        if self.kind not in MODEL_KINDS:
            raise InvalidParameter("--kind", self.kind, ", ".join(MODEL_KINDS))
        if not 2 <= self.folds <= 100:
            raise InvalidParameter("--folds", self.folds, "2 to 100")
        if not 0 <= self.seed < 2**31:
            raise InvalidParameter("--seed", self.seed, "0 to 2,147,483,647")
        check_file(self.out)
        if self.corpus is not None and self.kind != "h21":
            raise InvalidParameter("--corpus", self.corpus, f"nothing with --kind {self.kind}")
        if self.more and self.kind != "words":
            raise InvalidParameter("--more", str(self.more[0]), f"nothing with --kind {self.kind}")

    def command(self) -> str:
        """The command that makes the same file, with file names instead of this machine's paths."""
        corpus = f" --corpus {corpus_name(self.corpus)}" if self.corpus else ""
        more = "".join(f" --more {Path(path).name}" for path in self.more)
        return (
            f"argsearch train quality --judgements {Path(self.judgements).name} --kind {self.kind}"
            f"{corpus}{more} --folds {self.folds} --seed {self.seed} --out {Path(self.out).name}"
        )


@dataclass(frozen=True)
class TrainingResult:
    """The written file and how well such a model predicts what it was not trained on."""

    path: Path
    sha256: str
    items: int
    arguments: int
    topics: int
    rows: tuple[QualityRow, ...]
    rules: tuple[RuleRow, ...]

    def table(self) -> str:
        """The figures as a Markdown table, one line for each model and way of folding."""
        return markdown(QualityRow.COLUMNS, (row.cells() for row in self.rows), 2)

    def rules_table(self) -> str:
        """How the trained kind's gate and regression are best joined, as a Markdown table."""
        return markdown(RuleRow.COLUMNS, (rule.cells() for rule in self.rules), 3)


def train_quality(request: TrainingRequest, tell: Progress = silent) -> TrainingResult:
    """Validate and train a quality model, and write its file.

    The figures come first: each is of models that never saw the items they predict, by random
    folds (as H21) and leaving out one topic at a time; the file's model then learns from all.
    Raises InvalidParameter, JudgementsError, CorpusError, ArgsearchError.
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
    counts = items, arguments, judged.topic_count
    return TrainingResult(request.out, sha256, *counts, tuple(rows), tuple(rules))
