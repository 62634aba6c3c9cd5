"""Learners: an encoder with a scoring head, in numpy or torch (F22)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.model_files import LTR
from argsearch.indexer.quality.listwise import BLOCKS, describe, feature_names
from argsearch.lab.judgements.scored import Scored
from argsearch.lab.training.listwise.settings import TrainingPlan
from argsearch.ranking.ltr.head import Adam, backward, forward, start
from argsearch.ranking.quality.linear import Standard

Floats = NDArray[np.float64]
Items = NDArray[np.int64]
Slope = Callable[[Floats, Items], Floats]
"""Function of a list's scores and items that returns ∂loss/∂score, float64[n]."""
Arrays = dict[str, NDArray[Any]]
TRANSFORMER = "transformer:"


class StaticLearner:
    """A head over standardised surface features and averaged token vectors, in numpy."""

    kind = "static"
    libraries = ("wordllama",)
    """Libraries whose versions are recorded in a model's card."""

    def __init__(self, plan: TrainingPlan, scored: Scored, train: Items) -> None:
        self._plan = plan
        blocks = tuple(plan.model.encoder.split("+"))
        if not set(blocks) <= set(BLOCKS):
            allowed = "surface, wordllama, surface+wordllama or transformer:FOLDER"
            raise InvalidParameter("model.encoder", plan.model.encoder, allowed)
        topics = [scored.topic_names[topic] for topic in scored.topics]
        X = describe(scored.texts, blocks, topics if plan.model.topic else None)
        self.features = feature_names(blocks, plan.model.topic)
        # Training arguments only, because other topics must be unseen.
        self._standard = Standard.of(X[train])
        self._Z = self._standard(X)

    def begin(self, seed: int, rate: float) -> None:
        """Start training with a random head, drawn with this seed."""
        self._head = start(self._Z.shape[1], self._plan.model.hidden, seed)
        self._adam = Adam(rate, self._plan.training.decay)

    def learn(self, lists: Sequence[Items], slope: Slope, seed: int) -> None:  # noqa: ARG002
        """Take an Adam step on the mean loss of these lists; `seed` is unused without dropout."""
        items = np.concatenate(lists)
        X = self._Z[items]
        s, ends = forward(self._head, X), np.cumsum([len(some) for some in lists])[:-1]
        slopes = [slope(*of) for of in zip(np.split(s, ends), lists, strict=True)]
        self._adam.step(self._head, backward(self._head, X, np.concatenate(slopes) / len(lists)))

    def scores(self, items: Items) -> Floats:
        """Return the scores of items, float64[n]."""
        return forward(self._head, self._Z[items])

    def weights(self) -> Arrays:
        """Return a copy of the head."""
        return {name: w.copy() for name, w in self._head.items()}

    def load(self, weights: Arrays) -> None:
        """Replace the head."""
        self._head = {name: w.copy() for name, w in weights.items()}

    def write(self, folder: Path, trained: Mapping[str, Arrays]) -> Arrays:  # noqa: ARG002
        """Return all heads, and the parameters of the standardisation."""
        heads = {f"{name}.{key}": w for name, head in trained.items() for key, w in head.items()}
        return heads | {"standard": self._standard.stacked()}


class TransformerLearner:
    """Fine-tunes a transformers or sentence-transformers folder with torch (extra `ltr`).

    `ranking.ltr` computes the gradient of the loss, and torch propagates it.
    """

    kind = "transformer"
    libraries = ("torch", "transformers")
    features = ()
    """No features are recorded, because the model's folder contains the encoder's own files."""

    def __init__(self, plan: TrainingPlan, scored: Scored) -> None:
        from argsearch.indexer.quality.transformer import folder_of, needed

        needed()
        self._plan, self._texts = plan, scored.texts
        self._folder = folder_of(plan.model.encoder.removeprefix(TRANSFORMER))
        self._topics = [scored.topic_names[topic] for topic in scored.topics]

    def begin(self, seed: int, rate: float) -> None:
        """Start training from the pretrained encoder, with a random head from the seed."""
        import torch

        from argsearch.indexer.quality.transformer import Scorer

        torch.manual_seed(seed)
        self._scorer = Scorer(self._folder, self._plan.model, trained=False)
        self._adam = torch.optim.Adam(self._scorer.net.parameters(), lr=rate)

    def _of(self, items: Items) -> tuple[list[str], list[str] | None]:
        at = items.tolist()
        topics = [self._topics[i] for i in at] if self._plan.model.topic else None
        return [self._texts[i] for i in at], topics

    def learn(self, lists: Sequence[Items], slope: Slope, seed: int) -> None:
        """Take an Adam step on the mean loss of these lists; `seed` is for the dropout.

        The lists are processed in turn, so that only one at a time is in memory.
        """
        import torch

        torch.manual_seed(seed)
        self._scorer.net.train()
        self._adam.zero_grad()
        for some in lists:
            s = self._scorer(*self._of(some))
            found = slope(s.detach().cpu().double().numpy(), some) / len(lists)
            s.backward(torch.as_tensor(found, dtype=s.dtype, device=s.device))
        self._adam.step()

    def scores(self, items: Items) -> Floats:
        """Return the items' scores, float64[n], computed in batches of similar length."""
        import torch

        self._scorer.net.eval()
        # A batch is padded to its longest text.
        order = sorted(range(len(items)), key=lambda i: len(self._texts[int(items[i])]))
        out = np.empty(len(items))
        with torch.no_grad():
            for first in range(0, len(order), 32):
                at = np.array(order[first : first + 32], np.int64)
                out[at] = self._scorer(*self._of(items[at])).double().cpu().numpy()
        return out

    def weights(self) -> Arrays:
        """Return all weights."""
        return self._scorer.weights()

    def load(self, weights: Arrays) -> None:
        """Replace the weights."""
        self._scorer.load(weights)

    def write(self, folder: Path, trained: Mapping[str, Arrays]) -> Arrays:
        """Write the encoder's configuration and tokenizer, and each member's weights."""
        from argsearch.indexer.quality.transformer import Scorer

        # A new scorer, because the trained one's tokenizer keeps truncation and padding settings.
        scorer = Scorer(self._folder, self._plan.model, trained=True)
        scorer.config.save_pretrained(folder / "encoder")
        scorer.tokenizer.save_pretrained(folder / "encoder")
        for name, weights in trained.items():
            LTR.write(folder / f"{name}.safetensors", {"name": name}, weights)
        return {}


Learner = StaticLearner | TransformerLearner
"""A model over the arguments of one corpus, which it addresses by position."""


def make_learner(plan: TrainingPlan, scored: Scored, train: Items) -> Learner:
    """Build the learner for the encoder in a plan; raise InvalidParameter or MissingExtra."""
    if plan.model.encoder.startswith(TRANSFORMER):
        return TransformerLearner(plan, scored)
    return StaticLearner(plan, scored, train)
