"""What goes into an index: a signal, an encoder and a reader."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.encoders.base import Encoder
from argsearch.indexer.format.columns import Column
from argsearch.indexer.signals.base import Batch, Signal


class Questions(Signal):
    """How many questions the premises ask."""

    column = Column(
        name="questions",
        doc="Question marks of the premises, 20 at most.",
        kind="number",
        dtype="uint16",
        high=20,
    )

    def of(self, batch: Batch) -> NDArray[np.uint16]:
        """Return the counts, uint16[n]."""
        counts = [min(20, argument.premise.count("?")) for argument in batch.arguments]
        return np.array(counts, np.uint16)


class Letters(Encoder):
    """How often a text has each of the first letters of the alphabet: `Letters:COUNT`."""

    scheme = "letters"
    models = "COUNT"
    default = "26"
    light = True

    def __init__(self, model: str) -> None:
        """Take so many letters."""
        super().__init__(model)
        self.dimensions = int(model)

    def rows(self, texts: list[str], tokens: int | None = None) -> NDArray[np.float32]:
        """Return the counts, float32[n, dimensions]."""
        letters = string.ascii_lowercase[: self.dimensions]
        return np.array([[text.count(one) for one in letters] for text in texts], np.float32)


def records(blocks: Iterable[bytes], report: Any) -> Iterator[tuple[int, Any]]:
    """Read a file `….said`: lines `conclusion: premise`, an argument each."""
    for number, line in enumerate(b"".join(blocks).decode().splitlines(), 1):
        conclusion, _, premise = line.partition(": ")
        yield (
            number,
            {
                "id": f"said-{number}",
                "conclusion": conclusion,
                "premises": [{"text": premise, "stance": "PRO"}],
                "context": {},
            },
        )
