"""Whether an argument is on the question, by meaning: how weights in `stance.model` were fitted.

`python -m studies.on_question --index FOLDER`: an index of the args.me subset with the part
`meaning` by all-MiniLM-L6-v2 (docs/meaning.md), for NEAR_WEIGHTS; or with the part `vectors` alone,
for WHOLE_WEIGHTS. The first HITS hits with a conclusion of the questions of
`lab/training/stance/subjects.tsv` and of `paraphrased.tsv` (everyday wording, many on rare
subjects) are on the question where a pattern finds their conclusion; with `--read`, those that were
judged for the reader's lists (docs/reader.md) where they are usable, each counting READ.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.engine import Engine
from argsearch.engine.stance.model import NEAR_WEIGHTS, WHOLE_WEIGHTS, StanceModel
from argsearch.engine.stance.sides import DEPTH
from argsearch.indexer.corpus.argument import Argument
from argsearch.lab.training.stance.training import LACKING, SUBJECTS, read_labels
from studies.judgements import read_rows

PARAPHRASED = Path(__file__).with_name("paraphrased.tsv")
LISTS = {"questions": "judged"} | {
    name: f"{name}_judged" for name in ("second", "frozen", "unseen", "fifth", "sixth", "seventh")
}
"""The reader's lists, and the labels of each."""
READER = Path(__file__).with_name("reader")
READ = 4.0
"""What a label by reading counts, that of a pattern being 1."""
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


Known = list[tuple[list[float], bool]]
"""The values of hits, and whether each is on the question."""


def labelled(engine: Engine, read: bool = False) -> Labelled:
    """The hits of all questions; read: those of the reader's lists too.

    Raises PartMissing for an index that tells nothing by meaning.
    """
    found = list[tuple[Known, float]]()
    for row in [*read_labels(SUBJECTS), *read_labels(PARAPHRASED)]:
        about = re.compile(row["pattern"] or "(?!)", re.IGNORECASE)
        known = [
            (values, bool(about.search(hit.conclusion or "")))
            for values, hit in _hits(engine, row["question"], HITS)
        ]
        found.append((known, 1.0 if any(label for _, label in known) else LACKING))
    for name, judged in LISTS.items() if read else ():
        usable = {
            (row["item"].partition(".")[0], row["argument"]): row["usable"] == "1"
            for row in read_rows(READER / f"{judged}.tsv")
            if row["argument"]
        }
        for row in read_rows(READER / f"{name}.tsv"):
            hits = _hits(engine, row["question"], DEPTH)
            keys = [(values, (row["id"], hit.id)) for values, hit in hits]
            found.append(([(values, usable[key]) for values, key in keys if key in usable], READ))
    return Labelled(
        np.array([values for known, _ in found for values, _ in known]),
        np.array([label for known, _ in found for _, label in known]),
        np.array([weight for known, weight in found for _ in known]),
        np.array([number for number, (known, _) in enumerate(found) for _ in known]),
    )


def _hits(engine: Engine, question: str, most: int) -> list[tuple[list[float], Argument]]:
    """The first hits for a question that have a conclusion, with what is read of each."""
    sided = engine.search(question, config="meaning", sides=True, k=1).sided
    assert sided is not None, "sides were asked for"
    hits = sided.whole.take(slice(most))
    concerning = hits.source.concerning(sided.about, hits.rows)
    found = StanceModel.load().evidence(
        hits.question, hits.arguments, sided.best, concerning=concerning
    )
    return [
        ([one.likely[name] for name in NEAR_WEIGHTS], hit)
        for one, hit in zip(found, hits.arguments, strict=True)
        if "alike" in one.likely
    ]


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
    parser.add_argument("--index", required=True, help="with the part meaning, or vectors")
    parser.add_argument("--read", action="store_true", help="with labels of the reader's lists too")
    asked = parser.parse_args()
    with Engine.open(asked.index) as engine:
        data = labelled(engine, asked.read)
    for name, weight in zip(NEAR_WEIGHTS, fitted(data, np.arange(len(data.on))), strict=True):
        print(f"{name}: {weight:.2f} (stand: {NEAR_WEIGHTS[name]}, {WHOLE_WEIGHTS[name]})")
    p = left_out(data)
    print(f"{len(data.on):,} hits, {data.on.mean():.2f} of them on the question")
    print(f"left out, area under the curve: {roc_auc_score(data.on, p):.3f}")
    for low in np.arange(0.0, 1.0, 0.2):
        here = (p >= low) & (p < low + 0.2)
        print(f"P {low:.1f}-{low + 0.2:.1f}: {here.sum():,}, on {data.on[here].mean():.2f}")


if __name__ == "__main__":
    main()
