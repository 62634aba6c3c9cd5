"""D20 (Dumani and Schenkel 2020): accuracies of what beats what, the 13 methods, significance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache, partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from argsearch.engine import Engine
from argsearch.engine.config import Config, load_config
from argsearch.engine.units.premises.unit import FoundPremises
from argsearch.indexer.encoders import load_encoder
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parts.adding import add_parts
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
"""As Table 1 names them."""
FOLDS = {("GB", "shuffled"): 8, ("GB", "query"): 8}
"""Folds that are run where not all 32 are; one of gradient boosting takes most of a minute."""
WAYS = ("shuffled", "query")
QUICK = ("KNN", "NB")
FAMILIES = {"pf-icf": "pficf", "plain": "plain", "product": "product", "average": "average"}
NAMES = {"-": "", "co": "-cogency", "RE": "-reasonableness", "EF": "-effectiveness"}
MEASURES = (nDCG @ 1, nDCG @ 10)
PUBLISHED_CUT = 0.0
CUTS = (PUBLISHED_CUT, IndexSettings().premise_distance)
"""Where premises are cut: at the published count, and as by default."""
NOT_PUBLIC = "Cannot be had because the assessments are not public."
INDEXING = "argsearch index CORPUS --out d20 --config dumani-2020 --set index.premise_distance=0.6"
LEVEL = 0.05
"""α of the tests, as published."""
DEPTH = 1000
"""Length of a run that is evaluated."""
FIRST = 10
"""Premises of a topic among which the short ones are counted."""
FEW_WORDS = 8
"""A premise of fewer words is short."""
Floats = NDArray[np.float64]


def config_of(family: str, dimensions: str) -> str:
    """The configuration of a row of Tables 4 to 6."""
    return f"dumani-2020-{FAMILIES[family]}{NAMES.get(dimensions, '-all')}"


def shuffled(count: int, seed: int, folds: int = 32) -> NDArray[np.int64]:
    """Deal examples to folds at random, as the paper's "shuffled" does, int64[count]."""
    fold = np.empty(count, np.int64)
    fold[np.random.default_rng(seed).permutation(count)] = np.arange(count) % folds
    return fold


def accuracy(ratings: Ratings, dimension: str, name: str, way: str) -> Row:
    """The share of examples that a classifier is right about, and the folds that were run.

    way: `shuffled`, 32 folds at random, or `query`, a query at a time.
    """
    cases = examples(ratings, dimension, load_encoder("wordllama"))
    folds, count = shuffled(len(cases.wins), 0), FOLDS.get((name, way), 32)
    folds = folds if way == "shuffled" else cases.query
    if count < 32:  # numbered anew, so that the first are drawn at random
        folds = np.argsort(np.random.default_rng(0).permutation(32))[folds]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a classifier that stops before it has converged
        hits = [hit for _, hit in islice(right(cases, folds, CLASSIFIERS[name]), count)]
    return short(float(np.concatenate(hits).mean())), f"{len(hits)} of 32"


def cell(kept: Path | None, ratings: Ratings, case: tuple[str, str, str]) -> Row:
    """`accuracy` of (dimension, classifier, way); taken over from `kept`, or kept there."""
    file = kept / f"{' '.join(case)}.txt" if kept else None
    if file is None or not file.is_file():
        made = accuracy(ratings, *case)
        if file is None:
            return made
        file.write_text("\t".join(made), encoding="utf-8")
    return tuple(file.read_text(encoding="utf-8").split("\t"))


def accuracies(data: Path, quick: bool) -> Iterator[Row]:
    """Table 1: a row a classifier and dimension, made by as many processes as there are cores."""
    ratings = read_dagstuhl(data / "dagstuhl-15512")
    printed = {
        (name, dimension): figure
        for name, *figures in published("d20-table1-accuracy.tsv")[1:]
        for dimension, figure in zip(DIMENSIONS, figures, strict=True)
        if not quick or (name in QUICK and dimension == "cogency")
    }
    cases = [(dimension, name, way) for name, dimension in printed for way in WAYS]
    kept = None if quick else KEPT / "d20" / "accuracies"
    with ExitStack() as stack:
        each: Callable[..., Iterable[Row]] = map
        if kept is not None:
            kept.mkdir(parents=True, exist_ok=True)
            each = stack.enter_context(ProcessPoolExecutor(mp_context=get_context("spawn"))).map
        made = dict(zip(cases, each(partial(cell, kept, ratings), cases), strict=True))
    for (name, dimension), figure in printed.items():
        ways = (made[dimension, name, way] for way in WAYS)
        yield name, dimension, figure, *(one for way in ways for one in way)


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


