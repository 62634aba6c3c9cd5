"""D20 (Dumani and Schenkel 2020): accuracies of comparisons, the 13 methods, significance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG
from numpy.typing import NDArray
from scipy.stats import shapiro, tukey_hsd
from threadpoolctl import threadpool_limits

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config
from argsearch.engine.units.premises.unit import FoundPremises
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts
from argsearch.indexer.parts.premises.part import TEXT_KINDS
from argsearch.lab.judgements.pairs import DIMENSIONS, Ratings, read_dagstuhl
from argsearch.lab.training.pairwise_classifier import examples, right, write_classifier
from studies.reproduce.table import KEPT, Row, Table, as_printed, published, short
from studies.reproduce.touche import Judged

CLASSIFIERS = {
    "RF": "random forest",
    "LR": "logistic regression",
    "SGD": "SGD",
    "GB": "gradient boosting",
    "SVM": "SVM",
    "KNN": "k-NN",
    "NB": "naive Bayes",
}
"""Classifiers by their names in Table 1."""
FOLDS = {("GB", "shuffled"): 8, ("GB", "query"): 8}
"""Number of folds to run if not all 32. A fold of gradient boosting takes most of a minute."""
WAYS = ("shuffled", "query")
QUICK = ("KNN", "NB")
FAMILIES = {"pf-icf": "pficf", "plain": "plain", "product": "product", "average": "average"}
NAMES = {"-": "", "co": "-cogency", "RE": "-reasonableness", "EF": "-effectiveness"}
MEASURES = (nDCG @ 1, nDCG @ 10)
PUBLISHED_CUT = 0.0
CUTS = (PUBLISHED_CUT, IndexSettings().premise_distance)
"""Distances at which premises are cut: the published number of clusters, and the default."""
LEVEL = 0.05
"""Significance level α of the tests, as published."""
DEPTH = 1000
"""Number of results in a run that is evaluated."""
Case = tuple[str, str, str]
"""A dimension, a classifier, and a way to make folds."""
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
"""Numbers of right answers and of examples, int64[folds, 2]."""


def config_of(family: str, dimensions: str) -> str:
    """Return the name of the configuration for a row of Tables 4 to 6."""
    return f"dumani-2020-{FAMILIES[family]}{NAMES.get(dimensions, '-all')}"


def shuffled(count: int, seed: int, folds: int = 32) -> NDArray[np.int64]:
    """Assign examples to folds at random, as the paper's "shuffled" does, int64[count]."""
    fold = np.empty(count, np.int64)
    fold[np.random.default_rng(seed).permutation(count)] = np.arange(count) % folds
    return fold


def folds_right(ratings: Ratings, dimension: str, name: str, way: str) -> Counts:
    """Return for each fold how many examples a classifier gets right, and how many there are.

    way: `shuffled` for 32 random folds, or `query` for a fold per query.
    """
    cases = examples(ratings, dimension, load_encoder("wordllama"))
    folds, count = shuffled(len(cases.wins), 0), FOLDS.get((name, way), 32)
    folds = folds if way == "shuffled" else cases.query
    if count < 32:  # numbered anew, so that the first are drawn at random
        folds = np.argsort(np.random.default_rng(0).permutation(32))[folds]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a classifier that stops before it has converged
        hits = [hit for _, hit in islice(right(cases, folds, CLASSIFIERS[name]), count)]
    return np.array([(hit.sum(), len(hit)) for hit in hits])


def cell(kept: Path | None, ratings: Ratings, case: Case) -> Counts:
    """Return `folds_right` of a case. Results are stored in the folder `kept` and reused."""
    if kept is None:
        return folds_right(ratings, *case)
    file = kept / f"{' '.join(case)}.txt"
    if not file.is_file():
        np.savetxt(file, folds_right(ratings, *case), fmt="%d")
    return np.loadtxt(file, dtype=np.int64, ndmin=2)


def cells(data: Path, quick: bool, ways: Sequence[str] = WAYS) -> dict[Case, Counts]:
    """Return `cell` of every dimension, classifier and way, computed on all cores."""
    ratings = read_dagstuhl(data / "dagstuhl-15512")
    cases = [(d, name, way) for name in CLASSIFIERS for d in DIMENSIONS for way in ways]
    if quick:
        some = [case for case in cases if case[0] == "cogency" and case[1] in QUICK]
        return {case: cell(None, ratings, case) for case in some}
    kept = KEPT / "d20" / "accuracies"
    kept.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return dict(zip(cases, pool.map(partial(cell, kept, ratings), cases), strict=True))


