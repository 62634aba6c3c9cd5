"""ArguAna dev as a collection for counter-arguments: distinct premises, points, five folds.

A candidate is known by its premises only: not by its conclusion, nor by its id. Equal premises
are one candidate; the query's own are no candidate for it. Debates that share a text are one
debate, and a fold holds whole debates.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from argsearch.indexer.analysis.batch import tokenize
from argsearch.indexer.encoders.wordllama import WordLlamaEncoder
from argsearch.ranking import counters as counter
from argsearch.ranking.neighbours import mean_of_nearest, neighbours
from argsearch.ranking.vectors import Quantised
from argsearch.ranking.word_vectors import cosines_to_neighbours, idf, word_vectors
from studies.judgements import read_rows

CORPUS = Path("arguana/arguana-dev.json.xz")
PAIRS = Path("arguana/counter-pairs-dev.tsv")
FOLDS, SEED = 5, 0
NAMES = counter.NAMES[:-2]
"""The features that are fitted: quality and side tell nothing here."""
CUES, RARE = 128, 100
"""Cues that are kept, and the documents that a word must be in to be one."""
PORTAL = ("http", "https", "www", "i", "ii", "iii", "proposition", "opposition")
"""What tells on this portal only: addresses, numbers of footnotes, names of its sides."""


@dataclass(frozen=True)
class Lab:
    """n distinct texts and the q points among them that have a counter."""

    texts: list[str]
    points: np.ndarray
    """int64[q], texts."""
    claims: list[str]
    """The points' conclusions."""
    answers: list[set[int]]
    folds: np.ndarray
    """int64[n], the fold of each text."""
    reply: np.ndarray
    """int8[n]: 1 a counter, 0 a point, -1 neither or both."""


def read(data: Path) -> Lab:
    """The corpus and its pairs."""
    with lzma.open(data / CORPUS) as stream:
        arguments = {one["id"]: one for one in json.load(stream)["arguments"]}
    text = {id: " ".join(p["text"] for p in a["premises"]).strip() for id, a in arguments.items()}
    texts = list(dict.fromkeys(text.values()))
    number = {one: i for i, one in enumerate(texts)}
    pairs = [(row["point_id"], row["counter_id"]) for row in read_rows(data / PAIRS)]
    answers: dict[int, set[int]] = {}
    claims: dict[int, str] = {}
    for point, reply in pairs:
        a, b = number[text[point]], number[text[reply]]
        claims.setdefault(a, arguments[point]["conclusion"] or "")
        if a != b:
            answers.setdefault(a, set()).add(b)
    debates = ((number[text[id]], a["context"]["sourceId"]) for id, a in arguments.items())
    kinds = np.full(len(texts), -1, np.int8)
    counters = set().union(*answers.values())
    kinds[list(set(answers) - counters)], kinds[list(counters - set(answers))] = 0, 1
    points = np.array(sorted(answers))
    return Lab(
        texts,
        points,
        [claims[point] for point in points],
        [answers[point] for point in points],
        _folds(len(texts), debates),
        kinds,
    )


def _folds(n: int, debates: Iterable[tuple[int, str]]) -> np.ndarray:
    from scipy.sparse.csgraph import connected_components

    rows, names = zip(*debates, strict=True)
    known = {name: n + i for i, name in enumerate(sorted(set(names)))}
    size = n + len(known)
    edges = csr_array((np.ones(len(rows)), (rows, [known[name] for name in names])), (size, size))
    count, label = connected_components(edges, directed=False)
    return np.random.default_rng(SEED).permutation(count)[label[:n]] % FOLDS


@dataclass(frozen=True)
class Words:
    """Distinct terms of each text (CSR), as indexing would count them."""

    terms: list[bytes]
    counts: csr_array

    @classmethod
    def of(cls, texts: list[str], extra: list[str]) -> tuple[Words, csr_array]:
        """The texts' words, and those of extra texts in the same numbers."""
        batch = tokenize([*texts, *extra])
        ones = np.ones(len(batch.ids), np.int32)
        counts = csr_array(
            (ones, batch.ids, batch.offsets), (len(texts) + len(extra), len(batch.terms))
        )
        counts.sum_duplicates()
        return cls(batch.terms, csr_array(counts[: len(texts)])), csr_array(counts[len(texts) :])


