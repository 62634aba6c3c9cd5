"""W22's argument graph: how many edges a question's arguments have, and what PageRank is worth.

    python -m studies.argument_graph --data "$ARGSEARCH_DATA"
    python -m studies.argument_graph --data "$ARGSEARCH_DATA" --topic 1 --picture docs/graph.svg
    python -m studies.argument_graph --data "$ARGSEARCH_DATA" --degrees docs/degrees.svg

The args.me subset, the first 100 arguments of each of the 50 topics of 2020 by the default
ranking. Effectiveness as `studies.premises` has it: an argument that nobody judged counts as 0,
or is left out (judged only). The picture needs the extra `plots`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.stages.graph import Graph
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.pairs.comparing import BY_COSINE, BY_WORDS, links
from argsearch.lab.experiment.plots import draw, new_figure
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY, pagerank
from benchmarks.measuring import say
from studies.judgements import CORPUS, Judged
from studies.recombining import Floats
from studies.reranked import cell, gain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEPTH, SHOWN, RELEVANT = 100, 1000, 2
MUS = (0.9, 0.75, 0.5, 0.0)
MEASURES = (nDCG @ 5, nDCG @ 10)
INTERPRETATIONS = {
    BY_COSINE: f"cosine above {COSINE:g}",
    BY_WORDS: f"word mover's similarity above {SIMILARITY:g}",
}
"""What an edge is, by its bit: W22 draws a graph for each."""
THRESHOLDS = {"": (COSINE, SIMILARITY), ", cosine .9 or similarity .125": (0.9, 0.125)}
"""W22's, and others that make more edges."""


@dataclass(frozen=True)
class Drawn:
    """One topic's graph."""

    topic: str
    ids: list[str]
    """Of every hit, best first."""
    scores: Floats
    arguments: list[Argument]
    """The first hits, the graph's nodes."""
    found: NDArray[np.uint8]
    """As `links` gives it."""

    @classmethod
    def of(cls, engine: Engine, topic: str, thresholds: tuple[float, float]) -> Drawn:
        """The graph of a topic's first arguments, by the default ranking."""
        results = engine.search(topic, k=SHOWN)
        arguments = [hit.argument for hit in results.hits[:DEPTH]]
        found = links(arguments, engine.encoder, *thresholds)
        return cls(topic, results.hits.ids, results.hits.scores, arguments, found)

    def ranked(self, mu: float) -> list[str]:
        """The hits' ids as the stage `graph` orders them."""
        PR = pagerank(self.edges).values
        order = Graph(mu=mu).mixed(self.scores[:DEPTH], PR).order.tolist()
        return [*(self.ids[i] for i in order), *self.ids[DEPTH:]]

    @property
    def edges(self) -> NDArray[np.bool_]:
        """bool[n, n]."""
        return self.found > 0

    def counts(self, grades: dict[str, int]) -> list[float]:
        """What `COUNTS` says, of one topic."""
        edges = self.edges
        PR = pagerank(edges).values
        pairs = [(u, v) for u, v in np.argwhere(edges).tolist()]
        ends = [tuple(self.arguments[i].conclusion for i in pair) for pair in pairs]
        judged = [i for i, argument in enumerate(self.arguments) if argument.id in grades]
        g = np.array([grades[self.arguments[i].id] for i in judged], np.float64)
        return [
            float(len(pairs)),
            float((self.found == BY_WORDS).sum()),
            float(sum(a == b for a, b in ends)),
            float(edges.any(axis=0).sum()),
            float(not pairs),
            _tau(PR[judged], g),
        ]


@dataclass(frozen=True)
class PairGraphs:
    """W22's own graphs: of the arguments that each topic's pairs come from."""

    found: list[NDArray[np.uint8]]
    """As `links` gives it, a topic each."""

    @classmethod
    def of(cls, engine: Engine, topics: dict[str, str]) -> PairGraphs:
        """The first arguments of each topic's pairs, in the order of the baseline run."""
        found = []
        for text in topics.values():
            hits = engine.pairs(text, k=SHOWN, config="hit-girl-2022-baseline").hits
            ids = dict.fromkeys(id_ for hit in hits for id_ in hit.arguments)
            arguments = [engine.argument(id_) for id_ in list(ids)[:DEPTH]]
            found.append(links([one for one in arguments if one], engine.encoder))
        return cls(found)

    def picture(self) -> Figure:
        """How many arguments have so many edges that point at them, a part an interpretation."""
        figure, axes = new_figure(1, 2, 4.6, 3.2)
        for axis, (bit, name) in zip(axes, INTERPRETATIONS.items(), strict=True):
            degrees = np.concatenate([(one & bit > 0).sum(axis=0) for one in self.found])
            axis.bar(*np.unique(degrees, return_counts=True), width=1.0, color="#1f6f8b")
            axis.set(title=name, xlabel="edges that point at an argument", yscale="log")
            axis.set_ylabel("arguments")
        return figure


COUNTS = (
    "edges", "of them by word mover's distance alone", "of them between equal conclusions",
    "arguments that another argues from", "topics without any edge",
    "Kendall's τ-b of PageRank and grade, judged arguments of topics that have it",
)  # fmt: skip


def _tau(a: Floats, b: Floats) -> float:
    from scipy.stats import kendalltau

    if len(a) < 2 or np.ptp(a) < 1e-12 or np.ptp(b) == 0:
        return float("nan")
    return float(kendalltau(np.round(a, 12), b).statistic)


