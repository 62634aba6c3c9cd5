"""Training of a pairwise model from judged pairs, and its cross-validation (D20).

The model is a ridge regression of 1 on the difference of two texts' features. On unseen issues, no
tested alternative is better (docs/premises.md). Because the model is linear in the difference, dcf
is a rank. The figures give the share of pairs in which the model prefers the better-rated premise,
on unseen issues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.model_files import PAIRWISE
from argsearch.indexer.quality.pairwise import PairwiseModel, counted, opening
from argsearch.lab.judgements.pairs import (
    DIMENSIONS,
    Ratings,
    TextPairs,
    read_dagstuhl,
    read_others,
)
from argsearch.lab.judgements.tables import words
from argsearch.lab.training.shape import (
    Progress,
    TrainedModel,
    check_file,
    markdown,
    silent,
    software,
)
from argsearch.ranking.quality.linear import Standard
from argsearch.ranking.quality.surface import FEATURES, features
from argsearch.ranking.quality.svm import TfIdfVocabulary, fit_vocabulary, weights

VOCABULARY_TERMS = 1000
"""Size of the vocabulary, which holds the most frequent words of the judged texts."""

WORD_SCALE = 8.0
"""Factor that scales TF-IDF so that one ridge penalty fits both blocks of features."""

ALPHA = 1.0
"""Ridge penalty for errors scaled so that each source's squared errors sum to its weight."""

FAR_APART_RATING = 0.9
"""Minimum difference in mean ratings (1 to 3) for a pair to count as far apart."""

SAMPLES = 10_000
"""Number of bootstrap samples of the queries."""

Floats = NDArray[np.float64]
Scores = Mapping[str, Floats]
"""Score of each argument by dimension, float64[n]."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Training pairs for each dimension, and pairs that all dimensions share."""

    own: dict[str, TextPairs]
    """Pairs by dimension."""
    shared: tuple[TextPairs, ...]

    def without(self, topics: frozenset[str], own: frozenset[str]) -> Sources:
        """Exclude the shared pairs on `topics` and the own pairs on the queries in `own`."""
        return Sources(
            {name: _less(pairs, own) for name, pairs in self.own.items()},
            tuple(_less(pairs, topics) for pairs in self.shared),
        )

    @property
    def texts(self) -> list[str]:
        """Distinct texts of all pairs, in order."""
        found: dict[str, None] = {}
        for pairs in chain(self.shared, self.own.values()):
            for row in np.unique(np.concatenate([pairs.better, pairs.worse])).tolist():
                found.setdefault(pairs.texts[row])
        return list(found)


def _less(pairs: TextPairs, topics: frozenset[str]) -> TextPairs:
    return pairs.only(np.array([topic not in topics for topic in pairs.topics], np.bool_))


@dataclass(frozen=True, slots=True)
class Space:
    """Features of texts, with the standardisation and vocabulary to compute them."""

    standard: Standard
    vocabulary: TfIdfVocabulary
    row: dict[str, int]
    X: Floats
    """float64[texts, features + terms], TF-IDF multiplied by `WORD_SCALE`."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> Space:
        """Fit standardisation and vocabulary to these texts, and compute their features."""
        surface = features(texts)
        standard = Standard.of(surface)
        vocabulary = fit_vocabulary((opening(text) for text in texts), (), VOCABULARY_TERMS)
        words = WORD_SCALE * tfidf(texts, vocabulary)
        rows = {text: i for i, text in enumerate(texts)}
        return cls(standard, vocabulary, rows, np.hstack([standard(surface), words]))

    def normal(self, pairs: TextPairs) -> tuple[Floats, Floats]:
        """Return (DᵀD / m, Dᵀ1 / m) of m differences D = X_better − X_worse; zeros if m is 0."""
        if not len(pairs.better):
            width = self.X.shape[1]
            return np.zeros((width, width)), np.zeros(width)
        better, worse = ([self.row[pairs.texts[i]] for i in s] for s in (pairs.better, pairs.worse))
        D = self.X[better] - self.X[worse]
        return D.T @ D / len(D), D.mean(axis=0)


def tfidf(texts: Sequence[str], vocabulary: TfIdfVocabulary) -> Floats:
    """Return dense TF-IDF of the texts' openings: float64[n, terms], rows of length 1 or 0."""
    index = {term: i for i, term in enumerate(vocabulary.terms)}
    counts = counted(texts, index)
    out = np.zeros((len(texts), len(vocabulary.terms)))
    rows = np.repeat(np.arange(len(texts)), np.diff(counts.starts))
    out[rows, counts.ids] = weights(counts, vocabulary.idf)
    return out


