"""Effectiveness on real judgements: the table of the shipped systems, and how `default` was chosen.

    python -m studies.effectiveness table  --data "$ARGSEARCH_DATA" --out docs/results.md
    python -m studies.effectiveness choose --data "$ARGSEARCH_DATA" --out docs/results.md

Collections: `studies.judgements`. Every question is searched once for each relevance model; all
weights, premises' factors and seeds of k-means are then combined from its arrays, in the engine's
own order (`studies.recombining`).
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine.config import Boost, Config, load_config, names
from argsearch.ranking.evaluation.choice import held_out
from argsearch.ranking.evaluation.significance import bootstrap_interval, paired_t
from studies.judgements import SAME_SUBJECT, Collection, read_2020, read_w20
from studies.recombining import Floats, Matches, judged_values, ndcg, variants

LABELS = (
    "nDCG@5, all",
    "nDCG@10, all",
    "nDCG@5, judged only",
    "nDCG@10, judged only",
    "W20 relevance nDCG@10",
    "W20 quality nDCG@10",
)
ALL, CHOSEN_BY = slice(0, 2), slice(2, 6)
"""The measures that `default` is chosen by; "all" tells only between those that are as good."""
UNTIL_0_1 = ("boost.cluster=0.05", "boost.quality=1")
"""What `default` was until version 0.1."""
MODELS = {
    "dirichlet": (),
    "BM25 k1 2.5, b 0.1": ("retrieval.model=bm25", "retrieval.k1=2.5", "retrieval.b=0.1"),
}
"""What R may be; only the first can be chosen, for search servers answer with no other."""
OMEGA_C = (0.0, 0.05, 0.5, 1.0, 2.0, 5.0)
OMEGA_Q = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0)
PREMISES = ((0.0, 100), *itertools.product((0.5, 1.0, 2.0, 4.0), (100, 1000)))
"""ω_P and how many of the best hits get that factor."""
NOISE = 0.005
"""Differences of means below this say nothing about which of two systems is better."""


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


def of_arguments() -> list[str]:
    """The shipped systems that rank arguments by words, as they come: no re-rankers."""
    others = ("dumani-", "hit-girl-", "pairs-", "meaning")
    return [n for n in names() if not n.startswith(others) and not load_config(n).rerank.names]


def _w20_values(matches: Matches, order: np.ndarray) -> list[float]:
    pairs = zip(matches.gains[:, order], matches.ideal, strict=True)
    return [ndcg(gains, ideal, 10) for gains, ideal in pairs]


def table(lab: Lab) -> str:
    """Every shipped system: mean and 95 % interval over topics, seeds of k-means averaged."""
    systems = {name: load_config(name) for name in of_arguments()}
    systems["default until 0.1"] = load_config("dirichlet", UNTIL_0_1)
    order = ["dirichlet", "default", "default until 0.1"]
    order += [name for name in systems if name not in order]
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


def over_measures(gains: Floats, measures: slice = CHOSEN_BY) -> Floats:
    """float64[systems]: each measure's mean over its topics, then the mean of some measures.

    gains: [systems, topics, measures], NaN where a topic lacks a measure.
    """
    means: Floats = np.nanmean(gains[:, :, measures], axis=1).mean(axis=1)
    return means


def by_mean(gains: Floats) -> int:
    """The system with the largest mean gain by the measures `CHOSEN_BY`."""
    return int(np.argmax(over_measures(gains)))


def by_mean_then_all(gains: Floats) -> int:
    """Of the systems less than `NOISE` below that mean, the one that does best by "all"."""
    means = over_measures(gains)
    near = means > means.max() - NOISE
    return int(np.argmax(np.where(near, over_measures(gains, ALL), -np.inf)))


def choose(lab: Lab) -> str:
    """Weights by cross-validation: each subject is scored with weights chosen without it."""
    cells, parts = [], []
    for model, overrides in MODELS.items():
        print(f"trying {len(grid())} weights with {model}", file=sys.stderr)
        parts.append(lab.measure(load_config("dirichlet", overrides), grid()).mean(axis=1))
        cells += [Cell(model, boost) for boost in grid()]
    scores = np.concatenate(parts)
    return report(cells, scores, scores - scores[0], lab.subjects())


def report(cells: list[Cell], scores: Floats, gains: Floats, subjects: np.ndarray) -> str:
    """What is chosen on all topics, what the choice is worth on unseen ones, and the best."""
    open_to = gains[: len(grid())]
    chosen, apart = by_mean_then_all(open_to), held_out(open_to, subjects, by_mean_then_all)
    b = cells[chosen].boost
    held = {
        "chosen weights": scores[chosen],
        "gain over dirichlet": gains[chosen],
        "gain, each topic with weights chosen without it": apart.values,
        "the same, chosen by the mean alone": held_out(open_to, subjects, by_mean).values,
    }
    return "\n".join(
        [
            f"Chosen on all topics: w_cluster = {b.cluster:g}, w_quality = {b.quality:g}, "
            f"w_premises = {b.premises:g} over the first {b.premises_depth}.",
            "",
            *_head(""),
            *(f"| {what} | {' | '.join(_cells(values))} |" for what, values in held.items()),
            "",
            "Chosen without a topic (for how many topics, and what):",
            "",
            "| topics | R | w_cluster | w_quality | w_premises | depth |",
            "|---|---|---|---|---|---|",
            *_often(cells, apart.chosen),
            "",
            "The chosen one, the twelve with the largest mean, and the best of each R and "
            "w_premises (gains over dirichlet; the mean is of the last four):",
            "",
            f"| R | w_cluster | w_quality | w_premises | depth | mean | {' | '.join(LABELS)} |",
            f"|---|---|---|---|---|---|{'---|' * len(LABELS)}",
            *_best(cells, gains, chosen),
            "",
        ]
    )


def _often(cells: list[Cell], chosen: np.ndarray) -> list[str]:
    numbers, times = np.unique(chosen, return_counts=True)
    order = np.argsort(-times, kind="stable").tolist()
    return [f"| {times[i]} | {cells[numbers[i]].row()} |" for i in order]


def _best(cells: list[Cell], gains: Floats, chosen: int) -> list[str]:
    means, rows = over_measures(gains), []
    for i in dict.fromkeys([chosen, *shown(cells, means)]):
        row = " | ".join(f"{gain:+.3f}" for gain in np.nanmean(gains[i], axis=0))
        rows.append(f"| {cells[i].row()} | {means[i]:+.4f} | {row} |")
    return rows


def shown(cells: Sequence[Cell], means: Floats) -> list[int]:
    """The twelve best systems that can be chosen, then the best of each R and ω_P."""
    order = np.argsort(-means, kind="stable").tolist()
    best: dict[tuple[str, float], int] = {}
    for i in order:
        best.setdefault((cells[i].model, cells[i].boost.premises), i)
    first = [i for i in order if cells[i].model == cells[0].model][:12]
    return first + sorted(set(best.values()) - set(first), key=order.index)


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
    text = commanded(text, arguments.what)
    print(text)
    if arguments.out:
        renew(arguments.out, arguments.what, text)


def commanded(text: str, what: str) -> str:
    """The text with the command that makes it below each of its tables."""
    said = f'\n`python -m studies.effectiveness {what} --data "$ARGSEARCH_DATA"`\n'
    tables = re.sub(r"((?:^\|.*\|\n)+)", lambda found: found[1] + said, text, flags=re.MULTILINE)
    return tables.replace(said + "\n\n", said + "\n")


def renew(page: Path, what: str, text: str) -> None:
    """Replace what stands between the page's markers `<!-- what -->` and `<!-- end -->`."""
    before, marker, rest = page.read_text().partition(f"<!-- {what} -->\n")
    if not marker:
        raise SystemExit(f"{page} has no marker <!-- {what} -->")
    page.write_text(before + marker + text + rest[rest.index("<!-- end -->") :])


if __name__ == "__main__":
    main()
