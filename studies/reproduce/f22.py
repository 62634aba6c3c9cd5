"""F22 (Favreau 2022): learning to rank by quality, every loss a row, beside what was published.

BERT itself is not to be had without its weights; `configs/ltr/*-bert.toml` write its trainings
down. Measured is the cheap encoder, in seconds; all-MiniLM-L6-v2's figures are in docs/ltr.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine.config import CONFIGS
from argsearch.lab.judgements.scored import Scored, bare, labelled
from argsearch.lab.training.listwise.settings import TrainingPlan, read_plan
from argsearch.lab.training.listwise.training import (
    LtrRequest,
    read_source,
    split_topics,
    train_ltr,
)
from argsearch.ranking.numbers import pearson
from studies.reproduce.table import KEPT, Row, Table, as_printed, published, short

FOLDER = CONFIGS / "ltr"
Figures = Mapping[str, tuple[float, ...]]
"""Pearson, Spearman, τ, nDCG@5, @10, @15 by 2^rank, then by score; by loss, seeds averaged."""


def regression(plan: TrainingPlan) -> TrainingPlan:
    """The thesis' baseline: the scores themselves are learned by MSE."""
    training = replace(plan.training, losses=("mse",), ensemble=(), target="score")
    return replace(plan, training=training)


def figures(plan: TrainingPlan, out: Path) -> Figures:
    """What a training gives; it is taken over from `out` where the same one ended there."""
    card = out / "model.json"
    told = json.loads(card.read_text()) if card.is_file() else {}
    if any(told.get(key) != json.loads(json.dumps(own)) for key, own in plan.to_dict().items()):
        out.parent.mkdir(parents=True, exist_ok=True)
        train_ltr(LtrRequest(plan, out, resume=out.with_name(out.name + ".partial").exists()))
        told = json.loads(card.read_text())
    found: dict[str, list[list[float]]] = {}
    for row in told["figures"]:
        loss, _, seed = row["model"].rpartition("-")
        found.setdefault(loss if seed.isdigit() else row["model"], []).append(row["figures"])
    return {name: tuple(np.mean(rows, axis=0).tolist()) for name, rows in found.items()}


@dataclass(frozen=True)
class Corpus:
    """One published table of F22 and the configurations that measure it."""

    name: str
    """Of the configuration."""
    title: str
    note: str


CORPORA = (
    Corpus(
        "ukp",
        "UKPConvArg1, its ranks",
        "Differs because: other test topics are drawn (18/7/7 as there); "
        "1,038 distinct texts for its 1,052.",
    ),
    Corpus(
        "eviconv",
        "EviConv, detection scores, the published test topics",
        "Differs because: the thesis counts an evidence once for every pair it is in "
        "(11,394 = 2 × 5,697); here 1,848 distinct texts.",
    ),
    Corpus(
        "argq",
        "IBM-ArgQ, its scores",
        "Differs because: the thesis has the filtered 5,298 arguments, here are the unfiltered "
        "6.3k (6,254 distinct texts), and other test topics are drawn (12/5/5). The "
        "thesis quotes BERT's correlations from the corpus' own paper.",
    ),
    Corpus(
        "argq30k",
        "IBM-ArgQ-Rank-30k, WA, the published topics",
        "The thesis quotes BERT's correlations from the corpus' own paper.",
    ),
    Corpus(
        "ukp-winrate",
        "UKPConvArg1, WinRate",
        "Differs because: other test topics, as above.",
    ),
    Corpus(
        "eviconv-winrate",
        "EviConv, WinRate, the published test topics",
        "Differs because: distinct texts, as above.",
    ),
    Corpus(
        "argq-winrate",
        "IBM-ArgQ, WinRate",
        "Differs because: the unfiltered set and other test topics, as above.",
    ),
)
ANNOTATORS = {
    "original": "r of their scores with the corpus' own",
    "winrate": "r of their WinRate and of the scores",
    "kappa": "Cohen's κ",
}
NO_VOTES = "Cannot be had because the annotators' own judgements were not released."
WIN_RATES = {"ukp": "UKPConvArg1", "argq": "IBM-ArgQ", "eviconv": "EviConv"}
"""Corpora whose pairs give WinRate, and what they are called."""
ROWS = {
    "regression": "BERT (regression on the scores)",
    "mse": "MSE",
    "hinge": "pairwise hinge",
    "logistic": "pairwise logistic",
    "softmax": "softmax cross-entropy",
    "listmle": "ListMLE",
    "approx-ndcg": "ApproxNDCG",
    "ensemble": "ensemble",
    "quoted": "sum of word embeddings, feed-forward (quoted there)",
    "number of words": "number of words",
}
WORDS = {
    "mse": "mse",
    "hinge": "hinge",
    "logistic": "logistic",
    "softmax": "softmax",
    "list mle": "listmle",
    "approx": "approx-ndcg",
    "ensemble": "ensemble",
    "sum-of-words": "quoted",
    "bert": "regression",
}
"""A word of a published row's name, tried in this order, and the row here."""
COLUMNS = (
    "loss",
    "published",
    "features and token vectors",
    "its nDCG by score",
)


