"""What the quality factor reads, and what it should not: length, spelling, topic, stance, source.

    python -m studies.quality_biases --data "$ARGSEARCH_DATA"

Judgements: Webis-ArgQuality-20, every prediction of a model that never saw the topic; where texts
are changed, and for sources, the shipped models. Transfer: corpora that the models of that table
were not trained on.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argsearch.engine import Engine
from argsearch.engine.config import load_config
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.corpus import read
from argsearch.indexer.model_files import QUALITY
from argsearch.indexer.quality import load_quality_model
from argsearch.indexer.signals.source import source_of
from argsearch.lab.judgements.webis import Judgements, read_judgements
from argsearch.lab.training.quality.trainers import (
    SurfaceTrainer,
    Trainer,
    WordsTrainer,
    fit,
    read_more,
)
from argsearch.ranking.numbers import pearson
from argsearch.ranking.quality.linear import Standard, ridge
from argsearch.ranking.quality.surface import FEATURES, features
from studies.judgements import CORPUS, W20, read_rows, titles
from studies.judgements import grades as grades_of_2020
from studies.quality import MORE, centred, left_out

Floats = np.ndarray
Rng = np.random.Generator
Change = Callable[[str, float, Rng], str]

NAMES = [feature.name for feature in FEATURES]
MODELS = ("default", "words")
SHARES = (0.02, 0.05, 0.1)
FORUM, ARGUANA = "forum/forum-posts.jsonl.xz", "arguana/arguana-dev.json.xz"
SAID = {
    "share of first_person": "I, me, my",
    "share of second_person": "you, opponent",
    "share of debate": "words of debating",
    "share of prepositions": "prepositions",
    "starts_lower": "begin small",
}
"""Surface features, roots of shares, that tell what kind of text moves: what is said of them."""
PENALTY = 300.0
"""Of the ridge: the middle one of those that the shipped model chooses from."""
PARLIAMENT, EACH = "canadian-parliament", 20
ARTICLES = re.compile(r"\b(?:the|an?) ")
ENDINGS = re.compile(r"(?<=[a-z]{3}[^s\W])(?:s|ed)\b")
PREPOSITIONS = ("in", "on", "at", "of", "for", "to", "from", "with")


def misspelt(text: str, share: float, rng: Rng) -> str:
    """The text with two neighbouring letters swapped in that share of its words of 4 or more."""

    def swap(match: re.Match[str]) -> str:
        word = match[0]
        if rng.random() >= share:
            return word
        i = int(rng.integers(1, len(word) - 2))
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]

    return re.sub(r"[A-Za-z]{4,}", swap, text)


def without(pattern: re.Pattern[str]) -> Change:
    """Leaves out a share of a pattern's matches."""

    def change(text: str, share: float, rng: Rng) -> str:
        return pattern.sub(lambda m: "" if rng.random() < share else m[0], text)

    return change


def confused(text: str, share: float, rng: Rng) -> str:
    """The text with a share of its prepositions taken for others."""

    def other(match: re.Match[str]) -> str:
        if rng.random() >= share:
            return match[0]
        others = [word for word in PREPOSITIONS if word != match[0]]
        return others[int(rng.integers(len(others)))]

    return re.sub(rf"\b({'|'.join(PREPOSITIONS)})\b", other, text)


def careless(text: str, share: float, rng: Rng) -> str:
    """The text with a share of its sentences begun without a capital."""

    def small(match: re.Match[str]) -> str:
        return match[1] + (match[2].lower() if rng.random() < share else match[2])

    return re.sub(r"(^|[.!?] +)([A-Z])", small, text)


