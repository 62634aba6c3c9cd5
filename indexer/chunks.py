"""One run of documents turned into everything that needs their text: done in worker processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.corpus.argument import Argument
from indexer.errors import ArgsearchError
from indexer.layout.arrays import STANCE_CODES
from indexer.layout.store import from_line, pack, to_line
from indexer.lifeline import begin

if TYPE_CHECKING:
    from indexer.quality import QualityModel

SIZE = 4096
"""Documents in a chunk; a multiple of the store's frame."""


class WorkerEnded(ArgsearchError):
    """A worker process of a build ended before its work was done."""


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
    quality: NDArray[np.float32]
    """float32[n] raw predictions."""
    stances: NDArray[np.uint8]
    ids: list[str]
    conclusions: list[str | None]


def digest(
    arguments: Sequence[Argument], lines: Sequence[bytes], model: QualityModel | None
) -> Chunk:
    """Tokenise, count, predict quality and compress one run of documents and their lines."""
    from indexer.analysis.batch import tokenize
    from indexer.inversion import count_terms

    batch = tokenize([argument.text for argument in arguments])
    starts, term_ids, tfs = count_terms(batch.ids, batch.offsets, len(batch.terms))
    premises = [argument.premise for argument in arguments]
    quality = model.raw(premises) if model else np.zeros(len(arguments), np.float32)
    return Chunk(
        frames=pack(lines),
        terms=batch.terms,
        starts=starts,
        term_ids=term_ids,
        tfs=tfs,
        lengths=np.diff(batch.offsets).astype(np.int32),
        quality=quality,
        stances=np.array([STANCE_CODES[argument.stance] for argument in arguments], np.uint8),
        ids=[argument.id for argument in arguments],
        conclusions=[argument.conclusion for argument in arguments],
    )


_model: QualityModel | None = None


def _start(spec: str) -> None:
    global _model
    from indexer.quality import load_quality_model

    _model = None if spec == "none" else load_quality_model(spec)


def _lines(run: Sequence[Argument]) -> list[bytes]:
    return [to_line(argument) for argument in run]


def _digest_lines(joined: bytes) -> Chunk:
    """A run as the lines that its store holds: two thirds of the time of pickled arguments."""
    lines = joined.split(b"\n")
    return digest([from_line(line) for line in lines], lines, _model)


def digest_all(
    runs: Iterable[Sequence[Argument]], quality_model: str, workers: int
) -> Iterator[Chunk]:
    """The chunks of all runs, in order; `workers` processes, or none beside this one for 1."""
    if workers == 1:
        _start(quality_model)
        yield from (digest(run, _lines(run), _model) for run in runs)
        return
    first = (__name__, _start.__name__, quality_model)
    with ProcessPoolExecutor(workers, get_context("spawn"), begin, first) as pool:
        try:
            yield from _in_order(partial(_submit, pool), runs, 2 * workers)
        except BrokenProcessPool as error:
            raise WorkerEnded(
                "a process of the build ended before its work was done (killed, or there is too "
                "little memory); run it again with fewer --workers"
            ) from error
        except BaseException:
            for process in list(pool._processes.values()):
                process.kill()  # or leaving the pool would wait for the work that it has
            raise


def _submit(pool: ProcessPoolExecutor, *work: Any) -> Future[Chunk]:
    """Give work to the pool, which may start a process for it: Ctrl-C is not for that one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return pool.submit(*work)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_order(
    submit: Callable[..., Future[Chunk]], runs: Iterable[Sequence[Argument]], ahead: int
) -> Iterator[Chunk]:
    pending: list[Future[Chunk]] = []
    for run in runs:
        pending.append(submit(_digest_lines, b"\n".join(_lines(run))))
        if len(pending) > ahead:
            yield pending.pop(0).result()
    for future in pending:
        yield future.result()
