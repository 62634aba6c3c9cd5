"""What is learned: scores as given, or made from pairwise judgements (F22, G19)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.lab.training.pairwise.pairs import Pairs
from argsearch.lab.training.scored.corpora import Scored
from argsearch.ranking.preference import Comparisons, bradley_terry, comparisons, elo, win_rate

LABELS = ("scores", "winrate", "bradley-terry", "elo")
"""The corpus' own scores; wins / appearances; Bradley–Terry with ties; Elo ratings."""

Floats = NDArray[np.float64]


def labelled(scored: Scored, labels: str, prior: float = 0.0) -> Scored:
    """The arguments with those labels; those that no pair compares are left out.

    `prior` shrinks WinRate towards ½ (see `win_rate`). With several sets of pairs (dimensions) the
    mean of their labels counts. Raises InvalidParameter for a corpus without pairs.
    """
    if labels == "scores":
        return scored
    if not scored.pairs:
        allowed = f"scores, for {scored.name} has no pairwise judgements"
        raise InvalidParameter("data.labels", labels, allowed)
    rows = np.full((len(scored.pairs), len(scored.texts)), np.nan)
    for row, pairs in zip(rows, scored.pairs, strict=True):
        found = _of_pairs(pairs, labels, prior)
        row[:] = [found.get(bare(text), np.nan) for text in scored.texts]
    values = rows.mean(axis=0)  # compared in every dimension, or left out
    return scored.only(np.isfinite(values), values)


def bare(text: str) -> str:
    """A text's letters and digits in small letters: IBM-ArgQ's pairs repeat its texts so."""
    return "".join(character for character in text.lower() if character.isalnum())


def _of_pairs(pairs: Pairs, labels: str, prior: float) -> dict[str, float]:
    data = comparisons(pairs.better, pairs.worse, np.ones(len(pairs.better)), len(pairs.texts))
    values, met = _fit(data, labels, prior), np.zeros(len(pairs.texts), np.bool_)
    met[pairs.better] = met[pairs.worse] = True
    return {bare(pairs.texts[i]): float(values[i]) for i in np.flatnonzero(met).tolist()}


def _fit(data: Comparisons, labels: str, prior: float) -> Floats:
    if labels == "winrate":
        return win_rate(data, prior)
    return bradley_terry(data).scores if labels == "bradley-terry" else elo(data)
