"""Whole topics for training, for choosing the checkpoint, and for testing (F22)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.judgements.scored import PARTS, Scored

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Split:
    """Places of arguments, int64 each; no topic is in two parts."""

    train: Indices
    valid: Indices
    test: Indices


def split_topics(scored: Scored, how: str, valid: int, test: int, seed: int) -> Split:
    """Topics drawn by `seed`: so many for validation, so many for testing, the rest for training.

    `published` keeps the parts that the corpus names; where it names no validation topics, they
    are drawn from the training ones. Raises InvalidParameter where nothing is left to train on, or
    the corpus names no parts.
    """
    parts = np.array(scored.parts)
    if how == "published" and not (parts == "test").any():
        raise InvalidParameter("data.split", how, f"topics, for {scored.name} publishes no test")
    if how == "topics":
        parts = np.full(len(parts), "train", dtype="<U5")
        drawn = np.random.default_rng(seed).permutation(len(parts))
        parts[drawn[:test]] = "test"
    if not (parts == "valid").any():
        free = np.flatnonzero(parts == "train")
        parts[np.random.default_rng((seed, 1)).permutation(free)[:valid]] = "valid"
    found = [np.flatnonzero(parts[scored.topics] == part) for part in PARTS]
    if not len(found[0]):
        allowed = f"fewer in all than the {len(parts)} topics of {scored.name}"
        raise InvalidParameter("data.valid_topics, data.test_topics", (valid, test), allowed)
    return Split(*found)
