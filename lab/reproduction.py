"""Reproduction of G19's published tables from the original data, next to the published values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.errors import InvalidParameter
from argsearch.indexer.format.settings import read_section, setting
from argsearch.lab.evaluation.tables import Grid
from argsearch.lab.experiment.plan import as_table, place
from argsearch.lab.judgements.comparisons import Votes, agreement
from argsearch.lab.judgements.webis import (
    SCORE_DIMENSIONS,
    SCORES,
    WebisArgQuality,
    load,
    raw_comparisons,
    raw_votes,
)
from argsearch.ranking.evaluation.significance import bootstrap_interval
from argsearch.ranking.evaluation.zndcg import (
    Ideal,
    JudgedDocuments,
    Reading,
    combined_quality,
    principal_components,
    z_ndcg_by_topic,
)
from argsearch.ranking.numbers import pearson, z_scores
from argsearch.ranking.preference import (
    bradley_terry,
    comparisons,
    components,
    cyclic_design,
    elo,
    win_rate,
)

Z_NDCG = {
    "DirichletLM": (0.18, 0.27, 0.24, 0.18, 0.31),
    "DPH": (0.13, 0.17, 0.11, 0.11, 0.16),
    "BM25F": (-0.18, -0.17, -0.17, -0.23, -0.19),
}
"""Published z-nDCG@50, in the order of SCORES."""
CORRELATIONS = {
    4: (1.00, 0.99, 0.98, 0.98, 0.94),
    8: (0.97, 0.96, 0.94, 0.90, 0.83),
    16: (0.87, 0.84, 0.77, 0.75, 0.62),
}
"""Published mean correlation with the gold merits by number of groups, for 5 to 1 annotators."""
MAX_INT = 2**63 - 1
"""Largest integer in TOML."""
MEAN_WORDS = {"BM25F": 75.0, "DPH": 149.4, "DirichletLM": 165.6}
FIT = {"rhetorical": (0.1, 0.05), "logical": (0.1, 0.05), "dialectical": (0.25, 0.1)}
"""λ and τ that reproduce each dimension's published scores (the thesis states .1 and .05)."""
RELEVANCE_HEADER = ("system", "IDCG of the three runs", "IDCG of the judged documents")
MEASURE_READINGS = {
    "non-arguments count as 0, IDCG of the three runs": Reading(),
    "the same, but negative DCG divided by the worst ranking's": Reading(negative="worst"),
    "the same, and also z-normalised within topics": Reading(negative="worst", scale="topic"),
    "IDCG of the judged documents": Reading(ideal="judged"),
    "non-arguments left out": Reading(non_arguments="drop"),
    "non-arguments at -4, as released": Reading(non_arguments="keep"),
}


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of the simulated sampling study, whose votes are drawn from fitted merits.

    `strength` multiplies the fitted merits. A single annotator's true preferences are more
    pronounced than the merits, which are estimated from sparse judgements with regularisation.
    """

    topics: int = setting(10, "number of largest topics to draw from", low=1, high=MAX_INT)
    items: int = setting(32, "items drawn from each topic", low=max(CORRELATIONS), high=MAX_INT)
    repeats: int = setting(5, "draws of items from each topic", low=1, high=MAX_INT)
    strength: float = setting(1.75, "factor of the fitted merits", low=-1e6, high=1e6)
    tau: float = setting(0.05, "tie threshold for the votes", low=-1e6, high=1e6)
    seed: int = setting(0, "random seed of draws and votes", low=0, high=MAX_INT)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Section [reproduction] of an experiment file: the published tables, and the data."""

    of: str = setting("", "what to reproduce", choices=("g19",))
    data: str = setting(".", "folder of Webis-ArgQuality-20; by default, this file's folder")
    samples: int = setting(10_000, "bootstrap samples per interval", low=1, high=MAX_INT)


