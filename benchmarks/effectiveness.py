"""Effectiveness on real judgements: the table of the shipped systems, and how `default` was chosen.

    python -m benchmarks.effectiveness table  --data "$ARGSEARCH_DATA" --out docs/results.md
    python -m benchmarks.effectiveness choose --data "$ARGSEARCH_DATA" --out docs/results.md

Collections: `benchmarks.judged`. Every question is searched once for each relevance model; all
weights, premises' factors and seeds of k-means are then combined from its arrays, in the engine's
own order (`benchmarks.recombining`).
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.judged import SAME_SUBJECT, Collection, read_2020, read_w20
from benchmarks.recombining import Floats, Matches, judged_values, ndcg, variants
from engine.config import Boost, Config, load_config, names
from ranking.evaluation.choice import HeldOut, held_out
from ranking.evaluation.significance import bootstrap_interval, paired_t

LABELS = (
    "nDCG@5, all",
    "nDCG@10, all",
    "nDCG@5, judged only",
    "nDCG@10, judged only",
    "W20 relevance nDCG@10",
    "W20 quality nDCG@10",
)
CHOSEN_BY = slice(2, 6)
"""The measures that `default` is chosen by; "all" is shown beside."""
UNTIL_0_1 = ("boost.cluster=0.05", "boost.quality=1")
"""What `default` was until version 0.1."""
MODELS = {
    "dirichlet": (),
    "BM25 k1 2.5, b 0.1": ("retrieval.model=bm25", "retrieval.k1=2.5", "retrieval.b=0.1"),
}
OMEGA_C = (0.0, 0.05, 0.5, 1.0, 2.0, 5.0)
OMEGA_Q = (0.0, 1.0, 2.0, 5.0, 10.0)
PREMISES = ((0.0, 100), *itertools.product((0.5, 1.0, 2.0), (100, 1000)))
"""ω_P and how many of the best hits get that factor."""


@dataclass(frozen=True)
class Lab:
    """Both collections, ready to measure systems."""

    touche: Collection
    w20: Collection

    @classmethod
    def read(cls, data: Path, folder: Path) -> Lab:
        """The collections in a folder of data; their indexes are kept in another."""
        return cls(read_2020(data, folder), read_w20(data, folder))

    @property
    def topics(self) -> int:
        """Topics of both collections."""
        return len(self.touche.topics) + len(self.w20.topics)

    def measure(self, config: Config, boosts: Sequence[Boost]) -> Floats:
        """float64[boosts, seeds, topics, measures] of one relevance model with many weights.

        Topics of 2020 come first; NaN marks the measures of the other collection.
        """
        if config.rerank.names:
            raise ValueError(f"{config.name} re-ranks by stages that are not recombined here")
        seeds, first = len(self.touche.clusters), len(self.touche.topics)
        values = np.full((len(boosts), seeds, self.topics, len(LABELS)), np.nan)
        for topic, query in enumerate(self.touche.topics):
            matches = self.touche.matches(query, config)
            for seed in range(seeds):
                for i, order in variants(matches, seed, boosts):
                    gains = matches.gains[0, order]
                    values[i, seed, topic, :4] = judged_values(gains, matches.ideal[0])
        for topic, query in enumerate(self.w20.topics, first):
            matches = self.w20.matches(query, config)
            for i, order in variants(matches, 0, boosts):
                values[i, :, topic, 4:] = _w20_values(matches, order)
        return values

    def subjects(self) -> np.ndarray:
        """int64[topics]: topics of both collections that ask the same share a number."""
        numbers = {query: i for i, query in enumerate(self.touche.topics)}
        fold = list(numbers.values())
        for i, query in enumerate(self.w20.topics, len(fold)):
            fold.append(numbers.get(SAME_SUBJECT.get(query, ""), i))
        return np.array(fold)


def _w20_values(matches: Matches, order: np.ndarray) -> list[float]:
    pairs = zip(matches.gains[:, order], matches.ideal, strict=True)
    return [ndcg(gains, ideal, 10) for gains, ideal in pairs]


def table(lab: Lab) -> str:
    """Every shipped system: mean and 95 % interval over topics, seeds of k-means averaged."""
    systems = {name: load_config(name) for name in names()}
    systems["default until 0.1"] = load_config("dirichlet", UNTIL_0_1)
    order = ["dirichlet", "default", "default until 0.1"]
    order += [name for name in names() if name not in order]
    by_seed = {name: lab.measure(systems[name], [systems[name].boost])[0] for name in order}
    values = {name: found.mean(axis=0) for name, found in by_seed.items()}
    rows = _head("system")
    rows += [f"| {name} | {' | '.join(_cells(values[name]))} |" for name in order]
    rows += ["", "Difference to `dirichlet`, with the paired t-test's p:", "", *_head("system")]
    for name in order[1:]:
        pairs = zip(_measured(values[name]), _measured(values["dirichlet"]), strict=True)
        cells = [f"{np.mean(a - b):+.3f} (p = {_p(a, b)})" for a, b in pairs]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    rows += ["", "Means by seed of k-means, the lowest and the highest:", "", *_head("system", 4)]
    for name in order:
        if systems[name].boost.cluster:
            means = np.nanmean(by_seed[name], axis=1)[:, :4]
            ends = zip(means.min(axis=0), means.max(axis=0), strict=True)
            rows.append(
                f"| {name} | {' | '.join(f'{low:.3f} to {high:.3f}' for low, high in ends)} |"
            )
    return "\n".join(rows) + "\n"


def _head(first: str, measures: int = len(LABELS)) -> list[str]:
    return [f"| {first} | {' | '.join(LABELS[:measures])} |", f"|---|{'---|' * measures}"]


def _measured(values: Floats) -> list[Floats]:
    """Each measure's values of the topics that have it."""
    return [column[~np.isnan(column)] for column in values.T]