def published_rows(name: str) -> dict[str, str]:
    """The published cells of a table by row: r / ρ / τ / nDCG@5 / @10 / @15."""
    found = {}
    for _, model, *cells in published(f"f22-{name}.tsv")[1:]:
        row = next((row for word, row in WORDS.items() if word in model.lower()), "")
        if row and cells[0]:
            found[row] = " / ".join(cell.removeprefix("0").replace("-", "–") for cell in cells)
    return found


def loss_table(corpus: Corpus, quick: bool) -> list[Row]:
    """Every loss' figures beside the published ones."""
    printed = published_rows(corpus.name.replace("argq30k", "30k"))
    with TemporaryDirectory() as made:
        kept = Path(made) if quick else KEPT / "f22"
        plan = read_plan(FOLDER / f"{corpus.name}.toml")
        measured = dict(figures(plan, kept / corpus.name))
        base = figures(regression(plan), kept / f"{corpus.name}-regression")
    measured["regression"] = base["mse"]
    rows = []
    for key, label in ROWS.items():
        if key not in measured and key not in printed:
            continue
        rows.append((label, printed.get(key, "–"), *_cells(measured.get(key, ()))))
    return rows


def _cells(values: tuple[float, ...]) -> tuple[str, str]:
    if not values:
        return "–", "–"
    parts = ([short(value) for value in some] for some in (values[:6], values[6:]))
    first, second = (" / ".join(some) for some in parts)
    return first, second


def split_table() -> list[Row]:
    """Topics and arguments of training, validation and test, as published and here."""
    names = ("ukp", "eviconv", "argq", "argq30k")
    rows = []
    for (said, *cells), name in zip(published("f22-splits.tsv")[2:], names, strict=True):
        plan = read_plan(FOLDER / f"{name}.toml")
        scored, of = source(name), plan.data
        split = split_topics(scored, of.split, of.valid_topics, of.test_topics, of.seed)
        parts = (split.train, split.valid, split.test)
        here = [f"{len(np.unique(scored.topics[part]))} / {len(part):,}" for part in parts]
        there = [f"{t} / {int(n):,}" for t, n in zip(cells[::2], cells[1::2], strict=True)]
        rows.append((said, *(x for both in zip(there, here, strict=True) for x in both)))
    return rows


@cache
def source(name: str) -> Scored:
    """The arguments of a corpus by its configuration's name."""
    return read_source(read_plan(FOLDER / f"{name}.toml"))


@cache
def measured_win_rates(name: str) -> dict[str, tuple[int, float]]:
    """`win_rates` of a corpus by its configuration's name."""
    return win_rates(source(name))


def win_rates(scored: Scored) -> dict[str, tuple[int, float]]:
    """How many arguments were compared, and their r of WinRate with the score, by topic."""
    won = labelled(scored, "winrate")
    score = dict(
        zip(zip(scored.topics.tolist(), scored.texts, strict=True), scored.scores, strict=True)
    )
    found = {}
    for topic, name in enumerate(scored.topic_names):
        own = np.flatnonzero(won.topics == topic)
        given = [score[topic, won.texts[i]] for i in own]
        found[bare(name)] = len(own), pearson(won.scores[own], given, 0.0)
    return found


OTHER_NAMES = {
    "firefoxvsinternetexplorerinternetexplorer": "firefoxvsinternetexploreritha"
    "sacutelogoohandextensionserraddons",
    "firefoxvsinternetexplorerfirefox": "firefoxvsinternetexplorertheres"
    "morebrowsersthantheiefirefoxisananimal",
    "socialmediabringsmoregoodthanharmcon": "socialmediabringsmoregoodthanharmpro",
    "socialmediabringsmoreharmthangoodpro": "socialmediabringsmoreharmthangoodcon",
}
"""Topics that the thesis names otherwise than the corpora do: a side, or the other stance."""


def published_win_rates(name: str) -> dict[str, float]:
    """The printed r of WinRate with the score by topic; "average" is the printed mean."""
    found, topic = {}, ""
    for row in published(f"f22-winrate-{name}-by-topic.tsv")[1:]:
        parts = [row[:3], row[3:]] if len(row) == 6 else [row]
        for first, *cells in parts:
            topic = first or topic  # a stance below another of the same topic
            numbers = [cell for cell in cells if re.fullmatch(r"-?[01]\.\d{4}", cell)]
            if numbers:
                stance = cells[0] if len(cells) == 3 else ""
                known = bare(topic + stance)
                found[OTHER_NAMES.get(known, known)] = float(numbers[0])
    return found


