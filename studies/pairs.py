"""Pairs of sentences: how fast they are found, and how good they are (docs/pairs.md).

    python -m studies.pairs speed INDEX
    python -m studies.pairs quality INDEX --data "$ARGSEARCH_DATA"

INDEX has the part `pairs` (`argsearch index CORPUS --out INDEX --with pairs`). Questions are the
50 topics of Touché 2020. Quality is measured without judgements of pairs, which nobody has: see
`MEASURES`.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config
from argsearch.engine.results.results import Hit
from argsearch.engine.units.pairs.opened import PairIndex
from argsearch.engine.units.pairs.unit import Pairs
from argsearch.indexer.parts.pairs.sentences import FRAGMENT, QUESTION, QUOTE, kind
from argsearch.ranking.evaluation.significance import bootstrap_interval
from studies.judgements import grades as grades_of_2020
from studies.judgements import titles

SETUPS = (*(f"hit-girl-2022-{name}" for name in ("baseline", "mmr", "sd", "wmd")), "pairs-default")
TEN = 10
ALIKE = 0.8
"""Cosine of two premises from which on they are near-duplicates."""
PASSES = 3
MEASURES = {
    "one argument": "share of pairs whose two sentences stand in one argument",
    "one discussion": "share of pairs whose arguments are of one discussion (the id's first part)",
    "question": "share of premises that are questions",
    "quote": "share of premises that are quotes",
    "fragment": "share of premises that are fragments",
    "alike": f"premises with a cosine above {ALIKE} to a better pair's, a topic's first {TEN}",
    "conclusions": f"distinct conclusions among a topic's first {TEN}",
    "arguments": f"distinct arguments behind the premises of the first {TEN}",
    "relevant": "mean grade (0 to 2) of the premises' arguments, of those judged in 2020",
    "judged": "share of the premises' arguments that were judged in 2020",
    "grade, unjudged 0": "the same mean with unjudged arguments as 0",
    "quality": "mean predicted quality of the premises' arguments",
    "CON": "share of pairs against",
}


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("speed", "quality"))
    parser.add_argument("index")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--setups", nargs="*", default=list(SETUPS))
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    given = parser.parse_args()
    topics = titles(given.data)
    with Engine.open(given.index) as engine:
        if given.what == "speed":
            speed(engine, list(topics.values()), given.setups)
        else:
            quality(engine, topics, given)


def speed(engine: Engine, questions: list[str], setups: list[str]) -> None:
    """p50 and p99 of k = 10, texts of the hits read too, each set-up; memory."""
    index = pair_index(engine)
    sizes = len(index.conclusions.rows), len(index.premises.rows)
    print(f"{sizes[0]:,} conclusions, {sizes[1]:,} premises")
    print("| set-up | p50 ms | p99 ms | p50 with texts |\n|---|---|---|---|")
    for config in setups:
        engine.pairs(questions[0], config=config)
        ranked, shown = [], []
        for question in questions * PASSES:
            begun = time.perf_counter()
            hits = engine.pairs(question, config=config).hits
            ranked.append(time.perf_counter() - begun)
            for hit in hits:
                _ = hit.texts
            shown.append(time.perf_counter() - begun)
        p50, p99 = np.percentile(ranked, (50, 99)) * 1000
        print(f"| {config} | {p50:.1f} | {p99:.1f} | {np.median(shown) * 1000:.1f} |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process: {peak:.0f} MB")


def quality(engine: Engine, topics: dict[str, str], given: argparse.Namespace) -> None:
    """Every measure, mean over topics, each set-up; then what the last one gains on each other.

    Last, `relevant` over the same topics for all.
    """
    grades = grades_of_2020(given.data)
    print(f"| set-up | {' | '.join(MEASURES)} |\n|{'---|' * (len(MEASURES) + 1)}")
    found = {}
    for config in given.setups:
        rows = measured(engine, topics, grades, load_config(config, given.overrides))
        answered = f"{np.isfinite(rows[:, 0]).sum()} topics answered"
        values = " | ".join(f"{mean:.3f}" for mean in np.nanmean(rows, axis=0))
        print(f"| {config}, {answered} | {values} |", flush=True)
        found[config] = rows
    *others, last = found
    for config in others:
        cells = map(_gain, found[last].T, found[config].T)
        print(f"| {last} less {config} | {' | '.join(cells)} |")
    print(_same_topics(found))


def measured(
    engine: Engine, topics: dict[str, str], grades: dict[str, dict[str, int]], config: Config
) -> NDArray[np.float64]:
    """`MEASURES` of every topic's first pairs, float64[topics, measures]; NaN without a pair."""
    rows = np.full((len(topics), len(MEASURES)), np.nan)
    for row, (id_, text) in zip(rows, topics.items(), strict=True):
        hits = engine.pairs(text, k=TEN, config=config).hits
        if hits:
            row[:] = _measured(engine, hits, grades.get(id_, {}))
    return rows


def _same_topics(found: dict[str, NDArray[np.float64]]) -> str:
    """`relevant` where every set-up has a judged pair: its mean elsewhere is over other topics."""
    at = list(MEASURES).index("relevant")
    grades = {config: rows[:, at] for config, rows in found.items()}
    same = np.isfinite(list(grades.values())).all(axis=0)
    means = ", ".join(f"{config} {values[same].mean():.3f}" for config, values in grades.items())
    return f"relevant over the {same.sum()} topics in which each has a judged pair: {means}"


def _gain(a: NDArray[np.float64], b: NDArray[np.float64]) -> str:
    """The mean difference over the topics that have both, its 95 % interval."""
    both = np.isfinite(a) & np.isfinite(b)
    d = a[both] - b[both]
    within = bootstrap_interval(d)
    return f"{d.mean():+.3f} [{within.low:+.3f}, {within.high:+.3f}]"


def pair_index(engine: Engine) -> PairIndex:
    """Return the opened part `pairs`."""
    unit = engine.unit("pairs")
    assert isinstance(unit, Pairs)
    return unit.index


def _measured(engine: Engine, hits: Sequence[Hit], grades: dict[str, int]) -> list[float]:
    """The measures of one topic's first pairs, as `MEASURES` has them."""
    ids = [[part.partition("__")[0] for part in hit.id.split(",")] for hit in hits]
    behind = [premise for _, premise in ids]
    kinds = np.array([kind(hit.texts[1]) for hit in hits])
    vectors = engine.encoder.encode([hit.texts[1] for hit in hits]).astype(np.float64)
    likeness = np.tril(vectors @ vectors.T, -1).max(axis=1)
    judged = [grades[id_] for id_ in behind if id_ in grades]
    backend = pair_index(engine).backend
    Q = [float(backend.arrays.quality[backend.ids.find(id_)]) for id_ in behind]
    return [
        float(np.mean([c == p for c, p in ids])),
        float(np.mean([c.partition("-")[0] == p.partition("-")[0] for c, p in ids])),
        *(float(np.mean(kinds & bit > 0)) for bit in (QUESTION, QUOTE, FRAGMENT)),
        float((likeness > ALIKE).sum()),
        len({hit.texts[0] for hit in hits}),
        len(set(behind)),
        float(np.mean(judged)) if judged else float("nan"),
        len(judged) / len(hits),
        sum(judged) / len(hits) if grades else float("nan"),
        float(np.mean(Q)),
        float(np.mean([hit.stance == "CON" for hit in hits])),
    ]


if __name__ == "__main__":
    main()
