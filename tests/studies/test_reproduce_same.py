"""Each row of docs/reproduction.md that says "same": by printed digits, a setting, or a test."""

from __future__ import annotations

import re
from ast import literal_eval
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from argsearch.engine.config import load_config
from argsearch.lab.judgements.scored import LABELS
from argsearch.lab.judgements.webis import load, raw_votes
from argsearch.lab.training.listwise.settings import TrainingPlan, read_plan
from argsearch.ranking.preference import cyclic_design
from argsearch.ranking.reranking.pagerank import COSINE, SIMILARITY
from studies.reproduce import d20, f22
from studies.reproduce.__main__ import PAGE, SYSTEMS
from studies.reproduce.table import NUMBER, Page, published
from tests.studies.test_reproduce import said_of

ROOT = PAGE.parents[1]


def numbers(cell: str) -> list[float]:
    return [float(one.replace("−", "-").replace(",", "")) for one in NUMBER.findall(cell)]


@cache
def column(system: str, table: str, place: int) -> tuple[list[float], ...]:
    """The numbers in the cells of a column, by place, of a table on the page."""
    return tuple(numbers(row[place]) for row in Page(PAGE).rows(system, table))


def digits(system: str, table: str, printed: int, here: int, off: float, rows: slice) -> bool:
    """Whether two columns of the page have the same numbers; `off`: by how much they may differ."""
    there, ours = (column(system, table, place)[rows] for place in (printed, here))
    return len(there) > 0 and all(
        len(a) == len(b) > 0 and np.allclose(a, b, rtol=0, atol=off + 1e-16)
        for a, b in zip(there, ours, strict=True)
    )


def bracketed(system: str, table: str, place: int, off: float) -> bool:
    """Whether the cells of a column, "here (printed)", have the same two numbers."""
    pairs = [cell for cell in column(system, table, place) if len(cell) == 2]
    return len(pairs) > 5 and all(abs(a - b) <= off + 1e-9 for a, b in pairs)


def plans(end: str = "-bert") -> dict[str, TrainingPlan]:
    names = "ukp", "eviconv", "argq", "argq30k", "ukp-winrate", "eviconv-winrate", "argq-winrate"
    return {name: read_plan(f22.FOLDER / f"{name}{end}.toml") for name in names}


def every(of: Callable[[TrainingPlan], object], value: object) -> bool:
    """Whether all configurations of BERT have a value."""
    return all(of(plan) == value for plan in plans().values())


