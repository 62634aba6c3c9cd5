"""The two judged collections: Touché 2020 on the args.me subset, Webis-ArgQuality-20 ("W20").

W20: its 1,606 texts and its 20 long questions. A hit is worth the mean of its relevance votes (0 to
3), or its combined quality in [0, 1] (0 for what is no argument). The texts have no conclusions, so
C is 0. Q of a topic's documents comes from a model trained without that topic and its texts.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.engine import Engine
from argsearch.engine.backends.embedded.backend import EmbeddedBackend
from argsearch.engine.config import Boost, Config, Rerank
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.build.collect import numbered
from argsearch.indexer.format.settings import IndexSettings
from argsearch.indexer.parameters import LARGEST_PAGE
from argsearch.indexer.signals.cluster import cluster_conclusions
from argsearch.lab.judgements.webis import Judgements, read_judgements
from argsearch.lab.runs import read_qrels, read_topics
from argsearch.lab.training.quality.trainers import fit, make_trainer
from argsearch.ranking.numbers import sigmoid
from argsearch.ranking.quality.linear import prior_shift
from studies.recombining import Floats, Matches

QRELS = "touche/touche2020-task1-relevance-args-me-corpus-version-2020-04-01-corrected.qrels"
TOPICS = "touche/topics-task-1-2020-only-titles-all50.xml"
CORPUS = "argsme-subset/args-me-subset.json.xz"
W20 = "webis-argquality20/full/webis-argquality20-arguments.csv"
W20_TOPICS = "webis-argquality20/full/webis-argquality20-topics.csv"
W20_VOTES = "webis-argquality20/raw/webis-argquality20-raw-relevance.csv"
SEEDS = (0, 1, 2, 3, 4)
SAME_SUBJECT = {
    "1": "39", "2": "50", "4": "4", "5": "26", "6": "9", "7": "7", "8": "32", "9": "34",
    "10": "38", "12": "33", "13": "30", "14": "40", "15": "15", "16": "43", "17": "49",
    "18": "19", "19": "14", "20": "22",
}  # fmt: skip
"""Topics of W20 and the topics of 2020 that ask the same: left out together."""


@dataclass(frozen=True)
class Judged:
    """The topics of Touché 2020 and the grades of documents, as far as an index holds them."""

    topics: dict[str, str]
    grades: dict[str, dict[str, int]]

    @classmethod
    def read(cls, data: Path, engine: Engine) -> Judged:
        """All 50 topics; of the judgements those of the index, negative grades as 0."""
        held = {
            query: {doc: grade for doc, grade in judged.items() if engine.argument(doc)}
            for query, judged in grades(data).items()
        }
        return cls(titles(data), {query: judged for query, judged in held.items() if judged})


@dataclass(frozen=True)
class Collection:
    """Questions of one collection, its index, and the gains of documents, by document number."""

    engine: Engine
    topics: dict[str, str]
    gains: dict[str, Floats]
    """float64[kinds, documents] for every topic; NaN: nobody judged it."""
    quality: dict[str, Floats]
    """float64[documents] for every topic."""
    clusters: tuple[tuple[NDArray[np.float32], NDArray[np.int32]], ...]
    """Unit centroids and documents' labels (-1: none), one pair a seed."""

    def matches(self, query: str, config: Config) -> Matches:
        """Every match of a topic by a configuration's relevance model."""
        bare = replace(config, boost=Boost(), rerank=Rerank())
        text = self.topics[query]
        found = self.engine.search(text, k=LARGEST_PAGE, config=bare)
        docs = documents(self.engine, found.hits.ids)
        ranks = np.argsort(_backend(self.engine).arrays.ids_ranks[docs])
        docs = docs[ranks]
        question = self.engine.encoder.encode([text])[0].astype(np.float64)
        vectors = found.hits.candidates.source.vectors(ranks)
        if vectors is None:
            raise ValueError("the index has no part vectors")
        gains = self.gains[query]
        return Matches(
            R=found.hits.scores[ranks],
            cosines=np.array([_cosines(*pair, docs, question) for pair in self.clusters]),
            Q=self.quality[query][docs],
            P=np.maximum(0.0, vectors.astype(np.float64) @ question),
            gains=gains[:, docs],
            ideal=-np.sort(-np.nan_to_num(gains), axis=1)[:, :10],
        )


def _backend(engine: Engine) -> EmbeddedBackend:
    assert engine.backend.directory is not None
    return engine.backend.directory


