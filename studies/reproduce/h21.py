"""H21 (Gienapp 2021): the published system end to end, beside an index with the surface model.

The published index uses the Universal Sentence Encoder, 300 clusters, an SVC gate and an SVR
(`configs/heimdall-2021-index.toml`). It needs the extra `use`, and `use-lite` in ARGSEARCH_MODELS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from argsearch.engine.config import load_config
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.model_files import QUALITY
from argsearch.lab.experiment import read_plan, run_experiment
from argsearch.lab.experiment.cache import Cache
from argsearch.lab.training.quality.training import TrainingRequest, train_quality
from studies.reproduce.table import KEPT, Row, Table, short
from studies.reproduce.touche import CORPUS

FOLDER = KEPT / "h21"
ENCODER = "use:use-lite"
CLIPPED = "heimdall-2021, clipped"
RUNS = {
    "dirichlet": ("Dirichlet baseline", 0.626, 0.796),
    "heimdall-2021": ("run 1: 10, 5", 0.645, 0.839),
    CLIPPED: ("run 1, C clipped to [0, 1] instead of shifted", 0.645, 0.839),
    "heimdall-2021-run2": ("run 2: 10, 10", 0.639, 0.841),
    "heimdall-2021-run3": ("run 3: 5, 10", 0.637, 0.833),
    "heimdall-2021-run4": ("run 4: 0.1, 5; relevance fixed at 1", 0.004, 0.767),
    "heimdall-2021-run5": ("run 5: 0.01, 5; relevance fixed at 1", 0.000, 0.749),
}
"""Name of each run, and published nDCG@5 by relevance and by quality."""
COLUMNS = (
    "run: w_cluster, w_quality",
    "published relevance",
    "published quality",
    "index as published: all",
    "judged only",
    "the same, k = 60: all",
    "judged only",
    "default index: all",
    "judged only",
)


@cache
def quality_model(data: Path) -> Path:
    """Return the SVC gate and SVR, trained once, with TF-IDF fitted on the corpus."""
    path = FOLDER / "heimdall-2021.safetensors"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        train_quality(TrainingRequest(data / "webis-argquality20", path, "h21", str(data / CORPUS)))
    return path


def published_index(data: Path) -> IndexSettings:
    """Return H21's index settings with the lite encoder."""
    settings = load_config("heimdall-2021-index").index
    return replace(settings, encoder=ENCODER, quality_model=str(quality_model(data)))


def measured(settings: IndexSettings, runs: tuple[str, ...]) -> list[Row]:
    """Return nDCG@5 of runs on one index, for all documents and for judged documents only."""
    plan = read_plan("h21-args-me")
    first = next(system for system in plan.systems if system.name == "heimdall-2021")
    boost = replace(first.config.boost, cosine="clipped")
    clipped = replace(first, name=CLIPPED, config=replace(first.config, boost=boost))
    kept = [system for system in (*plan.systems, clipped) if system.name in runs]
    systems = tuple(replace(s, config=replace(s.config, index=settings)) for s in kept)
    setup = replace(plan.setup, measures="nDCG@5", seeds=(0,), samples=100)
    plan = replace(plan, systems=systems, setup=setup)
    outcome = run_experiment(plan, out=FOLDER / "runs", cache=Cache(FOLDER / "cache"))
    found = outcome.groups[0].evaluations
    ways = (found[False], found[True])
    return [
        tuple(short(way.score(run, "nDCG@5", "relevance").value) for way in ways) for run in runs
    ]


def run_table(data: Path) -> Iterator[Row]:
    """Yield the five runs and the baseline."""
    names, published = tuple(RUNS), published_index(data)
    scaled = replace(published, scale_clusters=True)
    ways = (published, scaled, load_config("heimdall-2021").index)
    columns = [measured(settings, names) for settings in ways]
    for name, *cells in zip(names, *columns, strict=True):
        label, relevance, quality = RUNS[name]
        yield label, short(relevance), short(quality), *sum(cells, ())


def quality_table(data: Path) -> list[Row]:
    """Return how well stages 1 and 2 predict items that they were not trained on."""
    figures = QUALITY.read(quality_model(data)).header["provenance"]["figures"]
    rows: list[Row] = []
    for one in figures:
        found = one["regression"] or {}
        gate = [short(one["gate"][key]) for key in ("f1", "balanced_accuracy")]
        rest = [short(found[k], 4) if k in found else "–" for k in ("mse", "r2", "pearson")]
        of = one["model"], one["scheme"][:2]
        printed = "F1 .88; “MSE” .1949" if of == ("h21", "10") else "–"
        rows.append((one["model"], one["scheme"], printed, *gate, *rest))
    return rows


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """Yield the tables. With `quick`, yield none: the published index takes minutes to build."""
    if quick:
        return
    yield Table(
        "runs",
        "nDCG@5 of the five runs, 49 judged topics of 2020, 5,671 documents of args.me",
        COLUMNS,
        partial(run_table, data),
        "argsearch index CORPUS --out my-index --config heimdall-2021-index "
        f"--set index.encoder={ENCODER}`, `argsearch run topics.xml --index my-index "
        "--config heimdall-2021 --out run.txt`, `argsearch evaluate QRELS run.txt "
        "--in-corpus my-index --measures nDCG@5",
    )
    yield Table(
        "quality",
        "SVC gate and SVR, items left out",
        ("model", "left out", "published", "F1", "balanced accuracy", "MSE", "R²", "r"),
        partial(quality_table, data),
        "argsearch train quality --kind h21 --judgements webis-argquality20 --corpus CORPUS "
        "--out $ARGSEARCH_MODELS/heimdall-2021.safetensors",
        keys=2,
    )
