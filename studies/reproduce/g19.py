"""G19 (Gienapp 2019): z-nDCG, scores from comparisons, sparse designs, dimensions, agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from argsearch.lab import reproduction as made
from argsearch.lab.evaluation.tables import Grid
from argsearch.lab.judgements.comparisons import read_table
from argsearch.lab.judgements.scored import Scored, ukp
from argsearch.lab.judgements.webis import (
    SCORE_DIMENSIONS,
    SCORES,
    WebisArgQuality,
    load,
    raw_comparisons,
)
from argsearch.ranking.evaluation.zndcg import JudgedDocuments, z_ndcg_by_topic
from argsearch.ranking.numbers import pearson
from argsearch.ranking.preference import (
    Comparisons,
    bradley_terry,
    comparisons,
    cyclic_design,
)
from studies.reproduce.table import Row, Table, as_printed, published, short

Floats = NDArray[np.float64]

SAMPLES = 10_000
READINGS = {
    "z-ndcg": "Non-arguments gain 0, repeated documents count again, the ideal is the best 50 of "
    "the three lists together",
    "z-ndcg-worst": "The same, but a negative DCG is divided by the worst ranking's DCG",
    "z-ndcg-topic": "As `z-ndcg-worst`, gains normalised by topic: the smallest error of the six",
    "z-ndcg-judged": "Another reading: the ideal is of the judged documents, each once",
    "z-ndcg-left-out": "Another reading: non-arguments left out of the lists",
    "z-ndcg-released": "Another reading: non-arguments at −4, as the released file has them",
}
"""Names and captions for `made.MEASURE_READINGS`, in the same order."""


DESIGNS_NOTE = (
    "Labels exist for 52 to 81 % of a draw's pairs, so gold and design both lack pairs. We use all "
    "24 topics with 32 arguments or more (the thesis: 10 unnamed ones), five draws and groupings "
    "of each."
)
SHARES_NOTE = "1,472 of 2,480 annotations are 59 %, printed as 60, and 320 are 13 %, printed as 12."
PILOT = {
    "3.2-spearman-pilot": "Table 3.2, Spearman's ρ of dimensions, pilot study",
    "3.3-pearson-expert-crowd": "Table 3.3, Pearson's r, experts and crowd",
    "3.4-agreement": "Table 3.4, Krippendorff's α of the three dimensions, pilot study",
    "3.5-stance-bias": "Table 3.5, means by the stance of annotator and argument",
    "3.6-pilot-ndcg": "Table 3.6, nDCG@5 of four systems, pilot study",
    "3.7-variance": "Table 3.7, variance over topics",
    "3.8-wins": "Table 3.8, topics won",
}
NO_COMBINED = "Table 6.2 has no combined column; its means above are Table 6.3b's."
CORRELATIONS_NOTE = (
    "Dimensions have one item per argument and are fitted with λ = .1 and τ = .05; rows with words "
    "use the released scores. By stance, logical and dialectical quality give .52 for pro and .58 "
    "for con, printed as .60 and .51: these columns look exchanged."
)
CORPUS_NOTE = (
    "Each argument or text once gives 123.0 or 123.2 words. The p-values here are Mann–Whitney's, "
    "by rhetorical, logical, dialectical and combined quality; test and order of the printed ones "
    "are unknown."
)
ITEMS, DRAWS = 32, 5
"""Number of arguments drawn from a topic in the sampling study, and number of draws."""


@dataclass(frozen=True)
class Labelled:
    """UKPConvArg1's labelled pairs of n texts, and the texts' topics and published scores."""

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    topic: NDArray[np.int64]
    score: Floats

    @classmethod
    def of(cls, scored: Scored) -> Labelled:
        """Return the pairs of a corpus. A text in two topics belongs to the first topic."""
        pairs = scored.pairs[0]
        place: dict[str, int] = {}
        for i, text in enumerate(scored.texts):
            place.setdefault(text, i)
        at = [place[text] for text in pairs.texts]
        return cls(pairs.better, pairs.worse, scored.topics[at], scored.scores[at])

    def among(self, items: NDArray[np.intp]) -> Comparisons:
        """Return the pairs among some of the texts, renumbered by their place in `items`."""
        number = np.full(len(self.topic), -1)
        number[items] = np.arange(len(items))
        first, second = number[self.better], number[self.worse]
        kept = (first >= 0) & (second >= 0)
        return comparisons(first[kept], second[kept], np.ones(kept.sum()), len(items))


def designs_table(folder: Path) -> list[Row]:
    """Return r between scores from a cyclic design's labelled pairs and from all labelled pairs."""
    data = Labelled.of(ukp(folder / "ukpconvarg1" / "UKPConvArg1-csv.tar.xz"))
    rng = np.random.default_rng(0)
    found: dict[int, list[tuple[float, float]]] = {k: [] for k in made.CORRELATIONS}
    for topic in np.flatnonzero(np.bincount(data.topic) >= ITEMS):
        for _ in range(DRAWS):
            drawn = rng.permutation(np.flatnonzero(data.topic == topic))[:ITEMS]
            pairs = data.among(drawn)
            gold = bradley_terry(pairs).scores
            low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
            for k in found:
                asked = set(cyclic_design(ITEMS, k))
                kept = [pair in asked for pair in zip(low.tolist(), high.tolist(), strict=True)]
                few = comparisons(
                    pairs.first[kept], pairs.second[kept], pairs.outcome[kept], pairs.n
                )
                found[k].append((pearson(bradley_terry(few).scores, gold), np.mean(kept)))
    rows = []
    for k, values in found.items():
        rs, shares = np.array(values).T
        low, high = np.quantile(rs, [0.025, 0.975])
        share, r = f"{shares.mean():.0%}", short(float(rs.mean()))
        _, _, _, _, printed_share, *rho = _printed_designs()[str(k)]
        printed = "{} [{}, {}]".format(*(short(float(x), 2) for x in rho))
        cells = (f"{printed_share}%", share, printed, f"{r} [{short(low, 2)}, {short(high, 2)}]")
        rows.append((str(k), *cells))
    return rows