ENSEMBLES = {
    "ukp": {"mse", "hinge", "logistic", "approx-ndcg"},
    "eviconv": {"mse", "softmax", "approx-ndcg"},
    "argq": {"mse", "hinge", "logistic", "softmax", "listmle"},
    "argq30k": {"mse", "hinge", "logistic", "softmax", "listmle"},
}
WEIGHTS = {"": (10, 5), "-run2": (10, 10), "-run3": (5, 10), "-run4": (0.1, 5), "-run5": (0.01, 5)}
NAIVE = "tests/studies/test_reproduce_naive.py::"
LTR = "tests/ranking/ltr/"
RERANKING = "tests/ranking/reranking/"
UNITS = "tests/studies/test_reproduce_naive_units.py::"
WHOLE = slice(None)
SAME: dict[tuple[str, str], str | Callable[[], bool]] = {
    ("f22", "[CLS] topic"): lambda: every(lambda plan: plan.model.topic, True),
    ("f22", "training lists"): lambda: every(lambda plan: plan.training.length, 12),
    ("f22", "labels: dense"): lambda: every(lambda plan: plan.training.target, "dense"),
    ("f22", "MSE, pairwise"): LTR + "test_losses.py::test_values_are_those_of_plain_loops",
    ("f22", "Adam, 6 lists"): lambda: (
        digits("f22", "training", 1, 2, 0, WHOLE)
        and every(lambda plan: (plan.training.batch, plan.model.dropout), (6, 0.1))
    ),
    ("f22", "checkpoint of"): "tests/lab/training/listwise/test_listwise_training.py::"
    "test_training_stops_when_it_brings_nothing",
    ("f22", "*BERT*"): lambda: f22.regression(plans()["ukp"]).training.target == "score",
    ("f22", "ensemble: mean"): lambda: all(
        set(plans(end)[name].training.ensemble) == members
        for name, members in ENSEMBLES.items()
        for end in ("", "-bert")
    ),
    ("f22", "topics of training"): lambda: all(
        there[0] == here[0]
        for part in (1, 3, 5)
        for there, here in zip(
            column("f22", "splits", part), column("f22", "splits", part + 1), strict=True
        )
    ),
    ("f22", "UKPConvArg1, EviConv"): lambda: (
        column("f22", "splits", 6)[1] == [21, 2756] and column("f22", "splits", 6)[3] == [15, 6315]
    ),
    ("f22", "WinRate"): lambda: all(
        digits("f22", f"winrate-{name}", 1, 2, 0, WHOLE) for name in f22.BY_ID
    ),
    ("f22", "Bradley–Terry"): lambda: {"bradley-terry", "elo"} <= set(LABELS),
    ("f22", "Pearson, Spearman"): LTR + "test_measures.py::test_ndcg_is_scikit_learns",
    ("f22", "school uniform"): lambda: (
        digits("f22", "school", 1, 2, 0, WHOLE) and digits("f22", "school", 3, 4, 0, slice(5))
    ),
    ("d20", "P(π given q"): UNITS + "test_d20_pf_icf_and_plain_cogency",
    ("d20", "claims with the same"): UNITS + "test_d20_pf_icf_and_plain_cogency",
    ("d20", "the clusters of all"): UNITS + "test_d20_pf_icf_and_plain_cogency",
    ("d20", "clusters: agglo"): UNITS + "test_d20_pf_icf_and_plain_cogency",
    ("d20", "pf·icf, dcf"): "dumani-2020 premises.normalise = False",
    ("d20", "premises: occ"): "dumani-2020 index.distinct_premises = False",
    ("d20", "representative"): "dumani-2020 premises.representative = 'cluster'",
    ("d20", "training pairs"): "tests/lab/judgements/test_pairs.py::"
    "test_the_real_ratings_are_those_of_the_paper",
    ("d20", "features"): UNITS + "test_d20_naive_bayes_a_query_at_a_time",
    ("d20", "classifiers: seven"): lambda: (
        list(d20.CLASSIFIERS) == [row[0] for row in published("d20-table1-accuracy.tsv")[1:]]
    ),
    ("d20", "what beats what"): "tests/indexer/quality/test_pairwise_classifier.py::"
    "test_dcf_is_that_of_asking_one_pair_at_a_time",
    ("d20", "significance"): lambda: d20.LEVEL == 0.05,
    ("d20", "Table 6, Task B"): "tests/studies/test_reproduce_d20.py::test_alpha_ndcg_by_hand",
    ("g19", "Bradley–Terry"): lambda: (
        column("g19", "scores", 4) == ([1.0],) * 3 and column("g19", "scores", 7)[0] == [0.1, 0.05]
    ),
    ("g19", "an argument of two"): lambda: column("g19", "scores", 3)[:2] == ([1.0],) * 2,
    ("g19", "cyclic grouped"): lambda: (
        [5 * len(cyclic_design(32, k)) for k in (4, 8, 16)] == [1840, 880, 400]
    ),
    ("g19", "Table 4.2"): lambda: (
        [round(len(cyclic_design(32, k)) / 4.96) for k in (4, 8, 16)]
        == [int(row[4]) for row in published("g19-table4.2-designs.tsv")[1:4]]
    ),
    ("g19", "Section 5.4"): lambda: digits("g19", "dimensions", 2, 1, 0, slice(7, 8)),
    ("g19", "combined quality"): lambda: digits("g19", "dimensions", 2, 1, 4e-15, slice(1)),
    ("g19", "Table 6.3a"): lambda: digits("g19", "dimensions", 2, 1, 0, slice(1, 2)),
    ("g19", "Table 6.1"): lambda: (
        bracketed("g19", "correlations", 1, 0.01)
        and sum(here == printed for here, printed in column("g19", "correlations", 1)) == 8
    ),
    ("g19", "mean words"): lambda: digits("g19", "words", 2, 1, 0, WHOLE),
    ("g19", "Krippendorff"): lambda: (
        [int(100 * column("g19", "dimensions", 1)[row][0]) for row in (11, 13)] == [27, 21]
    ),
    ("g19", "is an argument"): "tests/studies/test_reproduce_same.py::test_g19_labels_of_votes",
    ("g19", "gains z-norm"): "tests/ranking/test_evaluation_zndcg.py::test_dcg_by_hand",
    ("g19", "r of quality"): lambda: all(
        here == printed for here, printed in column("g19", "correlations", 1)[7:]
    ),
    ("g19", "corpus: 1,610"): lambda: (
        digits("g19", "corpus", 1, 2, 0, slice(2)) and digits("g19", "corpus", 1, 2, 1, slice(3, 4))
    ),
    ("h21", "Eq. 1"): lambda: all(
        (boost.cluster, boost.quality) == WEIGHTS[run]
        for run, boost in ((run, load_config(f"heimdall-2021{run}").boost) for run in WEIGHTS)
    ),
    ("h21", "R: Dirichlet"): NAIVE + "test_h21_baseline_of_dirichlet",
    ("h21", "k-means"): "heimdall-2021-index index.clusters = 300",
    ("h21", "C: cosine"): "heimdall-2021 boost.cosine = 'shifted'",
    ("h21", "TF-IDF"): NAIVE + "test_h21_run_1_as_published",
    ("h21", "Q of what"): "heimdall-2021-index index.quality_scale = 'clip'",
    ("h21", "text: premises"): NAIVE + "test_h21_baseline_of_dirichlet",
    ("h21", "no conclusion"): NAIVE + "test_h21_run_1_as_published",
    ("h21", "future work"): "heimdall-2021 boost.premises = 0",
    ("w22", "de-duplication"): UNITS + "test_w22_baseline_and_mmr",
    ("w22", "conclusions, premises"): "hit-girl-2022-mmr pairs.conclusions = 100",
    ("w22", "token factor"): "hit-girl-2022-mmr pairs.premise_factor = 1.75",
    ("w22", "MMR"): "hit-girl-2022-mmr pairs.trade_off = 0.75",
    ("w22", "μ, λ"): "hit-girl-2022-sd pairs.mu_premises = 0.75",
    ("w22", "structural"): RERANKING + "test_structural.py::test_by_hand",
    ("w22", "word mover's"): "tests/indexer/encoders/test_word_vectors.py::"
    "test_a_spacy_model_takes_the_words_of_w22s_tool_or_ours",
    ("w22", "mixtures"): "hit-girl-2022-wmd pairs.mu_conclusions = 0.9",
    ("w22", "what is mixed"): "hit-girl-2022-wmd pairs.mode = 'distance'",
    ("w22", "duplicate premises"): UNITS + "test_w22_baseline_and_mmr",
    ("w22", "graph over"): lambda: (COSINE, SIMILARITY) == (0.99, 0.2),
    ("w22", "lines of a run"): "tests/engine/units/pairs/test_pairs.py::"
    "test_a_run_passes_the_fields_check",
}
"""By system and beginning of the row: a check, a setting as published, or the method's test."""


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_same_is_checked(system: str) -> None:
    rows = [left for left, said in said_of(system) if re.search(r"\bsame\b", said)]
    known = [start for of, start in SAME if of == system]
    assert [row for row in rows if not row.startswith(tuple(known))] == []
    assert [start for start in known if not any(row.startswith(start) for row in rows)] == []