def reproduce(path: Path, content: Mapping[str, Any]) -> list[Grid]:
    """Build the tables of the [reproduction] section of an experiment file.

    content: the file's content. Raises InvalidParameter for an unknown key or value, and
    RunFormatError for missing or malformed data.
    """
    if more := [section for section in content if section != "reproduction"]:
        problem = f"[reproduction] must be the only section, but there is also [{more[0]}]"
        raise InvalidParameter("experiment section", more[0], "reproduction", problem)
    # `of` is required: None is not an allowed value.
    table = {"of": None, **as_table("reproduction", content["reproduction"])}
    sampling = as_table("reproduction.sampling", table.pop("sampling", {}))
    study = read_section(Sampling, "reproduction.sampling", sampling)
    asked = read_section(Reproduction, "reproduction", table)
    return tables(load(place(path, "reproduction.data", asked.data)), asked.samples, study)


def z_ndcg_table(data: WebisArgQuality, reading: Reading, name: str, samples: int) -> Grid:
    """Compare z-nDCG@50 of the systems on all dimensions: mean, 95 % interval, published value."""
    gains = (_judged(data, data.scores[score]) for score in SCORES)
    values = [z_ndcg_by_topic(data.rankings, gain, reading) for gain in gains]
    rows = []
    for system, published in Z_NDCG.items():
        cells = zip(values, published, strict=True)
        rows.append((system, *(_interval(v[system], samples, p) for v, p in cells)))
    caption = f"z-nDCG@{reading.k} [95 % interval] (published); {name}"
    return Grid(caption, ("system", *SCORES), rows)


def _judged(data: WebisArgQuality, gain: NDArray[np.float64]) -> JudgedDocuments:
    return JudgedDocuments(gain, data.is_argument, data.topic)


def relevance_table(data: WebisArgQuality, samples: int) -> Grid:
    """Compare z-nDCG by the raw relevance votes, which include votes on non-arguments.

    Gains are mean votes, z-normalised over arguments. Negative DCG is scaled by the worst ranking.
    """
    votes = _by_unit(raw_votes(data, "Relevance"))
    mean = np.array([np.mean(list(map(float, votes[item[1:]]))) for item in data.items])
    gain = z_scores(mean, data.is_argument)
    ideals: tuple[Ideal, ...] = ("runs", "judged")
    readings = [Reading(non_arguments="keep", ideal=ideal, negative="worst") for ideal in ideals]
    columns = [z_ndcg_by_topic(data.rankings, _judged(data, gain), one) for one in readings]
    rows = [
        (name, *(_interval(column[name], samples, published[3]) for column in columns))
        for name, published in Z_NDCG.items()
    ]
    caption = "z-nDCG@50 of relevance from the raw votes [95 % interval] (published)"
    return Grid(caption, RELEVANCE_HEADER, rows)


def _interval(values: NDArray[np.float64], samples: int, published: float) -> str:
    defined = values[~np.isnan(values)]
    if not defined.size:
        return f"undefined ({_short(published)})"
    interval = bootstrap_interval(defined, samples)
    note = f", {n} topics undefined" if (n := values.size - defined.size) else ""
    mean, low, high = map(_short, (float(defined.mean()), interval.low, interval.high))
    return f"{mean} [{low}, {high}] ({_short(published)}{note})"


def _short(value: float, digits: int = 2) -> str:
    """Format with `digits` decimals as in papers: .18, −.23."""
    text = f"{abs(value):.{digits}f}"
    # Sign of the rounded value: −.001 is printed as .00, not as −.00.
    return ("−" if round(value, digits) < 0 else "") + (text[1:] if text.startswith("0") else text)


SCORES_HEADER = (
    "dimension",
    "an argument is one item",
    "unconnected groups",
    "one in each topic",
    "with its own λ, τ",
    "WinRate",
    "Elo",
    "its own λ, τ",
)


def scores_table(data: WebisArgQuality) -> Grid:
    """Correlate fitted scores with the published ones (Pearson's r) over all arguments."""
    rows = []
    for name in SCORE_DIMENSIONS:
        whole, pairs = raw_comparisons(data, name, by_topic=False)
        fitted = bradley_terry(pairs)
        row = [_against(data, name, whole, fitted.scores), str(int(components(pairs).max()) + 1)]
        positions, pairs = raw_comparisons(data, name)
        for lam, tau in ((0.1, 0.05), FIT[name]):
            row.append(_against(data, name, positions, bradley_terry(pairs, lam, tau).scores))
        row += [_against(data, name, positions, fit(pairs)) for fit in (win_rate, elo)]
        rows.append((name, *row, f"λ {FIT[name][0]}, τ {FIT[name][1]}"))
    return Grid("Pearson's r of fitted scores with the published", SCORES_HEADER, rows)


