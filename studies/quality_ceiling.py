"""How far any prediction of Webis-ArgQuality-20 can go: its labels, made twice from half the votes.

    python -m studies.quality_ceiling --data "$ARGSEARCH_DATA"

The raw comparisons of each dimension are dealt into halves, each half is scored by Bradley-Terry
with ties (G19), and an argument's quality is the mean of the three dimensions. r of two halves, by
Spearman and Brown 2r / (1 + r) = ρ for the whole, is the labels' reliability; a prediction without
any error of its own correlates with them by √ρ.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from argsearch.lab.judgements.pairs import WEBIS_DIMENSIONS
from argsearch.lab.judgements.webis import Judgements, read_judgements
from argsearch.ranking.preference import bradley_terry, comparisons
from studies.judgements import W20, read_rows, w20_ids
from studies.quality import NAMES, figures

RAW = "webis-argquality20/raw/webis-argquality20-raw-{}.csv"
OUTCOMES = {"A": 1, "B": -1, "Tie": 0}
SPLITS = 20

Floats = np.ndarray


def votes(data: Path, dimension: str) -> Floats:
    """(item, other, outcome) of every comparison of two different released items: int64[m, 3]."""
    items = {id: i for i, id in enumerate(w20_ids(data))}
    found = []
    for row in read_rows(data / RAW.format(dimension)):
        sides = [items.get(f"{row[f'Discussion ID {s}']}-{row[f'Argument ID {s}']}") for s in "AB"]
        if None not in sides and sides[0] != sides[1]:
            found.append([*sides, OUTCOMES[row["Comparison"]]])
    return np.array(found, np.int64)


def scores(votes: Floats, items: int) -> Floats:
    """Bradley-Terry scores, float64[items]."""
    return bradley_terry(comparisons(votes[:, 0], votes[:, 1], votes[:, 2], items)).scores


def halves(judged: Judgements, dimensions: list[Floats], seed: int) -> tuple[Floats, Floats]:
    """The arguments' mean scores by one half of each dimension's comparisons, and by the other."""
    rng, both = np.random.default_rng(seed), ([], [])
    for compared in dimensions:
        order = rng.permutation(len(compared))
        for side, some in zip(both, np.array_split(order, 2), strict=True):
            side.append(scores(compared[some], len(judged.texts))[judged.is_argument])
    return np.mean(both[0], axis=0), np.mean(both[1], axis=0)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    judged = read_judgements(data / W20)
    good = judged.is_argument
    topics, words = judged.topics[good], judged.words[good]
    dimensions = [votes(data, dimension) for dimension in WEBIS_DIMENSIONS]
    whole = np.mean([scores(some, len(good))[good] for some in dimensions], axis=0)
    again = figures(judged.quality[good], whole, topics, words)
    found = [figures(*halves(judged, dimensions, seed), topics, words) for seed in range(SPLITS)]
    r = np.mean(found, axis=0)
    rho = 2 * r / (1 + r)
    print(f"| r | {' | '.join(NAMES)} |", "|---|---:|---:|---:|---:|", sep="\n")
    rows = {
        "the published labels, and these scores of all comparisons": again,
        f"halves of the comparisons (mean of {SPLITS} drawings)": r,
        "reliability of the labels, ρ": rho,
        "highest r of a prediction, √ρ": np.sqrt(rho),
    }
    for name, values in rows.items():
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |")


if __name__ == "__main__":
    main()
