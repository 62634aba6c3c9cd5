"""One run of documents turned into everything that needs their text: done in worker processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from argsearch.indexer.corpus.argument import Argument
from argsearch.indexer.format.store import from_line, pack, to_line
from argsearch.indexer.processes import in_order
from argsearch.indexer.signals import SIGNALS, Batch, Labels

if TYPE_CHECKING:
    from argsearch.indexer.quality import QualityModel

SIZE = 4096
"""Documents in a chunk; a multiple of the store's frame."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What an index needs of n consecutive documents."""

    frames: list[bytes]
    terms: list[bytes]
    """The chunk's distinct terms, in order of first occurrence."""
    starts: NDArray[np.int64]
    """int64[n + 1] into the next two: each document's distinct terms and their frequencies."""
    term_ids: NDArray[np.int32]
    tfs: NDArray[np.int32]
    lengths: NDArray[np.int32]
    signals: dict[str, NDArray[Any] | Labels]
    """What each signal says of the documents, by its column's name."""
    ids: list[str]
    conclusions: list[str | None]


def digest(arguments: Sequence[Argument], lines: Sequence[bytes], model: QualityModel) -> Chunk:
    """Tokenise, count, predict quality and compress one run of documents and their lines."""
    from argsearch.indexer.analysis.batch import tokenize
    from argsearch.indexer.build.inversion import count_terms

    batch = tokenize([argument.text for argument in arguments])
    starts, term_ids, tfs = count_terms(batch.ids, batch.offsets, len(batch.terms))
    lengths = np.diff(batch.offsets).astype(np.int32)
    read = Batch(arguments, lengths, model)
    signals = {signal.column.name: signal.of(read) for signal in SIGNALS}
    return Chunk(
        frames=pack(lines),
        terms=batch.terms,
        starts=starts,
        term_ids=term_ids,
        tfs=tfs,
        lengths=lengths,
        signals={name: values for name, values in signals.items() if values is not None},
        ids=[argument.id for argument in arguments],
        conclusions=[argument.conclusion for argument in arguments],
    )


_model: QualityModel | None = None


def _start(spec: str) -> None:
    global _model
    from argsearch.indexer.quality import load_quality_model

    _model = load_quality_model(spec)


def _digest_lines(joined: bytes) -> Chunk:
    """A run as the lines that its store holds: two thirds of the time of pickled arguments."""
    lines = joined.split(b"\n")
    assert _model is not None
    return digest([from_line(line) for line in lines], lines, _model)


def digest_all(
    runs: Iterable[Sequence[Argument]], quality_model: str, workers: int
) -> Iterator[Chunk]:
    """The chunks of all runs, in order; `workers` processes, or none beside this one for 1."""
    lines = (b"\n".join(to_line(argument) for argument in run) for run in runs)
    yield from in_order(_digest_lines, lines, workers, (_start, (quality_model,)))