def _p(a: Floats, b: Floats) -> str:
    return "1" if np.array_equal(a, b) else f"{paired_t(a, b).p:.2g}"


def _cells(values: Floats) -> list[str]:
    cells = []
    for column in _measured(values):
        interval = bootstrap_interval(column)
        cells.append(f"{column.mean():.3f} [{interval.low:.3f}, {interval.high:.3f}]")
    return cells


@dataclass(frozen=True)
class Cell:
    """One system of the grid."""

    model: str
    boost: Boost

    def row(self) -> str:
        """Its cells of a table."""
        b = self.boost
        depth = b.premises_depth if b.premises else "-"
        return f"{self.model} | {b.cluster:g} | {b.quality:g} | {b.premises:g} | {depth}"


def grid() -> list[Boost]:
    """The weights that are tried with each relevance model, those with one Eq. 1 together."""
    return [
        Boost(cluster=c, quality=q, premises=p, premises_depth=depth)
        for c, q, (p, depth) in itertools.product(OMEGA_C, OMEGA_Q, PREMISES)
    ]


def by_mean(gains: Floats) -> int:
    """The system whose mean gain, averaged over the measures `CHOSEN_BY`, is largest.

    gains: [systems, topics, measures], NaN where a topic lacks a measure.
    """
    return int(np.argmax(over_measures(gains)))


def over_measures(gains: Floats) -> Floats:
    """float64[systems]: each measure's mean over its topics, then the mean of `CHOSEN_BY`."""
    means: Floats = np.nanmean(gains[:, :, CHOSEN_BY], axis=1).mean(axis=1)
    return means


def choose(lab: Lab) -> str:
    """Weights by cross-validation: each subject is scored with weights chosen without it."""
    cells, parts = [], []
    for model, overrides in MODELS.items():
        print(f"trying {len(grid())} weights with {model}", file=sys.stderr)
        parts.append(lab.measure(load_config("dirichlet", overrides), grid()).mean(axis=1))
        cells += [Cell(model, boost) for boost in grid()]
    scores = np.concatenate(parts)
    gains = scores - scores[cells.index(Cell("dirichlet", grid()[0]))]
    return report(cells, scores, gains, held_out(gains, lab.subjects(), by_mean))


def report(cells: list[Cell], scores: Floats, gains: Floats, apart: HeldOut) -> str:
    """What is chosen on all topics, what the choice is worth on unseen ones, and the best."""
    chosen, means = by_mean(gains), over_measures(gains)
    b = cells[chosen].boost
    numbers, times = np.unique(apart.chosen, return_counts=True)
    lines = [
        f"Chosen on all topics: R by {cells[chosen].model}, w_cluster = {b.cluster:g}, "
        f"w_quality = {b.quality:g}, w_premises = {b.premises:g} over the first "
        f"{b.premises_depth}.",
        "",
        *_head(""),
        "| chosen weights | " + " | ".join(_cells(scores[chosen])) + " |",
        "| gain over dirichlet | " + " | ".join(_cells(gains[chosen])) + " |",
        "| gain, each topic with weights chosen without it | "
        + " | ".join(_cells(apart.values))
        + " |",
        "",
        "Chosen without a topic (how many topics, and what):",
        "",
        "| topics | R | w_cluster | w_quality | w_premises | depth |",
        "|---|---|---|---|---|---|",
        *(
            f"| {times[i]} | {cells[numbers[i]].row()} |"
            for i in np.argsort(-times, kind="stable").tolist()
        ),
        "",
        "The best of the grid, and the best without some part of it (gains over dirichlet):",
        "",
        "| R | w_cluster | w_quality | w_premises | depth | mean of the last four | "
        + " | ".join(LABELS)
        + " |",
        f"|---|---|---|---|---|---|{'---|' * len(LABELS)}",
    ]
    for i in shown(cells, means):
        row = " | ".join(f"{gain:+.3f}" for gain in np.nanmean(gains[i], axis=0))
        lines.append(f"| {cells[i].row()} | {means[i]:+.4f} | {row} |")
    return "\n".join(lines) + "\n"


def shown(cells: Sequence[Cell], means: Floats) -> list[int]:
    """The twelve best systems, then the best of each R and ω_P that is not among them."""
    order = np.argsort(-means, kind="stable").tolist()
    best: dict[tuple[str, float], int] = {}
    for i in order:
        best.setdefault((cells[i].model, cells[i].boost.premises), i)
    return order[:12] + sorted(set(best.values()) - set(order[:12]), key=order.index)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("table", "choose"))
    parser.add_argument("--data", type=Path, required=True, help="folder of the real corpora")
    parser.add_argument("--out", type=Path, help="page whose part between the markers is renewed")
    parser.add_argument("--indexes", type=Path, help="folder that keeps the indexes for next time")
    arguments = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = arguments.indexes or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        lab = Lab.read(arguments.data, folder)
        text = {"table": table, "choose": choose}[arguments.what](lab)
    print(text)
    if arguments.out:
        renew(arguments.out, arguments.what, text)


def renew(page: Path, what: str, text: str) -> None:
    """Replace what stands between the page's markers `<!-- what -->` and `<!-- end -->`."""
    before, marker, rest = page.read_text().partition(f"<!-- {what} -->\n")
    if not marker:
        raise SystemExit(f"{page} has no marker <!-- {what} -->")
    page.write_text(before + marker + text + rest[rest.index("<!-- end -->") :])


if __name__ == "__main__":
    main()
