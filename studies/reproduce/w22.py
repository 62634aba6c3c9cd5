"""W22 (Würf 2022): the four runs over pairs of sentences, and the argument graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from studies.argument_graph import INTERPRETATIONS, PairGraphs
from studies.judgements import CORPUS, Judged
from studies.pairs import MEASURES, measured
from studies.reproduce.table import KEPT, Row, Table, published, short

SHOWN = ("relevant", "judged", "grade, unjudged 0", "quality", "alike")
"""What is measured of the first ten pairs, of `studies.pairs`."""
DEGREES = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, 100))
"""Bins of in-degrees."""


class Lab:
    """The args.me subset with the part `pairs`, and the judgements of 2020."""

    def __init__(self, data: Path) -> None:
        self.index = KEPT / "w22" / "index"
        if not self.index.exists():
            self.index.parent.mkdir(parents=True, exist_ok=True)
            build(BuildRequest([str(data / CORPUS)], self.index, IndexSettings(parts=("pairs",))))
        with Engine.open(self.index) as engine:
            self.judged = Judged.read(data, engine)


def runs(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Table 1: the runs as published, and what can be measured of their pairs here."""
    places = [list(MEASURES).index(name) for name in SHOWN]
    rows = [*published("w22-table1.tsv")[1:], ["pairs-default", *["–"] * 4]]
    with Engine.open(lab().index) as engine:
        for run, *figures in rows:
            config = run if run == "pairs-default" else f"hit-girl-2022-{run.lower()}"
            found = measured(engine, lab().judged.topics, lab().judged.grades, load_config(config))
            means = np.nanmean(found, axis=0)[places]
            yield run, *figures, *(short(float(mean)) for mean in means)


def graphs(lab: Callable[[], Lab]) -> Iterator[Row]:
    """The graphs of all topics: edges, and how many arguments have so many that point at them."""
    with Engine.open(lab().index) as engine:
        drawn = PairGraphs.of(engine, lab().judged.topics)
    for bit, name in INTERPRETATIONS.items():
        degrees = np.concatenate([(found & bit > 0).sum(axis=0) for found in drawn.found])
        counts = (int(((degrees >= a) & (degrees <= b)).sum()) for a, b in DEGREES)
        edges = sum(int((found & bit > 0).sum()) for found in drawn.found)
        yield name, f"{edges:,}", *(f"{count:,}" for count in counts), f"{degrees.max():,}"


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """The tables; none with `quick`: an index of the part takes minutes."""
    lab = cache(partial(Lab, data))
    if quick:
        return
    yield Table(
        "table1",
        "nDCG@5 as published, and what is measured of the first ten pairs of 50 topics here",
        (*published("w22-table1.tsv")[0], *(f"here: {name}" for name in SHOWN)),
        partial(runs, lab),
        "argsearch index CORPUS --out pairs --with pairs`, `argsearch run topics.xml --index pairs "
        "--unit pairs --config hit-girl-2022-wmd --out run.txt",
        ("w22-table1.tsv",),
    )
    bins = (f"{a}" if a == b else f"{a} to {b}" for a, b in DEGREES)
    yield Table(
        "graph",
        "The argument graph, one per interpretation: arguments by the edges that point at them",
        ("edge", "edges", *bins, "most"),
        partial(graphs, lab),
        "python -m studies.argument_graph --data DATA --index pairs --degrees degrees.svg",
    )
