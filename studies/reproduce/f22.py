"""F22 (Favreau 2022): learning to rank by quality, with a row for each loss.

We do not have BERT's weights; `configs/ltr/*-bert.toml` describe how to train it. Here we train the
cheap encoder, which takes seconds. The values for all-MiniLM-L6-v2 are in docs/ltr.md.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine.config import CONFIGS
from argsearch.indexer.quality import load_quality_model
from argsearch.lab.judgements.scored import Scored, bare, labelled
from argsearch.lab.judgements.tables import decoded, files_of, table, words
from argsearch.lab.training.listwise.settings import TrainingPlan, read_plan
from argsearch.lab.training.listwise.training import (
    read_source,
    split_topics,
    train_ltr,
)
from argsearch.ranking.numbers import pearson
from studies.reproduce.table import KEPT, Row, Table, as_printed, published, short

Items = list[tuple[str, str, str, float]]
"""Id, topic, text and score of arguments, in the order of their file."""
FOLDER = CONFIGS / "ltr"
Figures = Mapping[str, tuple[float, ...]]
"""Pearson, Spearman, τ, nDCG@5, @10, @15 by 2^rank, then by score; averaged over seeds."""


def regression(plan: TrainingPlan) -> TrainingPlan:
    """Return the plan of the thesis's baseline, which learns the scores themselves by MSE."""
    training = replace(plan.training, losses=("mse",), ensemble=(), target="score")
    return replace(plan, training=training)


def figures(plan: TrainingPlan, out: Path) -> Figures:
    """Return the values of a training. If the same training has ended in `out`, it is reused."""
    card = out / "model.json"
    told = json.loads(card.read_text()) if card.is_file() else {}
    if any(told.get(key) != json.loads(json.dumps(own)) for key, own in plan.to_dict().items()):
        out.parent.mkdir(parents=True, exist_ok=True)
        train_ltr(plan, out)
        told = json.loads(card.read_text())
    found: dict[str, list[list[float]]] = {}
    for row in told["figures"]:
        loss, _, seed = row["model"].rpartition("-")
        found.setdefault(loss if seed.isdigit() else row["model"], []).append(row["figures"])
    return {name: tuple(np.mean(rows, axis=0).tolist()) for name, rows in found.items()}


CORPORA = {
    "ukp": "UKPConvArg1, its ranks; 1,038 distinct texts (there 1,052)",
    "eviconv": "EviConv, detection scores, the published test topics; 1,848 distinct texts",
    "eviconv-occurrences": "EviConv, an evidence counted for every pair it is in, as published",
    "argq": "IBM-ArgQ, its scores; the unfiltered 6.3k set (there 5,298)",
    "argq30k": "IBM-ArgQ-Rank-30k, WA, the published topics",
    "ukp-winrate": "UKPConvArg1, WinRate",
    "eviconv-winrate": "EviConv, WinRate, the published test topics; distinct texts",
    "argq-winrate": "IBM-ArgQ, WinRate; the unfiltered set",
}
"""Captions of the published tables, by the configuration that measures each table."""
ANNOTATORS = {
    "original": "r of their scores with the corpus' own",
    "winrate": "r of their WinRate and of the scores",
    "kappa": "Cohen's κ",
}
SPLITS = ("ukp", "eviconv-occurrences", "argq", "argq30k")
"""Configurations for the rows of the published splits and lengths."""
WIN_RATES = {"ukp": "UKPConvArg1", "argq": "IBM-ArgQ", "eviconv": "EviConv"}
"""Names of the corpora whose pairs give WinRate, by configuration."""
BY_ID = ("ukp", "eviconv")
"""Corpora whose pairs have the arguments' ids."""
ROWS = {
    "regression": "BERT (regression on the scores)",
    "quoted BERT": "BERT (quoted there from another paper; here regression on the scores)",
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
    "state-of-the-art: bert": "quoted BERT",
    "bert": "regression",
}
"""Words in a published row's name, tried in this order, and the row here for each."""
SCHOOL, SCHOOL_FILE = "istheschooluniformagoodorbadideagood", "f22-school-uniform.tsv"
COLUMNS = ("loss", "published", "features and token vectors", "its nDCG by score")