def win_rate_table() -> list[Row]:
    """The mean r over topics; how many topics have the printed r, exactly and within .005."""
    rows = []
    for name, label in WIN_RATES.items():
        here, there = measured_win_rates(name), published_win_rates(name)
        mean = there.pop("average")
        apart = np.abs([here[topic][1] - r for topic, r in there.items()])
        measured = float(np.mean([r for _, r in here.values()]))
        said = f"{sum(apart < 5e-5)} ({sum(apart < 0.005)}) of {len(there)}"
        rows.append((label, str(len(here)), short(mean, 4), short(measured, 4), said))
    return rows


def win_rate_topics(name: str) -> Iterator[Row]:
    """Each topic's r as printed and here, and the compared arguments."""
    here, there = measured_win_rates(name), published_win_rates(name)
    for topic in sorted(source(name).topic_names):
        count, r = here[bare(topic)]
        printed = short(there[bare(topic)], 4) if bare(topic) in there else "not printed"
        yield topic, printed, short(r, 4), str(count)


def training_table() -> list[Row]:
    """Rate and epochs of every loss as printed, and as the configurations of BERT have them."""
    plans = [read_plan(path) for path in sorted(FOLDER.glob("*-bert.toml"))]
    mse, others = published("f22-training.tsv")[1:3]
    rows = []
    for loss in plans[0].training.losses:
        printed = mse if loss == "mse" else others
        own = {(plan.of(loss).rate, plan.of(loss).epochs) for plan in plans}
        said = "; ".join(f"{rate:.0e}, {epochs}".replace("e-0", "e-") for rate, epochs in own)
        rows.append((ROWS[loss], f"{printed[1]}, {printed[2]}", said))
    return rows


def length_table() -> list[Row]:
    """Longest input in tokens as printed, and as the configurations of BERT have it."""
    names = ("ukp", "eviconv", "argq", "argq30k")
    plans = [read_plan(FOLDER / f"{name}-bert.toml") for name in names]
    lines = published("f22-lengths.tsv")[1:]
    return [
        (said, tokens, str(plan.model.tokens))
        for (said, tokens), plan in zip(lines, plans, strict=True)
    ]


def tables(data: Path, quick: bool) -> Iterator[Table]:  # noqa: ARG001
    """The tables; with `quick` UKPConvArg1's by the cheap encoder, and what trains nothing."""
    for corpus in CORPORA:
        if quick and corpus.name != "ukp":
            continue
        file = f"f22-{corpus.name.replace('argq30k', '30k')}.tsv"
        command = f"argsearch train ltr configs/ltr/{corpus.name}.toml --out model"
        make = partial(loss_table, corpus, quick)
        yield Table(corpus.name, corpus.title, COLUMNS, make, command, (file,), corpus.note, 0.01)
    same = "topics with the printed r (within .005)"
    columns = ("corpus", "topics", "published mean r", "measured", same)
    yield Table(
        "winrate",
        "r of WinRate with the corpus' score, mean over topics",
        columns,
        win_rate_table,
        published=[f"f22-winrate-{name}-by-topic.tsv" for name in WIN_RATES],
        note="IBM-ArgQ differs by topic because the thesis has the filtered set and the two "
        "topics on social media with the other stance. EviConv differs because a text counts once "
        "here. UKPConvArg1's ranks (PageRank) are reversed, 1 − min–max(rank); the two sides of "
        "*Firefox vs Internet Explorer* have other names in the files.",
    )
    for name, label in WIN_RATES.items():
        yield Table(
            f"winrate-{name}",
            f"r of WinRate with the score by topic, {label}",
            ("topic", "published", "here", "arguments compared"),
            partial(win_rate_topics, name),
            published=(f"f22-winrate-{name}-by-topic.tsv",),
            folded=True,
        )
    for kind, of in ANNOTATORS.items():
        file = f"f22-annotators-{kind}.tsv"
        yield as_printed(f"annotators-{kind}", file, f"Annotators, {of}, as published", NO_VOTES)
    parts = ("training", "validation", "test")
    yield Table(
        "splits",
        "Topics / arguments",
        ("corpus", *(f"{part}{of}" for part in parts for of in (", published", ""))),
        split_table,
        published=("f22-splits.tsv",),
        note="The thesis does not name its validation topics, and names test topics only for "
        "EviConv and 30k. EviConv and IBM-ArgQ differ as above; doubled texts count once.",
    )
    yield Table(
        "training",
        "Adam's rate, epochs",
        ("loss", "published", "`configs/ltr/*-bert.toml`"),
        training_table,
        published=("f22-training.tsv",),
        note="Same: Adam, 6 lists of 12 a step, dropout .1, labels as dense ranks.",
    )
    yield Table(
        "lengths",
        "Tokens of the longest input",
        ("corpus", "published", "`configs/ltr/*-bert.toml`"),
        length_table,
        published=("f22-lengths.tsv",),
    )
