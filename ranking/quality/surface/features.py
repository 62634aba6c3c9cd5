"""Surface features of argument quality: from counts to the numbers a model weighs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from argsearch.ranking.compiled import kernel
from argsearch.ranking.hashing import salts
from argsearch.ranking.quality.buffers import join
from argsearch.ranking.quality.surface.scanning import COUNTS, count
from argsearch.ranking.quality.surface.words import WORD_CLASSES, word_table

AS_IS, LOG, LOG_SQUARED, ROOT, ROOT_SHARE, LOG_SPACING = range(6)
"""How a count n becomes a feature, w = max(words, 1): n; log(1+n); log²(1+n); √n; √(n/w);
log(w / max(n, 1))."""

_LENGTHS = (
    ("words", AS_IS),
    ("words", LOG),
    ("words", LOG_SQUARED),
    ("words", ROOT),
    ("bytes", LOG),
)
_FLAGS = ("starts_lower", "ends_open")
_AMOUNTS = (
    "missing_spaces", "stray_spaces", "repeated_marks", "lower_starts", "exclamations",
    "question_marks", "quotes", "brackets", "colons", "commas", "hyphens", "digits", "shouted",
    "small_i", "sentence_ends", "polysyllables", "long", "distinct", "numbers", "unapostrophed",
    "chat", "debate",
)  # fmt: skip
_SHARES = (
    "long", "polysyllables", "syllables", "word_bytes", "distinct", "shouted", "capitalised",
    "numbers", "contractions", "small_i", *WORD_CLASSES, "commas", "sentence_ends", "capitals",
    "missing_spaces", "stray_spaces", "repeated_marks", "lower_starts", "exclamations",
    "question_marks", "quotes", "colons", "hyphens",
)  # fmt: skip
_NAMES = ("{}", "log {}", "log2 {}", "root {}", "share of {}", "words per {}")


class SurfaceFeature(NamedTuple):
    """One feature: a count and how it is transformed."""

    counted: str
    transform: int

    @property
    def name(self) -> str:
        """The feature in words, as model files list it."""
        return _NAMES[self.transform].format(self.counted)


FEATURES: tuple[SurfaceFeature, ...] = (
    *(SurfaceFeature(*length) for length in _LENGTHS),
    *(SurfaceFeature(name, AS_IS) for name in _FLAGS),
    *(SurfaceFeature(name, LOG) for name in _AMOUNTS),
    *(SurfaceFeature(name, ROOT_SHARE) for name in _SHARES),
    SurfaceFeature("sentence_ends", LOG_SPACING),
)
"""The features, in the order of a model's weights."""

_COLUMNS = np.array([COUNTS.index(feature.counted) for feature in FEATURES])
_TRANSFORMS = np.array([feature.transform for feature in FEATURES])
_WORDS = COUNTS.index("words")
_TABLE = word_table()


@kernel
def transform(n: float, words: float, how: int) -> float:
    """One count as a feature; see `AS_IS` … `LOG_SPACING`."""
    w = max(words, 1.0)
    if how == LOG:
        return math.log1p(n)
    if how == LOG_SQUARED:
        return math.log1p(n) ** 2
    if how == ROOT:
        return math.sqrt(n)
    if how == ROOT_SHARE:
        return math.sqrt(n / w)
    if how == LOG_SPACING:
        return math.log(w / max(n, 1.0))
    return n


@kernel
def _derive(counts: Any, columns: Any, transforms: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        words = float(counts[i, _WORDS])
        for j in range(columns.size):
            out[i, j] = transform(float(counts[i, columns[j]]), words, transforms[j])


def counts(texts: Sequence[str]) -> NDArray[np.int32]:
    """`COUNTS` of each text's first 300 words: int32[n, len(COUNTS)]."""
    text, offsets = join(texts)
    out = np.zeros((len(texts), len(COUNTS)), dtype=np.int32)
    count(text, offsets, (*_TABLE, salts()), out)
    return out


def derive(counts: NDArray[np.int32]) -> NDArray[np.float64]:
    """`FEATURES` from `counts`: float64[n, len(FEATURES)], each row from its own counts alone."""
    out = np.empty((len(counts), len(FEATURES)))
    _derive(counts, _COLUMNS, _TRANSFORMS, out)
    return out


def features(texts: Sequence[str]) -> NDArray[np.float64]:
    """`FEATURES` of each text: float64[n, len(FEATURES)], finite for any string."""
    return derive(counts(texts))
