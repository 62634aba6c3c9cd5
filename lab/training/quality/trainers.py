"""Trainers of quality models, each of which fits some judged items and scores others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.model_files import checksum
from argsearch.indexer.quality.kinds import GatedQuality, HeimdallQuality
from argsearch.lab.judgements.scored import CORPORA, MORE, Scored, labelled
from argsearch.lab.judgements.webis import Judgements
from argsearch.ranking.quality.blend import PRIORS, TERMS, FeatureBlocks, fit_blend, prior
from argsearch.ranking.quality.linear import (
    GatedModel,
    Standard,
    fit_surface,
    logistic,
    prior_shift,
    ridge,
)
from argsearch.ranking.quality.surface import FEATURES, features
from argsearch.ranking.quality.svm import (
    MAX_FEATURES,
    Decisions,
    count_terms,
    fit_machines,
    fit_vocabulary,
    weights,
)
from argsearch.ranking.quality.terms import HashedTerms

MIN_DF = 3
"""Minimum number of texts that contain a term, over all corpora of `words`."""

MODEL_KINDS = ("h21", "features", "words")
"""Kinds of models that are stored in a file."""

Items = NDArray[np.int64] | slice
Scores = tuple[NDArray[np.float64], NDArray[np.float64]]
"""(gate, positive for an argument; quality, unclipped), float64[n] each."""


@dataclass(frozen=True)
class Fitted:
    """A model trained on judged items."""

    score: Callable[[Items], Scores]
    """Function that returns gate and quality of judged items."""
    settings: dict[str, Any]
    """Settings for the header of the model file."""
    arrays: dict[str, NDArray[Any]]
    """Arrays of the model file."""


GATE_FORMULAS = {
    "quality": "P(argument) x clip(regression, 0, 1)",
    "gate": "balanced logistic regression; P shifted to the judgements' share of arguments",
    "regressor": "ridge regression",
}
"""Header entries of models with surface features."""


def _surface(model: GatedModel, X: NDArray[np.float64]) -> Fitted:
    """Wrap a feature model and the features of the judged items, X[n, k]."""

    def scored(items: Items) -> Scores:
        gate, quality = model.score(X[items]).T
        return gate, quality

    settings = {
        **GATE_FORMULAS,
        # The baseline has no penalty, and is never written to a file.
        "settings": {"alpha": model.penalty, "C": 1.0 / model.penalty if model.penalty else None},
        "features": [one.name for one in FEATURES],
    }
    return Fitted(scored, settings, GatedQuality.pack(model))


class SurfaceTrainer:
    """Trainer of surface features: ridge regression and logistic gate."""

    name = "features"
    soft = True
    """True if the gate's score is a balanced logit."""
    corpus: dict[str, Any] | None = None

    def __init__(self, judged: Judgements) -> None:
        self._judged, self._X = judged, features(judged.texts)

    def fit(self, items: Items) -> Fitted:
        """Fit to these items, which also determine the penalties."""
        judged = self._judged
        parts = judged.is_argument[items], judged.quality[items], judged.topics[items]
        return _surface(fit_surface(self._X[items], *parts), self._X)


class LengthTrainer(SurfaceTrainer):
    """Baseline that only uses the logarithm of the number of words."""

    name = "log length"

    def __init__(self, judged: Judgements) -> None:
        # A text without words has no logarithm.
        self._judged, self._X = judged, np.log(np.maximum(judged.words, 1.0))[:, None]

    def fit(self, items: Items) -> Fitted:
        """Fit to these items."""
        X, good, y = self._X[items], self._judged.is_argument[items], self._judged.quality[items]
        standard = Standard.of(X)
        Z = standard(X)
        gate, regressor = logistic(Z, good, 1.0), ridge(Z[good], y[good], 0.0)
        model = GatedModel(standard, gate, regressor, prior_shift(good), 0.0)
        return _surface(model, self._X)


