"""What the pairwise model's settings are worth when they are chosen without the issue they meet.

    python -m studies.pairwise_choice

Every pair of word scale and penalty is scored on each issue by a model that saw nothing of the
issue; then each issue is scored by the setting that is best on the fifteen others (which is
pessimistic: what is best without an issue is a little worse on it than its equals are), and by the
mean of all settings' scores.
"""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings, read_dagstuhl, read_ukp
from argsearch.lab.judgements.tables import words
from argsearch.lab.training.pairwise import WORD_SCALE, PairRow, Sources, Space, hits, rows, tfidf
from argsearch.ranking.evaluation.choice import best_mean, folds, held_out
from argsearch.ranking.quality.surface import features

SCALES = (2.0, 4.0, 8.0, 16.0)
ALPHAS = (0.3, 1.0, 3.0, 10.0)
GRID = tuple(itertools.product(SCALES, ALPHAS))


def scores(ratings: Ratings, sources: Sources) -> np.ndarray:
    """float64[settings, dimensions, arguments], each by models that saw nothing of the issue."""
    out = np.zeros((len(GRID), len(DIMENSIONS), len(ratings.texts)))
    issue = np.array(ratings.issues)[ratings.query]
    for left_out in sorted(set(ratings.issues)):
        queries = frozenset(
            q for q, of in zip(ratings.queries, ratings.issues, strict=True) if of == left_out
        )
        rest = sources.without(frozenset([words(left_out)]), queries)
        space, at = Space.of(rest.texts), np.flatnonzero(issue == left_out)
        texts = [ratings.texts[i] for i in at]
        found = [space.standard(features(texts)), WORD_SCALE * tfidf(texts, space.vocabulary)]
        X, split = np.hstack(found), len(space.standard.mean)
        shared = [space.normal(pairs) for pairs in rest.shared]
        for d, pairs in enumerate(rest.own.values()):
            normals = [*shared, space.normal(pairs)]
            gram, moment = (sum(part) for part in zip(*normals, strict=True))
            for cell, (scale, alpha) in enumerate(GRID):
                # a block scaled by s and penalised by α is the block penalised by α / s²
                penalty = np.full(X.shape[1], alpha)
                penalty[split:] *= (WORD_SCALE / scale) ** 2
                out[cell, d, at] = X @ np.linalg.solve(gram + np.diag(penalty), moment)
    return out


def main() -> None:
    """Print every setting, and what choosing among them is worth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    folder = Path(os.environ.get("ARGSEARCH_DATA", "data"))
    parser.add_argument("--data", type=Path, default=folder, help="folder of the corpora")
    data = parser.parse_args().data
    ratings = read_dagstuhl(data / "dagstuhl-15512")
    own = {dimension: ratings.pairs(dimension) for dimension in DIMENSIONS}
    shared = (read_ukp(data / "ukpconvarg1" / "UKPConvArg1-csv.tar.xz"),)
    with threadpool_limits(1):
        found = scores(ratings, Sources(own, shared))
    issues = sorted(set(ratings.issues))
    issue = np.array([issues.index(name) for name in ratings.issues])[ratings.query]
    right = np.zeros((len(GRID), len(issues)))
    for cell, d in itertools.product(range(len(GRID)), range(len(DIMENSIONS))):
        pairs = own[DIMENSIONS[d]]
        sums = np.bincount(issue[pairs.better], hits(found[cell, d], pairs), len(issues))
        right[cell] += sums / np.bincount(issue[pairs.better], minlength=len(issues))
    shown = []
    for cell, (scale, alpha) in enumerate(GRID):
        by_dimension = dict(zip(DIMENSIONS, found[cell], strict=True))
        shown += rows(f"word scale {scale:g}, penalty {alpha:g}", ratings, by_dimension)
    chosen = held_out(right, folds(len(issues)), best_mean).chosen
    picked = {d: found[chosen[issue], i, np.arange(len(issue))] for i, d in enumerate(DIMENSIONS)}
    shown += rows("settings chosen without the issue", ratings, picked)
    scaled = (found / found.std(axis=2, keepdims=True)).mean(axis=0)
    averaged = dict(zip(DIMENSIONS, scaled, strict=True))
    shown += rows("mean of all settings, none chosen", ratings, averaged)
    print(PairRow.table(shown))
    print("chosen:", [GRID[cell] for cell in chosen])


if __name__ == "__main__":
    main()
