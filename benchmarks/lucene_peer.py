"""Measure Lucene as a peer: the program in `lucene/` builds an index and times queries."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.golden.lucene_referee import LUCENE, classpath
from tests.servers.launcher import find_java

SOURCES = Path(__file__).resolve().parent / "lucene"


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the numbers that Eq. 1 needs."""

    id: str
    text: str
    cluster_factors: Sequence[float]
    """1 + ω_C·C of each cluster, by its number. The last is for documents without a cluster."""
    quality_weight: float


def _run(*arguments: str, heap: str) -> list[dict[str, Any]]:
    command = [str(find_java(LUCENE)), f"-Xmx{heap}", "-cp", classpath(SOURCES), "peer.Main"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Lucene failed: {done.stderr.strip()[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def build(documents: Path, index: Path, threads: int, heap: str = "4g") -> dict[str, Any]:
    """Index JSON lines {"id", "text", "cluster", "quality"}, and return seconds and bytes.

    With one thread, documents stay in the order of the file, which becomes the order of equal
    scores. So sort the file by id. The documents are read before the clock starts.
    """
    return _run("build", str(documents), str(index), str(threads), heap=heap)[0]


def query(
    index: Path,
    questions: Iterable[Question],
    tasks: Iterable[tuple[str, int]],
    rounds: int = 5,
) -> list[dict[str, Any]]:
    """Time queries after a warm-up round, in one thread.

    tasks: (mode, k); modes: plain (LMDirichlet, with Lucene's pruning), bm25 (the same with BM25),
    function (Eq. 1 as a FunctionScoreQuery), collector (Eq. 1 where scores are collected). Each
    answer has query, mode, k, milliseconds (one a round), ids, scores.
    """
    file = index / "queries.jsonl"
    lines = (json.dumps(asdict(one)) for one in questions)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    named = ";".join(f"{mode},{k}" for mode, k in tasks)
    return _run("query", str(index), str(file), named, str(rounds), heap="2g")
