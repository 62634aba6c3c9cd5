"""Training of D20's classifiers, which predict the better of two premises (`train pairwise`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders import Encoder, load_encoder
from argsearch.indexer.model_files import PAIRWISE
from argsearch.indexer.quality.classifiers import (
    PairwiseClassifier,
    make_classifier,
    with_query,
)
from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings, read_dagstuhl
from argsearch.lab.training.shape import (
    Progress,
    TrainedModel,
    check_file,
    markdown,
    silent,
    software,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Examples:
    """Every ordered pair for one dimension, on which the paper trains and tests."""

    first: Ints
    """int64[m], the first argument of each example."""
    second: Ints
    """int64[m], the argument it is compared with; every (a, b) has a counterpart (b, a)."""
    wins: Flags
    """bool[m], true if the first has the higher mean rating."""
    query: Ints
    """int64[m], the query that both arguments answer."""
    parts: Floats
    """float64[n, 3·d], `with_query` of each argument."""

    def rows(self, at: Ints | Flags) -> Floats:
        """Return the paper's features, float64[k, 6·d]: those of both premises, concatenated."""
        return np.hstack([self.parts[self.first[at]], self.parts[self.second[at]]])


def examples(ratings: Ratings, dimension: str, encoder: Encoder) -> Examples:
    """Return both orders of every pair within a query whose mean ratings differ   (D20)."""
    pairs = ratings.pairs(dimension)
    premises = encoder.encode(ratings.texts).astype(np.float64)
    queries = encoder.encode(ratings.queries).astype(np.float64)
    wins = np.arange(2 * len(pairs.better)) < len(pairs.better)
    first = np.concatenate([pairs.better, pairs.worse])
    second = np.concatenate([pairs.worse, pairs.better])
    parts = with_query(premises, queries[ratings.query])
    return Examples(first, second, wins, ratings.query[first], parts)


def right(cases: Examples, folds: Ints, name: str) -> Iterator[tuple[Ints, Flags]]:
    """Yield for each fold the held-out examples, and whether the classifier was right on each."""
    for fold in np.unique(folds):
        out, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        classifier = make_classifier(name).fit(cases.rows(rest), cases.wins[rest])
        yield out, np.asarray(classifier.predict(cases.rows(out)) == cases.wins[out])


def train_classifier(
    judgements: Path, out: Path, kind: str, encoder: str = "wordllama", tell: Progress = silent
) -> TrainedModel:
    """Validate one of D20's classifiers on held-out queries, and write the file that names it.

    `judgements` is Dagstuhl-15512, `kind` is one of `CLASSIFIERS`, and `encoder` is the encoder of
    the indexes. The 32 folds per dimension take seconds (random forest and SVM: six minutes;
    boosting: 90). Raises InvalidParameter, JudgementsError, EncoderUnavailable, and ArgsearchError.
    """
    from threadpoolctl import threadpool_limits

    check_file(out)
    make_classifier(kind)
    ratings, loaded = read_dagstuhl(judgements), load_encoder(encoder)
    accuracies = []
    with threadpool_limits(1):
        for dimension in DIMENSIONS:
            tell(f"validating {dimension}: one query at a time")
            cases = examples(ratings, dimension, loaded)
            hits = [hit for _, hit in right(cases, cases.query, kind)]
            accuracies.append(float(np.concatenate(hits).mean()))
    provenance = {
        "command": f"argsearch train pairwise --judgements {judgements.name} --classifier "
        f"'{kind}' --encoder {loaded.name} --out {out.name}",
        "judgements": {"file": ratings.file, "sha256": ratings.sha256},
        "software": software("scikit-learn"),
        "figures": dict(zip(DIMENSIONS, accuracies, strict=True)),
    }
    sha256 = write_classifier(ratings, loaded, kind, out, provenance)
    pairs = sum(len(ratings.pairs(dimension).better) for dimension in DIMENSIONS)
    told = f"{pairs:,} pairs, {len(ratings.texts):,} rated arguments"
    cells = (f"{kind}, one query at a time", *(f"{x:.3f}" for x in accuracies))
    table = markdown(("", *DIMENSIONS), [cells])
    return TrainedModel(out, sha256, told, tuple(accuracies), (table,))


def write_classifier(
    ratings: Ratings, encoder: Encoder, kind: str, out: Path, provenance: Mapping[str, Any]
) -> str:
    """Train a classifier on all ratings and write it to a file; return the file's SHA-256."""
    every = [examples(ratings, dimension, encoder) for dimension in DIMENSIONS]
    better, worse = (
        tuple(side[cases.wins] for cases, side in ((one, getattr(one, name)) for one in every))
        for name in ("first", "second")
    )
    model = PairwiseClassifier(
        "", "", kind, encoder.name, DIMENSIONS, every[0].parts, better, worse
    )
    header = {
        "classifier": kind,
        "encoder": encoder.name,
        "dimensions": list(DIMENSIONS),
        "provenance": dict(provenance),
    }
    return PAIRWISE.write(out, header, model.pack())
