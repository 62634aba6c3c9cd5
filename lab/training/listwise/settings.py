"""Configuration of listwise training (TOML): data, model, and training settings (F22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from argsearch.indexer.errors import ArgsearchError, InvalidParameter, either
from argsearch.indexer.format.settings import parse_toml, read_section, setting
from argsearch.indexer.quality.transformer import Model
from argsearch.lab.judgements.scored import CORPORA, LABELS
from argsearch.ranking.ltr.lists import SCALINGS
from argsearch.ranking.ltr.losses import LOSSES
from argsearch.ranking.ltr.measures import GAINS

LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Data:
    """Section [data]."""

    corpus: str = setting("csv", "the corpus' form", choices=tuple(CORPORA))
    source: str = setting(
        "", "its file or folder, relative to ARGSEARCH_DATA or to the configuration"
    )
    labels: str = setting(
        "scores", "scores in the corpus, or computed from its pairwise judgements", choices=LABELS
    )
    prior: float = setting(
        0.0, "number of pseudo-comparisons that shrink WinRate towards ½", low=0.0, high=1000.0
    )
    split: str = setting(
        "topics",
        "random topics, or the corpus's own split",
        choices=("topics", "published"),
    )
    valid_topics: int = setting(
        5, "validation topics, used to choose the epoch", low=1, high=10_000
    )
    test_topics: int = setting(5, "topics to test on; 0: none", low=0, high=10_000)
    seed: int = setting(0, "seed for drawing the topics", low=0, high=LARGEST_SEED)


@dataclass(frozen=True, slots=True)
class Training:
    """Section [training]."""

    losses: tuple[str, ...] = setting(
        ("mse",), "the losses; several (or several seeds) make an ensemble", choices=tuple(LOSSES)
    )
    ensemble: tuple[str, ...] = setting(
        (),
        "losses in the model's ensemble; all, if none is named",
        choices=tuple(LOSSES),
    )
    seeds: int = setting(1, "models per loss, with different seeds", low=1, high=100)
    first_seed: int = setting(0, "the first of these seeds", low=0, high=LARGEST_SEED)
    target: str = setting(
        "dense",
        "labels: dense ranks within the topic (as published), these ranks divided by the highest, "
        "or the scores unchanged",
        choices=("dense", "unit", "score"),
    )
    temperature: float = setting(0.1, "of ApproxNDCG", low=0.001, high=100.0)
    gain: str = setting("exponential", "of ApproxNDCG", choices=GAINS)
    length: int = setting(12, "arguments of a training list", low=2, high=1000)
    batch: int = setting(6, "lists a step", low=1, high=1000)
    rate: float = setting(1e-3, "Adam's step size", low=1e-9, high=10.0)
    decay: float = setting(0.0, "weight decay per step, multiplied by the rate", low=0.0, high=1e6)
    epochs: int = setting(20, "passes over the training topics", low=1, high=100_000)
    patience: int = setting(
        5, "epochs without a lower validation loss before training stops", low=1, high=100_000
    )
    scaling: str = setting(
        "minmax",
        "how an ensemble's scores are scaled within a topic in the report",
        choices=SCALINGS,
    )


OWN = ("rate", "epochs")
"""Keys of [training] that a section [loss.NAME] can override for one loss (F22)."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A whole training configuration."""

    data: Data = field(default_factory=Data)
    model: Model = field(default_factory=Model)
    training: Training = field(default_factory=Training)
    loss: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Overrides by loss and key."""
    name: str = "ltr"
    folder: Path = field(default_factory=Path)
    """Folder for relative sources that are not in ARGSEARCH_DATA."""

    def to_dict(self) -> dict[str, Any]:
        """Return the sections, ready for JSON."""
        sections = {section: asdict(getattr(self, section)) for section in SECTIONS}
        return sections | ({"loss": self.loss} if self.loss else {})

    def of(self, loss: str) -> Training:
        """Return the training settings of one loss."""
        return replace(self.training, **self.loss.get(loss, {}))  # type: ignore[arg-type]


SECTIONS = {"data": Data, "model": Model, "training": Training}


def read_plan(path: Path) -> TrainingPlan:
    """Read a training configuration from a TOML file.

    Raises ArgsearchError for an unreadable file, and InvalidParameter with the name of a bad key.
    """
    try:
        tables = parse_toml(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ArgsearchError(
            f"the training configuration {str(path)!r} cannot be read ({error.strerror})"
        ) from error
    except ValueError as error:
        raise ArgsearchError(f"configuration {path.name} is not valid TOML: {error}") from error
    losses = tables.pop("loss", {})
    for section, values in {**tables, "loss": losses}.items():
        if section not in (*SECTIONS, "loss") or not isinstance(values, dict):
            allowed = ", ".join((*SECTIONS, "loss.NAME"))
            problem = f"there is no config section [{section}]; the sections are {allowed}"
            raise InvalidParameter("config section", section, allowed, problem)
    read: dict[str, Any] = {
        name: read_section(SECTIONS[name], name, values) for name, values in tables.items()
    }
    training = read.get("training", Training())
    if missing := set(training.ensemble) - set(training.losses):
        raise InvalidParameter("training.ensemble", min(missing), either(training.losses))
    own = {name: _own(name, values, training.losses) for name, values in losses.items()}
    return TrainingPlan(**read, loss=own, name=path.stem, folder=path.parent)


def _own(loss: str, values: Any, losses: tuple[str, ...]) -> dict[str, float]:
    if loss not in losses:
        raise InvalidParameter(
            "config section", f"loss.{loss}", either(f"loss.{one}" for one in losses)
        )
    if not isinstance(values, dict) or not set(values) <= set(OWN):
        allowed = f"a section with the keys {', '.join(OWN)}"
        raise InvalidParameter(f"config section loss.{loss}", values, allowed)
    read = read_section(Training, f"loss.{loss}", values)
    return {key: getattr(read, key) for key in values}
