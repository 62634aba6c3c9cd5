"""The cheap encoder: surface features and averaged token vectors, a head trained with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.quality.listwise.learner import Arrays, Floats, Items, Slope
from argsearch.ranking.ltr.head import Adam, backward, forward, start
from argsearch.ranking.quality.linear import Standard
from argsearch.ranking.quality.surface.features import FEATURES, features
from argsearch.ranking.quality.surface.scanning import MAX_WORDS

BLOCKS = ("surface", "wordllama")
"""Features of a text: those of the default quality model; the mean of its words' vectors."""

SPREAD = 16.0
"""What unit vectors of 256 dimensions are multiplied by: then a dimension varies by about 1."""


@cache
def _encoder() -> Any:
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    return WordLlamaEncoder()


def feature_names(blocks: Sequence[str], topic: bool) -> list[str]:
    """The features by name, in the order of a model's weights."""
    names = [feature.name for feature in FEATURES] if "surface" in blocks else []
    if "wordllama" in blocks:
        names += [f"wordllama {i}" for i in range(_encoder().dimensions)]
        names += [f"wordllama × topic {i}" for i in range(_encoder().dimensions * topic)]
    return names


def describe(
    texts: Sequence[str], blocks: Sequence[str], topics: Sequence[str] | None = None
) -> Floats:
    """The features of texts, float64[n, k], of their first 300 words; finite for any string.

    With topics, one for each text, also the product of both vectors.
    """
    parts: list[NDArray[Any]] = [np.zeros((len(texts), 0))]
    if "surface" in blocks:
        parts.append(features(texts))
    if "wordllama" in blocks:
        encode = _encoder().encode
        vectors = SPREAD * encode([" ".join(text.split()[:MAX_WORDS]) for text in texts])
        parts.append(vectors)
        if topics is not None:
            parts.append(vectors * (SPREAD * encode(topics)))
    return np.hstack(parts).astype(np.float64)


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
        """One step of Adam; there is no dropout."""
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


def standardised(X: Floats, train: Items) -> tuple[Standard, Floats]:
    """What X [n, k] is standardised by, from the training arguments alone; and X so."""
    standard = Standard.of(X[train])
    return standard, standard(X)