def file_of(corpus: str) -> str:
    """Return the name of the file with a configuration's published table."""
    return f"f22-{corpus.replace('argq30k', '30k').removesuffix('-occurrences')}.tsv"


def published_rows(name: str) -> dict[str, str]:
    """Return the published cells of a table by row: r / ρ / τ / nDCG@5 / @10 / @15."""
    found = {}
    for _, model, *cells in published(file_of(name))[1:]:
        row = next((row for word, row in WORDS.items() if word in model.lower()), "")
        if row and cells[0]:
            found[row] = " / ".join(cell.removeprefix("0").replace("-", "–") for cell in cells)
    return found


def loss_table(corpus: str, quick: bool) -> Iterator[Row]:
    """Yield the values of every loss beside the published values."""
    printed = published_rows(corpus)
    with TemporaryDirectory() as made:
        kept = Path(made) if quick else KEPT / "f22"
        plan = read_plan(FOLDER / f"{corpus}.toml")
        measured = dict(figures(plan, kept / corpus))
        base = figures(regression(plan), kept / f"{corpus}-regression")
    measured["quoted BERT" if "quoted BERT" in printed else "regression"] = base["mse"]
    for key, label in ROWS.items():
        if key in measured or key in printed:
            yield label, printed.get(key, "–"), *_cells(measured.get(key, ()))


def _cells(values: tuple[float, ...]) -> tuple[str, str]:
    if not values:
        return "–", "–"
    parts = ([short(value) for value in some] for some in (values[:6], values[6:]))
    first, second = (" / ".join(some) for some in parts)
    return first, second


def split_table() -> Iterator[Row]:
    """Yield numbers of topics and arguments of each split, as published and here."""
    for (said, *cells), name in zip(published("f22-splits.tsv")[2:], SPLITS, strict=True):
        plan = read_plan(FOLDER / f"{name}.toml")
        scored, of = source(name), plan.data
        split = split_topics(scored, of.split, of.valid_topics, of.test_topics, of.seed)
        parts = (split.train, split.valid, split.test)
        here = [f"{len(np.unique(scored.topics[part]))} / {len(part):,}" for part in parts]
        there = [f"{t} / {int(n):,}" for t, n in zip(cells[::2], cells[1::2], strict=True)]
        yield said, *(x for both in zip(there, here, strict=True) for x in both)


@cache
def source(name: str) -> Scored:
    """Read the arguments of a corpus by the name of its configuration."""
    return read_source(read_plan(FOLDER / f"{name}.toml"))


@cache
def win_rates(name: str) -> dict[str, tuple[int, float]]:
    """Return by topic the number of compared arguments, and r of their WinRate with the score.

    WinRate only counts the topic's own pairs, even if a text is in two topics.
    """
    found, scored = {}, source(name)
    (pairs,) = scored.pairs
    issues = [bare(topic) for topic in pairs.topics]
    for topic, named in enumerate(map(bare, scored.topic_names)):
        own = pairs.only(np.array([named.startswith(issue) for issue in issues]))
        there = scored.only(scored.topics == topic, scored.scores)
        won = labelled(replace(there, pairs=(own,)), "winrate")
        score = dict(zip(there.texts, there.scores, strict=True))
        found[named] = len(won.texts), pearson(won.scores, [score[x] for x in won.texts], 0.0)
    return found


def by_id(name: str, data: Path) -> tuple[Items, list[list[str]]]:
    """Read the arguments of UKPConvArg1 or EviConv, and pairs of ids, with the better id first."""
    path = data / read_plan(FOLDER / f"{name}.toml").data.source
    items, pairs = Items(), list[list[str]]()
    if name == "ukp":
        for topic, text in files_of(path, "Ranking", ".csv"):
            rows = table(path, text, ("#id", "rank", "argument"), "\t", quoted=False)
            items += [(id_, words(topic.replace("_", " ")), x, -float(r)) for id_, r, x in rows]
        for _, text in files_of(path, "Strict", ".csv"):
            rows = table(path, text, ("#id", "label"), "\t", quoted=False)
            pairs += [ids.split("_")[:: 1 if label == "a1" else -1] for ids, label in rows]
        return items, pairs
    ends = [f"evidence_{side}{end}" for side in "12" for end in ("_id", "", "_detection_score")]
    for file in sorted(path.glob("*.csv*")):
        for topic, label, *both in table(file, decoded(file), ("topic", "label", *ends)):
            sides = both[:3], both[3:]
            items += [(id_, topic, text, float(score)) for id_, text, score in sides]
            pairs.append([id_ for id_, *_ in sides][:: 1 if label == "1" else -1])
    return items, pairs


