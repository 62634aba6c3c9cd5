"""D20's methods on the judgements of Touché 2020: a premise counts with its argument's grade.

    python -m studies.premises --data "$ARGSEARCH_DATA" --cuts 0 0.5

Corpus, topics and judgements are those of `studies.effectiveness`; an index is made for each
cut of the premises (0: n / 5.5 clusters). `short` counts the premises of fewer than eight words
among the first ten of the 50 topics.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config, names
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from argsearch.ranking.evaluation.significance import bootstrap_interval
from benchmarks.measuring import say
from studies.judgements import CORPUS, Judged

METHODS = tuple(name for name in names() if name.startswith("dumani-2020-"))
MEASURES = (nDCG @ 5, nDCG @ 10)
DEPTH, FIRST, FEW_WORDS = 1000, 10, 8


def effect(
    engine: Engine, lab: Judged, config: Config, measures: Sequence[Any] = MEASURES
) -> dict[str, NDArray[np.float64]]:
    """Each measure of every judged topic, float64[topics]."""
    qrels = [Qrel(q, doc, g) for q, judged in lab.grades.items() for doc, g in judged.items()]
    everything = [
        ScoredDoc(query, hit.id, hit.score)
        for query in lab.grades
        for hit in engine.rank(lab.topics[query], unit="premises", k=DEPTH, config=config).hits
    ]
    judged = [one for one in everything if one.doc_id in lab.grades[one.query_id]]
    row = {}
    for kind, run in (("all", everything), ("judged only", judged)):
        found = list(ir_measures.iter_calc(list(measures), qrels, run))
        for wanted in measures:
            by_topic = {one.query_id: one.value for one in found if one.measure == wanted}
            row[f"{wanted}, {kind}"] = np.array([by_topic.get(q, 0.0) for q in lab.grades])
    return row


def measure(engine: Engine, lab: Judged, config: Config) -> dict[str, Any]:
    """What `effect` measures and `short` counts."""
    return {**effect(engine, lab, config), **short(engine, lab, config)}


def short(engine: Engine, lab: Judged, config: Config) -> dict[str, Any]:
    """Premises of fewer than eight words among the first ten, "I accept", the median time."""
    texts, times = list[str](), []
    for topic in lab.topics.values():
        results = engine.premises(topic, k=FIRST, config=config)
        times.append(results.milliseconds)
        texts += [hit.text for hit in results.hits]
    few = [text for text in texts if len(text.split()) < FEW_WORDS]
    accepting = sum(text.lower().startswith("i accept") for text in few)
    said = {"short": len(few), "accepting": accepting, "shown": len(texts)}
    return {**said, "p50 ms": float(np.median(times))}


def configs() -> Iterator[tuple[str, Config]]:
    """The 13 methods, those over all dimensions with products that sum to 1, and the default."""
    for name in METHODS:
        yield name.removeprefix("dumani-2020-"), load_config(name)
    for family in ("plain", "product", "average"):
        override = ("premises.normalise=true",)
        yield f"{family}-all, normalised", load_config(f"dumani-2020-{family}-all", override)
    yield "the default", load_config("default")


def table(rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Means with 95 % intervals, and of the first measure the gain over pficf."""
    labels = [label for label in rows["pficf"] if label.startswith("nDCG")]
    yield f"| method | {' | '.join(labels)} | {labels[1]}: gain over pficf | short of shown | p50 |"
    yield "|---" * (len(labels) + 4) + "|"
    for name, row in rows.items():
        cells = [_cell(row[label]) for label in labels]
        gain = "" if name == "pficf" else _cell(row[labels[1]] - rows["pficf"][labels[1]], "+.3f")
        few = f"{row['short']} of {row['shown']}"
        yield f"| {name} | {' | '.join(cells)} | {gain} | {few} | {row['p50 ms']:.2f} ms |"


def _cell(values: NDArray[np.float64], form: str = ".3f") -> str:
    within = bootstrap_interval(values)
    return f"{values.mean():{form}} [{within.low:{form}}, {within.high:{form}}]"


def main() -> None:
    """Measure every method under every cut; prints a table each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cuts", type=float, nargs="+", default=[IndexSettings().premise_distance])
    given = parser.parse_args()
    for cut in given.cuts:
        settings = IndexSettings(premise_distance=cut, parts=("premises",))
        with TemporaryDirectory() as folder:
            out = Path(folder) / "index"
            build(BuildRequest([str(given.data / CORPUS)], out, settings))
            with Engine.open(out) as engine:
                lab = Judged.read(given.data, engine)
                rows = {name: measure(engine, lab, config) for name, config in configs()}
        print(f"cut at {cut}\n", *table(rows), sep="\n")
        say(f"cut {cut}: done")


if __name__ == "__main__":
    main()
