"""Counter-arguments on ArguAna dev: which feature gives what, weights, cues, timing, a reading.

    python -m studies.counter             # the table: five folds over debates
    python -m studies.counter weights     # the weights of `ranking.counters.CounterWeights`
    python -m studies.counter cues        # the list of ranking/lexicons/replies.txt
    python -m studies.counter show 20     # the first counter of some points, to be read
    python -m studies.counter speed       # build and query times on the forum posts

Reads ARGSEARCH_DATA. The table's weights and cues are learned without the tested fold; a
document's counter-ness never comes from a model that saw its own fold.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import minimize

from argsearch.indexer.encoders.wordllama import WordLlamaEncoder
from argsearch.ranking import counters as counter
from argsearch.ranking.evaluation.significance import bootstrap_interval
from argsearch.ranking.vectors import quantise
from benchmarks.corpora import DataMissing, data
from studies.counter_lab import (
    FOLDS,
    NAMES,
    Lab,
    Lists,
    Part,
    Words,
    counterness,
    fit_cues,
    lists,
    read,
)

STEPS = (
    ("cosine",),
    ("cosine", "claim"),
    ("cosine", "claim", "hubness"),
    ("cosine", "claim", "hubness", "rank"),
    ("cosine", "claim", "hubness", "rank", "words", "word_hubness"),
    ("cosine", "claim", "hubness", "rank", "words", "word_hubness", "word_rank"),
    ("cosine", "claim", "hubness", "rank", "words", "word_hubness", "word_rank", "claim_words"),
    NAMES,
)
PENALTY = 1e-3
GAINS = 1 / np.log2(np.arange(2, 12))


@dataclass(frozen=True)
class Study:
    """Everything that the commands share."""

    lab: Lab
    words: Words
    part: Part
    lists: Lists

    def values(self, cues: np.ndarray) -> np.ndarray:
        """All features, with the counter-ness given for every text, float64[q, DEPTH, 9]."""
        out = self.lists.values.copy()
        out[:, :, NAMES.index("counterness")] = cues[self.lists.rows]
        return out


@cache
def study() -> Study:
    """ArguAna dev, its candidates and their features."""
    lab = read(data())
    words, claims = Words.of(lab.texts, lab.claims)
    vectors = quantise(WordLlamaEncoder().encode(lab.texts))
    part = Part.build(vectors, words.counts, workers=2)
    return Study(lab, words, part, lists(lab, words, claims, part))


def fit(values: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Weights of least cross-entropy of softmax over each list, with a small ridge, float64[f]."""
    found = right.any(axis=1)
    spread = values.reshape(-1, values.shape[2]).std(axis=0)
    spread[spread == 0] = 1
    X = values[found] / spread
    P = right[found] / right[found].sum(axis=1, keepdims=True)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        s = X @ w
        s -= s.max(axis=1, keepdims=True)
        log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
        slope = np.einsum("qk,qkf->f", np.exp(log_p) - P, X) / len(X)
        return -(P * log_p).sum() / len(X) + PENALTY * (w @ w), slope + 2 * PENALTY * w

    return minimize(loss, np.zeros(X.shape[2]), jac=True, method="L-BFGS-B").x / spread


def measure(scores: np.ndarray, lists: Lists, places: np.ndarray) -> np.ndarray:
    """nDCG@10 and accuracy@1 of some points' lists, float64[points, 2]."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    gains = np.take_along_axis(lists.right[places], order, axis=1) * GAINS
    return np.stack([gains.sum(axis=1) / lists.ideal[places], gains[:, 0]], axis=1)


@cache
def _cues_without(*folds: int) -> np.ndarray:
    given = study()
    reply = np.where(np.isin(given.lab.folds, folds), -1, given.lab.reply)
    return counterness(given.words, fit_cues(given.words, reply))


@cache
def values_for(fold: int) -> np.ndarray:
    """All features as one tested fold sees them: each text's counter-ness by a model that saw
    neither the tested fold nor the text's own."""
    given = study()
    cues = np.zeros(len(given.lab.texts))
    for other in range(FOLDS):
        seen = _cues_without(*sorted({fold, other}))
        cues = np.where(given.lab.folds == other, seen, cues)
    return given.values(cues)