def measured(lab: Judged, runs: dict[str, list[str]]) -> Floats:
    """float64[topics, 4]: both measures over all, then over the judged alone."""
    qrels = [Qrel(q, doc, g) for q, judged in lab.grades.items() for doc, g in judged.items()]
    run = [
        ScoredDoc(query, doc, 1.0 / rank)
        for query in lab.grades
        for rank, doc in enumerate(runs[query], 1)
    ]
    judged = [one for one in run if one.doc_id in lab.grades[one.query_id]]
    columns = []
    for kind in (run, judged):
        values = list(ir_measures.iter_calc(list(MEASURES), qrels, kind))
        for wanted in MEASURES:
            by_topic = {one.query_id: one.value for one in values if one.measure == wanted}
            columns.append([by_topic.get(query, 0.0) for query in lab.grades])
    return np.array(columns).T


def tables(engine: Engine, lab: Judged) -> Iterator[str]:
    """What the graphs hold, and what mixing them in does."""
    labels = [f"{m}, {kind}" for kind in ("all", "judged only") for m in MEASURES]
    rows = [f"| system | {' | '.join(labels)} |\n|{'---|' * (len(labels) + 1)}"]
    base = None
    for name, thresholds in THRESHOLDS.items():
        graphs = {q: Drawn.of(engine, text, thresholds) for q, text in lab.topics.items()}
        say(f"graphs drawn{name}")
        yield f"graph{name}\n\n{counted(graphs, lab)}\n"
        if base is None:
            base = measured(lab, {query: graph.ids for query, graph in graphs.items()})
            rows.append(f"| default | {' | '.join(cell(column) for column in base.T)} |")
        for mu in MUS:
            values = measured(lab, {query: graph.ranked(mu) for query, graph in graphs.items()})
            rows.append(f"| μ {mu:g}{name} | {' | '.join(map(cell, values.T))} |")
            gains = map(gain, values.T, base.T)
            rows.append(f"| less the default | {' | '.join(gains)} |")
    yield "\n".join(rows)


def counted(graphs: dict[str, Drawn], lab: Judged) -> str:
    """`COUNTS` over all topics."""
    rows = np.array([graph.counts(lab.grades.get(q, {})) for q, graph in graphs.items()])
    sums = [*(f"{total:.0f}" for total in rows[:, :5].sum(axis=0)), cell(rows[:, 5])]
    return "\n".join(f"* {name}: {value}" for name, value in zip(COUNTS, sums, strict=True))


def picture(graph: Drawn, grades: dict[str, int]) -> Figure:
    """The arguments that have an edge, by rank around a circle; larger is a higher PageRank."""
    edges = graph.edges
    PR = pagerank(edges).values
    nodes = np.flatnonzero(edges.any(axis=0) | edges.any(axis=1))
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(nodes)) / max(len(nodes), 1)
    x, y = np.zeros((2, len(edges)))
    x[nodes], y[nodes] = np.cos(angles), np.sin(angles)
    figure, (axis,) = new_figure(1, 1, 7, 7.4)
    for u, v in np.argwhere(edges).tolist():
        style = {"arrowstyle": "->", "color": "#8a8a8a", "lw": 0.6, "shrinkA": 5, "shrinkB": 7,
                 "connectionstyle": "arc3,rad=0.12"}  # fmt: skip
        axis.annotate("", (x[v], y[v]), (x[u], y[u]), arrowprops=style)
    colours = [_colour(grades.get(graph.arguments[i].id)) for i in nodes.tolist()]
    axis.scatter(x[nodes], y[nodes], s=5000 * PR[nodes], c=colours, edgecolors="#333", zorder=3)
    for i in nodes.tolist():
        axis.text(1.13 * x[i], 1.13 * y[i], str(i + 1), ha="center", va="center")
    axis.set_title(f"“{graph.topic}”: {len(nodes)} of the first {len(edges)} arguments, by rank")
    axis.set_xlabel("an arrow: a premise is the other's conclusion; size: PageRank\n"
                    "dark: grade 2, pale: grade 1, white: grade 0, grey: not judged")  # fmt: skip
    axis.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xticks=[], yticks=[], aspect="equal")
    for side in ("bottom", "left"):
        axis.spines[side].set_visible(False)
    return figure


def _colour(grade: int | None) -> str:
    if grade is None:
        return "#d9d9d9"
    return ("#ffffff", "#9ccbd8", "#1f6f8b")[min(grade, RELEVANT)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the real corpora")
    parser.add_argument("--topic", default="1", help="number of the topic that is drawn")
    parser.add_argument("--picture", type=Path, help="an SVG of one topic's graph, nothing else")
    parser.add_argument("--degrees", type=Path, help="an SVG of the pairs' graphs, nothing else")
    parser.add_argument("--index", type=Path, help="an index of the subset that is there already")
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        out = given.index or Path(folder) / "index"
        if not given.index:
            settings = IndexSettings(parts=("vectors", "pairs"))
            build(BuildRequest([str(given.data / CORPUS)], out, settings))
        with Engine.open(out) as engine:
            lab = Judged.read(given.data, engine)
            if given.degrees:
                graphs = PairGraphs.of(engine, lab.topics)
                draw(graphs.picture, given.degrees)
                return
            if given.picture:
                graph = Drawn.of(engine, lab.topics[given.topic], THRESHOLDS[""])
                grades = lab.grades.get(given.topic, {})
                draw(lambda: picture(graph, grades), given.picture)
                return
            for text in tables(engine, lab):
                print(text, flush=True)


if __name__ == "__main__":
    main()
