"""How well each model and the ensemble order the topics they were not trained on (F22)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from argsearch.lab.training.listwise.learners import Floats, Items
from argsearch.ranking.ltr.lists import within_topics
from argsearch.ranking.ltr.measures import DEPTHS, GAINS, correlations, ndcg, per_topic
from argsearch.ranking.numbers import minmax

_NAMES = {"exponential": "nDCG@{} 2^rank", "linear": "nDCG@{} score"}


@dataclass(frozen=True, slots=True)
class ListwiseRow:
    """One model's figures, each the mean over the test topics.

    F22 does not state the gain of its nDCG: here are 2^y − 1 of the dense ranks y within the
    topic, and the labels themselves, scaled to [0, 1] within the topic.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "Pearson",
        "Spearman",
        "tau-b",
        *(_NAMES[gain].format(k) for gain in GAINS for k in DEPTHS),
    )
    HEADER: ClassVar[str] = f"| model | {' | '.join(COLUMNS)} |"
    RULE: ClassVar[str] = "|---|" + "---:|" * len(COLUMNS)

    model: str
    figures: tuple[float, ...]

    def line(self) -> str:
        """The row of the table."""
        return f"| {self.model} | {' | '.join(f'{value:.3f}' for value in self.figures)} |"


def row(model: str, s: Floats, labels: Floats, topics: Items) -> ListwiseRow:
    """Figures of scores s [n] against the labels [n] of topics [n]."""
    ranked = within_topics(labels, topics).astype(np.float64)
    found = [
        float(per_topic(s, labels, topics, lambda a, b, i=i: correlations(a, b)[i]).mean())  # type: ignore[misc]
        for i in range(3)
    ]
    for gain, y in (("exponential", ranked), ("linear", _scaled(labels, topics))):
        for k in DEPTHS:
            measured = per_topic(s, y, topics, lambda a, b, k=k, g=gain: ndcg(a, b, k, g))  # type: ignore[misc]
            found.append(float(measured.mean()))
    return ListwiseRow(model, tuple(found))


def _scaled(labels: Floats, topics: Items) -> Floats:
    """Labels from 0 to 1 within each topic, 1 where all are equal."""
    out = np.empty(len(labels))
    for topic in np.unique(topics):
        out[topics == topic] = minmax(labels[topics == topic], 1.0)
    return out


def mean_row(name: str, rows: list[ListwiseRow]) -> ListwiseRow:
    """The mean of several models' figures."""
    return ListwiseRow(name, tuple(np.mean([one.figures for one in rows], axis=0).tolist()))
