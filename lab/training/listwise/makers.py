"""From a configuration to learners, and from these to the files of a model's folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import LTR
from argsearch.indexer.quality.listwise.learner import Arrays, Items, Learner
from argsearch.indexer.quality.listwise.static import (
    BLOCKS,
    StaticLearner,
    describe,
    feature_names,
    standardised,
)
from argsearch.lab.judgements.scored import Scored
from argsearch.lab.training.listwise.loop import Trained, TrainingJob
from argsearch.lab.training.listwise.settings import TrainingPlan
from argsearch.ranking.ltr.head import Adam

TRANSFORMER = "transformer:"


class StaticMaker:
    """Surface features and averaged token vectors, by numpy alone."""

    kind = "static"
    libraries = ("wordllama",)
    """Whose versions a model's card records."""

    def __init__(self, plan: TrainingPlan, scored: Scored, train: Items) -> None:
        self.plan = plan
        self.blocks = tuple(plan.model.encoder.split("+"))
        if not set(self.blocks) <= set(BLOCKS):
            allowed = "surface, wordllama, surface+wordllama, transformer:FOLDER"
            raise InvalidParameter("model.encoder", plan.model.encoder, allowed)
        topics = [scored.topic_names[topic] for topic in scored.topics]
        X = describe(scored.texts, self.blocks, topics if plan.model.topic else None)
        self.features = feature_names(self.blocks, plan.model.topic)
        self.standard, self.Z = standardised(X, train)

    def learner(self, job: TrainingJob) -> Learner:
        """A head of the configuration's size."""
        settings = self.plan.training
        adam = Adam(settings.rate, settings.decay)
        return StaticLearner.of(self.Z, self.plan.model.hidden, adam, job.seed)

    def write(self, folder: Path, trained: list[Trained]) -> Arrays:  # noqa: ARG002
        """Give back every head, and what features are standardised by."""
        parts = [getattr(self.standard, part) for part in ("low", "high", "mean", "scale")]
        named = [(one.name, one.weights) for one in trained]
        heads = {f"{name}.{key}": w for name, head in named for key, w in head.items()}
        return heads | {"standard": np.stack(parts)}


class TransformerMaker:
    """A transformers or sentence-transformers folder, fine-tuned by torch (extra `ltr`)."""

    kind = "transformer"
    libraries = ("torch", "transformers")
    features = ()
    """None by name: the encoder's own files are in the folder."""

    def __init__(self, plan: TrainingPlan, scored: Scored) -> None:
        from argsearch.indexer.quality.listwise.transformer import folder_of, needed

        needed()
        self.plan = plan
        self.folder = folder_of(plan.model.encoder.removeprefix(TRANSFORMER))
        self.texts = scored.texts
        self.topics = [scored.topic_names[topic] for topic in scored.topics]

    def learner(self, job: TrainingJob) -> Learner:
        """The pretrained encoder with a new head."""
        import torch

        from argsearch.indexer.quality.listwise.transformer import Scorer, TransformerLearner

        torch.manual_seed(job.seed)
        scorer = Scorer(self.folder, self.plan.model, trained=False)
        topics = self.topics if self.plan.model.topic else None
        return TransformerLearner(scorer, self.texts, topics, self.plan.training.rate)

    def write(self, folder: Path, trained: list[Trained]) -> Arrays:
        """Write the encoder's configuration and tokenizer, and each member's weights."""
        from argsearch.indexer.quality.listwise.transformer import Scorer

        scorer = Scorer(self.folder, self.plan.model, trained=True)
        scorer.config.save_pretrained(folder / "encoder")
        scorer.tokenizer.save_pretrained(folder / "encoder")
        for one in trained:
            LTR.write(folder / f"{one.name}.safetensors", {"name": one.name}, one.weights)
        return {}


Maker = StaticMaker | TransformerMaker
"""One kind of encoder over one corpus."""


def make_maker(plan: TrainingPlan, scored: Scored, train: Items) -> Maker:
    """The maker of a configuration's encoder; raises InvalidParameter, MissingExtra."""
    if plan.model.encoder.startswith(TRANSFORMER):
        return TransformerMaker(plan, scored)
    return StaticMaker(plan, scored, train)
