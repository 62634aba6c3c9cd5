"""What each re-ranker does to effectiveness, variety and time, over the default ranking.

    python -m studies.reranked --data "$ARGSEARCH_DATA" --out docs/reranking.md
    python -m studies.reranked --data "$ARGSEARCH_DATA" --indexes FOLDER   # kept for next time

Collections: `studies.judgements`, the clusters of the first seed. Every stage sees the first 100 of
the default ranking; on W20 its quality is that of a model that never saw the topic. Variety is that
of the first ten hits: how many a group of near-duplicates has beside its first, and of how many
clusters they are. Time is the processor's, of the stage alone, texts seen for the first time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.engine.backends.embedded.findings import LocalFindings
from argsearch.engine.config import Boost, Config, Rerank, load_config
from argsearch.engine.stages import Candidates
from argsearch.engine.stages.base import staged
from argsearch.indexer.parameters import LARGEST_PAGE
from argsearch.indexer.parts.adding import add_parts
from argsearch.ranking.combination import factor
from argsearch.ranking.evaluation.significance import bootstrap_interval, paired_t
from studies.effectiveness import LABELS, renew
from studies.judgements import Collection, documents, read_2020, read_w20
from studies.recombining import Floats, Matches, by_eq1, judged_values, ndcg, with_premises

SYSTEMS: dict[str, tuple[str, ...]] = {
    "default": (),
    "mmr, λ .9": ("rerank.stages=['mmr']", "rerank.mmr.trade_off=0.9"),
    "mmr, λ .75": ("rerank.stages=['mmr']",),
    "mmr, λ .5": ("rerank.stages=['mmr']", "rerank.mmr.trade_off=0.5"),
    "structural, similarity": ("rerank.stages=['structural']",),
    "structural, distance": ("rerank.stages=['structural']", "rerank.structural.mode=distance"),
    "word_movers, similarity": ("rerank.stages=['word_movers']",),
    "word_movers, distance": (
        "rerank.stages=['word_movers']",
        "rerank.word_movers.mode=distance",
    ),
}
"""Each re-ranker over the default, with its own settings and with others."""
FOLDED = "near-duplicates collapsed"
"""No re-ranker: what `--collapse` does, for comparison."""
VARIETY = ("2020 near-duplicates", "2020 clusters", "W20 near-duplicates", "2020 ms", "W20 ms")
FIRST = 10


@dataclass(frozen=True)
class Found:
    """One question's default ranking: places in `matches`, documents and scores, best first."""

    text: str
    matches: Matches
    order: NDArray[np.int64]
    docs: NDArray[np.int64]
    scores: Floats

    @classmethod
    def of(cls, collection: Collection, query: str, boost: Boost) -> Found:
        """By Eq. 1 and the premises' factor."""
        bare = replace(load_config("default"), boost=Boost(), rerank=Rerank())
        matches = collection.matches(query, bare)
        S, base = by_eq1(matches, 0, boost)
        order = with_premises(matches, S, base, boost)
        near = order[: boost.premises_depth]
        scores = S[order]
        scores[: len(near)] *= factor(boost.premises, matches.P[near])
        text = collection.topics[query]
        found = collection.engine.search(text, k=LARGEST_PAGE, config=bare)
        docs = documents(collection.engine, sorted(found.hits.ids))
        return cls(text, matches, order, docs[order], scores)


def backend(engine: Engine) -> EmbeddedBackend:
    assert engine.backend.directory is not None
    return engine.backend.directory


