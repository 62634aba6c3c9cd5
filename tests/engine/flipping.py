"""Flipping single bits of an index on disk, and everything that is asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from engine import Engine
from indexer.errors import ArgsearchError

UNITS = {"pairs": "pairs", "dumani": "premises"}
"""What a configuration ranks, by the first word of its name; others: arguments."""


@contextmanager
def flipped(path: Path, at: int, bit: int) -> Iterator[None]:
    """The file with one bit of byte `at` flipped; it is as it was afterwards."""

    def flip() -> None:
        with path.open("r+b") as stream:
            stream.seek(at)
            (byte,) = stream.read(1)
            stream.seek(at)
            stream.write(bytes([byte ^ (1 << bit)]))

    flip()
    try:
        yield
    finally:
        flip()


def answers(index: Path, questions: Sequence[str], configs: Sequence[str]) -> list[Any]:
    """What an index says in a fresh opening: ids, scores, texts, counts, one explanation each.

    Raises ArgsearchError.
    """
    with Engine.open(index) as engine:
        parts = ("arguments", *engine.info.manifest.get("parts", {}))
        said: list[Any] = []
        for config in configs:
            unit = UNITS.get(config.partition("-")[0], "arguments")
            if unit not in parts:
                continue
            for question in questions:
                found = engine.rank(question, unit=unit, k=5, config=config)
                hits = [(hit.id, hit.score, hit.texts) for hit in found.hits]
                tree = list(found.hits[0].explanation.lines()) if hits else []
                said.append((config, question, found.total, hits, tree))
                if unit == "arguments" and hits:
                    said.append(repr(engine.argument(hits[0][0])))
        if "counter" in parts:
            said += [(hit.id, hit.score) for hit in engine.counter(questions[0], 5).hits]
        return said


def outcome(index: Path, questions: Sequence[str], configs: Sequence[str]) -> list[Any] | str:
    """The same, or the line that refuses to answer."""
    try:
        return answers(index, questions, configs)
    except ArgsearchError as error:
        return str(error)


def places(n: int, size: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """n bits of a file: its first byte, its last, one of its header, and others by chance."""
    ends = [0, size - 1, int(rng.integers(min(size, 128)))][:n]
    ends += rng.integers(size, size=n - len(ends)).tolist()
    return [(at, int(bit)) for at, bit in zip(ends, rng.integers(8, size=n), strict=True)]