def fit_pairwise(sources: Sources) -> PairwiseModel:
    """Fit argmin_w Σ_s mean_{(a,b) ∈ s} (1 − w·(x_a − x_b))² + α‖w‖², one w per dimension.

    The sources s of a dimension are its own pairs and all shared ones, with equal weight.
    """
    space = Space.of(sources.texts)
    split = len(space.standard.mean)
    shared = [space.normal(pairs) for pairs in sources.shared]
    fitted = []
    for pairs in sources.own.values():
        normals = [*shared, space.normal(pairs)]
        gram = ALPHA * np.eye(space.X.shape[1]) + sum(gram for gram, _ in normals)
        fitted.append(np.linalg.solve(gram, sum(moment for _, moment in normals)))
    w = np.array(fitted)
    return PairwiseModel(
        "",
        "",
        tuple(sources.own),
        space.standard,
        w[:, :split].copy(),
        space.vocabulary.terms,
        space.vocabulary.idf,
        WORD_SCALE * w[:, split:],
    )


@dataclass(frozen=True, slots=True)
class Share:
    """A share of pairs, with its 95 % interval over queries."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class PairRow:
    """Results of a scoring method: the share for each dimension, and the mean of the three."""

    model: str
    pairs: str
    """Description of the pairs: all, or only those that differ by at least a given amount."""
    shares: tuple[Share, ...]


def hits(scores: Floats, pairs: TextPairs) -> Floats:
    """Return 1 if the better text has the higher score, ½ for equal scores, else 0: float64[m]."""
    better, worse = scores[pairs.better], scores[pairs.worse]
    return np.asarray((better > worse) + 0.5 * (better == worse), np.float64)


def rows(model: str, ratings: Ratings, scores: Scores) -> list[PairRow]:
    """Return a row for all pairs and a row for far-apart pairs; queries are resampled."""
    found = []
    for least in (0.0, FAR_APART_RATING):
        sums = np.array([_by_query(ratings, scores[d], d, least) for d in DIMENSIONS])
        name = "all pairs" if least == 0 else f"pairs {least:g} apart or more"
        found.append(PairRow(model, name, _shares(sums)))
    return found


def _by_query(ratings: Ratings, scores: Floats, dimension: str, least: float) -> Floats:
    """Return (hits, pairs) for each query, float64[2, queries]."""
    pairs = ratings.pairs(dimension)
    keep = ratings.apart(pairs, dimension) >= least - 1e-9
    query, count = ratings.query[pairs.better[keep]], len(ratings.queries)
    right = np.bincount(query, hits(scores, pairs)[keep], minlength=count)
    return np.stack([right, np.bincount(query, minlength=count)])


def _shares(sums: Floats) -> tuple[Share, ...]:
    """Return shares from [dimensions, (hits, pairs), queries], with bootstrap intervals."""
    count = sums.shape[2]
    drawn = np.random.default_rng(0).integers(0, count, (SAMPLES, count))
    times = np.stack([np.bincount(draw, minlength=count) for draw in drawn])
    # The columns alternate between the hits and the pairs of each dimension.
    totals = times @ sums.reshape(-1, count).T
    # A sample without pairs has no share.
    right, of = totals[:, 0::2], totals[:, 1::2]
    again = np.divide(right, of, out=np.full(right.shape, np.nan), where=of > 0)
    whole = sums.sum(axis=2)
    values = np.append(whole[:, 0] / whole[:, 1], np.mean(whole[:, 0] / whole[:, 1]))
    again = np.hstack([again, again.mean(axis=1, keepdims=True)])
    low, high = np.nanquantile(again, (0.025, 0.975), axis=0)
    return tuple(Share(*map(float, of)) for of in zip(values, low, high, strict=True))


def unseen_issues(ratings: Ratings, shared: Sequence[TextPairs]) -> Scores:
    """Score every argument with a model that has seen no pairs from its issue.

    The training excludes the ratings of both stances of the issue. It also excludes the shared
    pairs that have the same topic, because some contain the same texts.
    """
    sources = Sources({d: ratings.pairs(d) for d in DIMENSIONS}, tuple(shared))
    scores = {d: np.zeros(len(ratings.texts)) for d in DIMENSIONS}
    issue = np.array(ratings.issues)[ratings.query]
    for left_out in sorted(set(ratings.issues)):
        queries = frozenset(
            query
            for query, of in zip(ratings.queries, ratings.issues, strict=True)
            if of == left_out
        )
        model = fit_pairwise(sources.without(frozenset([words(left_out)]), queries))
        at = np.flatnonzero(issue == left_out)
        found = model.scores([ratings.texts[i] for i in at])
        for column, dimension in enumerate(DIMENSIONS):
            scores[dimension][at] = found[:, column]
    return scores


def lengths(texts: Sequence[str]) -> Floats:
    """Return the number of words in each text, the scores of the baseline "longer wins"."""
    return np.array([len(text.split()) for text in texts], np.float64)


def train_pairwise(
    judgements: Path, out: Path, more: Sequence[Path] = (), tell: Progress = silent
) -> TrainedModel:
    """Validate and train a pairwise model, and write its file.

    `judgements` is Dagstuhl-15512, as a file or its folder. `out` is the model file to write. All
    dimensions share the judged pairs of the corpora `more` (`read_others`). Validation uses models
    trained without the tested issue. The model in the file is trained on everything. Raises
    InvalidParameter, JudgementsError, and ArgsearchError.
    """
    from threadpoolctl import threadpool_limits

    check_file(out)
    ratings, shared = read_dagstuhl(judgements), read_others(more)
    with threadpool_limits(1):
        tell("validating: one issue at a time")
        longer = dict.fromkeys(DIMENSIONS, lengths(ratings.texts))
        found = (
            *rows("longer wins", ratings, longer),
            *rows("model, unseen issues", ratings, unseen_issues(ratings, shared)),
        )
        tell("training on all pairs")
        own = {dimension: ratings.pairs(dimension) for dimension in DIMENSIONS}
        model = fit_pairwise(Sources(own, tuple(shared)))
    command = f"argsearch train pairwise --judgements {judgements.name}"
    command += "".join(f" --more {path.name}" for path in more) + f" --out {out.name}"
    provenance = {
        "command": command,
        "judgements": {
            "file": ratings.file,
            "sha256": ratings.sha256,
            "arguments": len(ratings.texts),
            "pairs": {d: len(pairs.better) for d, pairs in own.items()},
        },
        "more": [
            {"source": pairs.source, "pairs": len(pairs.better), "texts": len(pairs.texts)}
            for pairs in shared
        ],
        "settings": {"terms": VOCABULARY_TERMS, "word scale": WORD_SCALE, "alpha": ALPHA},
        "software": software("scipy"),
        "figures": [asdict(row) for row in found],
    }
    header = {
        "dimensions": list(DIMENSIONS),
        "features": [feature.name for feature in FEATURES],
        "score": "w . standard(features) + v . tfidf of single words; the higher score wins",
        "provenance": provenance,
    }
    sha256 = PAIRWISE.write(out, header, model.pack())
    cells = [(f"{row.model}, {row.pairs}", *map(str, row.shares)) for row in found]
    columns = ("", *DIMENSIONS, "mean of the three")
    pairs = sum(len(each.better) for each in (*own.values(), *shared))
    told = f"{pairs:,} pairs, {len(ratings.texts):,} rated arguments"
    return TrainedModel(out, sha256, told, found, (markdown(columns, cells, len(columns)),))