class HeimdallTrainer:
    """Trainer of H21's model: TF-IDF of premises, SVC on all items, and SVR on arguments."""

    name = "h21"
    soft = False

    def __init__(self, judged: Judgements, corpus: str | None) -> None:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        self._judged = judged
        self.corpus: dict[str, Any] | None = None
        texts = judged.texts if corpus is None else self._premises(corpus)
        self._vocabulary = fit_vocabulary(texts, ENGLISH_STOP_WORDS)
        index = {term: i for i, term in enumerate(self._vocabulary.terms)}
        self._counts = count_terms(judged.texts, index)

    def _premises(self, corpus: str) -> Iterator[str]:
        from argsearch.indexer.corpus import ReadReport, read

        report = ReadReport()
        for argument in read(corpus, on_error="skip", report=report):
            yield argument.premise
        self.corpus = {
            "name": corpus_name(corpus),
            **({"sha256": checksum(Path(corpus))} if Path(corpus).is_file() else {}),
            "documents": report.documents,
        }

    # Cached, because every fold uses its rows.
    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csr_matrix

        starts, ids, _ = self._counts
        values = weights(self._counts, self._vocabulary.idf)
        return csr_matrix((values, ids, starts), (len(starts) - 1, len(self._vocabulary.terms)))

    def fit(self, items: Items) -> Fitted:
        """Fit to these items."""
        from sklearn.svm import SVC, SVR

        judged, vocabulary = self._judged, self._vocabulary
        machines = fit_machines(
            self._matrix[items], judged.is_argument[items], judged.quality[items]
        )

        def scored(some: Items) -> Scores:
            gate, quality = Decisions(machines, vocabulary.idf)(self._counts)[some].T
            return gate, quality

        settings = {
            "quality": "0 where the gate rejects, else the regression",
            "tfidf": {
                "lowercase": True,
                "stop_words": "english",
                "max_features": MAX_FEATURES,
                "terms": len(vocabulary.terms),
                "kept": "most frequent",
            },
            "gate": {"SVC": SVC().get_params()},
            "regressor": {"SVR": SVR().get_params()},
            "gamma": {"gate": machines.gamma[0], "regressor": machines.gamma[1]},
        }
        return Fitted(scored, settings, HeimdallQuality.pack(vocabulary, machines))


class WordsTrainer:
    """Trainer of surface features and terms, with scores of other corpora as priors.

    It fits a ridge regression and a logistic gate. The vocabulary comes from all texts.
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
            [*judged.texts, *(t for one in more for t in one.texts)], MIN_DF
        )
        priors = np.zeros((len(more), len(self._terms.keys)))
        for row, one in zip(priors, more, strict=True):
            tell(f"learning from {one.name}")
            row[:] = prior(self._terms.matrix(one.texts), one.scores, one.topics)
        texts = judged.texts
        self._blocks = FeatureBlocks(features(texts), self._terms.matrix(texts), priors)

    def fit(self, items: Items) -> Fitted:
        """Fit to these items, which also determine the penalty."""
        judged = self._judged
        parts = judged.is_argument[items], judged.quality[items], judged.topics[items]
        model = fit_blend(self._blocks.rows(items), *parts)

        def scored(items: Items) -> Scores:
            """Return the items' gate and quality scores, float64[m] each."""
            some = self._blocks.rows(items)
            gate, quality = (model.score(some.surface) + some.terms @ model.words.T).T
            return gate, quality

        settings = {"penalty": model.penalty, "terms": TERMS, "priors": PRIORS}
        header = {
            **GATE_FORMULAS,
            "settings": {**settings, "least texts of a term": MIN_DF},
            "terms": len(self._terms.keys),
            "more judgements": self._more,
            "features": [one.name for one in FEATURES],
        }
        return Fitted(scored, header, GatedQuality.pack(model, self._terms))


Trainer = SurfaceTrainer | HeimdallTrainer | WordsTrainer
"""A kind of model, with one set of judgements."""


def read_more(sources: Sequence[Path]) -> list[Scored]:
    """Read other corpora of scored arguments, recognised by their names.

    Raises InvalidParameter for an unknown corpus, and JudgementsError for an unreadable one.
    """
    found = []
    for source in sources:
        known = [(corpus, labels) for part, corpus, labels in MORE if part in source.name.lower()]
        if not known:
            allowed = f"a path with {either(part for part, _, _ in MORE)} in its name"
            raise InvalidParameter("--more", str(source), allowed)
        corpus, labels = known[0]
        found.append(labelled(CORPORA[corpus](source), labels))
    return found


def fit(trainer: Trainer, items: Items) -> Fitted:
    """Run `trainer.fit` on one thread, so that results are bit-identical on any number of cores."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return trainer.fit(items)


def corpus_name(corpus: str) -> str:
    """Return a corpus' file name without this machine's folders, or the source as it is."""
    return Path(corpus).name if Path(corpus).exists() else corpus


def make_trainer(
    kind: str,
    judged: Judgements,
    corpus: str | None,
    tell: Callable[[str], None],
    more: Sequence[Path] = (),
) -> Trainer:
    """Build the trainer for a kind in `MODEL_KINDS`."""
    if kind == "words":
        return WordsTrainer(judged, read_more(more), tell)
    if kind == "h21":
        tell("counting the terms of " + (corpus_name(corpus) if corpus else "the judged texts"))
        return HeimdallTrainer(judged, corpus)
    return SurfaceTrainer(judged)