def _printed_designs() -> dict[str, list[str]]:
    """Return the printed rows for five annotators, by number of groups."""
    return {row[1]: row for row in published("g19-table4.2-designs.tsv")[1:4]}


def readings_table(data: WebisArgQuality, grid: Callable[[str], Grid]) -> Iterator[Row]:
    """Yield each reading's mean absolute error against Table 6.2, and combined quality."""
    for name, reading in zip(READINGS, made.MEASURE_READINGS.values(), strict=True):
        gains = (JudgedDocuments(data.scores[of], data.is_argument, data.topic) for of in SCORES)
        found = [z_ndcg_by_topic(data.rankings, gain, reading) for gain in gains]
        means = np.array([[np.nanmean(one[system]) for one in found] for system in made.Z_NDCG])
        errors = abs(means - list(made.Z_NDCG.values()))
        cells = (np.delete(errors, 3, axis=1), errors[:, 3], errors)
        combined = (row[-1] for row in grid(name).rows)
        yield f"`{name}`", *(short(float(cell.mean())) for cell in cells), *combined


def stances(data: WebisArgQuality) -> NDArray[np.str_]:
    """Return the stance of each item, "True" for pro."""
    path = data.folder / "full" / "webis-argquality20-arguments.csv"
    return np.array([row["Stance"] for _, row in read_table(path)])


def corpus_table(data: WebisArgQuality) -> list[Row]:
    """Return counts, lengths and comparisons of the corpus, and tests of quality by stance."""
    argues, (items, pairs) = data.is_argument, raw_comparisons(data, "rhetorical")
    sides = [argues & (stances(data) == side) for side in ("True", "False")]
    compared = np.bincount(data.topic[items])
    names = (*SCORE_DIMENSIONS, "combined")
    tests = (mannwhitneyu(*(data.scores[name][side] for side in sides)) for name in names)
    found = [short(float(test.pvalue), 4) for test in tests]
    of_a_topic = len(pairs.first) / len(compared), (compared * (compared - 1) / 2).mean()
    return [
        ("items; arguments", "1,610; 1,271", f"{len(argues):,}; {argues.sum():,}"),
        ("arguments pro, con", "675, 596", ", ".join(str(side.sum()) for side in sides)),
        ("mean words of an item", "123.5", f"{data.words.mean():.1f}"),
        ("comparisons of a topic; possible", "698; 2,043", "{:,.0f}; {:,.0f}".format(*of_a_topic)),
        ("p-values; here pro against con", ".0663, .1781, .1101, .053", ", ".join(found)),
    ]


def correlations_table(data: WebisArgQuality) -> list[Row]:
    """Return Pearson's r of dimensions, relevance and length by argument, also by stance."""
    items, fitted = made.one_item_each(data)
    stance = stances(data)[items]
    words = data.words[items]
    once = dict(zip(SCORE_DIMENSIONS, fitted.T, strict=True))
    once["relevance"] = data.scores["relevance"][items]
    released = {name: data.scores[name][items] for name in once} | {"words": words}
    sets = {
        "all": words > 0,
        "pro": stance == "True",
        "con": stance == "False",
        "over 100 words": words > 100,
    }
    rows = []
    for (a, b), printed in printed_correlations().items():
        cells, values = [], released if a == "words" else once
        for name, kept in sets.items():
            r = short(pearson(values[a][kept], values[b][kept]), 2)
            cells.append(f"{r} ({short(printed[name], 2)})" if name in printed else r)
        rows.append((f"{a}, {b}", *cells))
    return rows