@dataclass(frozen=True)
class Part:
    """What an index would store of n documents for counter-arguments, but for counter-ness."""

    vectors: np.ndarray
    scales: np.ndarray
    hubness: np.ndarray
    profile: np.ndarray
    norms: np.ndarray
    word_hubness: np.ndarray
    word_profile: np.ndarray
    idf: np.ndarray

    @classmethod
    def build(cls, vectors: Quantised, counts: csr_array, workers: int, cells=None) -> Part:
        """Neighbours, hubness and profiles, by meaning and by words."""
        near = neighbours(vectors, max(counter.RANKS), cells, workers=workers)
        words = word_vectors(counts.indptr, counts.indices, counts.data, counts.shape[1])
        alike = cosines_to_neighbours(words, near.ids)
        df = np.bincount(counts.indices, minlength=counts.shape[1])
        return cls(
            *vectors,
            mean_of_nearest(near.cosines, counter.NEAREST),
            counter.profile(near.cosines),
            words.norms,
            mean_of_nearest(alike, counter.NEAREST),
            counter.profile(alike),
            idf(df, counts.shape[0]),
        )

    def candidates(self, rows: np.ndarray, tf: np.ndarray) -> counter.CounterCandidates:
        """Some documents, with zeros for counter-ness and quality."""
        return counter.CounterCandidates(
            self.vectors[rows],
            self.scales[rows],
            self.hubness[rows],
            self.profile[rows],
            tf,
            self.norms[rows],
            self.word_hubness[rows],
            self.word_profile[rows],
            *np.zeros((2, len(rows))),
        )


@dataclass(frozen=True)
class Lists:
    """For each point its first DEPTH candidates, every feature but counter-ness, the truth."""

    rows: np.ndarray
    """int64[q, DEPTH]."""
    values: np.ndarray
    """float64[q, DEPTH, features], in the order of `NAMES`."""
    right: np.ndarray
    """bool[q, DEPTH]."""
    ideal: np.ndarray
    """float64[q], DCG@10 of the best order."""


def lists(lab: Lab, words: Words, claims: csr_array, part: Part) -> Lists:
    """Find and describe every point's candidates."""
    encoded = WordLlamaEncoder().encode(lab.claims)
    rows, values = [], []
    for i, point in enumerate(lab.points):
        both = csr_array(words.counts[[point]] + claims[[i]]).indices
        tf, claim_tf = (
            words.counts[[point]][:, both].toarray()[0],
            claims[[i]][:, both].toarray()[0],
        )
        query = counter.CounteredArgument(
            part.vectors[point].astype(np.float32),
            encoded[i] if lab.claims[i] else None,
            tf,
            claim_tf,
            part.idf[both],
        )
        aim = counter.direction(query.vector, query.claim)
        scores = counter.coarse_scores(aim, part.vectors, part.scales, part.hubness)
        chosen = counter.first_choice(scores, counter.LOOKED_AT, [point])
        found = counter.features(
            query, part.candidates(chosen, words.counts[chosen][:, both].toarray())
        )
        rows.append(chosen)
        values.append(np.stack([getattr(found, name) for name in NAMES], axis=1))
    gains = 1 / np.log2(np.arange(2, 12))
    right = [
        [row in answer for row in found] for found, answer in zip(rows, lab.answers, strict=True)
    ]
    ideal = np.array([gains[: len(answer)].sum() for answer in lab.answers])
    return Lists(np.array(rows), np.array(values), np.array(right), ideal)


def fit_cues(words: Words, reply: np.ndarray, size: int = CUES) -> dict[str, float]:
    """The `size` words that tell most, and their weights in a regression of them alone.

    Words are letters alone, in RARE documents at least, and none of PORTAL's.
    """
    used = np.flatnonzero(reply >= 0)
    X = amounts(words.counts)[used]
    general = [t.decode().isalpha() and t.decode() not in PORTAL for t in words.terms]
    frequent = np.bincount(X.indices, minlength=X.shape[1]) >= RARE
    frequent = np.flatnonzero(frequent & np.array(general))
    X = csr_array(X[:, frequent])
    model = LogisticRegression(C=10, max_iter=1000).fit(X, reply[used])
    spread = np.sqrt(np.asarray((X * X).mean(axis=0)).ravel())
    telling = np.argsort(-np.abs(model.coef_[0]) * spread, kind="stable")[:size]
    model = LogisticRegression(C=10, max_iter=1000).fit(X[:, telling], reply[used])
    names = [words.terms[frequent[place]].decode() for place in telling]
    return dict(zip(names, model.coef_[0].round(2).tolist(), strict=True))


def amounts(counts: csr_array) -> csr_array:
    """(1 + ln tf) / its norm, per document."""
    out = csr_array(counts, dtype=np.float64, copy=True)
    out.data = 1 + np.log(out.data)
    norms = np.sqrt(np.asarray((out * out).sum(axis=1)).ravel())
    out.data /= np.repeat(norms, np.diff(out.indptr))
    return out


def counterness(words: Words, cues: dict[str, float]) -> np.ndarray:
    """float32[n] by a table of cues."""
    c = words.counts
    return counter.counterness(c.indptr, c.indices, c.data, counter.cue_weights(words.terms, cues))
