"""What the re-rankers cost: 100 real candidates a query, texts seen for the first time and again.

    python -m benchmarks.reranking                      # index and corpus under .cache/bench
    python -m benchmarks.reranking --index FOLDER --documents 390704

Queries: the 50 titles of Touché 2020; candidates: the first 100 of the default ranking over forum
posts; for MMR over 1,000 those of ten queries together. Embeddings for MMR are made beforehand, as
an index that stores them would have them. One thread of BLAS: set OMP_NUM_THREADS=1. "work" is the
processor's time, which a busy machine does not lengthen as much.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from argsearch.engine import Engine
from argsearch.indexer.analysis.tagging import LexiconTagger
from argsearch.indexer.build.build import BuildRequest, build
from argsearch.indexer.encoders import load_encoder, word_vectors
from argsearch.indexer.encoders.word_vectors import load_word_vectors
from argsearch.ranking.reranking import structural, word_movers
from argsearch.ranking.reranking.mixture import MU_PREMISES, mixture
from argsearch.ranking.reranking.mmr import mmr
from benchmarks.corpora import posts, touche
from benchmarks.measuring import CACHE, say

DEPTH, DEEP = 100, 1000


@dataclass(frozen=True)
class Asked:
    """A query and what it found, best first."""

    text: str
    scores: list[float]
    texts: list[str]
    vectors: np.ndarray


def ask(index: Path, depth: int) -> list[Asked]:
    encoder, engine, asked = load_encoder("wordllama"), Engine.open(str(index)), []
    for question in touche():
        hits = engine.search(question.text, k=depth).hits
        texts = [hit.argument.premise for hit in hits]
        scores = [hit.score for hit in hits]
        asked.append(Asked(question.text, scores, texts, encoder.encode(texts)))
    return asked


def pooled(asked: Sequence[Asked]) -> list[Asked]:
    """Each ten queries' candidates as one list."""
    tens = [asked[i : i + DEEP // DEPTH] for i in range(0, len(asked), DEEP // DEPTH)]
    return [
        Asked(
            ten[0].text,
            [score for one in ten for score in one.scores],
            [text for one in ten for text in one.texts],
            np.concatenate([one.vectors for one in ten]),
        )
        for ten in tens
    ]


class Rerankers:
    """Each re-ranker as a stage would call it: a query and texts in, mixed scores out."""

    def __init__(self) -> None:
        self.tagger, self.words = LexiconTagger(), load_word_vectors("wordllama")
        word_movers.prepare()

    def structural(self, asked: Asked) -> object:
        codes = [self.tagger.codes(text) for text in asked.texts]
        found = structural.distances(self.tagger.codes(asked.text), codes)
        return mixture(asked.scores, found, MU_PREMISES)

    def word_movers(self, asked: Asked) -> object:
        bags = word_vectors.bags(asked.text, asked.texts, self.words)
        found = word_movers.distances(bags.query, bags.texts, bags.vectors)
        return mixture(asked.scores, found, MU_PREMISES)

    def mmr(self, asked: Asked) -> object:
        relevance = np.array(asked.scores) / max(asked.scores)
        return mmr(relevance, asked.vectors, len(asked.scores))


def timed(stage: Callable[[Asked], object], asked: Sequence[Asked]) -> str:
    """p50 and p95 over the queries, and p50 of the processor's time: milliseconds."""
    walls, works = [], []
    for one in asked:
        begun, worked = time.perf_counter(), time.process_time()
        stage(one)
        walls.append((time.perf_counter() - begun) * 1e3)
        works.append((time.process_time() - worked) * 1e3)
    columns = [*np.percentile(walls, [50, 95]), np.percentile(works, 50)]
    return "".join(f"{column:10.1f}" for column in columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--index", type=Path)
    options = parser.parse_args()
    index = options.index or CACHE / f"reranking-{options.documents}"
    if not (index / "manifest.json").exists():
        say(f"indexing {options.documents:,} posts")
        build(BuildRequest([str(posts(options.documents))], index))
    asked = ask(index, DEPTH)
    rerankers = Rerankers()
    stages = {
        "structural distance": rerankers.structural,
        "word mover's distance": rerankers.word_movers,
        "MMR": rerankers.mmr,
    }
    for stage in stages.values():
        stage(asked[0])  # compiles the kernels, loads the libraries
    words = np.mean([len(text.split()) for one in asked for text in one.texts])
    print(f"{len(asked)} queries, {DEPTH} candidates of {words:.0f} words on average")
    print(f"{'milliseconds a query':34}{'p50':>10}{'p95':>10}{'work p50':>10}")
    for name, stage in stages.items():
        print(f"{name + ', unseen texts':34}{timed(stage, asked[1:])}")
    recent = asked[-20:]  # within what the caches remember
    for name, stage in stages.items():
        timed(stage, recent)
        print(f"{name + ', seen texts':34}{timed(stage, recent)}")
    print(f"{f'MMR over {DEEP:,}':34}{timed(rerankers.mmr, pooled(asked))}")


if __name__ == "__main__":
    main()
