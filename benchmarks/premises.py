"""D20's methods on the judgements of Touché 2020: a premise counts with its argument's grade.

    python -m benchmarks.premises --data "$ARGSEARCH_DATA" --cuts 0 0.7 0.5 --out premises.json

Corpus, topics and judgements are those of `benchmarks.effectiveness`; an index is made for each
cut of both trees (0: n / 5.5 clusters). `short` counts the premises of fewer than eight words
among the first ten of the 50 topics.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG

from benchmarks.effectiveness import CORPUS, Lab
from benchmarks.measuring import say
from engine import Engine
from engine.config import Config, load_config, names
from indexer.build import BuildRequest, build
from indexer.layout.settings import IndexSettings
from ranking.evaluation.significance import bootstrap_interval

METHODS = tuple(name for name in names() if name.startswith("dumani-2020-"))
MEASURES = (nDCG @ 5, nDCG @ 10)
DEPTH, FIRST, FEW_WORDS = 1000, 10, 8


def measure(engine: Engine, lab: Lab, config: Config) -> dict[str, Any]:
    """Mean and 95 % interval of each measure, short premises, and the median time."""
    qrels = [
        Qrel(q, doc, grade) for q, judged in lab.grades.items() for doc, grade in judged.items()
    ]
    runs: dict[str, list[ScoredDoc]] = {"all": [], "judged only": []}
    for query in lab.grades:
        for hit in engine.rank(lab.topics[query], unit="premises", k=DEPTH, config=config).hits:
            runs["all"].append(ScoredDoc(query, hit.id, hit.score))
    runs["judged only"] = [one for one in runs["all"] if one.doc_id in lab.grades[one.query_id]]
    row: dict[str, Any] = {}
    for kind, run in runs.items():
        found = list(ir_measures.iter_calc(list(MEASURES), qrels, run))
        for wanted in MEASURES:
            by_topic = {one.query_id: one.value for one in found if one.measure == wanted}
            values = np.array([by_topic.get(query, 0.0) for query in lab.grades])
            within = bootstrap_interval(values)
            row[f"{wanted}, {kind}"] = [values.mean(), within.low, within.high]
    return row | short(engine, lab, config)


def short(engine: Engine, lab: Lab, config: Config) -> dict[str, Any]:
    """Premises of fewer than eight words among the first ten, sizes, and milliseconds."""
    words, sizes, times = [], [], []
    for topic in lab.topics.values():
        results = engine.premises(topic, k=FIRST, config=config)
        times.append(results.milliseconds)
        for hit in results.hits:
            words.append(len(hit.representative.text.split()))
            sizes.append(hit.size)
    few = sum(count < FEW_WORDS for count in words)
    return {
        "short": few,
        "shown": len(words),
        "median words": float(np.median(words)),
        "median size": float(np.median(sizes)),
        "p50 ms": float(np.median(times)),
    }


def variants(depths: list[int]) -> Iterator[tuple[str, int, Config]]:
    """What is shown, depth, and configuration."""
    for shown in ("cluster", "found"):
        for depth in depths:
            for method in METHODS:
                config = load_config(method)
                section = replace(config.premises, shown=shown, depth=depth)
                yield shown, depth, replace(config, premises=section)


def main() -> None:
    """Measure every method under every cut."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cuts", type=float, nargs="+", default=[0.0])
    parser.add_argument("--depths", type=int, nargs="+", default=[100])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = []
    for cut in given.cuts:
        settings = IndexSettings(claim_distance=cut, premise_distance=cut, parts=("premises",))
        with TemporaryDirectory() as folder:
            out = Path(folder) / "index"
            build(BuildRequest([str(given.data / CORPUS)], out, settings))
            with Engine.open(out) as engine:
                lab = Lab.read(given.data, engine)
                for shown, depth, config in variants(given.depths):
                    row = {"cut": cut, "shown_": shown, "depth": depth, "method": config.name}
                    rows.append(row | measure(engine, lab, config))
        say(f"cut {cut}: done")
    given.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