@pytest.mark.parametrize("row", SAME, ids=" ".join)
def test_what_is_called_the_same_is(row: tuple[str, str]) -> None:
    check = SAME[row]
    if callable(check):
        assert check()
    elif "::" in check:
        file, name = check.split("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
    else:
        config, key, _, value = check.split()
        assert attrgetter(key)(load_config(config)) == literal_eval(value)


@pytest.mark.data
def test_g19_labels_of_votes(data_dir: Path) -> None:
    """An argument is what most call one; relevance is the mean of five votes, z-normalised."""
    data = load(data_dir / "webis-argquality20")
    relevance, argues = defaultdict(list), defaultdict(list)
    for label, votes in (("Relevance", relevance), ("Is Argument?", argues)):
        raw = raw_votes(data, label)
        for unit, vote in zip(raw.units, raw.labels, strict=True):
            votes[unit].append(vote)
    items = [item[1:] for item in data.items]
    # An argument in two topics has ten votes; five of ten are enough.
    yes = np.array([2 * argues[item].count("True") >= len(argues[item]) for item in items])
    assert yes.tolist() == data.is_argument.tolist()
    means = np.array([np.mean(list(map(float, relevance[item]))) for item in items])
    r = np.corrcoef(means[yes], data.scores["relevance"][yes])[0, 1]
    assert r == pytest.approx(1, abs=1e-9)
