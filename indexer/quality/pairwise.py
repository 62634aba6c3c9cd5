"""The pairwise model: a score of each dimension, by which one premise beats another (D20).

It is linear in the difference of two premises' features, so the difference of two scores decides,
and dcf is a rank. Features: those of the quality model, and TF-IDF of single words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import ArgsearchError, short
from argsearch.indexer.quality.files import (
    ModelFile,
    QualityModelError,
    numbers,
    read_model,
    standards,
)
from argsearch.ranking.quality.linear import Linear, Standard, score
from argsearch.ranking.quality.surface.features import FEATURES, features
from argsearch.ranking.quality.surface.scanning import MAX_WORDS
from argsearch.ranking.quality.svm.tfidf import TermCounts, count_terms, weights

KIND = "pairwise"

DEFAULT_FILE = Path(__file__).resolve().parents[1] / "models" / "pairwise-default.npz"
"""The model that ships with the package."""

BATCH = 4096
"""Texts scored at a time; bounds memory, changes no score."""

Floats = NDArray[np.float64]


class PairwiseModelError(ArgsearchError):
    """A pairwise model file that cannot be used."""

    def __init__(self, spec: str | Path, what: str) -> None:
        super().__init__(
            f"pairwise model {str(spec)!r} {what}; make one with: argsearch train pairwise "
            "--judgements FILE --out MODEL.npz, or use the model default"
        )


def opening(text: str) -> str:
    """The first `MAX_WORDS` words of a text: as far as the other features look, too."""
    return " ".join(text.split()[:MAX_WORDS])


def counted(texts: Sequence[str], index: dict[str, int]) -> TermCounts:
    """Terms of each text's opening."""
    return count_terms([opening(text) for text in texts], index)


@dataclass(frozen=True, slots=True)
class PairwiseModel:
    """Scores of premises: w·standard(features) + v·tfidf, one (w, v) a dimension."""

    name: str
    sha256: str
    dimensions: tuple[str, ...]
    standard: Standard
    surface: Floats
    """float64[dimensions, features]."""
    terms: tuple[str, ...]
    idf: Floats
    """float64[terms]."""
    words: Floats
    """float64[dimensions, terms], what a term of TF-IDF weight 1 adds."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[n, dimensions], higher beats lower; a text's scores depend on no other text."""
        index = {term: i for i, term in enumerate(self.terms)}
        out = np.empty((len(texts), len(self.dimensions)), np.float32)
        linear = tuple(Linear(w, 0.0) for w in self.surface)
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            found = score(features(batch), self.standard, linear)
            out[start : start + BATCH] = found + self._by_words(counted(batch, index))
        return out

    def _by_words(self, counts: TermCounts) -> Floats:
        rows = np.repeat(np.arange(len(counts.starts) - 1), np.diff(counts.starts))
        tfidf, n = weights(counts, self.idf), len(counts.starts) - 1
        sums = [np.bincount(rows, tfidf * v[counts.ids], minlength=n) for v in self.words]
        return np.stack(sums, axis=1)

    def pack(self) -> dict[str, NDArray[Any]]:
        """The arrays of a model file."""
        return {
            "standard": self.standard.stacked(),
            "surface": self.surface,
            "terms": np.frombuffer("\n".join(self.terms).encode(), np.uint8),
            "idf": self.idf,
            "words": self.words,
        }


def from_file(spec: str, file: ModelFile) -> PairwiseModel:
    """The model a file holds; raises PairwiseModelError for another kind, features or shapes."""
    header, arrays = file.header, file.arrays
    if header.get("kind") != KIND:
        raise PairwiseModelError(spec, f"holds a model of kind {short(repr(header.get('kind')))}")
    if header.get("features") != [feature.name for feature in FEATURES]:
        raise PairwiseModelError(spec, "was trained on other features than this version computes")
    try:
        terms = tuple(arrays["terms"].tobytes().decode().split("\n"))
        model = PairwiseModel(
            spec,
            file.sha256,
            tuple(header["dimensions"]),
            Standard(*standards(arrays, len(FEATURES))),
            numbers(arrays, "surface", -1, len(FEATURES)),
            terms,
            numbers(arrays, "idf", len(terms)),
            numbers(arrays, "words", -1, len(terms)),
        )
        fits = (len(model.dimensions), len(FEATURES)), (len(model.dimensions), len(terms))
    except ValueError as error:
        raise PairwiseModelError(spec, f"holds an array of another shape: {error}") from error
    except (KeyError, TypeError) as error:
        raise PairwiseModelError(spec, f"lacks a part: {error}") from error
    if (model.surface.shape, model.words.shape) != fits or model.idf.shape != (len(terms),):
        raise PairwiseModelError(spec, "holds an array of another shape")
    return model


def load_pairwise_model(spec: str = "default") -> PairwiseModel:
    """The model `default` (ships with the package), or the model file at a path.

    Raises PairwiseModelError, in one line with the remedy, for a file that cannot be used.
    """
    try:
        file = read_model(DEFAULT_FILE if spec == "default" else Path(spec))
    except QualityModelError as error:
        raise PairwiseModelError(spec, error.what) from error
    return from_file(spec, file)
