"""What can be trained: each kind fits on some of the judged items and scores others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.quality.kinds import heimdall, surface
from argsearch.lab.judgements.webis import Judgements
from argsearch.lab.training.quality.words import WordsTrainer, read_more
from argsearch.ranking.quality.linear import Linear, Standard, logistic, prior_shift, ridge
from argsearch.ranking.quality.surface.features import FEATURES, features
from argsearch.ranking.quality.surface.model import SurfaceModel, fit_surface
from argsearch.ranking.quality.svm.machines import Decisions, Machines, fit_machines
from argsearch.ranking.quality.svm.tfidf import (
    MAX_FEATURES,
    TermCounts,
    TfIdfVocabulary,
    fit_vocabulary,
    weights,
)
from argsearch.ranking.quality.svm.tfidf import count_terms as count_tfidf

KINDS = ("h21", "features", "words")
"""Kinds of models with a file."""

Items = NDArray[np.int64] | slice
Scores = tuple[NDArray[np.float64], NDArray[np.float64]]
"""(gate, positive for an argument; quality, unclipped), float64[n] each."""


class Fitted(Protocol):
    """A trained model."""

    def score(self, items: Items) -> Scores:
        """Gate and quality of judged items."""

    def describe(self) -> dict[str, Any]:
        """Settings for the header of the model file."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the model file."""


class Trainer(Protocol):
    """A kind of model over one set of judgements."""

    name: str
    soft: bool
    """Whether the gate's score is a balanced logit."""
    corpus: dict[str, Any] | None

    def fit(self, items: Items) -> Fitted:
        """Learn from these judged items alone."""


class FittedSurface:
    """A feature model over the judged items' features X[n, k]."""

    def __init__(self, model: SurfaceModel, X: NDArray[np.float64]) -> None:
        self._model, self._X = model, X

    def score(self, items: Items) -> Scores:
        """Gate and quality of judged items."""
        return self._model.score(self._X[items])

    def describe(self) -> dict[str, Any]:
        """The features, the gate and the penalty."""
        return {
            "quality": "P(argument) x clip(regression, 0, 1)",
            "gate": "balanced logistic regression; P shifted to the judgements' share of arguments",
            "regressor": "ridge regression",
            "settings": {"alpha": self._model.alpha, "C": 1.0 / self._model.alpha},
            "features": [feature.name for feature in FEATURES],
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the model file."""
        return dict(surface.pack(self._model))


class SurfaceTrainer:
    """Surface features, ridge regression, logistic gate."""

    name = "features"
    soft = True
    corpus: dict[str, Any] | None = None

    def __init__(self, judged: Judgements) -> None:
        self._judged, self._X = judged, features(judged.texts)

    def fit(self, items: Items) -> FittedSurface:
        """Learn from these items; penalties are chosen among them alone."""
        judged = self._judged
        parts = judged.is_argument[items], judged.quality[items], judged.topics[items]
        return FittedSurface(fit_surface(self._X[items], *parts), self._X)


class LengthTrainer(SurfaceTrainer):
    """The baseline: the logarithm of the number of words alone."""

    name = "log length"

    def __init__(self, judged: Judgements) -> None:
        self._judged, self._X = judged, np.log(np.maximum(judged.words, 1.0))[:, None]

    def fit(self, items: Items) -> FittedSurface:
        """Learn from these items."""
        X, good, y = self._X[items], self._judged.is_argument[items], self._judged.quality[items]
        standard = Standard.of(X)
        Z = standard(X)
        gate: Linear = logistic(Z, good, 1.0)
        model = SurfaceModel(standard, ridge(Z[good], y[good], 0.0), gate, prior_shift(good), 0.0)
        return FittedSurface(model, self._X)


class FittedHeimdall:
    """H21's two stages over the judged items' term counts."""

    def __init__(self, machines: Machines, vocabulary: TfIdfVocabulary, counts: TermCounts) -> None:
        self._machines, self._vocabulary, self._counts = machines, vocabulary, counts

    def score(self, items: Items) -> Scores:
        """Gate and quality of judged items."""
        gate, quality = Decisions(self._machines, self._vocabulary.idf)(self._counts)[items].T
        return gate, quality

    def describe(self) -> dict[str, Any]:
        """Every setting of TF-IDF and of scikit-learn's support vector machines."""
        from sklearn.svm import SVC, SVR

        gamma = {"gate": self._machines.gamma[0], "regressor": self._machines.gamma[1]}
        tfidf = {"lowercase": True, "stop_words": "english", "max_features": MAX_FEATURES}
        return {
            "quality": "0 where the gate rejects, else the regression",
            "tfidf": {**tfidf, "terms": len(self._vocabulary.terms), "kept": "most frequent"},
            "gate": {"SVC": SVC().get_params()},
            "regressor": {"SVR": SVR().get_params()},
            "gamma": gamma,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the model file."""
        return heimdall.pack(self._vocabulary, self._machines)


class HeimdallTrainer:
    """TF-IDF of a corpus' premises; SVC on all items, SVR on the arguments (H21)."""

    name = "h21"
    soft = False

    def __init__(self, judged: Judgements, corpus: str | None) -> None:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        self._judged = judged
        self.corpus: dict[str, Any] | None = None
        texts = judged.texts if corpus is None else self._premises(corpus)
        self._vocabulary = fit_vocabulary(texts, ENGLISH_STOP_WORDS)
        index = {term: i for i, term in enumerate(self._vocabulary.terms)}
        self._counts = count_tfidf(judged.texts, index)

    def _premises(self, corpus: str) -> Iterator[str]:
        from argsearch.indexer.corpus import ReadReport, read

        report = ReadReport()
        for argument in read(corpus, on_error="skip", report=report):
            yield argument.premise
        self.corpus = {
            "name": corpus_name(corpus),
            **_hashed(corpus),
            "documents": report.documents,
        }

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csr_matrix

        starts, ids, _ = self._counts
        values = weights(self._counts, self._vocabulary.idf)
        return csr_matrix((values, ids, starts), (len(starts) - 1, len(self._vocabulary.terms)))

    def fit(self, items: Items) -> FittedHeimdall:
        """Learn from these items."""
        judged = self._judged
        machines = fit_machines(
            self._matrix[items], judged.is_argument[items], judged.quality[items]
        )
        return FittedHeimdall(machines, self._vocabulary, self._counts)


def fit(trainer: Trainer, items: Items) -> Fitted:
    """`trainer.fit` on one thread: the same bits on any number of cores, and faster here."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return trainer.fit(items)


def corpus_name(corpus: str) -> str:
    """A corpus without the folders of this machine: a file's name, else the source as given."""
    return Path(corpus).name if Path(corpus).exists() else corpus


def _hashed(corpus: str) -> dict[str, str]:
    if not Path(corpus).is_file():
        return {}
    with Path(corpus).open("rb") as stream:
        return {"sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def make_trainer(
    kind: str,
    judged: Judgements,
    corpus: str | None,
    tell: Callable[[str], None],
    more: Sequence[Path] = (),
) -> Trainer:
    """The trainer of `kind`, one of `KINDS` or the baseline `log length`."""
    if kind == "words":
        return WordsTrainer(judged, read_more(more), tell)
    if kind == "h21":
        tell("counting the terms of " + (corpus_name(corpus) if corpus else "the judged texts"))
        return HeimdallTrainer(judged, corpus)
    return SurfaceTrainer(judged) if kind == "features" else LengthTrainer(judged)