def printed_correlations() -> dict[tuple[str, str], dict[str, float]]:
    """Return Table 6.1 by pair of columns and set of arguments, with each pair once."""
    lines = published("g19-table6.1-pearson.tsv")
    columns = ["relevance", *SCORE_DIMENSIONS]
    found: dict[tuple[str, str], dict[str, float]] = {}
    for first, sets in ((1, ("all",)), (5, ("pro", "con")), (9, ("all", "over 100 words"))):
        for name, *cells in lines[first : first + 3] if first < 9 else lines[9:]:
            row = {"word count": "words"}.get(name.lower(), name.lower())
            for place, column in enumerate(columns):
                pair = (row, column) if row == "words" else tuple(sorted((row, column)))
                for step, of in enumerate(sets):
                    if cell := cells[2 * place + step]:
                        found.setdefault((pair[0], pair[1]), {})[of] = float(cell)
    return found


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """Yield the tables. With `quick`, leave out the simulation."""
    columns: Row
    files: Row

    @cache
    def webis() -> WebisArgQuality:
        return load(data / "webis-argquality20")

    def of(make: Callable[..., Iterable[Row]], *more: object) -> Callable[[], Iterable[Row]]:
        """Return a function that makes a table of the corpus."""
        return lambda: make(webis(), *more)

    def printed(
        name: str, caption: str, columns: Row, of: Callable[[WebisArgQuality], Grid], *files: str
    ) -> Table:
        """Return a table that `argsearch experiment g19` prints too."""
        return Table(name, caption, columns, lambda: of(webis()).rows, "", files, tolerance=0.01)

    readings = dict(zip(READINGS, made.MEASURE_READINGS.values(), strict=True))
    grid = cache(lambda name: made.z_ndcg_table(webis(), readings[name], "", SAMPLES))
    columns = ("system", *SCORES[:-1])
    files = ("g19-table6.2-z-ndcg.tsv",)
    for name, caption in READINGS.items():
        rows = partial(lambda one: [row[:-1] for row in grid(one).rows], name)
        yield Table(name, caption, columns, rows, published=files, tolerance=0.01)
    caption = "Mean absolute error of these means by reading; Table 6.3b, combined quality"
    columns = ("table", "error, quality", "relevance", "all 15 cells", *made.Z_NDCG)
    rows = of(readings_table, grid)
    yield Table("readings", caption, columns, rows, published=files, tolerance=0.01)
    caption = "Relevance from the raw votes, with the mean vote of non-arguments too"
    relevance = partial(made.relevance_table, samples=SAMPLES)
    yield printed("relevance", caption, made.RELEVANCE_HEADER, relevance, *files)
    caption = "Pearson's r of scores fitted from the 3 × 13,952 comparisons with the published"
    scores = printed("scores", caption, made.SCORES_HEADER, made.scores_table)
    yield replace(scores, tolerance=1e-5)  # of figures such as .99999999
    files = ("g19-table4.2-designs.tsv",)
    if not quick:
        caption = "Simulated: mean r of a design with all votes (published), share of the votes"
        columns = ("annotators", *(f"{k} groups" for k in made.CORRELATIONS))
        study = partial(made.sampling_table, study=made.Sampling())
        yield printed("designs-simulated", caption, columns, study, *files)
    caption = "UKPConvArg1's gold labels: r of a design's scores with those of all labelled pairs"
    share = "share of pairs, published", "here, of labelled pairs"
    columns = ("groups", *share, "r, published", "here")
    yield Table("designs", caption, columns, partial(designs_table, data), "", files, DESIGNS_NOTE)
    caption = "Mean words of what each system retrieves, a repeated document counted again"
    yield printed("words", caption, ("system", "measured", "published"), made.words_table)
    columns = ("what", "measured", "published")
    caption = "Quality dimensions, length and agreement"
    yield printed("dimensions", caption, columns, made.dimensions_table)
    caption = "Statistics of the corpus, and p-values"
    columns = ("what", "published", "here")
    yield Table("corpus", caption, columns, of(corpus_table), note=CORPUS_NOTE, tolerance=0.05)
    caption = "Pearson's r of two columns (published), Webis-ArgQuality-20's arguments"
    columns = ("columns", "all", "pro", "con", "over 100 words")
    files = ("g19-table6.1-pearson.tsv",)
    rows = of(correlations_table)
    note = CORRELATIONS_NOTE
    yield Table("correlations", caption, columns, rows, "", files, note, tolerance=0.01)
    yield from printed_tables()


def printed_tables() -> Iterator[Table]:
    """Yield tables of the thesis as published."""
    file = "g19-table6.2-z-ndcg.tsv"
    yield as_printed("printed-6.2", file, "Table 6.2 as published, with its intervals", NO_COMBINED)
    file = "g19-table4.2-designs.tsv"
    yield as_printed("printed-4.2", file, "Table 4.2 as published, with its intervals", SHARES_NOTE)
    for name, caption in PILOT.items():
        file = f"g19-table{name}.tsv"
        yield as_printed(f"printed-{name[:3]}", file, f"{caption}, as published")