def _against(
    data: WebisArgQuality, name: str, positions: Sequence[int], scores: NDArray[np.float64]
) -> str:
    published = data.scores[name][list(positions)]
    kept = data.is_argument[list(positions)]
    return f"{pearson(scores[kept], published[kept]):.8f}"


def sampling_table(data: WebisArgQuality, study: Sampling) -> Grid:
    """Correlate scores from sparse designs with those from all votes, next to published values."""
    correlations: dict[tuple[int, int], list[float]] = {}
    rng = np.random.default_rng(study.seed)
    for merits in _planted(data, study, rng):
        for key, value in _simulate(merits * study.strength, study, rng).items():
            correlations.setdefault(key, []).append(value)
    rows = []
    every = study.items * (study.items - 1) / 2
    for annotators in (5, 4, 3, 2, 1):
        cells = []
        for groups, published in CORRELATIONS.items():
            measured = float(np.mean(correlations[groups, annotators]))
            share = len(cyclic_design(study.items, groups)) * annotators / (5 * every)
            cells.append(f"{measured:.2f} ({published[5 - annotators]:.2f}), {share:.0%}")
        rows.append((str(annotators), *cells))
    caption = "Simulated: mean r with the scores from all votes (published), share of votes used"
    return Grid(caption, ("annotators", *(f"{k} groups" for k in CORRELATIONS)), rows)


def _planted(
    data: WebisArgQuality, study: Sampling, rng: np.random.Generator
) -> Iterable[NDArray[np.float64]]:
    """Yield fitted rhetorical merits of `items` random items from each of the largest topics."""
    positions, pairs = raw_comparisons(data, "rhetorical")
    merits = bradley_terry(pairs).scores
    topic = data.topic[positions]
    largest = np.argsort(-np.bincount(topic), kind="stable")[: study.topics]
    for t in largest:
        own = merits[topic == t]
        if study.items > own.size:
            allowed = f"at most {own.size}, the number of items of topic {t}"
            raise InvalidParameter("reproduction.sampling.items", study.items, allowed)
        for _ in range(study.repeats):
            yield rng.choice(own, study.items, replace=False)


def _simulate(
    merits: NDArray[np.float64], study: Sampling, rng: np.random.Generator
) -> dict[tuple[int, int], float]:
    """Simulate votes; return r with the scores of all votes, by (groups, annotators)."""
    n = merits.size
    pairs = np.array(list(combinations(range(n), 2)))
    x = merits[pairs[:, 0]] - merits[pairs[:, 1]]
    wins, loses = 1 / (1 + np.exp(study.tau - x)), 1 / (1 + np.exp(study.tau + x))
    u = rng.random((5, len(pairs)))
    votes = np.where(u < wins, 1, np.where(u < wins + loses, -1, 0))

    def scores(rows: NDArray[np.intp], annotators: int) -> NDArray[np.float64]:
        """Fit the merits, float64[n], to the votes of the first annotators on these pairs."""
        first, second = (np.tile(pairs[rows, side], annotators) for side in (0, 1))
        outcome = votes[:annotators, rows].ravel()
        return bradley_terry(comparisons(first, second, outcome, n)).scores

    gold = scores(np.arange(len(pairs)), 5)
    result = {}
    for groups in CORRELATIONS:
        asked = set(cyclic_design(n, groups))
        rows = np.flatnonzero([(int(i), int(j)) in asked for i, j in pairs])
        for annotators in range(1, 6):
            result[groups, annotators] = pearson(scores(rows, annotators), gold)
    return result


def words_table(data: WebisArgQuality) -> Grid:
    """Return the mean number of words in each system's results; duplicates count each time."""
    rows = []
    for system, published in MEAN_WORDS.items():
        found = [i for ranking in data.rankings[system] for i in ranking]
        rows.append((system, f"{data.words[found].mean():.1f}", f"{published:.1f}"))
    return Grid("Mean words per retrieved argument", ("system", "measured", "published"), rows)