def few_words(engine: Engine, lab: Judged, config: Config) -> dict[str, int]:
    """Count the first premises of all topics: shown, short, and short ones such as "I accept"."""
    hits = [engine.premises(text, k=FIRST, config=config).hits for text in lab.topics.values()]
    texts = [hit.text for found in hits for hit in found]
    few = [text for text in texts if len(text.split()) < FEW_WORDS]
    accepting = sum(text.lower().startswith("i accept") for text in few)
    return {"short": len(few), "accepting": accepting, "shown": len(texts)}


class Lab:
    """The args.me subset, indexed as published, and the judgements of 2020."""

    def __init__(self, data: Path) -> None:
        self._values: dict[tuple[str, float], dict[str, Floats]] = {}
        self._cut = float("nan")
        self.data, self.index = data, KEPT / "d20" / "index"
        self.judged = Judged.indexed(data, self.index, load_config("dumani-2020").index)

    def values(self, config: str, cut: float) -> dict[str, Floats]:
        """nDCG of every judged topic, float64[topics], with premises cut at a distance."""
        if (config, cut) not in self._values:
            if cut != self._cut:
                self.again(premise_distance=cut)
            with Engine.open(self.index) as engine:
                found = effect(engine, self.judged, load_config(config))
            self._values[config, cut] = found
        return self._values[config, cut]

    def again(self, **settings: object) -> None:
        """Make the part anew with other keys of [index]."""
        add_parts(self.index, ["premises"], settings=settings)
        self._cut = float(str(settings.get("premise_distance", PUBLISHED_CUT)))


def methods(lab: Callable[[], Lab], file: str, reading: str) -> Iterator[Row]:
    """Tables 4 and 5: a row a method, as published and by the grades of 2020, both cuts."""
    rows = published(file)[1:]
    cells: list[list[str]] = [[] for _ in rows]
    for cut in CUTS:
        for own, (family, dimensions, *_) in zip(cells, rows, strict=True):
            values = lab().values(config_of(family, dimensions), cut)
            own += [short(float(values[f"{m}, {reading}"].mean())) for m in MEASURES]
    for row, own in zip(rows, cells, strict=True):
        yield *row, *own