def held_out(names: tuple[str, ...]) -> np.ndarray:
    """nDCG@10 and accuracy@1 of every point with weights of the other folds, float64[q, 2]."""
    given = study()
    columns = [NAMES.index(name) for name in names]
    own = given.lab.folds[given.lab.points]
    out = np.zeros((len(own), 2))
    for fold in range(FOLDS):
        values, tested = values_for(fold)[:, :, columns], own == fold
        w = fit(values[~tested], given.lists.right[~tested])
        out[tested] = measure(values[tested] @ w, given.lists, np.flatnonzero(tested))
    return out


def table() -> str:
    """Features added one after the other, then each left out."""
    given = study()
    lines = [
        f"{len(given.lab.points):,} points, {len(given.lab.texts):,} candidates, the right one "
        f"among the first {counter.LOOKED_AT} for {given.lists.right.any(axis=1).mean():.3f}.",
        "",
        "| features | nDCG@10 | accuracy@1 |",
        "|---|---|---|",
    ]
    without = [tuple(name for name in NAMES if name != left) for left in NAMES]
    for i, names in enumerate(itertools.chain(STEPS, without)):
        result = held_out(names)
        cells = []
        for column in result.T:
            interval = bootstrap_interval(column)
            cells.append(f"{column.mean():.3f} [{interval.low:.3f}, {interval.high:.3f}]")
        label = _label(names, i)
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _label(names: tuple[str, ...], i: int) -> str:
    if i >= len(STEPS):
        return "all but " + next(name for name in NAMES if name not in names)
    added = [name for name in names if not i or name not in STEPS[i - 1]]
    return ("+ " if i else "") + ", ".join(added)


def weights() -> str:
    """The weights fitted to all points; each text's counter-ness by cues without its fold."""
    given = study()
    cues = np.zeros(len(given.lab.texts))
    for fold in range(FOLDS):
        cues = np.where(given.lab.folds == fold, _cues_without(fold), cues)
    w = fit(given.values(cues), given.lists.right)
    return "\n".join(f"    {name}: float = {v:.2f}" for name, v in zip(NAMES, w, strict=True))


def cues() -> str:
    """The cues fitted to all texts, heaviest first."""
    given = study()
    found = fit_cues(given.words, given.lab.reply)
    ordered = sorted(found.items(), key=lambda cue: (-cue[1], cue[0]))
    return ", ".join(f"{word} {weight}" for word, weight in ordered)


def show(number: int) -> str:
    """Some random points, the first three counters by the shipped weights, and the right ones."""
    given = study()
    values = given.values(counterness(given.words, dict(counter.CUES)))
    w = np.array([getattr(counter.CounterWeights(), name) for name in NAMES])
    lines = []
    for place in np.random.default_rng(1).permutation(len(given.lab.points))[:number]:
        order = np.argsort(-(values[place] @ w), kind="stable")[:3]
        lines += ["", f"CLAIM  {given.lab.claims[place]}"]
        lines.append(f"POINT  {given.lab.texts[given.lab.points[place]][:400]}")
        for rank in order:
            mark = "right" if given.lists.right[place, rank] else "other"
            lines.append(f"{mark}  {given.lab.texts[given.lists.rows[place, rank]][:400]}")
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m studies.counter", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "what", nargs="?", default="table", choices=("table", "weights", "cues", "show", "speed")
    )
    parser.add_argument("number", nargs="?", type=int, default=0, help="points to show, or posts")
    given = parser.parse_args(words)
    try:
        if given.what == "show":
            print(show(given.number or 20))
        elif given.what == "speed":
            from studies.counter_speed import speed

            print(speed(given.number))
        else:
            print({"table": table, "weights": weights, "cues": cues}[given.what]())
    except DataMissing as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