@cache
def win_rates_by_id(name: str, data: Path) -> dict[str, tuple[int, float]]:
    """Return `win_rates` as F22 seems to count them, by id instead of by text.

    A text with several ids counts once, with its best WinRate and its first score.
    """
    items, pairs = by_id(name, data)
    met, won = Counter(chain.from_iterable(pairs)), Counter(better for better, _ in pairs)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for id_, topic, text, score in items:
        kept = found.setdefault(bare(topic), {})
        best, first = kept.get(text, (0.0, score))
        kept[text] = max(best, won[id_] / met[id_]), first
    return {t: (len(rows), pearson(*np.array([*rows.values()]).T)) for t, rows in found.items()}


OTHER_NAMES = {
    "firefoxvsinternetexplorerinternetexplorer": "firefoxvsinternetexploreritha"
    "sacutelogoohandextensionserraddons",
    "firefoxvsinternetexplorerfirefox": "firefoxvsinternetexplorertheres"
    "morebrowsersthantheiefirefoxisananimal",
    "socialmediabringsmoregoodthanharmcon": "socialmediabringsmoregoodthanharmpro",
    "socialmediabringsmoreharmthangoodpro": "socialmediabringsmoreharmthangoodcon",
}
"""Topics that the thesis and the corpora name differently: another side or stance."""


def published_win_rates(name: str) -> dict[str, float]:
    """Return the printed r of WinRate with the score by topic. "average" is the printed mean."""
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


def win_rate_table(data: Path) -> Iterator[Row]:
    """Yield the mean r over topics, and how many topics have the printed r, by text and by id."""
    for name, label in WIN_RATES.items():
        there = published_win_rates(name)
        mean = short(there.pop("average"), 4)
        rates = win_rates_by_id(name, data) if name in BY_ID else None
        other = _agreeing(rates, there) if rates else ("–", "–")
        yield label, str(len(there)), mean, *_agreeing(win_rates(name), there), *other


def _agreeing(here: dict[str, tuple[int, float]], there: dict[str, float]) -> Row:
    """Return the mean r, and how many topics have the printed r to four digits (within .005)."""
    apart = np.abs([here[topic][1] - r for topic, r in there.items()])
    mean = float(np.mean([r for _, r in here.values()]))
    return short(mean, 4), f"{sum(apart < 5e-5)} ({sum(apart < 0.005)}) of {len(there)}"


def win_rate_topics(name: str, data: Path) -> Iterator[Row]:
    """Yield each topic's r as printed and here, and the number of compared arguments."""
    there = published_win_rates(name)
    here = win_rates_by_id(name, data) if name in BY_ID else win_rates(name)
    for topic in sorted(source(name).topic_names):
        number, r = here[bare(topic)]
        yield topic, short(there[bare(topic)], 4), short(r, 4), str(number)


def school_table(quick: bool) -> Iterator[Row]:
    """Yield the gold lists of a test topic in the thesis, and a model's ranks for their items.

    The model is UKPConvArg1's ensemble by features, for the first random split that tests on it.
    """
    plan, scored = read_plan(FOLDER / "ukp.toml"), source("ukp")
    topic = [bare(name) for name in scored.topic_names].index(SCHOOL)
    tested = (split_topics(scored, "topics", 7, 7, seed).test for seed in count())
    seed = next(i for i, test in enumerate(tested) if topic in scored.topics[test])
    plan = replace(plan, data=replace(plan.data, seed=seed))
    with TemporaryDirectory() as made:
        out = (Path(made) if quick else KEPT / "f22") / "school"
        figures(plan, out)
        model = load_quality_model(str(out))
    own = scored.only(scored.topics == topic, scored.scores)
    order = np.argsort(-own.scores, kind="stable")
    place = np.argsort(np.argsort(-model.raw(own.texts)))[order] + 1
    won = labelled(source("ukp"), "winrate")
    won = np.sort(won.scores[won.topics == topic])[::-1]
    places = (0, 1, 2, 3, 4, -2, -1)
    for (name, *printed), i in zip(published(SCHOOL_FILE)[1:], places, strict=True):
        rank, rate = (short(float(x[i]), 4) for x in (own.scores[order], won))
        yield name, printed[0], rank, printed[1] or "–", rate, f"{place[i]} of {len(place)}"