@dataclass(frozen=True)
class Documents(LocalFindings):
    """Documents of an index as rows."""

    numbers: NDArray[np.integer]

    def docs(self, rows: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return their numbers."""
        return self.numbers[rows]

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return their stored vectors."""
        part, docs = self.backend.part("vectors"), self.numbers[rows]
        return np.asarray(part["rows"][docs] * part["scales"][docs, None], np.float32)


def reranked(engine: Engine, found: Found, config: Config) -> tuple[NDArray[np.int64], float]:
    """The places of the hits after a configuration's re-rankers, and the milliseconds they took."""
    source, rows = Documents(backend(engine), found.docs), np.arange(len(found.docs))
    candidates = Candidates(found.text, source, rows, found.scores, lambda: engine.encoder)
    begun = time.process_time()
    rows = staged(candidates, config.reranking).rows
    return rows, (time.process_time() - begun) * 1e3


def copies(engine: Engine, docs: NDArray[np.int64]) -> int:
    """How many of the first hits stand beside a near-duplicate above them."""
    groups = backend(engine).part("near_duplicates")["groups"][docs[:FIRST]]
    return len(groups) - len(np.unique(groups))


@dataclass(frozen=True)
class Lab:
    """Both collections and their default rankings."""

    touche: Collection
    w20: Collection
    found: dict[str, list[Found]]

    @classmethod
    def read(cls, data: Path, folder: Path) -> Lab:
        """The collections; their indexes get the part `near_duplicates`."""
        boost = load_config("default").boost
        touche, w20 = read_2020(data, folder, seeds=(0,)), read_w20(data, folder)
        for name in ("argsme", "w20"):
            add_parts(folder / name, ["near_duplicates"])
        touche, w20 = (
            Collection(Engine.open(folder / name), c.topics, c.gains, c.quality, c.clusters)
            for name, c in (("argsme", touche), ("w20", w20))
        )
        found = {
            name: [Found.of(c, query, boost) for query in c.topics]
            for name, c in (("touche", touche), ("w20", w20))
        }
        return cls(touche, w20, found)

    def measure(self, system: str) -> tuple[Floats, Floats]:
        """float64[topics, measures] as `effectiveness` has them, and float64[topics, VARIETY]."""
        config = load_config("default", SYSTEMS.get(system, ()))
        values = np.full((len(self.touche.topics) + len(self.w20.topics), len(LABELS)), np.nan)
        variety = np.full((len(values), len(VARIETY)), np.nan)
        row = 0
        for found in self.found["touche"]:
            order, took = self._order(self.touche.engine, found, config, system)
            gains = found.matches.gains[0, found.order[order]]
            values[row, :4] = judged_values(gains, found.matches.ideal[0])
            docs = found.docs[order]
            clusters = backend(self.touche.engine).arrays.clusters[docs[:FIRST]]
            near = copies(self.touche.engine, docs)
            variety[row, [0, 1, 3]] = near, len(np.unique(clusters)), took
            row += 1
        for found in self.found["w20"]:
            order, took = self._order(self.w20.engine, found, config, system)
            gains = found.matches.gains[:, found.order[order]]
            pairs = zip(gains, found.matches.ideal, strict=True)
            values[row, 4:] = [ndcg(gain, ideal, FIRST) for gain, ideal in pairs]
            variety[row, [2, 4]] = copies(self.w20.engine, found.docs[order]), took
            row += 1
        return values, variety

    @staticmethod
    def _order(
        engine: Engine, found: Found, config: Config, system: str
    ) -> tuple[NDArray[np.int64], float]:
        if system == FOLDED:
            groups = backend(engine).part("near_duplicates")["groups"][found.docs]
            return np.sort(np.unique(groups, return_index=True)[1]), 0.0
        return reranked(engine, found, config)


def table(measured: dict[str, tuple[Floats, Floats]]) -> str:
    """Means with intervals, differences to the default with theirs, variety and time."""
    head = f"| system | {' | '.join(LABELS)} |\n|---|{'---|' * len(LABELS)}"
    base = measured["default"][0]
    means, gains = [head], [head]
    for name, (values, _) in measured.items():
        means.append(f"| {name} | {' | '.join(cell(column) for column in values.T)} |")
        if name != "default":
            pairs = zip(values.T, base.T, strict=True)
            gains.append(f"| {name} | {' | '.join(gain(a, b) for a, b in pairs)} |")
    rows = [f"| system | {' | '.join(VARIETY)} |\n|---|{'---|' * len(VARIETY)}"]
    for name, (_, variety) in measured.items():
        kinds = zip(variety.T, VARIETY, strict=True)
        cells = [
            f"{np.nanmedian(column):.1f}" if "ms" in kind else f"{np.nanmean(column):.2f}"
            for column, kind in kinds
        ]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    said = "Differences to the default, with the interval of the difference and the paired t-test:"
    more = "Of the first ten hits, means; milliseconds of the processor, median:"
    return "\n".join([*means, "", said, "", *gains, "", more, "", *rows]) + "\n"


def cell(column: Floats) -> str:
    """A mean over the topics that have the measure, and its 95 % interval."""
    found = column[~np.isnan(column)]
    interval = bootstrap_interval(found)
    return f"{found.mean():.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def gain(a: Floats, b: Floats) -> str:
    """A mean difference, its 95 % interval and p."""
    has = ~np.isnan(a)
    found = a[has] - b[has]
    if not found.any():
        return "0"
    interval, p = bootstrap_interval(found), paired_t(a[has], b[has]).p
    return f"{found.mean():+.3f} [{interval.low:+.3f}, {interval.high:+.3f}], p {p:.2g}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the real corpora")
    parser.add_argument("--out", type=Path, help="page whose part between the markers is renewed")
    parser.add_argument("--indexes", type=Path, help="folder that keeps the indexes for next time")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as temporary:
        folder = options.indexes or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        lab = Lab.read(options.data, folder)
        text = table({name: lab.measure(name) for name in [*SYSTEMS, FOLDED]})
    print(text)
    if options.out:
        renew(options.out, "reranked", text)


if __name__ == "__main__":
    main()