def accuracies(data: Path, quick: bool) -> Iterator[Row]:
    """Yield Table 1, with a row for each classifier and dimension."""
    made = cells(data, quick)
    for name, *figures in published("d20-table1-accuracy.tsv")[1:]:
        for dimension, figure in zip(DIMENSIONS, figures, strict=True):
            own = [made[dimension, name, way] for way in WAYS if (dimension, name, way) in made]
            few = [f" ({len(one)} folds)" if len(one) < 32 else "" for one in own]
            shown = [short(float(np.divide(*one.sum(0)))) for one in own]
            if shown:
                yield name, dimension, figure, *map("".join, zip(shown, few, strict=True))


def fold_tests(data: Path) -> Iterator[Row]:
    """Yield Section 5.1's Shapiro–Wilk and Tukey's HSD, on Table 1's shuffled folds."""
    made = cells(data, quick=False, ways=WAYS[:1])
    for dimension in DIMENSIONS:
        folds = [np.divide(*made[dimension, name, WAYS[0]].T) for name in CLASSIFIERS]
        found = tested(folds)
        best = int(np.argmax([fold.mean() for fold in folds]))
        others = zip(CLASSIFIERS, found.p[best], strict=True)
        like = ", ".join(name for name, p in others if p >= LEVEL)
        yield dimension, found.normal, found.apart, like


def effect(engine: Engine, lab: Judged, config: Config) -> dict[str, Floats]:
    """Return each of MEASURES for every judged topic, float64[topics].

    A premise counts with its argument's grade. An argument that nobody judged counts as 0 ("all")
    or is left out ("judged only").
    """
    qrels = [Qrel(q, doc, g) for q, judged in lab.grades.items() for doc, g in judged.items()]
    everything = [
        ScoredDoc(query, hit.id, hit.score)
        for query in lab.grades
        for hit in engine.rank(lab.topics[query], unit="premises", k=DEPTH, config=config).hits
    ]
    judged = [one for one in everything if one.doc_id in lab.grades[one.query_id]]
    row = {}
    for kind, run in (("all", everything), ("judged only", judged)):
        found = list(ir_measures.iter_calc(list(MEASURES), qrels, run))
        for wanted in MEASURES:
            by_topic = {one.query_id: one.value for one in found if one.measure == wanted}
            row[f"{wanted}, {kind}"] = np.array([by_topic.get(q, 0.0) for q in lab.grades])
    return row


class Lab:
    """The args.me subset, indexed as published, and the judgements of 2020."""

    def __init__(self, data: Path) -> None:
        self._values: dict[tuple[str, float], dict[str, Floats]] = {}
        self._cut = float("nan")
        self.data, self.index = data, KEPT / "d20" / "index"
        self.judged = Judged.indexed(data, self.index, load_config("dumani-2020").index)

    def values(self, config: str, cut: float) -> dict[str, Floats]:
        """Return nDCG of every judged topic, float64[topics], with premises cut at a distance."""
        if (config, cut) not in self._values:
            if cut != self._cut:
                self.again(premise_distance=cut)
            with Engine.open(self.index) as engine:
                found = effect(engine, self.judged, load_config(config))
            self._values[config, cut] = found
        return self._values[config, cut]

    def again(self, **settings: object) -> None:
        """Build the part `premises` again with other keys of [index]."""
        add_parts(self.index, ["premises"], settings=settings)
        self._cut = float(str(settings.get("premise_distance", PUBLISHED_CUT)))


def methods(lab: Callable[[], Lab], file: str, reading: str) -> Iterator[Row]:
    """Yield Tables 4 and 5: each method as published, and by the grades of 2020 for both cuts."""
    rows = published(file)[1:]
    cells: list[list[str]] = [[] for _ in rows]
    for cut in CUTS:
        for own, (family, dimensions, *_) in zip(cells, rows, strict=True):
            values = lab().values(config_of(family, dimensions), cut)
            own += [short(float(values[f"{m}, {reading}"].mean())) for m in MEASURES]
    for row, own in zip(rows, cells, strict=True):
        yield *row, *own


class Tested(NamedTuple):
    """Results of Shapiro–Wilk for each sample and Tukey's HSD for all pairs, at LEVEL."""

    normal: str
    apart: str
    p: Floats
    """Tukey's p of each pair, float64[n, n]."""


