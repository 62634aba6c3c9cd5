"""Training of the stance model on arguments with known stances (`train stance`)."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine.stance.claims import read_claim
from argsearch.engine.stance.model import ON, StanceModel, Weights, pack
from argsearch.engine.stance.wording import CLASS, masked, read_words, terms
from argsearch.indexer.corpus import read
from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.model_files import STANCE_MODEL
from argsearch.lab.judgements.tables import decoded, files_of, number, table, words
from argsearch.lab.training.shape import Progress, TrainedModel, check_file, silent, software
from argsearch.ranking.stance import Attitude, cut

Floats = NDArray[np.float64]

MIN_DF = 3
"""Minimum number of texts that contain a term."""
MAX_TERMS = 60_000
"""Maximum number of terms in a model; the most frequent ones are kept."""
FOLDS = 10
THRESHOLD = 0.55
"""Minimum probability at which a side is shown."""

ARGUMENTS = "ibm/argq-rank-30k/arg_quality_rank_30k.csv.xz"
MORE_ARGUMENTS = "ibm/argq-toledo2019.tar.xz"
CORPUS = "argsme-subset/args-me-subset.json.xz"
PAIRS = Path(__file__).with_name("sided.tsv")
"""Labelled (question, argument) pairs from the corpus: Touché 2020 titles (development data)."""
LEAST_CONFIDENCE = 0.8
"""Minimum confidence of a stance in training (IBM-ArgQ-Rank-30k, stance_WA_conf)."""


@dataclass(frozen=True, slots=True)
class SidedText:
    """A short argument and its stance, +1 or −1, towards its topic."""

    topic: str
    text: str
    stance: int


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A question, an argument, and the argument's side: `for`, `against`, or `neither`."""

    question: str
    argument: Argument
    label: str


class MaterialMissing(ArgsearchError):
    """The folder of training data lacks a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no file {str(path)!r}; --data must be the folder with {ARGUMENTS}, "
            f"{MORE_ARGUMENTS} "
            f"and {CORPUS}"
        )


def existing(path: Path) -> Path:
    """Return the path of a training file; raise MaterialMissing if it does not exist."""
    if not path.is_file():
        raise MaterialMissing(path)
    return path


def rank_30k(data: Path) -> list[SidedText]:
    """Read the arguments of IBM-ArgQ-Rank-30k whose stance is certain."""
    path = existing(data / ARGUMENTS)
    columns = ("topic", "argument", "stance_WA", "stance_WA_conf")
    return [
        SidedText(topic, text, int(stance))
        for topic, text, stance, sure in table(path, decoded(path), columns)
        if stance in ("1", "-1") and number(path, sure) >= LEAST_CONFIDENCE
    ]


def toledo(data: Path) -> list[SidedText]:
    """Read IBM-ArgQ-6.3kArgs, where each file name is the claim that its arguments support."""
    source = existing(data / MORE_ARGUMENTS)
    return [
        SidedText(words(name.rsplit("(", 1)[0]), text, 1)
        for name, content in files_of(source, "6.3kArgs", ".tsv")
        for (text,) in table(source, content, ("argument",), "\t", quoted=False)
    ]


def read_labels(labels: Path) -> list[dict[str, str]]:
    """Read a tab-separated file as rows by column: `question`, and `argument` or `arguments`."""
    with labels.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _arguments(corpus: Path, ids: Iterable[str]) -> dict[str, Argument]:
    wanted = set(ids)
    return {one.id: one for one in read(str(existing(corpus))) if one.id in wanted}


def read_pairs(labels: Path, corpus: Path) -> list[LabelledPair]:
    """Read labelled pairs (tab-separated: question, argument, label) with the corpus' arguments."""
    rows = read_labels(labels)
    known = _arguments(corpus, (row["argument"] for row in rows))
    return [LabelledPair(row["question"], known[row["argument"]], row["label"]) for row in rows]


@dataclass(frozen=True)
class Texts:
    """Arguments as bags of terms over one vocabulary, with their attitude (+1 or −1)."""

    names: list[str]
    counts: Any
    """scipy.sparse.csr_matrix[n, V] of term frequencies."""
    attitude: Floats
    subjects: list[tuple[str, ...]]
    """Word roots of each argument's subject; cross-validation groups arguments by subject."""


def bags(material: Sequence[SidedText]) -> Texts:
    """Count the terms of every argument, with the words of its topic masked."""
    from scipy.sparse import csr_matrix

    index: dict[str, int] = {}
    starts, ids, tfs = [0], list[int](), list[int]()
    claims = [read_claim(one.topic) for one in material]
    for one, claim in zip(material, claims, strict=True):
        found = Counter(terms(masked(read_words(one.text), frozenset(claim.subject))))
        ids.extend(index.setdefault(term, len(index)) for term in found)
        tfs.extend(found.values())
        starts.append(len(ids))
    attitude = [claim.polarity * one.stance for claim, one in zip(claims, material, strict=True)]
    counts = csr_matrix((np.array(tfs, float), ids, starts), (len(material), len(index)))
    return Texts(list(index), counts, np.array(attitude, float), [c.subject for c in claims])


def fit_attitude(texts: Texts, rows: NDArray[np.int64]) -> tuple[list[str], Attitude]:
    """Fit a logistic regression of the attitude on tf·idf of these rows, with no intercept."""
    from scipy.sparse import diags, hstack
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import normalize

    counts = texts.counts[rows]
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    frequent = sorted(np.flatnonzero(df >= MIN_DF).tolist(), key=lambda i: (-df[i], i))[:MAX_TERMS]
    # Words before classes, because the two blocks are normalised separately.
    order = sorted(frequent, key=lambda i: (texts.names[i].startswith(CLASS), texts.names[i]))
    names = [texts.names[i] for i in order]
    words = sum(not name.startswith(CLASS) for name in names)
    idf = np.log((1 + len(rows)) / (1 + df[order])) + 1
    x = counts[:, order].copy()
    x.data = 1 + np.log(x.data)
    x = (x @ diags(idf)).tocsr()
    blocks = hstack([normalize(x[:, :words]), normalize(x[:, words:])]).tocsr()
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=200, tol=1e-3)
    model.fit(blocks, texts.attitude[rows])
    return names, Attitude(idf, model.coef_[0], words)


