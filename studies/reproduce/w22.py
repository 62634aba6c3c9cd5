"""W22 (Würf 2022): the four runs over pairs of sentences, and the argument graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config
from argsearch.engine.results.results import Hit
from argsearch.engine.units.pairs.unit import Pairs
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.pairs.comparing import BY_COSINE, BY_WORDS, links
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY
from studies.reproduce.table import KEPT, Row, Table, published, short
from studies.reproduce.touche import Judged

MEASURES = ("relevant", "judged", "grade, unjudged 0", "quality", "alike")
"""What is measured of the first ten pairs of a topic.

The mean grade of the premises' arguments, of those judged in 2020; their share; the mean grade with
the others as 0; the arguments' mean predicted quality; premises like one of a better pair.
"""
INDEX = KEPT / "w22" / "index"
"""The args.me subset with the part `pairs`."""
TEN = 10
ALIKE = 0.8
"""Cosine of two premises from which on they are near-duplicates."""
INTERPRETATIONS = {
    BY_COSINE: f"cosine above {COSINE:g}",
    BY_WORDS: f"word mover's similarity above {SIMILARITY:g}",
}
"""What an edge is, by its bit: W22 draws a graph for each."""
RUN = 1000
"""Length of the baseline run that a topic's graph is made from."""
NODES = 100
"""Arguments of a topic's graph."""
DEGREES = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, 100))
"""Bins of in-degrees."""


def runs(lab: Callable[[], Judged]) -> Iterator[Row]:
    """Table 1: the runs as published, and what can be measured of their pairs here."""
    rows = [*published("w22-table1.tsv")[1:], ["pairs-default", *["–"] * 4]]
    judged = lab()
    with Engine.open(INDEX) as engine:
        for run, *figures in rows:
            config = run if run == "pairs-default" else f"hit-girl-2022-{run.lower()}"
            means = np.nanmean(measured(engine, judged, load_config(config)), axis=0)
            yield run, *figures, *(short(float(mean)) for mean in means)


def measured(engine: Engine, judged: Judged, config: Config) -> NDArray[np.float64]:
    """Return MEASURES of every topic, float64[topics, measures]; NaN for one without a pair."""
    rows = np.full((len(judged.topics), len(MEASURES)), np.nan)
    for row, (query, text) in zip(rows, judged.topics.items(), strict=True):
        if hits := engine.pairs(text, k=TEN, config=config).hits:
            row[:] = _measured(engine, hits, judged.grades.get(query, {}))
    return rows


def _measured(engine: Engine, hits: Sequence[Hit], grades: dict[str, int]) -> list[float]:
    """MEASURES of one topic's first pairs."""
    unit = engine.unit("pairs")
    assert isinstance(unit, Pairs)
    backend = unit.index.backend
    behind = [hit.id.split(",")[1].partition("__")[0] for hit in hits]
    known = [grades[id_] for id_ in behind if id_ in grades]
    Q = [float(backend.arrays.quality[backend.ids.find(id_)]) for id_ in behind]
    vectors = engine.encoder.encode([hit.texts[1] for hit in hits]).astype(np.float64)
    likeness = np.tril(vectors @ vectors.T, -1).max(axis=1)
    return [
        float(np.mean(known)) if known else float("nan"),
        len(known) / len(hits),
        sum(known) / len(hits) if grades else float("nan"),
        float(np.mean(Q)),
        float((likeness > ALIKE).sum()),
    ]


def graph(engine: Engine, topic: str) -> NDArray[np.uint8]:
    """Return W22's graph of a topic, as `links` gives it: the arguments of the baseline's pairs."""
    hits = engine.pairs(topic, k=RUN, config="hit-girl-2022-baseline").hits
    ids = list(dict.fromkeys(id_ for hit in hits for id_ in hit.arguments))[:NODES]
    arguments = [argument for id_ in ids if (argument := engine.argument(id_))]
    return links(arguments, engine.encoder)


def graphs(lab: Callable[[], Judged]) -> Iterator[Row]:
    """The graphs of all topics: edges, and how many arguments have so many that point at them."""
    judged = lab()
    with Engine.open(INDEX) as engine:
        drawn = [graph(engine, text) for text in judged.topics.values()]
    for bit, name in INTERPRETATIONS.items():
        degrees = np.concatenate([(found & bit > 0).sum(axis=0) for found in drawn])
        counts = (int(((degrees >= a) & (degrees <= b)).sum()) for a, b in DEGREES)
        edges = sum(int((found & bit > 0).sum()) for found in drawn)
        yield name, f"{edges:,}", *(f"{count:,}" for count in counts), f"{degrees.max():,}"


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """The tables; none with `quick`: an index of the part takes minutes."""
    lab = cache(partial(Judged.indexed, data, INDEX, IndexSettings(parts=("pairs",))))
    if quick:
        return
    yield Table(
        "table1",
        "nDCG@5 as published, and what is measured of the first ten pairs of 50 topics here",
        (*published("w22-table1.tsv")[0], *(f"here: {name}" for name in MEASURES)),
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
    )