def tested(samples: Sequence[Floats]) -> Tested:
    """Test each sample for normality, and each pair of samples for a difference."""
    normal = sum(float(shapiro(sample).pvalue) >= LEVEL for sample in samples)
    p = np.asarray(tukey_hsd(*samples).pvalue)
    pairs = p[np.triu_indices(len(p), 1)]
    return Tested(f"{normal} of {len(p)}", f"{(pairs < LEVEL).sum()} of {len(pairs)}", p)


def significance(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Yield the tests of the methods' values by topic."""
    rows = published("d20-table4-noisy.tsv")[1:]
    names = [config_of(family, dimensions) for family, dimensions, *_ in rows]
    for cut in CUTS:
        for reading in ("all", "judged only"):
            for measure in MEASURES:
                of = f"{measure}, {reading}"
                found = tested([lab().values(name, cut)[of] for name in names])
                yield f"{of}, {_cut_at(cut)}", found.normal, found.apart, short(found.p.min())


def _cut_at(cut: float) -> str:
    return f"cut at {short(cut, 1)}" if cut else "n / 5.5"


def alpha_ndcg(clusters: Sequence[int], gains: Sequence[float], ideal: Sequence[float]) -> float:
    """Return α-nDCG with α = 1: only a cluster's first premise has a gain in Σ g_i / log₂(i + 1).

    clusters, gains: of the k premises shown, best first. ideal: the k best gains of clusters. The
    value is NaN if all ideal gains are 0.
    """
    pairs = enumerate(zip(clusters, gains, strict=True))
    new = [gain * (cluster not in clusters[:i]) for i, (cluster, gain) in pairs]
    discounts = 1 / np.log2(np.arange(2, 2 + max(len(new), len(ideal))))
    best = float(np.dot(ideal, discounts[: len(ideal)]))
    return float(np.dot(new, discounts[: len(new)])) / best if best else float("nan")


def diverse(engine: Engine, lab: Judged, config: Config) -> Floats:
    """Return α-nDCG@5 and @10 of premises with their arguments' grades, float64[topics, 2]."""
    found = []
    for query, grades in lab.grades.items():
        source = engine.premises(lab.topics[query], k=1, config=config).hits.candidates.source
        assert isinstance(source, FoundPremises)
        arrays, ids = source.claims.arrays, source.claims.backend.ids
        premise = arrays.premise[source.weighed.links]
        sums = np.bincount(premise, source.weighed.parts, minlength=len(arrays.premise_document))
        best = np.argsort(-sums, kind="stable")[:10]
        grade = np.array([grades.get(ids[doc], 0) for doc in arrays.premise_document.tolist()])
        tops = np.zeros(len(arrays.representative))
        np.maximum.at(tops, arrays.premise_cluster, grade)
        ideal = -np.sort(-tops)[:10]
        cells = [(arrays.premise_cluster[best[:k]], grade[best[:k]], ideal[:k]) for k in (5, 10)]
        found.append([alpha_ndcg(*(x.tolist() for x in cell)) for cell in cells])
    return np.array(found)


def second(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Yield Table 6 as published for another collection, and Task B's measure by grades of 2020."""
    lab().again()
    with Engine.open(lab().index) as engine:
        for family, dimensions, *figures in published("d20-table6-energy.tsv")[1:]:
            config = load_config(config_of(family, dimensions))
            means = np.nanmean(diverse(engine, lab().judged, config), axis=0)
            yield family, dimensions, *figures, *(short(float(mean)) for mean in means)


def cluster_sizes(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Yield counts and sizes of clusters as published, and here under several readings."""
    yield "claims, published", "72,125", "13,031", "5.53", "5", "2", "33"
    yield "premises, published", "–", "70,314", "5.51", "5", "1", "1,867"
    yield "premises of a claim, published", "–", "72,125", "5.37", "5", "–", "2,539"
    occurrences = {"distinct_premises": False}
    split = {"premise_pieces": 4, "premise_starts": 25}
    for settings, shown in (
        ({}, {"claims": "", "premises": ", distinct texts"}),
        (occurrences, {"premises": ", occurrences", "premises of a claim": ""}),
        (occurrences | split, {"premises": ", occurrences, k = 4, 25 starts"}),
    ):
        lab().again(**{"distinct_premises": True} | settings)
        with Engine.open(lab().index) as engine:
            part = engine.backend.part("premises")
            of = {f"{side}s": np.bincount(part[f"{side}_cluster"]) for side in TEXT_KINDS}
            of["premises of a claim"] = np.diff(part["starts"][::2])
        for what, reading in shown.items():
            n = of[what]
            counts = f"{n.sum():,}", f"{len(n):,}", f"{n.mean():.2f}", f"{np.median(n):g}"
            yield f"{what}, here{reading}", *counts, str(n.min()), f"{n.max():,}"


def beaten(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Yield the method "plain" over all dimensions, with different models to compare premises."""
    ratings, encoder = read_dagstuhl(lab().data / "dagstuhl-15512"), load_encoder("wordllama")
    for kind in ("default", "logistic regression", "naive Bayes", "random forest"):
        spec = kind
        if kind != "default":
            spec = str(lab().index.parent / "classifier.safetensors")
            write_classifier(ratings, encoder, kind, Path(spec), {})
        lab().again(pairwise_model=spec, premise_distance=CUTS[1])
        with Engine.open(lab().index) as engine:
            config = load_config("dumani-2020-plain-all")
            row = effect(engine, lab().judged, config)
        shown = "shipped, linear in the premises' difference" if kind == "default" else kind
        yield shown, *(short(float(values.mean())) for values in row.values())


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """Yield the tables. With `quick`, yield the rows of Table 1 that take seconds."""
    lab = cache(partial(Lab, data))
    caption = "Table 1, accuracy of what beats what on Dagstuhl-15512"
    columns: Row = ("classifier", "dimension", "published", "shuffled", "by query")
    files = ("d20-table1-accuracy.tsv",)
    rows = partial(accuracies, data, quick)
    yield Table("table1", caption, columns, rows, "", files, tolerance=0.01, keys=2)
    for number, of in (("2-scores", "assessments by score"), ("3-agreement", "Krippendorff's α")):
        caption = f"Table {number[0]}, {of}, as published"
        yield as_printed(f"table{number[0]}", f"d20-table{number}.tsv", caption)
    if quick:
        return
    caption = "tests on Table 1's shuffled folds (GB: 8): Shapiro–Wilk (p ≥ .05), Tukey (p < .05)"
    apart = "pairs that differ", "not significantly below the best"
    columns = ("dimension", "classifiers that pass as normal", *apart)
    yield Table("folds", f"Section 5.1, {caption}", columns, partial(fold_tests, data))
    for number, file, kind in (
        ("4", "d20-table4-noisy.tsv", "all"),
        ("5", "d20-table5-curated.tsv", "judged only"),
    ):
        caption = "the 13 methods, published and by the grades of 2020"
        caption = f"Table {number}, {caption} (documents: {kind})"
        here = (f"here, {_cut_at(cut)}: {m}" for cut in CUTS for m in MEASURES)
        columns = (*published(file)[0], *here)
        rows = partial(methods, lab, file, kind)
        yield Table(f"table{number}", caption, columns, rows, published=(file,), keys=2)
    caption = "Shapiro–Wilk (methods that pass, p ≥ .05), Tukey's HSD (pairs that differ, p < .05)"
    columns = ("measure", "normal", "pairs apart", "least p")
    yield Table("significance", caption, columns, partial(significance, lab))
    file = "d20-table6-energy.tsv"
    caption = "the second collection as published, and α-nDCG of single premises here, n / 5.5"
    columns = (*published(file)[0], "here α-nDCG@5", "here α-nDCG@10")
    rows = partial(second, lab)
    yield Table("table6", f"Table 6, {caption}", columns, rows, published=(file,), keys=2)
    caption = "premises of a claim, with claims in the place of clusters"
    columns = ("", "n", "clusters", "mean", "median", "min", "max")
    caption = f"Members of clusters at n / 5.5; {caption}"
    yield Table("sizes", caption, columns, partial(cluster_sizes, lab))
    caption = f"premises {_cut_at(CUTS[1])}, by the model that compares premises"
    columns = ("model", *(f"{m}, {kind}" for kind in ("all", "judged only") for m in MEASURES))
    command = "argsearch train pairwise --judgements dagstuhl-15512 --classifier 'random forest' "
    command += "--out rf.safetensors"
    yield Table(
        "beats", f"Plain, all dimensions, {caption}", columns, partial(beaten, lab), command
    )
