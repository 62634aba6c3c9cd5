"""Pairwise judgements and votes in CSV files: study designs, scores, agreement (G19, F22)."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argsearch.engine.parameters import Parameter
from argsearch.indexer.errors import InvalidParameter, either
from argsearch.indexer.output import as_it_was
from argsearch.lab.runs.text import RunFormatError, lines_of, read_text

if TYPE_CHECKING:
    from argsearch.ranking.preference import Comparisons

COMPARISON_METHODS = ("bradley-terry", "winrate", "elo")
_OUTCOMES = {"a": 1, "first": 1, "1": 1, "b": -1, "second": -1, "-1": -1}
_OUTCOMES |= {"tie": 0, "0": 0, "=": 0}
_OUTCOME_COLUMNS = ("outcome", "comparison", "winner", "preference")


@dataclass(frozen=True, slots=True)
class Compared:
    """Pairwise judgements: the item ids in order of appearance, and comparisons by item number."""

    ids: list[str]
    data: Comparisons


LIMITS = {
    "lam": (1e-6, 1e6),
    "tau": (1e-6, 10.0),
    "prior": (0.0, 1e6),
    "k": (1e-6, 1e6),
    "delta": (1e-6, 1e6),
}
"""Allowed range of each number in FitOptions."""


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Options for turning comparisons into scores; each method uses its own parameters.

    lam and tau: regularisation and tie threshold of Bradley–Terry (G19). prior: shrinkage of
    WinRate, in appearances. k and delta: step and scale of Elo (F22).
    """

    method: str = "bradley-terry"
    lam: float = 0.1
    tau: float = 0.05
    prior: float = 0.0
    k: float = 32.0
    delta: float = 400.0

    def __post_init__(self) -> None:
        if self.method not in COMPARISON_METHODS:
            raise InvalidParameter("method", self.method, either(COMPARISON_METHODS))
        for name, (low, high) in LIMITS.items():
            Parameter(name, float, "", low=low, high=high, required=True).read(getattr(self, name))


@dataclass(frozen=True, slots=True)
class FittedScores:
    """Score, wins, losses and ties of each item; only scores in one component are comparable."""

    ids: list[str]
    scores: list[float]
    wins: list[int]
    losses: list[int]
    ties: list[int]
    component: list[int]
    components: int
    convergence: str


@dataclass(frozen=True, slots=True)
class Design:
    """Pairs of item ids that annotators should judge."""

    pairs: list[tuple[str, str]]
    groups: int
    items: int

    @property
    def share(self) -> float:
        """Share of all possible pairs that the design contains, in (0, 1]."""
        return len(self.pairs) / (self.items * (self.items - 1) / 2)