def documents(engine: Engine, ids: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of documents in an index directory."""
    find = _backend(engine).ids.find
    return np.array([find(id) for id in ids], np.int64)


def _cosines(
    centroids: NDArray[np.float32], labels: NDArray[np.int32], docs: NDArray[np.int64], q: Floats
) -> Floats:
    """Cosines of the question and each document's centroid; NaN without one."""
    return np.append(centroids @ q.astype(np.float32), np.nan)[labels[docs]].astype(np.float64)


def open_index(source: Path, out: Path, settings: IndexSettings) -> Engine:
    """An index with the part `vectors`; one that is there already is taken as it is."""
    if not out.exists():
        build(BuildRequest([str(source)], out, replace(settings, parts=("vectors",))))
    return Engine.open(out)


def read_2020(data: Path, folder: Path, seeds: Sequence[int] = SEEDS) -> Collection:
    """The judged topics of Touché 2020; judgements of documents outside the subset are left out.

    Negative grades count as 0. Q is the shipped model's, clusters those of every seed.
    """
    engine = open_index(data / CORPUS, folder / "argsme", IndexSettings())
    backend = _backend(engine)
    gains = {}
    for query, judged in grades(data).items():
        held = {backend.ids.find(doc): grade for doc, grade in judged.items()}
        held.pop(-1, None)
        if held:
            gains[query] = np.full((1, backend.documents), np.nan)
            gains[query][0, list(held)] = list(held.values())
    asked = titles(data)
    Q = backend.arrays.quality.astype(np.float64)
    return Collection(
        engine,
        {query: asked[query] for query in gains},
        gains,
        dict.fromkeys(gains, Q),
        tuple(_clusters(engine, seed) for seed in seeds),
    )


def _clusters(engine: Engine, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Unit centroids and labels as an index built with this seed has them.

    k-means starts from the conclusions in the corpus' order, which is that of the store.
    """
    backend = _backend(engine)
    read = np.argsort(backend.arrays.store_rows)
    conclusions = [backend.store[doc].conclusion for doc in read.tolist()]
    texts: dict[str, int] = {}
    text_of = numbered(conclusions, texts)
    settings = replace(IndexSettings(), seed=seed)
    found = cluster_conclusions(list(texts), text_of, engine.encoder, settings)
    labels = np.empty(backend.documents, np.int32)
    labels[read] = found.labels
    norms = np.linalg.norm(found.centroids, axis=1, keepdims=True)
    return (found.centroids / np.where(norms > 0, norms, 1)).astype(np.float32), labels


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file with a header, apart by commas, or as .tsv by tabs."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))


def titles(data: Path) -> dict[str, str]:
    """The 50 topics of Touché 2020."""
    return {topic.query_id: topic.title for topic in read_topics(data / TOPICS)}


def grades(data: Path) -> dict[str, dict[str, int]]:
    """The judgements of Touché 2020, negative grades as 0."""
    return read_qrels(data / QRELS).not_negative()


def w20_ids(data: Path) -> list[str]:
    """`discussion-argument` of every item of Webis-ArgQuality-20."""
    return [f"{row['Discussion ID']}-{row['Argument ID']}" for row in read_rows(data / W20)]


def read_w20(data: Path, folder: Path) -> Collection:
    """Webis-ArgQuality-20 as a collection."""
    judged, rows = read_judgements(data / W20), read_rows(data / W20)
    ids = w20_ids(data)
    texts = dict(zip(ids, judged.texts, strict=True))
    engine = _w20_index(texts, folder)
    docs, count = documents(engine, ids), len(texts)
    votes = mean_votes(read_rows(data / W20_VOTES))
    gains, quality = {}, {}
    for number in range(judged.topic_count):
        own = np.flatnonzero(judged.topics == number)
        query = rows[own[0]]["Topic ID"]
        gains[query] = np.zeros((2, count))
        gains[query][0, docs[own]] = [votes[ids[i]] for i in own]
        gains[query][1, docs[own]] = judged.quality[own]
    for number, Q in enumerate(unseen_quality(judged)):
        query = rows[int(np.argmax(judged.topics == number))]["Topic ID"]
        quality[query] = np.empty(count)
        quality[query][docs] = Q
    questions = {row["Topic ID"]: row["Long Query"] for row in read_rows(data / W20_TOPICS)}
    nowhere = np.zeros((0, engine.encoder.dimensions), np.float32), np.full(count, -1, np.int32)
    return Collection(engine, questions, gains, quality, (nowhere,))


def _w20_index(texts: dict[str, str], folder: Path) -> Engine:
    source = folder / "w20.json"
    arguments: list[dict[str, Any]] = [
        {"id": id, "conclusion": None, "premises": [{"text": text, "stance": "PRO"}], "context": {}}
        for id, text in texts.items()
    ]
    source.write_text(json.dumps({"arguments": arguments}))
    return open_index(source, folder / "w20", IndexSettings(quality_model="none"))


def mean_votes(rows: Sequence[dict[str, str]]) -> dict[str, float]:
    """The mean relevance vote, 0 to 3, of each `discussion-argument`."""
    votes = defaultdict(list)
    for row in rows:
        votes[f"{row['Discussion ID']}-{row['Argument ID']}"].append(float(row["Relevance"]))
    return {id: sum(given) / len(given) for id, given in votes.items()}


def unseen_quality(judged: Judgements) -> list[Floats]:
    """For each topic, Q of all items by a model trained without the topic and its texts."""
    trainer = make_trainer("features", judged, None, print)
    texts = np.array(judged.texts, dtype=object)
    found = []
    for topic in range(judged.topic_count):
        its = set(texts[judged.topics == topic])
        rest = np.flatnonzero([text not in its for text in texts])
        gate, quality = fit(trainer, rest).score(slice(None))
        chance = sigmoid(gate + prior_shift(judged.is_argument[rest]))
        found.append(np.clip(quality, 0.0, 1.0) * chance)
    return found
