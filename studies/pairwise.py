"""Which of two premises is better: published figures, both protocols, and what is had honestly.

    python -m studies.pairwise [--classifiers "k-NN,naive Bayes"] [--dimensions cogency]
                                  [--every 1] [--out docs/premises.md]

Corpora: Dagstuhl-15512 and, for the shipped kind of model, UKPConvArg1, from ARGSEARCH_DATA.
`--every 8` runs every eighth fold alone: the slow kinds take hours otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.quality import load_quality_model
from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings, read_dagstuhl, read_ukp
from argsearch.lab.training.pairwise import (
    PairRow,
    lengths,
    rows,
    unseen_issues,
)
from studies.effectiveness import renew
from studies.pairwise_protocol import (
    CLASSIFIERS,
    Examples,
    examples,
    make_classifier,
    mirror_accuracy,
    mirrors_together,
    one_annotator,
    pairs_of,
    shuffled,
)

PUBLISHED = {
    "random forest": (0.971, 0.972, 0.977),
    "SGD": (0.951, 0.964, 0.965),
    "logistic regression": (0.958, 0.976, 0.970),
    "gradient boosting": (0.932, 0.942, 0.952),
    "SVM": (0.918, 0.917, 0.922),
    "k-NN": (0.887, 0.890, 0.902),
    "naive Bayes": (0.792, 0.784, 0.778),
}
"""D20's accuracies on `DIMENSIONS`."""

PROTOCOLS = ("32 shuffled folds", "32 folds, mirrors together", "a query at a time")


def folds_of(cases: Examples) -> tuple[np.ndarray, ...]:
    """The fold of each example under each of `PROTOCOLS`."""
    return shuffled(len(cases.wins), 0), mirrors_together(pairs_of(cases), 0), cases.query


def accuracy(cases: Examples, folds: np.ndarray, name: str, every: int) -> float:
    """Accuracy on every `every`-th fold, of a classifier trained on all other folds."""
    hits = []
    for fold in islice(np.unique(folds), 0, None, every):
        out, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        fitted = make_classifier(name).fit(cases.rows(rest), cases.wins[rest])
        hits.append(fitted.predict(cases.rows(out)) == cases.wins[out])
    return float(np.concatenate(hits).mean())


def protocols(ratings: Ratings, chosen: argparse.Namespace) -> Iterator[str]:
    """The table of the paper's classifiers under every protocol, a line at a time."""
    encoder = load_encoder("wordllama")
    yield f"| classifier | dimension | folds run | published | {' | '.join(PROTOCOLS)} |"
    yield "|---|---|---|---|---|---|---|"
    run = "all" if chosen.every == 1 else f"1 of {chosen.every}"
    for dimension in chosen.dimensions:
        cases = examples(ratings, dimension, encoder)
        ways = folds_of(cases)
        cells = [f"{mirror_accuracy(cases, folds):.3f}" for folds in ways]
        yield f"| looking the mirror up, no feature | {dimension} | all | | {' | '.join(cells)} |"
        for name in chosen.classifiers:
            start = time.perf_counter()
            cells = [f"{accuracy(cases, folds, name, chosen.every):.3f}" for folds in ways]
            published = PUBLISHED[name][DIMENSIONS.index(dimension)]
            yield f"| {name} | {dimension} | {run} | {published:.3f} | {' | '.join(cells)} |"
            print(f"{name} {dimension}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def honest(ratings: Ratings, data: Path) -> Iterator[str]:
    """The table of what orders pairs of issues that were not seen, a line at a time."""
    shared = [read_ukp(data / "ukpconvarg1" / "UKPConvArg1-csv.tar.xz")]
    quality = load_quality_model("default").raw(ratings.texts).astype(np.float64)
    scored = {
        "longer wins": dict.fromkeys(DIMENSIONS, lengths(ratings.texts)),
        "shipped quality model": dict.fromkeys(DIMENSIONS, quality),
        "pairwise model, of Dagstuhl-15512 alone": unseen_issues(ratings, ()),
        "pairwise model, as shipped": unseen_issues(ratings, shared),
    }
    found = [row for name, scores in scored.items() for row in rows(name, ratings, scores)]
    yield PairRow.table(found)
    people = one_annotator(ratings)
    cells = [f"{people[dimension]:.3f}" for dimension in DIMENSIONS]
    mean = np.mean([people[dimension] for dimension in DIMENSIONS])
    name = "one annotator, for the other two's mean, all pairs"
    yield f"| {name} | {' | '.join(cells)} | {mean:.3f} |"


def main() -> None:
    """Print the tables, and renew them in a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    names = parser.add_argument
    names("--classifiers", type=lambda text: text.split(","), default=list(CLASSIFIERS))
    names("--dimensions", type=lambda text: text.split(","), default=list(DIMENSIONS))
    names("--every", type=int, default=1, help="run every n-th fold alone")
    names("--part", choices=("protocols", "honest", "both"), default="both")
    names("--out", type=Path, help="page whose parts between the markers are renewed")
    chosen = parser.parse_args()
    data = Path(os.environ.get("ARGSEARCH_DATA", "data"))
    ratings = read_dagstuhl(data / "dagstuhl-15512")
    parts = {"protocols": protocols(ratings, chosen), "honest": honest(ratings, data)}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a classifier that stops before it has converged
        for part, lines in parts.items():
            if chosen.part not in (part, "both"):
                continue
            text = ""
            for line in lines:
                print(line, flush=True)
                text += line + "\n"
            if chosen.out:
                renew(chosen.out, part, text)


if __name__ == "__main__":
    main()