def predict(texts: Texts, names: list[str], attitude: Attitude, rows: NDArray[np.int64]) -> Floats:
    """Return these rows' attitude logits, before any weighting."""
    place = {name: i for i, name in enumerate(names)}
    ids = np.array([place.get(name, -1) for name in texts.names])
    out = np.zeros(len(rows))
    for k, row in enumerate(rows.tolist()):
        one = texts.counts[row]
        order = np.argsort(ids[one.indices])
        order = order[ids[one.indices][order] >= 0]
        own, tfs = ids[one.indices][order], one.data[order].astype(np.int64)
        (out[k],) = attitude(own, tfs, np.array([len(own)]))
    return out


@dataclass(frozen=True)
class Held:
    """Logits of arguments by models that have seen no argument on their subject."""

    logits: Floats
    right: NDArray[np.bool_]
    topics: list[str]


def held_out(data: Path, tell: Progress, folds: int = FOLDS) -> Held:
    """Predict every argument of IBM-ArgQ-Rank-30k by cross-validation over topics.

    Further arguments are excluded if their subject shares half of its words with a held-out one.
    """
    own, more = rank_30k(data), toledo(data)
    texts = bags([*own, *more])
    topics = sorted({one.topic for one in own})
    order = np.random.default_rng(0).permutation(len(topics))
    fold = {topics[t]: i % folds for i, t in enumerate(order.tolist())}
    mine = np.array([fold[one.topic] for one in own])
    logits = np.zeros(len(own))
    for k in range(folds):
        test = np.flatnonzero(mine == k)
        seen = {texts.subjects[i] for i in test.tolist()}
        others = [
            len(own) + j
            for j in range(len(more))
            if not any(related(texts.subjects[len(own) + j], subject) for subject in seen)
        ]
        names, attitude = fit_attitude(
            texts, np.concatenate((np.flatnonzero(mine != k), others)).astype(np.int64)
        )
        logits[test] = predict(texts, names, attitude, test)
        tell(f"fold {k + 1} of {folds}: {len(test):,} arguments left out")
    signs = texts.attitude[: len(own)]
    return Held(logits, np.sign(logits) == signs, [one.topic for one in own])


def related(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two subjects share at least half of the words of the shorter one."""
    shared = len(set(one) & set(other))
    return shared > 0 and 2 * shared >= min(len(one), len(other))


def scale(held: Held) -> float:
    """Fit the weight of a text's logit that calibrates held-out probabilities (Platt scaling)."""
    from sklearn.linear_model import LogisticRegression

    values = np.array([cut(value) for value in held.logits])
    signs = np.where(held.right, np.sign(values), -np.sign(values))
    known = signs != 0
    model = LogisticRegression(C=1e6, fit_intercept=False)
    return float(model.fit(values[known, None], signs[known]).coef_[0, 0])


def fit_weights(model: StanceModel, pairs: Sequence[LabelledPair], text: float) -> Weights:
    """Fit the weights of P(on the question) to labelled pairs; text: weight of the text logit."""
    from sklearn.linear_model import LogisticRegression

    evidence = [model.evidence(pair.question, [pair.argument])[0] for pair in pairs]
    on = np.array([[one.likely[name] for name in ON] for one in evidence])
    is_on = np.array([pair.label != "neither" for pair in pairs])
    fitted = LogisticRegression(C=4.0, fit_intercept=False).fit(on, is_on)
    weights = dict(zip(ON, fitted.coef_[0].tolist(), strict=True))
    return Weights(weights, text, THRESHOLD)


def train_stance(data: Path, out: Path, tell: Progress = silent) -> TrainedModel:
    """Validate by leaving topics out, train on everything, and write the model file.

    data: the folder of the real corpora (ARGSEARCH_DATA). Raises InvalidParameter, MaterialMissing,
    and ArgsearchError.
    """
    check_file(out)
    pairs = read_pairs(PAIRS, data / CORPUS)
    held = held_out(data, tell)
    tell("training on all arguments")
    material, text = [*rank_30k(data), *toledo(data)], scale(held)
    texts = bags(material)
    names, attitude = fit_attitude(texts, np.arange(len(material)))
    model = StanceModel(names, attitude, Weights(dict.fromkeys(ON, 0.0), text, THRESHOLD))
    model = StanceModel(names, attitude, fit_weights(model, pairs, text))
    topics, accuracy = len({one.topic for one in material}), float(held.right.mean())
    header, arrays = pack(model)
    provenance = {
        "command": f"argsearch train stance --data FOLDER --out {out.name}",
        "material": "IBM-ArgQ-Rank-30k, IBM-ArgQ-6.3kArgs; pairs on the args.me subset",
        "arguments": len(material),
        "topics": topics,
        "pairs": len(pairs),
        "accuracy, topics left out": round(accuracy, 4),
        "software": software("scikit-learn", "scipy"),
    }
    sha256 = STANCE_MODEL.write(out, {**header, "provenance": provenance}, arrays)
    told = f"{len(material):,} arguments on {topics} topics and {len(pairs)} labelled pairs; "
    return TrainedModel(out, sha256, f"{told}accuracy {accuracy:.3f} on held-out topics")