CHANGES: dict[str, tuple[Change, Sequence[float]]] = {
    "two letters swapped in {:.0%} of the words": (misspelt, SHARES),
    "{:.0%} of the articles left out": (without(ARTICLES), (0.2, 0.5)),
    "{:.0%} of the endings -s and -ed left out": (without(ENDINGS), (0.2, 0.5)),
    "{:.0%} of the prepositions taken for others": (confused, (0.2, 0.5)),
    "{:.0%} of the sentences begun without a capital": (careless, (0.2, 0.5, 1.0)),
}
"""What writers in a second language, and hasty ones, do: what is said, how, and in which shares."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, all columns but the first to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def disturbed(texts: Sequence[str]) -> str:
    """How far the mean Q falls where only the language of arguments changes."""
    models = [load_quality_model(name) for name in MODELS]
    before = [model.predict(texts) for model in models]
    rows = [["none: mean Q", *(f"{Q.mean():.3f}" for Q in before)]]
    for said, (change, shares) in CHANGES.items():
        for share in shares:
            rng = np.random.default_rng(0)
            changed = [change(text, share, rng) for text in texts]
            after = [model.predict(changed) - Q for model, Q in zip(models, before, strict=True)]
            rows.append([said.format(share), *(f"{d.mean():+.3f}" for d in after)])
    return table(["change", *MODELS], rows)


def by_length(judged: Judgements, found: dict[str, Floats]) -> str:
    """What the number of words explains of judgements and predictions, and what remains."""
    good = judged.is_argument
    length, y = np.log(np.maximum(judged.words[good], 1.0)), judged.quality[good]
    topics = judged.topics[good]

    def beyond(values: Floats) -> Floats:
        """What a line in log length leaves, within topics."""
        x, v = centred(length, topics), centred(values, topics)
        return np.asarray(v - x * (x @ v) / (x @ x))

    rows = [["judgements", f"{pearson(y, length) ** 2:.2f}", "", ""]]
    for name, Q in found.items():
        p = Q[good]
        rest = pearson(beyond(p), beyond(y))
        explained = pearson(p, length) ** 2
        rows.append([name, f"{explained:.2f}", f"{pearson(p, y) ** 2:.2f}", f"{rest:.3f}"])
    head = [
        "topics left out",
        "r² with log length",
        "r² with the judgements",
        "r of what log length leaves",
    ]
    return table(head, rows)


def remaining(judged: Judgements, most: int = 8) -> str:
    """The surface features that raise and lower Q most, in standard deviations of both."""
    good = judged.is_argument
    X, y = features(judged.texts)[good], judged.quality[good]
    standard = Standard.of(X)
    weights = ridge(standard(X), y, PENALTY).weights / y.std()
    order = np.argsort(weights)
    ups, downs = order[::-1][:most], order[:most]
    rows = [
        [NAMES[u], f"{weights[u]:+.2f}", NAMES[d], f"{weights[d]:+.2f}"]
        for u, d in zip(ups, downs, strict=True)
    ]
    return table(["raises Q", "weight", "lowers Q", "weight"], rows)


def by_group(judged: Judgements, found: dict[str, Floats], groups: Floats, what: str) -> str:
    """Mean judgement and mean prediction less judgement, by groups of the arguments."""
    good, rows = judged.is_argument, []
    for name in np.unique(groups[good]):
        own = good & (groups == name)
        errors = [f"{np.mean(Q[own] - judged.quality[own]):+.3f}" for Q in found.values()]
        rows.append([str(name), str(own.sum()), f"{judged.quality[own].mean():.3f}", *errors])
    return table([what, "arguments", "judged", *(f"{name}: error" for name in found)], rows)


def by_topic(judged: Judgements, found: dict[str, Floats]) -> str:
    """How far a topic's mean prediction is from its mean judgement, and r within it."""
    good, rows = judged.is_argument, []
    for name, Q in found.items():
        errors, inner = [], []
        for topic in np.unique(judged.topics):
            own = good & (judged.topics == topic)
            errors.append(float(np.mean(Q[own] - judged.quality[own])))
            inner.append(pearson(Q[own], judged.quality[own]))
        spread = f"{min(errors):+.3f} to {max(errors):+.3f}"
        low, mid, high = np.quantile(inner, (0.0, 0.5, 1.0))
        rows.append([name, spread, f"{np.std(errors):.3f}", f"{low:.2f} / {mid:.2f} / {high:.2f}"])
    head = ["", "errors of the topics' means", "their deviation", "r within: worst / median / best"]
    return table(head, rows)


def sources(data: Path) -> dict[str, list[str]]:
    """Texts by where they come from; the args.me subset names only one of its portals."""
    subset, parliament = list[str](), list[str]()
    for argument in read(str(data / CORPUS)):
        known = source_of(argument) == PARLIAMENT
        (parliament if known else subset).append(argument.premise)
    posts = islice(read(str(data / FORUM), on_error="skip"), 0, None, EACH)
    return {
        "args.me's debate portals": subset,
        "canadian-parliament": parliament,
        "idebate.org, edited points": [one.premise for one in read(str(data / ARGUANA))],
        f"a debate forum, each {EACH}th post": [one.premise for one in posts],
    }


