"""Asks Terrier itself: the referee of DPH, and of BM25F's frequency over all fields.

The Java program in `terrier/` is built as Lucene's is (see `lucene_referee`).

`python -m tests.golden.terrier_referee` writes Terrier's answers into `terrier.json` anew, to
the questions that it draws by its seed.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tests.golden.lucene_referee import LUCENE, classpath
from tests.servers.launcher import find_java

SOURCES = Path(__file__).resolve().parent / "terrier"
GOLDEN = SOURCES.with_suffix(".json")


def terrier_answers(questions: Iterable[str]) -> list[float]:
    """Terrier's number for each line that `Terrier.java` understands."""
    done = subprocess.run(
        [str(find_java(LUCENE)), "-cp", classpath(SOURCES), "referee.Terrier"],
        input="".join(f"{question}\n" for question in questions),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the referee failed: {done.stderr[-2000:]}")
    return [float(line) for line in done.stdout.splitlines()]


def questions(seed: int = 7, n: int = 150) -> list[str]:
    """Random terms and documents, sparse and dense, short and long."""
    rng = np.random.default_rng(seed)
    drawn: list[str] = []
    for _ in range(n):
        dl, N = int(10 ** rng.uniform(0, 4)), int(10 ** rng.uniform(0, 6))
        tf = 1 + int(rng.integers(dl) * rng.random() ** 4)
        T = N * int(10 ** rng.uniform(0, 3)) + dl
        ttf = tf + int((T - tf) * rng.random() ** 8)
        drawn.append(f"dph {tf} {dl} {ttf} {N} {T}")
    for _ in range(n // 3):
        fields = []
        for longest in (20, 2000):
            dl = 1 + int(rng.integers(longest))
            w, b = round(10 ** rng.uniform(-1, 1), 3), round(rng.random(), 2)
            mean = round(longest * rng.uniform(0.1, 0.9), 2)
            fields.append(f"{w} {b} {mean} {rng.integers(1 + dl // 2)} {dl}")
        drawn.append("bm25f " + " ".join(fields))
    return drawn


if __name__ == "__main__":
    asked = questions()
    pairs = zip(asked, terrier_answers(asked), strict=True)
    GOLDEN.write_text("[\n" + ",\n".join(map(json.dumps, pairs)) + "\n]\n", encoding="ascii")
