"""Whether an argument is on the question, by meaning: how `stance.model.NEAR_WEIGHTS` were fitted.

`python -m studies.on_question --index FOLDER`: an index of the args.me subset with the part
`meaning` by all-MiniLM-L6-v2 (docs/meaning.md). The first HITS hits with a conclusion of the
questions of `lab/training/stance/subjects.tsv` and of `paraphrased.tsv` (everyday wording, many on
rare subjects) are on the question where a pattern finds their conclusion.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.engine import Engine
from argsearch.engine.stance.model import NEAR_WEIGHTS, StanceModel
from argsearch.lab.training.stance.training import LACKING, SUBJECTS, read_labels

PARAPHRASED = Path(__file__).with_name("paraphrased.tsv")
HITS = 60
FOLDS = 8


@dataclass(frozen=True)
class Labelled:
    """What is read of hits, and whether they are on their question."""

    rows: NDArray[np.float64]
    """float64[n, w], the values of NEAR_WEIGHTS."""
    on: NDArray[np.bool_]
    weights: NDArray[np.float64]
    """LACKING for hits of a question on whose subject the corpus has nothing."""
    questions: NDArray[np.int64]


def labelled(engine: Engine) -> Labelled:
    """The hits of all questions; raises ValueError for an index without the part `meaning`."""
    model = StanceModel.load()
    rows, on, weights, questions = [], [], [], []
    asked = [*read_labels(SUBJECTS), *read_labels(PARAPHRASED)]
    for number, row in enumerate(asked):
        sided = engine.search(row["question"], config="meaning", sides=True, k=1).sided
        assert sided is not None, "sides were asked for"
        hits = sided.whole.take(slice(HITS))
        concerning = hits.source.concerning(sided.about, hits.rows)
        about = re.compile(row["pattern"] or "(?!)", re.IGNORECASE)
        found = model.evidence(row["question"], hits.arguments, concerning=concerning)
        known = [
            ([one.likely[name] for name in NEAR_WEIGHTS], bool(about.search(hit.conclusion or "")))
            for one, hit in zip(found, hits.arguments, strict=True)
            if "alike" in one.likely
        ]
        lacking = not any(label for _, label in known)
        rows += [values for values, _ in known]
        on += [label for _, label in known]
        weights += [LACKING if lacking else 1.0] * len(known)
        questions += [number] * len(known)
    return Labelled(np.array(rows), np.array(on), np.array(weights), np.array(questions))


def fitted(data: Labelled, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weights by some rows, in the order of NEAR_WEIGHTS."""
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(C=1.0, fit_intercept=False, max_iter=3000)
    regression.fit(data.rows[rows], data.on[rows], sample_weight=data.weights[rows])
    return np.asarray(regression.coef_[0])


def left_out(data: Labelled) -> NDArray[np.float64]:
    """P(on the question) of each hit by the hits of other questions."""
    from sklearn.model_selection import GroupKFold

    found = np.zeros(len(data.on))
    for rows, others in GroupKFold(FOLDS).split(data.rows, data.on, data.questions):
        found[others] = 1.0 / (1.0 + np.exp(-data.rows[others] @ fitted(data, rows)))
    return found


def main() -> None:
    """Print the weights, and what they tell of questions that were left out."""
    from sklearn.metrics import roc_auc_score

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", required=True, help="with the part meaning")
    with Engine.open(parser.parse_args().index) as engine:
        data = labelled(engine)
    for name, weight in zip(NEAR_WEIGHTS, fitted(data, np.arange(len(data.on))), strict=True):
        print(f"{name}: {weight:.2f} (stands: {NEAR_WEIGHTS[name]})")
    p = left_out(data)
    print(f"{len(data.on):,} hits, {data.on.mean():.2f} of them on the question")
    print(f"left out, area under the curve: {roc_auc_score(data.on, p):.3f}")
    for low in np.arange(0.0, 1.0, 0.2):
        here = (p >= low) & (p < low + 0.2)
        print(f"P {low:.1f}-{low + 0.2:.1f}: {here.sum():,}, on {data.on[here].mean():.2f}")


if __name__ == "__main__":
    main()