def significance(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Shapiro–Wilk of each method's topics, then Tukey's HSD over all methods."""
    from scipy.stats import shapiro, tukey_hsd

    rows = published("d20-table4-noisy.tsv")[1:]
    names = [config_of(family, dimensions) for family, dimensions, *_ in rows]
    for cut in CUTS:
        for reading in ("all", "judged only"):
            for measure in MEASURES:
                samples = [lab().values(name, cut)[f"{measure}, {reading}"] for name in names]
                normal = sum(float(shapiro(sample).pvalue) >= LEVEL for sample in samples)
                p = np.asarray(tukey_hsd(*samples).pvalue)[np.triu_indices(len(names), 1)]
                apart = f"{normal} of 13", f"{int((p < LEVEL).sum())} of {len(p)}"
                yield f"{measure}, {reading}, {_cut_at(cut)}", *apart, short(float(p.min()))


def _cut_at(cut: float) -> str:
    return f"cut at {short(cut, 1)}" if cut else "n / 5.5"


def alpha_ndcg(clusters: Sequence[int], gains: Sequence[float], ideal: Sequence[float]) -> float:
    """α-nDCG with α = 1: of each cluster the first premise alone gains, Σ g_i / log₂(i + 1).

    clusters, gains: of the k premises shown, best first; ideal: the k best gains of clusters. NaN
    where nothing can be gained.
    """
    pairs = enumerate(zip(clusters, gains, strict=True))
    new = [gain * (cluster not in clusters[:i]) for i, (cluster, gain) in pairs]
    discounts = 1 / np.log2(np.arange(2, 2 + max(len(new), len(ideal))))
    best = float(np.dot(ideal, discounts[: len(ideal)]))
    return float(np.dot(new, discounts[: len(new)])) / best if best else float("nan")


def diverse(engine: Engine, lab: Judged, config: Config) -> Floats:
    """α-nDCG@5 and @10 of single premises, float64[topics, 2]; each has its argument's grade."""
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
    """Table 6: as published on another collection, and Task B's measure on the grades of 2020."""
    lab().again()
    with Engine.open(lab().index) as engine:
        for family, dimensions, *figures in published("d20-table6-energy.tsv")[1:]:
            config = load_config(config_of(family, dimensions))
            means = np.nanmean(diverse(engine, lab().judged, config), axis=0)
            yield family, dimensions, *figures, *(short(float(mean)) for mean in means)


def cluster_sizes(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Clusters, mean, median, smallest and largest, published and here, of both readings."""
    yield "claims, published", "72,125", "13,031", "5.53", "5", "2", "33"
    yield "premises, published", "≈ 387,400", "70,314", "5.51", "5", "1", "1,867"
    for distinct in (True, False):
        lab().again(distinct_premises=distinct)
        counted = "distinct texts" if distinct else "occurrences"
        with Engine.open(lab().index) as engine:
            part = engine.backend.part("premises")
            for side in ("claim", "premise") if distinct else ("premise",):
                sizes = np.bincount(part[f"{side}_cluster"])
                said = f"{side}s, here" + ("" if side == "claim" else f", {counted}")
                median = f"{np.median(sizes):g}"
                numbers = f"{sizes.sum():,}", f"{len(sizes):,}", f"{sizes.mean():.2f}", median
                yield said, *numbers, str(sizes.min()), f"{sizes.max():,}"


def short_premises(lab: Callable[[], Lab]) -> Iterator[Row]:
    """How many of the first ten are of fewer than eight words ("I accept."), by both readings."""
    counts: dict[str, list[str]] = {}
    for distinct in (True, False):
        lab().again(distinct_premises=distinct)
        with Engine.open(lab().index) as engine:
            for family in FAMILIES.values():
                name = f"dumani-2020-{family}{'' if family == 'pficf' else '-all'}"
                row = few_words(engine, lab().judged, load_config(name))
                said = f"{row['short']} of {row['shown']}; {row['accepting']}"
                counts.setdefault(name, []).append(said)
    yield from ((name, *cells) for name, cells in counts.items())


def beaten(lab: Callable[[], Lab]) -> Iterator[Row]:
    """Plain over all dimensions by what decides that a premise beats another."""
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
    """The tables; with `quick` the rows of Table 1 that take seconds."""
    lab = cache(partial(Lab, data))
    yield Table(
        "table1",
        "Table 1, accuracy of what beats what on Dagstuhl-15512",
        (
            "classifier",
            "dimension",
            "published",
            "shuffled",
            "folds",
            "by query",
            "of these",
        ),
        lambda: accuracies(data, quick),
        published=("d20-table1-accuracy.tsv",),
        keys=2,
        tolerance=0.01,
    )
    for number, of in (("2-scores", "assessments by score"), ("3-agreement", "Krippendorff's α")):
        file, caption = f"d20-table{number}.tsv", f"Table {number[0]}, {of}, as published"
        yield as_printed(f"table{number[0]}", file, caption, NOT_PUBLIC)
    if quick:
        return
    for number, file, reading, judged in (
        ("4", "d20-table4-noisy.tsv", "all", ""),
        ("5", "d20-table5-curated.tsv", "judged only", " --judged-only"),
    ):
        header = published(file)[0]
        yield Table(
            f"table{number}",
            f"Table {number}, the 13 methods, published and by the grades of 2020 "
            f"(documents: {reading})",
            (*header, *(f"here, {_cut_at(cut)}: {m}" for cut in CUTS for m in MEASURES)),
            partial(methods, lab, file, reading),
            f"{INDEXING}`, `argsearch run topics.xml --index d20 --unit premises "
            "--config dumani-2020-plain-all --out run.txt`, `argsearch evaluate QRELS run.txt "
            f'--in-corpus d20 --measures "nDCG@1 nDCG@10"{judged}',
            (file,),
            keys=2,
        )
    yield Table(
        "significance",
        "Shapiro–Wilk (methods that pass, p ≥ .05) and Tukey's HSD (pairs that differ, p < .05)",
        ("measure", "normal", "pairs apart", "least p"),
        partial(significance, lab),
    )
    yield Table(
        "table6",
        "Table 6, the second collection as published, and α-nDCG of single premises here, n / 5.5",
        (*published("d20-table6-energy.tsv")[0], "here α-nDCG@5", "here α-nDCG@10"),
        partial(second, lab),
        published=("d20-table6-energy.tsv",),
        keys=2,
    )
    yield Table(
        "sizes",
        "Members of clusters at n / 5.5",
        ("", "n", "clusters", "mean", "median", "min", "max"),
        partial(cluster_sizes, lab),
    )
    yield Table(
        "short",
        "Premises of fewer than eight words among the first ten of 50 topics, n / 5.5; after the "
        "semicolon, those that begin with “I accept”",
        ("method", "distinct texts", "occurrences"),
        partial(short_premises, lab),
    )
    yield Table(
        "beats",
        f"Plain, all dimensions, premises {_cut_at(CUTS[1])}, by the model that compares premises",
        ("model", *(f"{m}, {kind}" for kind in ("all", "judged only") for m in MEASURES)),
        partial(beaten, lab),
        "argsearch train pairwise --judgements dagstuhl-15512 --classifier 'random forest' "
        "--out rf.safetensors",
    )
