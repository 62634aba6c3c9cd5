"""Training one model: its loop, and checkpoints to go on from (F22)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numpy as np

from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.model_files import ModelForm
from argsearch.lab.training.listwise.learners import Arrays, Floats, Items, Learner
from argsearch.lab.training.listwise.settings import Training
from argsearch.ranking.ltr.losses import Loss

CHECKPOINT = ModelForm("checkpoint", 2, "remove its folder and train from the beginning")


@dataclass(frozen=True)
class TrainingJob:
    """One model to train: its lists, labels and loss."""

    name: str
    """Of the loss and the seed."""
    loss: Loss
    seed: int
    train: list[Items]
    valid: list[Items]
    y: Floats
    """Labels of all the corpus' arguments, float64[n]."""
    settings: Training
    digest: str
    """Of the configuration and the corpus: a checkpoint of others is refused."""

    def slope(self, s: Floats, items: Items) -> Floats:
        """∂loss/∂score of one list."""
        return self.loss.gradient(s, self.y[items])

    def validation(self, learner: Learner) -> float:
        """The mean loss of the validation lists."""
        losses = [self.loss.value(learner.scores(some), self.y[some]) for some in self.valid]
        return float(np.mean(losses))

    @property
    def batches(self) -> int:
        """Steps of one pass."""
        return -(-len(self.train) // self.settings.batch)


@dataclass
class Passed:
    """How far a training is."""

    epoch: int = 0
    step: int = 0
    """Steps done in this pass."""
    best: float = float("inf")
    best_epoch: int = 0
    history: list[float] = field(default_factory=list)
    """Validation loss before training, and after each pass."""

    def over(self, settings: Training) -> bool:
        """Whether all passes are done, or the last ones brought nothing."""
        late = self.epoch - self.best_epoch >= settings.patience
        return self.epoch >= settings.epochs or (self.epoch > 0 and late)


@dataclass(frozen=True)
class Trained:
    """A finished model."""

    name: str
    weights: Arrays
    passed: Passed
    scores: Floats
    """float64[n] of every argument of the corpus."""


def train_member(
    learner: Learner, job: TrainingJob, checkpoint: Path, tick: Callable[[int, int], None]
) -> tuple[Arrays, Passed]:
    """The weights of the lowest validation loss, and how the training went.

    Goes on from the checkpoint where there is one: a training that was ended and resumed gives the
    same bytes. `tick` is told the steps done since this start, and how many there can be. Raises
    ArgsearchError for a checkpoint of another training, ModelError for a damaged one.
    """
    settings, passed = job.settings, Passed()
    learner.begin(job.seed, settings.rate)
    best = learner.weights()
    if checkpoint.exists():
        passed, best = _resume(learner, job, checkpoint)
    else:
        passed.best = job.validation(learner)
        passed.history.append(passed.best)
    before = passed.epoch * job.batches + passed.step
    while not passed.over(settings):
        order = np.random.default_rng((job.seed, passed.epoch)).permutation(len(job.train))
        # Each step's dropout has a seed of its own: a resumed training draws the same.
        while passed.step < job.batches:
            at = order[passed.step * settings.batch : (passed.step + 1) * settings.batch]
            number = passed.epoch * job.batches + passed.step
            learner.learn([job.train[i] for i in at], job.slope, job.seed * 1_000_003 + number)
            passed.step += 1
            tick(number + 1 - before, settings.epochs * job.batches - before)
            # The end of a pass is saved below in any case.
            if passed.step % settings.every == 0 and passed.step < job.batches:
                _save(learner, job, passed, best, checkpoint)
        loss = job.validation(learner)
        passed.history.append(loss)
        passed.epoch, passed.step = passed.epoch + 1, 0
        # No checkpoint keeps what could only be resumed into NaN.
        if not np.isfinite(loss):
            raise ArgsearchError(f"training {job.name}: the loss is {loss}; lower training.rate")
        if loss < passed.best:
            passed.best, passed.best_epoch, best = loss, passed.epoch, learner.weights()
        _save(learner, job, passed, best, checkpoint)
    learner.load(best)
    return best, passed


def _save(learner: Learner, job: TrainingJob, passed: Passed, best: Arrays, path: Path) -> None:
    arrays = {f"weights.{name}": w for name, w in learner.weights().items()}
    arrays |= {f"moments.{name}": m for name, m in learner.moments().items()}
    arrays |= {f"best.{name}": w for name, w in best.items()}
    CHECKPOINT.write(path, {"digest": job.digest, "name": job.name, **asdict(passed)}, arrays)


def _resume(learner: Learner, job: TrainingJob, path: Path) -> tuple[Passed, Arrays]:
    file = CHECKPOINT.read(path)
    arrays, told = file.arrays, file.header
    if (told["digest"], told["name"]) != (job.digest, job.name):
        raise ArgsearchError(
            f"checkpoint {str(path)!r} is of another training ({told['name']}); "
            "remove its folder, or train with the configuration and corpus it was made with"
        )
    parts: dict[str, Arrays] = {"weights": {}, "moments": {}, "best": {}}
    for name, array in arrays.items():
        part, _, rest = name.partition(".")
        parts[part][rest] = array
    learner.load(parts["weights"])
    learner.resume(parts["moments"])
    known = {one.name: told[one.name] for one in fields(Passed)}
    return Passed(**known), parts["best"]
