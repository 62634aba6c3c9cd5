"""Flipping single bits of an index on disk, and everything that is asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from argsearch.engine import Engine
from argsearch.indexer.errors import ArgsearchError
from argsearch.indexer.format.checked import Checked
from argsearch.indexer.format.manifest import CHECKSUM_BLOCK

NARROWED: tuple[dict[str, Any], ...] = (
    {"where": ["words > 3", "date != 2012-01-01"], "facets": ["words", "date", "source"]},
    {"sort": "-words"},
    {"overrides": ["boost.columns.words=0.5", "boost.columns.date=0.5"]},
)
"""What reads the columns: filters, facets, an order, a weight in the score."""
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
        return asked(engine, questions, configs)


def asked(engine: Engine, questions: Sequence[str], configs: Sequence[str]) -> list[Any]:
    """The same of an open engine."""
    with engine:
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
        for narrowed in NARROWED:
            found = engine.search(questions[0], k=5, **narrowed)
            said.append((found.total, [(hit.id, hit.score) for hit in found.hits], found.facets))
        if "counter" in parts:
            said += [(hit.id, hit.score) for hit in engine.counter(questions[0], 5).hits]
        return said


def read_by(checked: Checked, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """n bits of the blocks that were read of an array."""
    blocks = rng.choice(np.flatnonzero(checked._marks == 0), n)
    at = np.minimum(
        blocks * CHECKSUM_BLOCK + rng.integers(CHECKSUM_BLOCK, size=n), len(checked._data) - 1
    )
    return list(zip(at.tolist(), rng.integers(8, size=n).tolist(), strict=True))


def outcome(index: Path, questions: Sequence[str], configs: Sequence[str]) -> list[Any] | str:
    """The same, or the line that refuses to answer."""
    try:
        return answers(index, questions, configs)
    except ArgsearchError as error:
        return str(error)


def places(n: int, size: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """n bits of a file by chance; of four or more in its first byte, its last and its header."""
    ends = [0, size - 1, int(rng.integers(min(size, 128)))] if n > 3 else []
    ends += rng.integers(size, size=n - len(ends)).tolist()
    return [(at, int(bit)) for at, bit in zip(ends, rng.integers(8, size=n), strict=True)]
