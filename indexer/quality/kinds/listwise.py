"""A folder of `argsearch train ltr` as a quality model (F22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import LTR
from argsearch.indexer.quality.listwise.folder import (
    HEADS,
    ModelFolder,
    read_folder,
)
from argsearch.indexer.quality.protocol import ClippedQuality
from argsearch.ranking.ltr.head import score
from argsearch.ranking.quality.linear import Standard

Floats = NDArray[np.float64]

RANKED_AT_ONCE = 1024
"""Texts scored at a time; bounds memory, changes no prediction."""


class Members(Protocol):
    """The models of an ensemble."""

    def scores(self, texts: Sequence[str]) -> Floats:
        """Scores float64[models, n]."""


@dataclass(frozen=True)
class StaticMembers:
    """Heads over surface features and averaged token vectors."""

    blocks: tuple[str, ...]
    standard: Standard
    heads: tuple[dict[str, Floats], ...]

    def scores(self, texts: Sequence[str]) -> Floats:
        """Scores float64[models, n]; a text's depend on no other text."""
        from argsearch.indexer.quality.listwise.static import describe

        Z = self.standard(describe(texts, self.blocks))
        return np.array([score(head, Z) for head in self.heads])


@dataclass(frozen=True)
class TransformerMembers:
    """Fine-tuned transformers, all in memory."""

    scorers: tuple[Any, ...]

    def scores(self, texts: Sequence[str]) -> Floats:
        """Scores float64[models, n]."""
        return np.array([scorer.score(texts) for scorer in self.scorers])


@dataclass(frozen=True)
class ListwiseQuality(ClippedQuality):
    """Q = clip(a + b · mean of the models' standardised scores, 0, 1)."""

    name: str
    sha256: str
    card: dict[str, Any]
    members: Members
    spread: Floats
    """float64[2, models]: mean and standard deviation of each model's training scores."""
    line: Floats
    """(a, b): the least squares line from the ensemble's training score to the label in [0, 1]."""

    @classmethod
    def open(cls, spec: str) -> ListwiseQuality:
        """The model of a folder; raises ModelError, in one line with the remedy."""
        folder = read_folder(spec)
        card = folder.card
        with LTR.unpacking(spec):
            if card["model"]["topic"]:
                raise LTR.error(
                    spec, "reads a topic before the argument, which an index does not know"
                )
            arrays = folder.tensors(HEADS)
            members = _members(spec, folder, arrays)
            return cls(spec, folder.sha256, card, members, arrays["spread"], arrays["line"])

    def raw(self, premises: Sequence[str]) -> NDArray[np.float32]:
        """a + b · score, float32[n]; NaN for a text without a word."""
        out = np.full(len(premises), np.nan, np.float32)
        worded = [i for i, text in enumerate(premises) if text.split()]
        for first in range(0, len(worded), RANKED_AT_ONCE):
            at = worded[first : first + RANKED_AT_ONCE]
            s = self.members.scores([premises[i] for i in at])
            mean, deviation = self.spread
            together = ((s - mean[:, None]) / deviation[:, None]).mean(axis=0)
            out[at] = self.line[0] + self.line[1] * together
        return out


def _members(spec: str, folder: ModelFolder, arrays: dict[str, Any]) -> Members:
    card = folder.card
    kind, names = card["kind"], [member["name"] for member in card["members"]]
    if kind == "static":
        from argsearch.indexer.quality.listwise.static import feature_names

        blocks = tuple(card["model"]["encoder"].split("+"))
        if card["features"] != feature_names(blocks, topic=False):
            what = "was trained on other features than this version computes"
            raise LTR.error(spec, what)
        heads = [_head(arrays, name, len(card["features"])) for name in names]
        return StaticMembers(blocks, Standard(*arrays["standard"]), tuple(heads))
    if kind != "transformer":
        raise LTR.error(spec, f"is of kind {kind!r}; known kinds: static, transformer")
    from argsearch.indexer.quality.listwise.settings import Model
    from argsearch.indexer.quality.listwise.transformer import Scorer

    known = {one.name for one in fields(Model)}
    settings = Model(**{key: value for key, value in card["model"].items() if key in known})
    scorers = []
    for name in names:
        scorer = Scorer(folder.path / "encoder", settings, trained=True)
        scorer.load(folder.tensors(f"{name}.safetensors"))
        scorers.append(scorer)
    return TransformerMembers(tuple(scorers))


def _head(arrays: dict[str, Any], name: str, features: int) -> dict[str, Floats]:
    """A member's head; raises KeyError or ValueError where it does not fit the features."""
    start = f"{name}."
    head = {key[len(start) :]: a for key, a in arrays.items() if key.startswith(start)}
    hidden = head["c"].shape if "V" in head else (features,)
    inner = head["V"].shape if "V" in head else (features, *hidden)
    if (inner, head["w"].shape, head["b"].shape) != ((features, *hidden), hidden, (1,)):
        raise ValueError(f"the head {name!r} does not fit {features} features")
    return head