def one_item_each(
    data: WebisArgQuality, lam: float = 0.1, tau: float = 0.05
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Fit scores with λ and τ, treating each argument as one item (G19, Section 5.3).

    Returns the positions of the arguments in `data.items`, intp[n], and their scores in the order
    of SCORE_DIMENSIONS, float64[n, 3].
    """
    fitted = []
    for name in SCORE_DIMENSIONS:
        positions, pairs = raw_comparisons(data, name, by_topic=False)
        fitted.append(dict(zip(positions, bradley_terry(pairs, lam, tau).scores, strict=True)))
    compared = sorted(set.intersection(*map(set, fitted)))
    kept = [i for i in compared if data.is_argument[i]]
    return np.array(kept, np.intp), np.array([[one[i] for one in fitted] for i in kept])


def dimensions_table(data: WebisArgQuality) -> Grid:
    """Compare combined quality, PCA, correlation with length, and agreement to published values."""
    kept = data.is_argument
    scores = np.column_stack([data.scores[name][kept] for name in SCORE_DIMENSIONS])
    gap = np.abs(combined_quality(scores) - data.scores["combined"][kept]).max()
    words = data.words[kept]
    long = words > 100
    parts = principal_components(one_item_each(data)[1])
    other = principal_components(one_item_each(data, *FIT["dialectical"])[1])
    fitted_otherwise = f"{_list(-other.loadings[1], 4)}; {_list(other.explained)}"
    votes = raw_votes(data, "Relevance"), raw_votes(data, "Is Argument?")
    (ordinal, nominal), (relevance, argument) = map(agreement, votes), map(_most_frequent, votes)
    shares = "; ".join(_list([one.mean()], 3) for one in (relevance, argument))
    alpha = "Krippendorff's alpha, "
    rows = [
        ("combined quality, largest difference", f"{gap:.0e}", "0"),
        ("PCA, variance explained", _list(parts.explained), ".73 .15 .12"),
        ("PCA, first loadings", _list(parts.loadings[0]), "about equal; digits not at hand"),
        ("PCA, second loadings, sign turned", _list(-parts.loadings[1], 4), ".1050 .6489 −.7536"),
        ("… with λ .25, τ .1; explained", fitted_otherwise, ".1050 .6489 −.7536; .73 .15 .12"),
        ("r with words", _list(pearson(z, words) for z in scores.T), ".63 to .65"),
        ("r, over 100 words", _list(pearson(z[long], words[long]) for z in scores.T), ".28 to .37"),
        ("three of five relevance votes agree", _list([np.mean(relevance >= 0.6)]), ".67"),
        ("four of five is-argument votes agree", _list([np.mean(argument >= 0.8)]), "two thirds"),
        ("all is-argument votes agree", _list([np.mean(argument == 1)]), "one third"),
        ("most frequent vote's mean share, relevance; is-argument", shares, ".794"),
        ("α relevance, ordinal", f"{ordinal[alpha + 'ordinal']:.3f}", ".27"),
        ("α relevance, interval", f"{ordinal[alpha + 'interval']:.3f}", ".27"),
        ("α is-argument, nominal", f"{nominal[alpha + 'nominal']:.3f}", ".21"),
    ]
    return Grid("Quality dimensions and agreement", ("what", "measured", "published"), rows)


def _by_unit(votes: Votes) -> dict[tuple[str, ...], list[str]]:
    """Collect the votes on each item."""
    found: dict[tuple[str, ...], list[str]] = {}
    for unit, label in zip(votes.units, votes.labels, strict=True):
        found.setdefault(unit, []).append(label)
    return found


def _most_frequent(votes: Votes) -> NDArray[np.float64]:
    """Return the share of each item's votes that its most frequent vote has."""
    return np.array([max(map(own.count, own)) / len(own) for own in _by_unit(votes).values()])


def _list(values: Iterable[Any], digits: int = 2) -> str:
    return " ".join(_short(float(value), digits) for value in values)


def tables(data: WebisArgQuality, samples: int, study: Sampling) -> list[Grid]:
    """Build all tables of G19 that the released data supports."""
    return [
        *(z_ndcg_table(data, reading, name, samples) for name, reading in MEASURE_READINGS.items()),
        relevance_table(data, samples),
        scores_table(data),
        sampling_table(data, study),
        words_table(data),
        dimensions_table(data),
    ]
