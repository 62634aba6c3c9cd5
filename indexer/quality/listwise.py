"""Quality models from a folder that `argsearch train ltr` wrote (F22).

The folder has safetensors files, and a `model.json` with their SHA-256.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.model_files import LTR, ModelFolder
from argsearch.indexer.quality import QualityModel
from argsearch.ranking.ltr.head import score
from argsearch.ranking.quality.linear import Standard
from argsearch.ranking.quality.surface import FEATURES, MAX_WORDS, features

Floats = NDArray[np.float64]
Scores = Callable[[Sequence[str]], Floats]
"""Function that scores texts with every model in an ensemble, float64[models, n]."""

RANKED_AT_ONCE = 1024
"""Number of texts to score at a time; limits memory, changes no prediction."""

BLOCKS = ("surface", "wordllama")
"""Blocks of features: the default quality model's features, and the mean word vector."""

VECTOR_SCALE = 16.0
"""Factor that scales unit vectors of 256 dimensions to a variance of about 1 per dimension."""


def feature_names(blocks: Sequence[str], topic: bool) -> list[str]:
    """Return the names of the features, in the order of a model's weights."""
    names = [feature.name for feature in FEATURES] if "surface" in blocks else []
    if "wordllama" in blocks:
        dimensions = load_encoder("wordllama").dimensions
        names += [f"wordllama {i}" for i in range(dimensions)]
        names += [f"wordllama × topic {i}" for i in range(dimensions * topic)]
    return names


def describe(
    texts: Sequence[str], blocks: Sequence[str], topics: Sequence[str] | None = None
) -> Floats:
    """Return the features of each text's first 300 words, float64[n, k]; always finite.

    With topics, one per text, the product of the text's and the topic's vectors is added.
    """
    parts: list[NDArray[Any]] = [np.zeros((len(texts), 0))]
    if "surface" in blocks:
        parts.append(features(texts))
    if "wordllama" in blocks:
        encode = load_encoder("wordllama").encode
        vectors = VECTOR_SCALE * encode([" ".join(text.split()[:MAX_WORDS]) for text in texts])
        parts.append(vectors)
        if topics is not None:
            parts.append(vectors * (VECTOR_SCALE * encode(topics)))
    return np.hstack(parts).astype(np.float64)


HEADS_FILE = "heads.safetensors"
"""File of small arrays: the heads of static models, and the scaling from scores to Q."""


@dataclass(frozen=True)
class ListwiseQuality(QualityModel):
    """Q = clip(a + b · mean of the models' standardised scores, 0, 1)."""

    scores: Scores
    spread: Floats
    """float64[2, models]: mean and standard deviation of each model's training scores."""
    line: Floats
    """(a, b) of the least squares line from an ensemble's training score to a label in [0, 1]."""

    @classmethod
    def open(cls, spec: str) -> ListwiseQuality:
        """Open the model in a folder; raise ModelError with a one-line remedy."""
        folder = LTR.read_folder(spec)
        card = folder.card
        with LTR.unpacking(spec):
            if card["model"]["topic"]:
                raise LTR.error(spec, "needs each argument's topic, which an index does not have")
            kind, arrays = card["kind"], LTR.read(folder.path / HEADS_FILE).arrays
            if kind not in MEMBER_SCORERS:
                what = f"has unknown kind {kind!r}; the kinds are {', '.join(MEMBER_SCORERS)}"
                raise LTR.error(spec, what)
            names = [member["name"] for member in card["members"]]
            scores = MEMBER_SCORERS[kind](folder, names, arrays)
            return cls(spec, folder.sha256, card, scores, arrays["spread"], arrays["line"])

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """Return a + b · score, float32[n]; NaN for a text without words."""
        out = np.full(len(premises), np.nan, np.float32)
        worded = [i for i, text in enumerate(premises) if text.split()]
        for first in range(0, len(worded), RANKED_AT_ONCE):
            at = worded[first : first + RANKED_AT_ONCE]
            s = self.scores([premises[i] for i in at])
            mean, deviation = self.spread
            together = ((s - mean[:, None]) / deviation[:, None]).mean(axis=0)
            out[at] = self.line[0] + self.line[1] * together
        return out


def _static(folder: ModelFolder, names: Sequence[str], arrays: dict[str, Any]) -> Scores:
    """Return the scoring function of heads over surface features and averaged token vectors."""
    blocks = tuple(folder.card["model"]["encoder"].split("+"))
    known = folder.card["features"]
    if known != feature_names(blocks, topic=False):
        what = "was trained on features that differ from those of this version"
        raise LTR.error(folder.path, what)
    heads = [_head(arrays, name, len(known)) for name in names]
    standard = Standard(*arrays["standard"])

    def scores(texts: Sequence[str]) -> Floats:
        """Return the scores of texts; a score does not depend on the other texts."""
        Z = standard(describe(texts, blocks))
        return np.array([score(head, Z) for head in heads])

    return scores


def _transformer(folder: ModelFolder, names: Sequence[str], _: dict[str, Any]) -> Scores:
    """Return a scoring function with the fine-tuned transformers, which all stay in memory."""
    from argsearch.indexer.quality.transformer import Model, Scorer

    known, model = {one.name for one in fields(Model)}, folder.card["model"]
    settings = Model(**{key: value for key, value in model.items() if key in known})
    scorers = [Scorer(folder.path / "encoder", settings, trained=True) for _ in names]
    for scorer, name in zip(scorers, names, strict=True):
        scorer.load(LTR.read(folder.path / f"{name}.safetensors").arrays)
    return lambda texts: np.array([scorer.score(texts) for scorer in scorers])


MEMBER_SCORERS = {"static": _static, "transformer": _transformer}
"""For each kind of folder, the function that returns its scoring function."""


def _head(arrays: dict[str, Any], name: str, features: int) -> dict[str, Floats]:
    """Return a member's head; raise KeyError or ValueError if its shape does not fit."""
    start = f"{name}."
    head = {key[len(start) :]: a for key, a in arrays.items() if key.startswith(start)}
    hidden = head["c"].shape if "V" in head else (features,)
    inner = head["V"].shape if "V" in head else (features, *hidden)
    if (inner, head["w"].shape, head["b"].shape) != ((features, *hidden), hidden, (1,)):
        raise ValueError(f"the head {name!r} does not take {features} features")
    return head
