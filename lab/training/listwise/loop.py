"""Training loop of one model, with checkpoints from which it can resume (F22)."""

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
    """A model to train: its lists, labels, and loss."""

    name: str
    """Name of the loss, and seed."""
    loss: Loss
    seed: int
    train: list[Items]
    valid: list[Items]
    y: Floats
    """Labels of all arguments in the corpus, float64[n]."""
    settings: Training
    digest: str
    """Digest of configuration and corpus; a checkpoint with a different one is rejected."""

    def slope(self, s: Floats, items: Items) -> Floats:
        """Return ∂loss/∂score of one list."""
        return self.loss.gradient(s, self.y[items])

    def validation(self, learner: Learner) -> float:
        """Return the mean loss of the validation lists."""
        losses = [self.loss.value(learner.scores(some), self.y[some]) for some in self.valid]
        return float(np.mean(losses))

    @property
    def batches(self) -> int:
        """Number of steps per epoch."""
        return -(-len(self.train) // self.settings.batch)


@dataclass
class Passed:
    """Progress of a training."""

    epoch: int = 0
    step: int = 0
    """Number of steps done in this epoch."""
    best: float = float("inf")
    best_epoch: int = 0
    history: list[float] = field(default_factory=list)
    """Validation loss before training and after each epoch."""

    def over(self, settings: Training) -> bool:
        """Return whether all epochs are done, or the last `patience` epochs were no better."""
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
    learner: Learner, job: TrainingJob, checkpoint: Path, tick: Callable[[int, int], None]
) -> tuple[Arrays, Passed]:
    """Return the weights with the lowest validation loss, and the progress.

    Training resumes from an existing checkpoint, with the same resulting bytes. `tick` receives the
    number of steps since this start and their maximum. Raises ArgsearchError for a checkpoint of
    another training, and ModelError for a damaged one.
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
        # Each step's dropout has its own seed, so that a resumed training draws the same.
        while passed.step < job.batches:
            at = order[passed.step * settings.batch : (passed.step + 1) * settings.batch]
            number = passed.epoch * job.batches + passed.step
            learner.learn([job.train[i] for i in at], job.slope, job.seed * 1_000_003 + number)
            passed.step += 1
            tick(number + 1 - before, settings.epochs * job.batches - before)
            # The end of an epoch is saved below in any case.
            if passed.step % settings.every == 0 and passed.step < job.batches:
                _save(learner, job, passed, best, checkpoint)
        loss = job.validation(learner)
        passed.history.append(loss)
        passed.epoch, passed.step = passed.epoch + 1, 0
        # Raise before saving, because a checkpoint with NaN could not be resumed.
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
