"""Training loop of one model (F22)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from argsearch.indexer.errors import ArgsearchError
from argsearch.lab.training.listwise.learners import Arrays, Floats, Items, Learner
from argsearch.lab.training.listwise.settings import Training
from argsearch.ranking.ltr.losses import Loss


@dataclass(frozen=True)
class TrainingJob:
    """A model to train: its lists, labels, and loss."""

    name: str
    """Name of the loss and the seed."""
    loss: Loss
    seed: int
    train: list[Items]
    valid: list[Items]
    y: Floats
    """Labels of all arguments in the corpus, float64[n]."""
    settings: Training

    def slope(self, s: Floats, items: Items) -> Floats:
        """Return ∂loss/∂score of one list."""
        return self.loss.gradient(s, self.y[items])

    def validation(self, learner: Learner) -> float:
        """Return the mean loss on the validation lists."""
        losses = [self.loss.value(learner.scores(some), self.y[some]) for some in self.valid]
        return float(np.mean(losses))

    @property
    def batches(self) -> int:
        """Number of steps per epoch."""
        return -(-len(self.train) // self.settings.batch)


@dataclass
class Passed:
    """Progress of a training run."""

    epoch: int = 0
    best: float = float("inf")
    best_epoch: int = 0
    history: list[float] = field(default_factory=list)
    """Validation loss before training and after each epoch."""

    def over(self, settings: Training) -> bool:
        """Return True once all epochs are done or the last `patience` brought no improvement."""
        late = self.epoch - self.best_epoch >= settings.patience
        return self.epoch >= settings.epochs or (self.epoch > 0 and late)


@dataclass(frozen=True)
class Trained:
    """A trained model."""

    name: str
    weights: Arrays
    passed: Passed
    scores: Floats
    """float64[n], the scores of all arguments in the corpus."""


def train_member(
    learner: Learner, job: TrainingJob, tick: Callable[[int, int], None]
) -> tuple[Arrays, Passed]:
    """Return the weights with the lowest validation loss, and the progress.

    `tick` receives the number of steps done and their maximum. Raises ArgsearchError if the loss is
    not finite.
    """
    settings, passed = job.settings, Passed()
    learner.begin(job.seed, settings.rate)
    best = learner.weights()
    passed.best = job.validation(learner)
    passed.history.append(passed.best)
    while not passed.over(settings):
        order = np.random.default_rng((job.seed, passed.epoch)).permutation(len(job.train))
        for step in range(job.batches):
            at = order[step * settings.batch : (step + 1) * settings.batch]
            number = passed.epoch * job.batches + step
            # Each step's dropout has its own seed.
            learner.learn([job.train[i] for i in at], job.slope, job.seed * 1_000_003 + number)
            tick(number + 1, settings.epochs * job.batches)
        loss = job.validation(learner)
        passed.history.append(loss)
        passed.epoch += 1
        if not np.isfinite(loss):
            raise ArgsearchError(f"{job.name}: the loss became {loss}; lower training.rate")
        if loss < passed.best:
            passed.best, passed.best_epoch, best = loss, passed.epoch, learner.weights()
    learner.load(best)
    return best, passed
