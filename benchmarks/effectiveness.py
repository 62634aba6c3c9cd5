"""Effectiveness on real judgements: the table of the shipped systems, and how `default` was chosen.

    python -m benchmarks.effectiveness table  --data "$ARGSEARCH_DATA" --out docs/results.md
    python -m benchmarks.effectiveness choose --data "$ARGSEARCH_DATA" --out docs/results.md

Corpus: the args.me subset, topics and corrected judgements of Touché 2020 (49 judged topics);
judgements of documents that the subset lacks are left out, negative grades count as 0.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import numpy as np
from ir_measures import ScoredDoc, nDCG

from engine import Engine
from engine.config import names
from engine.lab.runs import read_qrels, read_topics
from indexer.build import BuildRequest, build
from indexer.layout.settings import IndexSettings
from ranking.evaluation.choice import best_safe, folds, held_out
from ranking.evaluation.significance import bootstrap_interval, paired_t

QRELS = "touche/touche2020-task1-relevance-args-me-corpus-version-2020-04-01-corrected.qrels"
TOPICS = "touche/topics-task-1-2020-only-titles-all50.xml"
CORPUS = "argsme-subset/args-me-subset.json.xz"
MEASURES = (nDCG @ 5, nDCG @ 10)
LABELS = ("nDCG@5, all", "nDCG@10, all", "nDCG@5, judged only", "nDCG@10, judged only")
SEEDS = (0, 1, 2, 3, 4)
OMEGA_C = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
OMEGA_Q = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
DEPTH = 1000


@dataclass(frozen=True)
class Lab:
    """Topics and judgements of one collection, ready to measure rankings."""

    topics: dict[str, str]
    grades: dict[str, dict[str, int]]

    @classmethod
    def read(cls, data: Path, engine: Engine) -> Lab:
        """The collection in a folder of data, as far as the index holds it."""
        grades = {
            query: {doc: grade for doc, grade in judged.items() if engine.argument(doc)}
            for query, judged in read_qrels(data / QRELS).not_negative().items()
        }
        topics = {topic.query_id: topic.title for topic in read_topics(data / TOPICS)}
        return cls(topics, {query: judged for query, judged in grades.items() if judged})

    def measure(self, engine: Engine, config: str, overrides: tuple[str, ...] = ()) -> np.ndarray:
        """float64[topics, 4]: every measure of `LABELS` for every judged topic."""
        qrels = [
            ir_measures.Qrel(query, doc, grade)
            for query, judged in self.grades.items()
            for doc, grade in judged.items()
        ]
        everything, judged_only = [], []
        for query, judged in self.grades.items():
            results = engine.search(self.topics[query], k=DEPTH, config=config, overrides=overrides)
            for id, score in zip(results.hits.ids, results.ranking.scores.tolist(), strict=True):
                everything.append(ScoredDoc(query, id, score))
                if id in judged:
                    judged_only.append(ScoredDoc(query, id, score))
        queries = list(self.grades)
        values = np.zeros((len(queries), 4))
        for half, run in enumerate((everything, judged_only)):
            for metric in ir_measures.iter_calc(list(MEASURES), qrels, run):
                column = 2 * half + MEASURES.index(metric.measure)
                values[queries.index(metric.query_id), column] = metric.value
        return values


def open_index(data: Path, folder: Path, seed: int) -> Engine:
    """The args.me subset, indexed with one seed of k-means."""
    settings = IndexSettings(seed=seed)
    build(BuildRequest([str(data / CORPUS)], folder / f"seed-{seed}", settings))
    return Engine.open(folder / f"seed-{seed}")


def table(data: Path, folder: Path) -> str:
    """Every shipped system: mean and 95 % interval over topics, seeds of k-means averaged."""
    engines = [open_index(data, folder, seed) for seed in SEEDS]
    lab = Lab.read(data, engines[0])
    ranked = [name for name in names() if not name.startswith("dumani-")]  # those rank premises
    order = ["dirichlet", *(name for name in ranked if name != "dirichlet")]
    values = {
        name: np.mean([lab.measure(engine, name) for engine in engines], axis=0) for name in order
    }
    rows = [f"| system | {' | '.join(LABELS)} |", f"|---|{'---|' * len(LABELS)}"]
    rows += [f"| {name} | {' | '.join(_cells(values[name]))} |" for name in order]
    base = values["dirichlet"]
    rows += ["", "Difference to `dirichlet`, with the paired t-test's p:", ""]
    rows += [f"| system | {' | '.join(LABELS)} |", f"|---|{'---|' * len(LABELS)}"]
    for name in order[1:]:
        pairs = zip(values[name].T, base.T, strict=True)
        cells = [f"{np.mean(a - b):+.3f} (p = {_p(a, b)})" for a, b in pairs]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _p(a: np.ndarray, b: np.ndarray) -> str:
    return "1" if np.array_equal(a, b) else f"{paired_t(a, b).p:.2g}"


def _cells(values: np.ndarray) -> list[str]:
    cells = []
    for i in range(values.shape[1]):
        interval = bootstrap_interval(values[:, i])
        cells.append(f"{values[:, i].mean():.3f} [{interval.low:.3f}, {interval.high:.3f}]")
    return cells


def choose(data: Path, folder: Path) -> str:
    """Weights by cross-validation: each topic is scored with weights chosen without it."""
    engines = [open_index(data, folder, seed) for seed in SEEDS]
    lab = Lab.read(data, engines[0])
    base = lab.measure(engines[0], "dirichlet")
    grid, scores = [], []
    for cosine, c, q in itertools.product(("clipped", "shifted"), OMEGA_C, OMEGA_Q):
        overrides = (f"boost.cluster={c}", f"boost.quality={q}", f"boost.cosine={cosine}")
        per_seed = [lab.measure(e, "dirichlet", overrides) for e in (engines if c else engines[:1])]
        grid.append((cosine, c, q))
        scores.append(np.mean(per_seed, axis=0))
        print(*grid[-1], scores[-1].mean(axis=0).round(3), file=sys.stderr)
    gains = np.array(scores) - base  # [grid, topics, measures]
    return _report(grid, np.array(scores), gains)


def _by_smallest(gains: np.ndarray) -> int:
    """The weights whose smallest mean gain over the four measures is largest."""
    return int(np.argmax(gains.mean(axis=1).min(axis=1)))


def _report(grid: list[tuple[str, float, float]], scores: np.ndarray, gains: np.ndarray) -> str:
    chosen, apart = _by_smallest(gains), folds(gains.shape[1])
    lines = [
        f"Chosen on all topics: cosine = {grid[chosen][0]}, w_cluster = {grid[chosen][1]:g}, "
        f"w_quality = {grid[chosen][2]:g}.",
        "",
        "| | " + " | ".join(LABELS) + " |",
        "|---|" + "---|" * len(LABELS),
        "| chosen weights | " + " | ".join(_cells(scores[chosen])) + " |",
        "| gain over dirichlet | " + " | ".join(_cells(gains[chosen])) + " |",
        "| gain, each topic with weights chosen without it | "
        + " | ".join(_cells(held_out(gains, apart, _by_smallest).values))
        + " |",
        "| the same, chosen by the mean gain instead | "
        + " | ".join(_cells(held_out(gains, apart, best_safe).values))
        + " |",
        "",
        "The twelve best of the grid (mean gain over the four measures, and the smallest of them):",
        "",
        "| cosine | w_cluster | w_quality | mean | min |",
        "|---|---|---|---|---|",
    ]
    means = gains.mean(axis=1)
    for i in np.argsort(-means.min(axis=1), kind="stable")[:12]:
        cosine, c, q = grid[i]
        lines.append(
            f"| {cosine} | {c:g} | {q:g} | {means[i].mean():+.4f} | {means[i].min():+.4f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("table", "choose"))
    parser.add_argument("--data", type=Path, required=True, help="folder of the real corpora")
    parser.add_argument("--out", type=Path, help="page whose part between the markers is renewed")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        text = {"table": table, "choose": choose}[arguments.what](arguments.data, Path(folder))
    print(text)
    if arguments.out:
        renew(arguments.out, arguments.what, text)


def renew(page: Path, what: str, text: str) -> None:
    """Replace what stands between the page's markers `<!-- what -->` and `<!-- end -->`."""
    before, marker, rest = page.read_text().partition(f"<!-- {what} -->\n")
    if not marker:
        raise SystemExit(f"{page} has no marker <!-- {what} -->")
    page.write_text(before + marker + text + rest[rest.index("<!-- end -->") :])


if __name__ == "__main__":
    main()
