"""Measure times and percentiles, and run jobs in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
_BEGUN = time.monotonic()
Asked = TypeVar("Asked")


def say(text: str) -> None:
    """Print progress on standard error, with the seconds since the start."""
    print(f"[{time.monotonic() - _BEGUN:6.1f} s] {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of many queries. A query's time is the median of its rounds."""

    p50: float
    p95: float
    p99: float
    queries: int

    @classmethod
    def of(cls, rounds: Sequence[Sequence[float]]) -> Times:
        """Return percentiles. rounds: times of each query, of which the first half is warm-up."""
        each = [float(np.median(times[len(times) // 2 :])) for times in rounds]
        p50, p95, p99 = np.percentile(each, [50, 95, 99])
        return cls(float(p50), float(p95), float(p99), len(each))


def median_times(passes: Sequence[Times]) -> Times:
    """Return the median of each percentile over passes."""
    columns = zip(*[(t.p50, t.p95, t.p99) for t in passes], strict=True)
    return Times(*[float(np.median(column)) for column in columns], passes[0].queries)


def time_each(
    ask: Callable[[Asked], object], questions: Sequence[Asked], rounds: int
) -> list[list[float]]:
    """Return the milliseconds of each question in each round, after one round of warm-up."""
    each: list[list[float]] = [[] for _ in questions]
    for round_ in range(rounds + 1):
        for times, question in zip(each, questions, strict=True):
            begun = time.perf_counter()
            ask(question)
            if round_:
                times.append((time.perf_counter() - begun) * 1e3)
    return each


def job(name: str, **arguments: Any) -> Any:
    """Run a job of `benchmarks.jobs` in a new process. Return its answer and its `wall` seconds.

    Raises RuntimeError with the end of the job's error output if it fails.
    """
    command = [sys.executable, "-m", "benchmarks.jobs", name, json.dumps(arguments)]
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - begun
    if done.returncode:
        raise RuntimeError(f"benchmark job {name} failed: {done.stderr.strip()[-1500:]}")
    return {**json.loads(done.stdout.splitlines()[-1]), "wall": wall}
