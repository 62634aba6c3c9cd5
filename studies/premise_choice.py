"""Where D20's trees are cut, and by what claims are found: chosen leaving a topic out.

    python -m studies.premise_choice --data "$ARGSEARCH_DATA" [--index INDEX]

The args.me subset and the judgements of 2020, as `studies.premises`. Every pair of cuts (0: n / 5.5
clusters) with several ways of finding claims and both representatives; each topic is then scored by
what is best on the other topics.
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.engine.units.premises.opened import Claims
from argsearch.engine.units.premises.unit import Premises
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.premises.part import Document, Gatherer, claim_arrays
from argsearch.indexer.quality.pairwise import PairwiseModel, load_pairwise_model
from argsearch.ranking.evaluation.choice import best_mean, folds, held_out
from argsearch.ranking.premises.clusters import default_count
from argsearch.ranking.premises.counts import dcf_by_score
from argsearch.ranking.vectors import quantise
from benchmarks.measuring import say
from studies.judgements import CORPUS, Judged
from studies.premises import effect

CUTS = (0.0, 0.9, 0.7, 0.6, 0.5, 0.3)
CLAIM_CUTS = (0.0, 0.7, 0.5)
METHODS = {
    "the default": ("default", ()),
    "pficf": ("dumani-2020-pficf", ()),
    "average-all, normalised": ("dumani-2020-average-all", ("premises.normalise=true",)),
}
ASKED = (("all", 0), ("content", 0), ("all", 1), ("content", 1), ("content", 2), ("content", 4))
"""`premises.words` and `premises.cosine`; the first pair is the published one."""
MEASURES = ("nDCG@5, all", "nDCG@10, all", "nDCG@5, judged only", "nDCG@10, judged only")


class Trees:
    """The claims and premises of an index, cut at will."""

    def __init__(self, engine: Engine) -> None:
        unit = engine.unit("premises")
        assert isinstance(unit, Premises)
        self.unit, self.part = unit, engine.backend.part("premises")
        rows: tuple[list[Any], ...] = [], []
        scores: list[NDArray[np.float32]] = []
        model = load_pairwise_model()
        assert isinstance(model, PairwiseModel)

        def take(texts: list[str]) -> None:
            rows[1].append(engine.encoder.encode(texts))
            scores.append(model.scores(texts))

        self.gathered = Gatherer(lambda texts: rows[0].append(engine.encoder.encode(texts)), take)
        for number in range(unit.claims.backend.documents):
            one = unit.claims.document(number)
            said = [(p.text, p.stance and p.stance.value) for p in one.premises]
            self.gathered.add(Document(one.conclusion, said))
        self.gathered.claims.flush()
        self.gathered.premises.flush()
        self.trees = [linkage(np.vstack(side).astype(float), "average") for side in rows]
        self.levels = quantise(np.vstack(rows[0]))[0]
        self.scores = np.vstack(scores).astype(np.float64)

    def cut(self, claims: float, premises: float) -> None:
        """Let the unit answer with both trees cut so."""
        labels = [
            fcluster(tree, at, "distance")
            if at
            else fcluster(tree, default_count(len(tree) + 1), "maxclust")
            for tree, at in zip(self.trees, (claims, premises), strict=True)
        ]
        sides = [label.astype(np.int32) - 1 for label in labels]
        links, occurrences = self.gathered.links(*sides)
        scores = self.scores[links.premise]
        wins = np.array([dcf_by_score(column, links.starts) for column in scores.T])
        arrays = claim_arrays(self.gathered, links, occurrences, wins, self.levels)
        part = replace(self.part, arrays=arrays.to_arrays())
        self.unit.claims = Claims(self.unit.claims.backend, part)


def measured(engine: Engine, lab: Judged) -> dict[tuple[Any, ...], NDArray[np.float64]]:
    """float64[topics, measures] of every setting."""
    trees, found = Trees(engine), {}
    for claims, premises in itertools.product(CLAIM_CUTS, CUTS):
        trees.cut(claims, premises)
        for method, (name, overrides) in METHODS.items():
            if method == "the default" and claims != CLAIM_CUTS[0]:
                continue  # dcf looks at no cluster of claims
            for (words, cosine), shown in itertools.product(ASKED, ("cluster", "found")):
                found_by = (f"premises.words={words}", f"premises.cosine={cosine}")
                more = (*found_by, f"premises.representative={shown}")
                config = load_config(name, (*overrides, *more))
                row = effect(engine, lab, config)
                key = method, claims, premises, f"{words}, {cosine}", shown
                found[key] = np.array([row[label] for label in MEASURES]).T
        say(f"cuts {claims}, {premises}: done")
    return found


def main() -> None:
    """Print every setting's means, and what choosing among them is worth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--index", type=Path, help="one of the subset with the part premises")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        index = given.index or Path(folder) / "index"
        if not given.index:
            settings = IndexSettings(parts=("premises",))
            build(BuildRequest([str(given.data / CORPUS)], index, settings))
        with Engine.open(index) as engine:
            found = measured(engine, Judged.read(given.data, engine))
    print(
        f"| method | claims | premises | words, cosine | representative | {' | '.join(MEASURES)} |"
    )
    print("|---" * (5 + len(MEASURES)) + "|")
    for key, values in found.items():
        cells = [*map(str, key), *(f"{mean:.3f}" for mean in values.mean(axis=0))]
        print(f"| {' | '.join(cells)} |")
    for method in METHODS:
        keys = [key for key in found if key[0] == method]
        values = np.array([found[key][:, :2].mean(axis=1) for key in keys])
        chosen = held_out(values, folds(values.shape[1]), best_mean).chosen
        rows = np.array([found[keys[c]][topic] for topic, c in enumerate(chosen)])
        means = " ".join(f"{mean:.3f}" for mean in rows.mean(axis=0))
        times = {keys[c][1:]: int((chosen == c).sum()) for c in np.unique(chosen)}
        print(f"{method}: topic left out {means}; chosen {times}")


if __name__ == "__main__":
    main()
