"""Sizes of a measurement: the whole benchmark, or a part of it in two minutes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import corpora
from benchmarks.corpora import Question
from benchmarks.measuring import CACHE

BOOSTED = "heimdall-2021"
PLAIN = "dirichlet"
BM25 = "bm25"
PAGED = "default"
CUTOFFS = (10, 1000)
WORKERS = 2
TEXT_ONLY = ("index.encoder=none", "index.quality_model=none")


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes and repetitions, and the folder for everything that is built."""

    documents: int
    passes: int
    rounds: int
    conclusions: int
    paragraphs: int
    server_rounds: int
    server_queries: int
    load_seconds: float
    scaling: tuple[int, ...]
    cold_runs: int
    others: dict[str, dict[str, Any]]
    """Engines for which only the speed is measured, with their options."""
    servers: tuple[str, ...] = ("elasticsearch", "opensearch")

    @property
    def corpus(self) -> Path:
        """File of the documents."""
        return corpora.posts(self.documents)

    @property
    def folder(self) -> Path:
        """Folder in which indexes are built."""
        folder = CACHE / f"built-{self.documents}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def index(self) -> Path:
        """Path of this engine's whole index."""
        return self.folder / "argsearch"

    def questions(self) -> dict[str, list[Question]]:
        """Return the queries, by their source."""
        return {
            "touche": corpora.touche(),
            "conclusions": corpora.conclusions(self.corpus, self.conclusions),
        }


FULL = Plan(
    documents=390_704,
    passes=3,
    rounds=10,
    conclusions=1000,
    paragraphs=50,
    server_rounds=2,
    server_queries=50,
    load_seconds=10.0,
    scaling=(50_000, 100_000, 200_000, 390_704, 1_562_816),
    cold_runs=5,
    others={"bm25s": {"backend": "numba"}, "pyterrier": {}},
)
QUICK = Plan(
    documents=20_000,
    passes=1,
    rounds=6,
    conclusions=60,
    paragraphs=20,
    server_rounds=1,
    server_queries=15,
    load_seconds=0.7,
    scaling=(),
    cold_runs=3,
    others={"bm25s": {"backend": "numpy"}},  # numba takes half a minute to compile
)