def read_table(path: str | Path) -> list[tuple[int, dict[str, str]]]:
    """Read a CSV file (comma, tab, or semicolon) with a header; return rows with line numbers."""
    text = read_text(path)
    header = next((line for _, line in lines_of(text)), "")
    # Spreadsheets write semicolons if the comma is the decimal separator.
    delimiter = max(",\t;", key=header.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    try:
        for row in reader:
            # DictReader stores surplus cells under None, and None for missing cells.
            if None in row or None in row.values():
                problem = f"it must have {len(reader.fieldnames or [])} columns, as the header does"
                raise RunFormatError(path, reader.line_num, problem)
            rows.append((reader.line_num, {name: as_it_was(cell) for name, cell in row.items()}))
    except csv.Error as error:
        raise RunFormatError(path, reader.line_num, f"it is not CSV ({error})") from error
    if not rows:
        raise RunFormatError(path, None, "the file has no rows after the header")
    return rows


def read_comparisons(path: str | Path) -> Compared:
    """Read columns `first,second,outcome` (or Webis-ArgQuality-20's columns ending in A and B).

    An outcome is A, first or 1; B, second or -1; tie or 0; case is ignored. With a column `topic`,
    an item in two topics becomes two items, `topic/id`, because their scores are not comparable.
    """
    from argsearch.ranking.preference import comparisons

    rows = read_table(path)
    first, second, outcome = _comparison_columns(path, list(rows[0][1]))
    numbers: dict[str, int] = {}
    judged = []
    for line, row in rows:
        topic = (row["topic"],) if "topic" in row else ()
        a, b = ("/".join((*topic, *(row[c] for c in side))) for side in (first, second))
        if a == b:
            raise RunFormatError(path, line, f"item {a!r} is compared with itself")
        if (result := _OUTCOMES.get(row[outcome].strip().lower())) is None:
            problem = f"the outcome must be A, B or tie (1, -1 or 0), not {row[outcome]!r}"
            raise RunFormatError(path, line, problem)
        judged.append((*(numbers.setdefault(item, len(numbers)) for item in (a, b)), result))
    left, right, results = zip(*judged, strict=True)
    return Compared(list(numbers), comparisons(left, right, results, len(numbers)))


def _comparison_columns(path: str | Path, names: list[str]) -> tuple[list[str], list[str], str]:
    outcome = next((name for name in names if name.strip().lower() in _OUTCOME_COLUMNS), None)
    first = [n for n in names if n == "first" or n.endswith(" A")]
    second = [n for n in names if n == "second" or n.endswith(" B")]
    if outcome is None or not first or len(first) != len(second):
        problem = f"the columns must be first, second and outcome, not {', '.join(names)}"
        raise RunFormatError(path, 1, problem)
    return first, second, outcome


def fit(pairs: Compared, options: FitOptions | None = None) -> FittedScores:
    """Score items by their comparisons."""
    import numpy as np

    from argsearch.ranking.preference import bradley_terry, components, elo, win_rate

    options = options or FitOptions()
    data, convergence = pairs.data, ""
    if options.method == "bradley-terry":
        found = bradley_terry(data, options.lam, options.tau)
        scores = found.scores
        convergence = (
            f"{'' if found.converged else 'NOT '}converged after {found.iterations} Newton"
            f" steps, largest gradient {found.gradient:.1e}, log-likelihood"
            f" {found.log_likelihood:.4f}"
        )
    elif options.method == "winrate":
        scores = win_rate(data, options.prior)
    else:
        scores = elo(data, options.k, options.delta)
    component = components(data)
    won, lost, tied = (
        np.bincount(data.first[data.outcome == o], minlength=data.n)
        + np.bincount(data.second[data.outcome == -o], minlength=data.n)
        for o in (1, -1, 0)
    )
    columns = scores.tolist(), won.tolist(), lost.tolist(), tied.tolist(), component.tolist()
    groups = int(component.max()) + 1 if component.size else 0
    return FittedScores(pairs.ids, *columns, groups, convergence)


def design(ids: Sequence[str], groups: int, seed: int = 0) -> Design:
    """Build a cyclic grouped design (G19); `seed` shuffles items, pairs and sides."""
    from argsearch.ranking.preference import cyclic_design

    if len(set(ids)) != len(ids):
        twice = next(i for i in ids if list(ids).count(i) > 1)
        raise InvalidParameter("items", twice, problem=f"the item {twice!r} is given twice")
    order = list(ids)
    rng = random.Random(seed)
    rng.shuffle(order)
    try:
        numbered = cyclic_design(len(order), groups)
    except ValueError as error:
        raise InvalidParameter("groups", groups, problem=str(error)) from error
    # Sides are random, so that annotators who prefer the left side favour no item.
    sided = [(i, j) if rng.random() < 0.5 else (j, i) for i, j in numbered]
    pairs = [(order[i], order[j]) for i, j in sided]
    rng.shuffle(pairs)
    return Design(pairs, groups, len(order))


def read_items(path: str | Path) -> list[str]:
    """Read item ids, one per line, without blank lines; raise RunFormatError for a repeated id."""
    seen: dict[str, int] = {}
    for line, word in lines_of(read_text(path)):
        item = word.strip()
        if item in seen:
            problem = f"item {item!r} appears twice (also on line {seen[item]})"
            raise RunFormatError(path, line, problem)
        if item:
            seen[item] = line
    if not seen:
        raise RunFormatError(path, None, "the file has no items")
    return list(seen)


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes of annotators: the rated unit, the label, and the annotator ("" if unknown)."""

    units: list[tuple[str, ...]]
    labels: list[str]
    annotators: list[str]


def read_votes(
    path: str | Path, units: Sequence[str], label: str, annotator: str | None = None
) -> Votes:
    """Read votes from a CSV file; `units` are the columns that together identify a rated unit."""
    rows = read_table(path)
    names = list(rows[0][1])
    for wanted in (*units, label, *([annotator] if annotator else [])):
        if wanted not in names:
            known = ", ".join(names)
            problem = f"{path} has no column {wanted!r}; its columns are {known}"
            raise InvalidParameter("column", wanted, known, problem)
    return Votes(
        [tuple(row[name] for name in units) for _, row in rows],
        [row[label].strip() for _, row in rows],
        [row[annotator] if annotator else "" for _, row in rows],
    )


def agreement(votes: Votes) -> dict[str, float]:
    """Compute Krippendorff's α (for numbers also ordinal and interval), Fleiss' and Cohen's κ.

    An empty label does not count as a vote. Fleiss' κ needs the same number of votes on every unit.
    Cohen's κ requires annotator names, and is the mean over all pairs of annotators with common
    units. Undefined coefficients are omitted.
    """
    import numpy as np

    from argsearch.ranking.evaluation.agreement import fleiss_kappa, krippendorff_alpha, vote_counts

    kept = [i for i, label in enumerate(votes.labels) if label]
    labels = [votes.labels[i] for i in kept]
    numbers = _numbers(labels)
    # Words have no order, so only their equality counts.
    codes = numbers or [float(sorted(set(labels)).index(label)) for label in labels]
    counts, values = vote_counts([votes.units[i] for i in kept], codes)
    levels = ("nominal", "ordinal", "interval") if numbers else ("nominal",)
    result = {
        f"Krippendorff's alpha, {level}": krippendorff_alpha(counts, values, level)  # type: ignore[arg-type]
        for level in levels
    }
    each = counts.sum(axis=1)
    if each.size and each.min() == each.max() >= 2:
        result["Fleiss' kappa"] = fleiss_kappa(counts)
    if (kappas := _cohen(votes, dict(zip(kept, codes, strict=True)))) is not None:
        result["Cohen's kappa, mean of annotator pairs"] = float(np.mean(kappas))
    return result


def _numbers(labels: Sequence[str]) -> list[float] | None:
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return None
    # NaN and infinity have no distance to other labels.
    return numbers if all(abs(number) < float("inf") for number in numbers) else None


def _cohen(votes: Votes, codes: Mapping[int, float]) -> list[float] | None:
    from argsearch.ranking.evaluation.agreement import cohen_kappa

    by_annotator: dict[str, dict[Any, float]] = {}
    for i, code in codes.items():
        if votes.annotators[i]:
            by_annotator.setdefault(votes.annotators[i], {})[votes.units[i]] = code
    kappas = []
    for one, other in combinations(by_annotator.values(), 2):
        both = [unit for unit in one if unit in other]
        kappa = cohen_kappa([one[u] for u in both], [other[u] for u in both]) if both else None
        if kappa is not None and kappa == kappa:
            kappas.append(kappa)
    return kappas or None
