"""What is trained: an encoder with a scoring head, by numpy or by torch (F22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.ltr.head import Adam, backward, forward, start

if TYPE_CHECKING:
    from argsearch.indexer.quality.transformer import Scorer

Floats = NDArray[np.float64]
Items = NDArray[np.int64]
Slope = Callable[[Floats, Items], Floats]
"""(scores of a list's items, the items) -> ∂loss/∂score, float64[n]."""
Arrays = dict[str, NDArray[Any]]


@dataclass
class StaticLearner:
    """A head over standardised features Z [n, k]."""

    Z: Floats
    head: dict[str, Floats]
    adam: Adam

    @classmethod
    def of(cls, Z: Floats, hidden: int, adam: Adam, seed: int) -> StaticLearner:
        """One at the start of its training."""
        return cls(Z, start(Z.shape[1], hidden, seed), adam)

    def learn(self, lists: Sequence[Items], slope: Slope, seed: int) -> None:  # noqa: ARG002
        """One step of Adam against the mean loss of these lists; there is no dropout to seed."""
        items = np.concatenate(lists)
        X = self.Z[items]
        s, ends = forward(self.head, X), np.cumsum([len(some) for some in lists])[:-1]
        slopes = [slope(*of) for of in zip(np.split(s, ends), lists, strict=True)]
        self.adam.step(self.head, backward(self.head, X, np.concatenate(slopes) / len(lists)))

    def scores(self, items: Items) -> Floats:
        """Scores float64[n]."""
        return forward(self.head, self.Z[items])

    def weights(self) -> Arrays:
        """A copy of the head."""
        return {name: w.copy() for name, w in self.head.items()}

    def load(self, weights: Arrays) -> None:
        """Take a head."""
        self.head = {name: w.copy() for name, w in weights.items()}

    def moments(self) -> Arrays:
        """Adam's moments and its count of steps."""
        named = {f"m.{name}": m.copy() for name, m in self.adam.m.items()}
        named |= {f"v.{name}": v.copy() for name, v in self.adam.v.items()}
        return named | {"steps": np.array([self.adam.steps])}

    def resume(self, moments: Arrays) -> None:
        """Take Adam's moments."""
        adam = self.adam
        adam.steps = int(moments["steps"][0])
        adam.m = {name[2:]: m.copy() for name, m in moments.items() if name.startswith("m.")}
        adam.v = {name[2:]: v.copy() for name, v in moments.items() if name.startswith("v.")}


class TransformerLearner:
    """Fine-tunes a `Scorer`; the loss' gradient comes from `ranking.ltr`, torch goes on with it."""

    def __init__(
        self, scorer: Scorer, texts: Sequence[str], topics: Sequence[str] | None, rate: float
    ) -> None:
        import torch

        self.scorer, self.texts, self.topics = scorer, texts, topics
        self.adam = torch.optim.Adam(scorer.net.parameters(), lr=rate)

    def _of(self, items: Items) -> tuple[list[str], list[str] | None]:
        at = items.tolist()
        topics = None if self.topics is None else [self.topics[i] for i in at]
        return [self.texts[i] for i in at], topics

    def learn(self, lists: Sequence[Items], slope: Slope, seed: int) -> None:
        """One step of Adam against the mean loss of these lists; `seed` is of its dropout.

        List by list, so that one list at a time is held in memory.
        """
        import torch

        torch.manual_seed(seed)
        self.scorer.net.train()
        self.adam.zero_grad()
        for some in lists:
            s = self.scorer(*self._of(some))
            found = slope(s.detach().cpu().double().numpy(), some) / len(lists)
            s.backward(torch.as_tensor(found, dtype=s.dtype, device=s.device))
        self.adam.step()

    def scores(self, items: Items) -> Floats:
        """Scores float64[n], in batches of like length."""
        import torch

        self.scorer.net.eval()
        order = sorted(range(len(items)), key=lambda i: len(self.texts[int(items[i])]))
        out = np.empty(len(items))
        with torch.no_grad():
            for first in range(0, len(order), 32):
                at = np.array(order[first : first + 32], np.int64)
                out[at] = self.scorer(*self._of(items[at])).double().cpu().numpy()
        return out

    def weights(self) -> Arrays:
        """All weights."""
        return self.scorer.weights()

    def load(self, weights: Arrays) -> None:
        """Take weights."""
        self.scorer.load(weights)

    def moments(self) -> Arrays:
        """Adam's moments and counts, by parameter and name."""
        found: dict[str, NDArray[Any]] = {}
        for number, state in self.adam.state_dict()["state"].items():
            for name, value in state.items():
                found[f"{number}.{name}"] = value.detach().cpu().numpy().copy()
        return found

    def resume(self, moments: Arrays) -> None:
        """Take Adam's moments."""
        import torch

        state: dict[int, dict[str, Any]] = {}
        for name, array in moments.items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = torch.from_numpy(array.copy())
        self.adam.load_state_dict(self.adam.state_dict() | {"state": state})


Learner = StaticLearner | TransformerLearner
"""A model over the arguments of one corpus, by their places."""
