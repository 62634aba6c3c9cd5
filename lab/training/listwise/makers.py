"""From a configuration to learners, and from these to the files of a model's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import LTR
from argsearch.indexer.quality.listwise import BLOCKS, describe, feature_names
from argsearch.lab.judgements.scored import Scored
from argsearch.lab.training.listwise.learners import (
    Arrays,
    Learner,
    StaticLearner,
    TransformerLearner,
)
from argsearch.lab.training.listwise.loop import Trained, TrainingJob
from argsearch.lab.training.listwise.settings import TrainingPlan
from argsearch.lab.training.listwise.splits import Split
from argsearch.ranking.ltr.adam import Adam
from argsearch.ranking.quality.linear import Standard

TRANSFORMER = "transformer:"


class Maker(Protocol):
    """One kind of encoder over one corpus."""

    kind: str
    libraries: tuple[str, ...]
    """Whose versions a model's card records."""

    def learner(self, job: TrainingJob) -> Learner:
        """A model at the start of its training."""

    def describe(self) -> dict[str, Any]:
        """What the card says of the features."""

    def write(self, folder: Path, trained: list[Trained]) -> Arrays:
        """Write large files to a model's folder; give back the small arrays."""


class StaticMaker:
    """Surface features and averaged token vectors, by numpy alone."""

    kind = "static"
    libraries: tuple[str, ...] = ("wordllama",)

    def __init__(self, plan: TrainingPlan, scored: Scored, split: Split) -> None:
        self.plan = plan
        self.blocks = tuple(plan.model.encoder.split("+"))
        if not set(self.blocks) <= set(BLOCKS):
            allowed = "surface, wordllama, surface+wordllama, transformer:FOLDER"
            raise InvalidParameter("model.encoder", plan.model.encoder, allowed)
        topics = [scored.topic_names[topic] for topic in scored.topics]
        X = describe(scored.texts, self.blocks, topics if plan.model.topic else None)
        self.standard = Standard.of(X[split.train])
        self.Z = self.standard(X)

    def learner(self, job: TrainingJob) -> Learner:
        """A head of the configuration's size."""
        settings = self.plan.training
        adam = Adam(settings.rate, settings.decay)
        return StaticLearner.of(self.Z, self.plan.model.hidden, adam, job.seed)

    def describe(self) -> dict[str, Any]:
        """The features by name."""
        return {"features": feature_names(self.blocks, self.plan.model.topic)}

    def write(self, folder: Path, trained: list[Trained]) -> Arrays:  # noqa: ARG002
        """Every head, and what features are standardised by."""
        named = [(one.name, one.weights) for one in trained]
        heads = {f"{name}.{key}": w for name, head in named for key, w in head.items()}
        return heads | {"standard": self.standard.stacked()}


class TransformerMaker:
    """A transformers or sentence-transformers folder, fine-tuned by torch (extra `ltr`)."""

    kind = "transformer"
    libraries: tuple[str, ...] = ("torch", "transformers")

    def __init__(self, plan: TrainingPlan, scored: Scored) -> None:
        from argsearch.indexer.quality.transformer import folder_of, needed

        needed()
        self.plan = plan
        self.folder = folder_of(plan.model.encoder.removeprefix(TRANSFORMER))
        self.texts = scored.texts
        self.topics = [scored.topic_names[topic] for topic in scored.topics]

    def learner(self, job: TrainingJob) -> Learner:
        """The pretrained encoder with a new head."""
        import torch

        from argsearch.indexer.quality.transformer import Scorer

        torch.manual_seed(job.seed)
        scorer = Scorer(self.folder, self.plan.model, trained=False)
        topics = self.topics if self.plan.model.topic else None
        return TransformerLearner(scorer, self.texts, topics, self.plan.training.rate)

    def describe(self) -> dict[str, Any]:
        """Nothing: the encoder's own files are in the folder."""
        return {}

    def write(self, folder: Path, trained: list[Trained]) -> Arrays:
        """The encoder's configuration and tokenizer, and each member's weights."""
        from argsearch.indexer.quality.transformer import Scorer

        scorer = Scorer(self.folder, self.plan.model, trained=True)
        scorer.config.save_pretrained(folder / "encoder")
        scorer.tokenizer.save_pretrained(folder / "encoder")
        for one in trained:
            LTR.write(folder / f"{one.name}.safetensors", {"name": one.name}, one.weights)
        return {}


def make_maker(plan: TrainingPlan, scored: Scored, split: Split) -> Maker:
    """The maker of a configuration's encoder; raises InvalidParameter, MissingExtra."""
    if plan.model.encoder.startswith(TRANSFORMER):
        return TransformerMaker(plan, scored)
    return StaticMaker(plan, scored, split)
