"""Training the blended model: surface features, terms, and what other judgements say of terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.quality.kinds import words
from argsearch.lab.judgements.scored import CORPORA, MORE, Scored, labelled
from argsearch.lab.judgements.webis import Judgements
from argsearch.ranking.quality.linear import score
from argsearch.ranking.quality.surface.features import FEATURES, features
from argsearch.ranking.quality.words.model import (
    PRIORS,
    TERMS,
    BlendModel,
    FeatureBlocks,
    fit_blend,
    prior,
)
from argsearch.ranking.quality.words.scanning import HashedTerms

LEAST = 3
"""Texts, of all corpora together, that a term must be in."""

Items = NDArray[np.int64] | slice
Scores = tuple[NDArray[np.float64], NDArray[np.float64]]


def read_more(sources: Sequence[Path]) -> list[Scored]:
    """Other corpora of scored arguments, told apart by their names.

    Raises InvalidParameter for an unknown one, JudgementsError for one that cannot be read.
    """
    found = []
    for source in sources:
        known = [(corpus, labels) for part, corpus, labels in MORE if part in source.name.lower()]
        if not known:
            allowed = f"a path whose name holds one of: {', '.join(part for part, _, _ in MORE)}"
            raise InvalidParameter("--more", str(source), allowed)
        corpus, labels = known[0]
        found.append(labelled(CORPORA[corpus](source), labels))
    return found


class FittedWords:
    """A blended model over the judged items."""

    def __init__(
        self, model: BlendModel, blocks: FeatureBlocks, terms: HashedTerms, more: list[str]
    ) -> None:
        self._model, self._blocks, self._terms, self._more = model, blocks, terms, more

    def score(self, items: Items) -> Scores:
        """Gate and quality of judged items."""
        some, model = self._blocks.rows(items), self._model
        scores = score(some.surface, model.standard, (model.gate, model.regressor))
        gate, quality = (scores + some.terms @ model.words.T).T
        return gate, quality

    def describe(self) -> dict[str, Any]:
        """The blocks, the penalty and the corpora."""
        settings = {"penalty": self._model.penalty, "terms": TERMS, "priors": PRIORS}
        return {
            "quality": "P(argument) x clip(regression, 0, 1)",
            "gate": "balanced logistic regression; P shifted to the judgements' share of arguments",
            "regressor": "ridge regression",
            "settings": {**settings, "least texts of a term": LEAST},
            "terms": len(self._terms.keys),
            "more judgements": self._more,
            "features": [feature.name for feature in FEATURES],
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the model file."""
        return words.pack(self._model, self._terms)


class WordsTrainer:
    """Surface features, terms, ridge regression, logistic gate; scores of other corpora as priors.

    The vocabulary is of all texts, judged ones and others, without their labels.
    """

    name = "words"
    soft = True
    corpus: dict[str, Any] | None = None

    def __init__(
        self, judged: Judgements, more: Sequence[Scored], tell: Callable[[str], None]
    ) -> None:
        self._judged = judged
        self._more = [f"{one.name} {one.sha256}" for one in more]
        tell("counting the terms of all judged texts")
        self._terms = HashedTerms.of(
            [*judged.texts, *(t for one in more for t in one.texts)], LEAST
        )
        priors = np.zeros((len(more), len(self._terms.keys)))
        for row, one in zip(priors, more, strict=True):
            tell(f"learning from {one.name}")
            row[:] = prior(self._terms.matrix(one.texts), one.scores, one.topics)
        texts = judged.texts
        self._blocks = FeatureBlocks(features(texts), self._terms.matrix(texts), priors)

    def fit(self, items: Items) -> FittedWords:
        """Learn from these items; the penalty is chosen among them alone."""
        judged = self._judged
        parts = judged.is_argument[items], judged.quality[items], judged.topics[items]
        model = fit_blend(self._blocks.rows(items), *parts)
        return FittedWords(model, self._blocks, self._terms, self._more)