def by_source(data: Path) -> str:
    """Mean Q of each source's texts, and how far that is from texts as long of all sources."""
    found = sources(data)
    texts = [text for some in found.values() for text in some]
    names = np.repeat(list(found), [len(some) for some in found.values()])
    words = np.array([len(text.split()) for text in texts], np.float64)
    bands = np.digitize(words, np.quantile(words, np.arange(0.05, 1.0, 0.05)))
    Qs = [load_quality_model(name).predict(texts).astype(np.float64) for name in MODELS]
    left = [centred(Q, bands) for Q in Qs]
    rows = []
    for name in found:
        own = names == name
        cells = [
            f"{Q[own].mean():.3f} ({apart[own].mean():+.3f})"
            for Q, apart in zip(Qs, left, strict=True)
        ]
        rows.append([name, str(own.sum()), f"{np.median(words[own]):.0f}", *cells])
    return table(["source", "texts", "median words", *MODELS], rows)


def moved(data: Path) -> str:
    """What the factor takes into the first ten of 50 questions, and what it takes out."""
    texts: dict[str, list[str]] = {"taken in": [], "taken out": []}
    grades: dict[str, list[int]] = {name: [] for name in texts}
    qrels = grades_of_2020(data)
    with TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        build(BuildRequest([str(data / CORPUS)], index, load_config("default").index))
        with Engine.open(index) as engine:
            for query, title in titles(data).items():
                with_it, without_it = (
                    {hit.id: hit.argument.premise for hit in found.hits}
                    for found in (
                        engine.search(title, k=10),
                        engine.search(title, k=10, overrides=("boost.quality=0",)),
                    )
                )
                parts = (with_it, without_it), (without_it, with_it)
                for name, (one, other) in zip(texts, parts, strict=True):
                    ids = [id for id in one if id not in other]
                    texts[name] += [one[id] for id in ids]
                    judged = qrels.get(query, {})
                    grades[name] += [judged[id] for id in ids if id in judged]
    rows = []
    for name, some in texts.items():
        X, words = features(some), [len(text.split()) for text in some]
        shares = [f"{100 * np.mean(X[:, NAMES.index(f)] ** 2):.1f} %" for f in SAID]
        own = grades[name]
        told = f"{np.mean(own):.2f} of {len(own)}"
        rows.append([name, str(len(some)), f"{np.median(words):.0f}", *shares, told])
    head = ["first ten", "texts", "median words", *(SAID[f] for f in SAID), "mean grade, judged"]
    return table(head, rows)


def transferred(judged: Judgements, data: Path) -> str:
    """r with the scores of corpora that a model was not trained on, within their topics."""
    others = {source: read_more([data / source])[0] for source in MORE}
    rows = []
    for source, scored in others.items():
        rest = [one for name, one in others.items() if name != source]
        kinds: dict[str, Trainer] = {
            "features": SurfaceTrainer(judged),
            "words": WordsTrainer(judged, rest, lambda _: None),
        }
        length = np.log([max(1, len(text.split())) for text in scored.texts])
        Qs = [trained(kind, trainer, scored.texts) for kind, trainer in kinds.items()]
        y = centred(scored.scores, scored.topics)
        cells = [f"{pearson(centred(Q, scored.topics), y):.3f}" for Q in (length, *Qs)]
        rows.append([scored.name, str(len(scored.texts)), *cells])
    return table(["corpus", "arguments", "log length", "features", "words, without it"], rows)


def trained(kind: str, trainer: Trainer, texts: Sequence[str]) -> Floats:
    """Q of any texts, by a model of all judged items."""
    with TemporaryDirectory() as folder:
        path, fitted = Path(folder) / "model.safetensors", fit(trainer, slice(None))
        QUALITY.write(path, {"kind": kind, **fitted.describe(), "provenance": {}}, fitted.arrays())
        return np.asarray(load_quality_model(str(path)).predict(texts), np.float64)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    judged = read_judgements(data / W20)
    stances = np.array(
        [{"True": "PRO", "False": "CON"}[row["Stance"]] for row in read_rows(data / W20)]
    )
    more = read_more([data / source for source in MORE])
    kinds: list[Trainer] = [SurfaceTrainer(judged), WordsTrainer(judged, more, lambda _: None)]
    found = dict(zip(MODELS, left_out(judged, kinds).values(), strict=True))
    texts = [t for t, good in zip(judged.texts, judged.is_argument, strict=True) if good]
    print(moved(data), by_length(judged, found), remaining(judged), sep="\n\n", end="\n\n")
    print(by_topic(judged, found), by_group(judged, found, stances, "stance"), sep="\n\n")
    print("", by_source(data), disturbed(texts), transferred(judged, data), sep="\n\n")


if __name__ == "__main__":
    main()