def training_table() -> Iterator[Row]:
    """Yield rates, epochs, and longest inputs, as printed and in the configurations for BERT."""
    plans = [read_plan(path) for path in sorted(FOLDER.glob("*-bert.toml"))]
    mse, others = published("f22-training.tsv")[1:3]
    for loss in plans[0].training.losses:
        printed = mse if loss == "mse" else others
        own = {(plan.of(loss).rate, plan.of(loss).epochs) for plan in plans}
        said = "; ".join(f"{rate:.0e}, {epochs}".replace("e-0", "e-") for rate, epochs in own)
        yield f"rate, epochs of {ROWS[loss]}", f"{printed[1]}, {printed[2]}", said
    for name, (said, tokens) in zip(SPLITS, published("f22-lengths.tsv")[1:], strict=True):
        yield (
            f"longest input, {said}",
            tokens,
            str(read_plan(FOLDER / f"{name.removesuffix('-occurrences')}-bert.toml").model.tokens),
        )


NOTES = {
    "winrate": "By text, as our labels: equal texts are one argument, without EviConv's "
    "references. By id: the inferred rule. The tables by topic count by id, IBM-ArgQ's by text.",
    "school": "Last column: how the ensemble on features ranks the first two columns' arguments.",
    "splits": "Only 30k's corpus names its validation topics; the others are drawn.",
}
"""Notes below tables, by table."""


def tables(data: Path, quick: bool) -> Iterator[Table]:
    """Yield the tables. With `quick`, train only on UKPConvArg1, by the cheap encoder."""
    columns: Row
    files: Row
    for name, caption in CORPORA.items():
        if not quick or name == "ukp":
            rows = partial(loss_table, name, quick)
            yield Table(name, caption, COLUMNS, rows, published=(file_of(name),), tolerance=0.01)
    caption = "r of WinRate with the corpus' score, mean over topics"
    ways = (cell for way in ("by text", "by id") for cell in (way, "printed r (±.005)"))
    columns = ("corpus", "topics", "published mean r", *ways)
    files = tuple(f"f22-winrate-{name}-by-topic.tsv" for name in WIN_RATES)
    rows = partial(win_rate_table, data)
    yield Table("winrate", caption, columns, rows, "", files, NOTES["winrate"])
    columns = ("topic", "published", "here", "arguments compared")
    for file, (name, label) in zip(files, WIN_RATES.items(), strict=True):
        caption = f"r of WinRate with the score by topic, {label}"
        rows = partial(win_rate_topics, name, data)
        yield Table(f"winrate-{name}", caption, columns, rows, published=(file,), folded=True)
    caption = "School uniform, good: the best five and the last two of the gold lists"
    measured = (cell for way in ("PageRank", "WinRate") for cell in (f"{way}, published", "here"))
    columns = ("place", *measured, "PageRank's by us")
    rows = partial(school_table, quick)
    yield Table("school", caption, columns, rows, "", (SCHOOL_FILE,), NOTES["school"])
    for kind, of in ANNOTATORS.items():
        file = f"f22-annotators-{kind}.tsv"
        yield as_printed(f"annotators-{kind}", file, f"Annotators, {of}, as published")
    parts = ("training", "validation", "test")
    columns = ("corpus", *(f"{part}{of}" for part in parts for of in (", published", "")))
    files = ("f22-splits.tsv",)
    yield Table("splits", "Topics / arguments", columns, split_table, "", files, NOTES["splits"])
    caption = "Adam's rate and epochs, tokens of the longest input (95th percentile)"
    columns = ("of", "published", "`configs/ltr/*-bert.toml`")
    files = ("f22-training.tsv", "f22-lengths.tsv")
    yield Table("training", caption, columns, training_table, published=files)
